"""Repairs of one kind as one command: a person runs one for many files, not many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from audit.records.findings import Violation

MOST = 20


def gathered(found: Iterable[Violation], openings: Sequence[str], *, plain: bool = False) -> Iterator[Violation]:
    """Give all whose repair is one of the `openings` and a single word behind it one command for all these words.

    An opening ends with a space. No command has more than `MOST` words; with `plain`
    the opening alone, which then must do no harm, takes the place of more.
    """
    violations = tuple(found)
    words: dict[str, dict[str, None]] = {}
    for opening, word in filter(None, (_split(each, openings) for each in violations)):
        words.setdefault(opening, {})[word] = None
    together = {
        (opening, word): command
        for opening, said in words.items()
        for word, command in _together(opening, tuple(said), plain=plain)
    }
    for each in violations:
        split = _split(each, openings)
        yield replace(each, repair=together[split]) if split else each


def _split(violation: Violation, openings: Sequence[str]) -> tuple[str, str] | None:
    repair = violation.repair or ""
    opening = next((each for each in openings if repair.startswith(each)), None)
    return (opening, repair.removeprefix(opening)) if opening and " && " not in repair else None


def _together(opening: str, words: Sequence[str], *, plain: bool) -> Iterator[tuple[str, str]]:
    if plain and len(words) > MOST:
        yield from ((word, opening.rstrip()) for word in words)
        return
    for start in range(0, len(words), MOST):
        some = words[start : start + MOST]
        yield from ((word, opening + " ".join(some)) for word in some)
