"""What is wrong with the sequences of one part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Literal, NamedTuple

from audit.checks.array._faults import faults, subject
from audit.records.findings import Violation
from audit.records.tokens import Sequences, TokenAsk, TokenPart
from audit.records.words import Severity

Side = Literal["left", "right"]

_BELOW = 5
_PILE = 3
_ENOUGH = 100
_PACKED = 0.99


class Wanted(NamedTuple):
    """What sequences should be."""

    ask: TokenAsk
    shortest: int
    padding: Side | None
    truncated: float


def judged(part: TokenPart, wanted: Wanted) -> Iterator[Violation]:
    """All that is wrong with one part."""
    said, name = part.sequences, subject(part.path, part.sequences.name)
    yield from faults(part.path, said.faults)
    if said.problem:
        yield Violation(subject=name, kind="no-tokens", message=said.problem, unseen=True)
    if said.problem or said.faults:
        return
    yield from _lacking(name, said)
    yield from _vocabulary(name, said, wanted.ask.vocab_size)
    if said.stream:
        yield _stream(name, said, wanted)
    elif said.count:
        yield from _long(name, said, wanted.ask.max_length)
        yield from _short(name, said, wanted.shortest)
        yield from _padding(name, said, wanted.padding)
        yield from _truncated(name, said, wanted)


def _lacking(name: str, said: Sequences) -> Iterator[Violation]:
    if not said.count and not said.missing and not said.places:
        yield Violation(subject=name, kind="nothing", message="holds no sequence of tokens")
    if said.missing:
        message = f"{_many(said.missing, 'sequence')} {_are(said.missing)} missing (null)"
        yield Violation(subject=name, kind="missing", message=message, expected=0, found=said.missing)
    if said.nulls:
        message = f"{_many(said.nulls, 'token id')} {_are(said.nulls)} missing (null)"
        yield Violation(subject=name, kind="null", message=message, expected=0, found=said.nulls)


def _vocabulary(name: str, said: Sequences, size: int | None) -> Iterator[Violation]:
    if said.outside and size is not None and said.outside_first:
        first = said.outside_first
        where = "" if said.stream else f" in sequence {first.index:,}"
        message = (
            f"{said.outside:,} of {said.places:,} ids are not in the vocabulary of 0 to {size - 1:,}: "
            f"they reach from {said.low:,} to {said.high:,}, the first is {first.found:,}{where}"
        )
        yield Violation(subject=name, kind="vocabulary", message=message, expected=size, found=said.high)


def _stream(name: str, said: Sequences, wanted: Wanted) -> Violation:
    message = f"is one stream of {said.places:,} ids without sequences, so lengths and padding are not judged"
    only = wanted.ask.vocab_size is None
    hint = "; declare `vocab_size`, or store rows" if only else ""
    return Violation(subject=name, kind="stream", message=message + hint, severity=Severity.NOTE, unseen=only)


def _long(name: str, said: Sequences, most: int | None) -> Iterator[Violation]:
    if most is None:
        return
    longest = said.lengths[-1].length
    count = sum(one.sequences for one in said.lengths if one.length > most)
    if count and said.long_first:
        first = said.long_first
        message = (
            f"{_of(count, said)} {_are(count)} longer than {most:,} tokens: the longest has {longest:,}, "
            f"the first such is {first.index:,} with {first.found:,}"
        )
        yield Violation(subject=name, kind="long", message=message, expected=most, found=longest)
    elif said.width > most:
        message = f"rows are {said.width:,} wide, more than {most:,}, though no sequence is: cut the padding"
        yield Violation(subject=name, kind="width", message=message, expected=most, found=said.width)


def _short(name: str, said: Sequences, least: int) -> Iterator[Violation]:
    empty = sum(one.sequences for one in said.lengths if one.length == 0)
    if empty and least > 0:
        message = f"{_of(empty, said)} {_are(empty)} empty, the first is {said.empty_first:,}"
        yield Violation(subject=name, kind="empty", message=message, expected=0, found=empty)
    short = sum(one.sequences for one in said.lengths if 0 < one.length < least)
    if short:
        message = f"{_of(short, said)} {_are(short)} shorter than {least:,} tokens"
        yield Violation(subject=name, kind="short", message=message, expected=least, found=short)


def _padding(name: str, said: Sequences, side: Side | None) -> Iterator[Violation]:
    if not said.padding_known:
        if side is not None:
            message = "which ids are padding is not known; declare `pad_id` or `mask`"
            yield Violation(subject=name, kind="padding", message=message, unseen=True)
        return
    left = (said.left + said.both, "left", said.left_first)
    right = (said.right + said.both, "right", said.right_first)
    less, more = (right, left) if side == "left" else (left, right)
    if side is None:
        less, more = sorted((left, right), key=itemgetter(0))
    count, wrong, first = less
    if not count or (side is None and not more[0]):
        return
    message = f"{_of(count, said)} {_are(count)} padded on the {wrong}, the first is {first:,}"
    if side is None:
        message += f"; {more[0]:,} on the {more[1]}"
    yield Violation(
        subject=name,
        kind="padding",
        message=message,
        severity=Severity.ERROR if side else Severity.WARNING,
        expected=side,
        found=wrong if side else "mixed",
    )


def apart(parts: Sequence[TokenPart], path: str) -> Iterator[Violation]:
    """Files that are padded on the left among those that are padded on the right."""
    left = [part for part in parts if part.sequences.left and not part.sequences.right]
    right = [part for part in parts if part.sequences.right and not part.sequences.left]
    if left and right:
        message = (
            f"files differ in padding: {_many(len(left), 'file')} on the left, the first is {_name(left[0])}; "
            f"{len(right):,} on the right, the first is {_name(right[0])}"
        )
        yield Violation(subject=path, kind="padding", message=message, severity=Severity.WARNING, found="mixed")


def _name(part: TokenPart) -> str:
    return subject(part.path, part.sequences.name)


def _truncated(name: str, said: Sequences, wanted: Wanted) -> Iterator[Violation]:
    """Sequences pile up at the longest where longer ones were cut; where all are of one length, they are packed."""
    longest = said.lengths[-1]
    near = (one.sequences for one in said.lengths[:-1] if one.length >= longest.length - _BELOW)
    below = sum(near) / _BELOW
    cut = longest.sequences - longest.ended
    share = cut / said.count
    if said.count < _ENOUGH or longest.sequences >= _PACKED * said.count or longest.sequences <= _PILE * (below + 1):
        return
    if share > wanted.truncated:
        message = (
            f"{_of(cut, said)} ({share:.1%}) {_are(cut)} exactly {longest.length:,} tokens long, which is the most "
            "that any has: longer ones were cut, it seems"
        )
        yield Violation(
            subject=name,
            kind="truncated",
            message=message,
            severity=Severity.WARNING,
            expected=f"at most {wanted.truncated:.6g} of all",
            found=cut,
        )


def _of(count: int, said: Sequences) -> str:
    return f"{count:,} of {_many(said.count, 'sequence')}"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
