"""`tokens.length`: sequences of tokens fit the model: their lengths, their padding, their ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Annotated

from msgspec import Meta

from audit.checks.tokens._told import Side, Wanted, apart, judged
from audit.facts.signals.token_lengths import TokenLengths
from audit.records.check import Check, Request
from audit.records.dataset import DatasetName
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.tokens import TokenAsk, Tokens
from audit.records.words import Kind, Severity

_BINS = 32

Count = Annotated[int, Meta(ge=1)]
Id = Annotated[int, Meta(ge=0)]


class Length(Check):
    """Sequences of tokens fit the model: their lengths, their padding, their ids.

    Takes token ids from arrays `[N, L]` (NPY, NPZ, safetensors) or from a column of lists of a
    table (Parquet, Arrow, JSON Lines). `tokens` names the array or the column; left out, it is
    `input_ids`, or the only one that can be. Text has no tokens: a column of it is not passed,
    the rule is then `error`.

    A sequence's length counts from its first to its last token that is no padding. What padding
    is, `pad_id` says, or a `mask` with 0 there; an array or column `attention_mask` is taken by
    itself. Without either, every place counts.

    - Sequences longer than `max_length`, rows that are wider, and empty sequences fail.
    - Ids outside 0 to `vocab_size` - 1 fail, those of padding among them.
    - Sequences padded on another side than `padding` fail; undeclared, both sides in one
      dataset warn.
    - Many sequences of exactly the greatest length warn: longer ones were cut, it seems. Those
      that end with `end_id` are whole; where all are of one length, they are packed.

    ## Why it matters

    An id beyond the embedding stops the training on a GPU with an error that names neither file
    nor row, or reads what is not its own. Beyond the model's greatest length positions are
    undefined. A decoder that is padded on the right goes on from padding, and what was cut has
    lost its end, often its answer.

    ## Example

    ```yaml
    datasets:
      train: {path: data/train.npz, kind: array, role: train}
      chats: {path: data/chats.parquet}
    rules:
      - id: train-fits-the-model
        check: tokens.length
        with: {dataset: train, tokens: input_ids, max_length: 512, vocab_size: 30522, pad_id: 0, padding: right}
      - id: chats-fit-the-model
        check: tokens.length
        with: {dataset: chats, tokens: input_ids, max_length: 4096, vocab_size: 128256, end_id: 128009}
    ```

    ## How to fix

    Tokenise again with the tokenizer of the very model, its `model_max_length` and
    `padding_side` set. Split long sequences instead of cutting them, and drop the empty. Ids
    outside the vocabulary come from another tokenizer, from tokens that were added without
    resizing the embedding, or from labels (-100) in place of ids.
    """

    accepts = frozenset({Kind.ARRAY, Kind.TABLE})

    dataset: DatasetName
    tokens: Annotated[str, Meta(description="The array or the column that holds token ids.")] = ""
    mask: Annotated[str, Meta(description="The array or the column that is 0 where there is padding.")] = ""
    max_length: Annotated[Count | None, Meta(description="The most tokens that the model takes.")] = None
    min_length: Annotated[Id, Meta(description="The fewest tokens that a sequence may have.")] = 1
    vocab_size: Annotated[Count | None, Meta(description="How many ids the model knows.")] = None
    pad_id: Annotated[int | None, Meta(description="The id that fills sequences up.")] = None
    end_id: Annotated[int | None, Meta(description="The id that ends a sequence that was not cut.")] = None
    padding: Annotated[Side | None, Meta(description="The side on which sequences are filled up.")] = None
    max_truncated_share: Annotated[
        float, Meta(ge=0, le=1, description="The share of sequences that may be exactly of the greatest length.")
    ] = 0.01

    def needs(self, project: Project) -> Mapping[str, Request[Tokens]]:
        """All sequences, counted."""
        return {"found": TokenLengths(root=project.root, dataset=project.dataset(self.dataset), ask=self._ask())}

    def _ask(self) -> TokenAsk:
        return TokenAsk(
            tokens=self.tokens,
            mask=self.mask,
            pad_id=self.pad_id,
            end_id=self.end_id,
            vocab_size=self.vocab_size,
            max_length=self.max_length,
        )

    def evaluate(self, found: Tokens) -> Iterator[Finding]:
        """Hold each part against what is declared."""
        wanted = Wanted(self._ask(), self.min_length, self.padding, self.max_truncated_share)
        wrong = [violation for part in found.parts for violation in judged(part, wanted)]
        wrong += apart(found.parts, found.path) if self.padding is None else ()
        lengths = _lengths(found)
        yield from (one.violation() for one in found.unseen)
        yield from wrong
        yield from _figures(found, lengths)
        yield from _drawn(lengths)
        yield Summary(text=_told(found, lengths, wrong, self.max_length))


def _lengths(found: Tokens) -> Counter[int]:
    counts: Counter[int] = Counter()
    for part in found.parts:
        counts.update({one.length: one.sequences for one in part.sequences.lengths})
    return counts


def _figures(found: Tokens, lengths: Counter[int]) -> Iterator[Figure]:
    places = sum(part.sequences.places for part in found.parts)
    yield Figure(name="sequences", value=lengths.total())
    yield Figure(name="ids", value=places)
    if lengths:
        tokens = sum(length * count for length, count in lengths.items())
        yield Figure(name="min_length_tokens", value=min(lengths))
        yield Figure(name="median_length_tokens", value=_quantile(lengths, 0.5))
        yield Figure(name="p99_length_tokens", value=_quantile(lengths, 0.99))
        yield Figure(name="max_length_tokens", value=max(lengths))
        yield Figure(name="padding_share", value=round(1 - tokens / places, 6) if places else 0.0)
    highest = [part.sequences.high for part in found.parts if part.sequences.high is not None]
    if highest:
        yield Figure(name="max_id", value=max(highest))


def _quantile(lengths: Counter[int], share: float) -> int:
    """The least length that at least this share of the sequences do not exceed."""
    order = sorted(lengths)
    sums = accumulate(lengths[length] for length in order)
    return next(length for length, some in zip(order, sums, strict=True) if some >= share * lengths.total())


def _drawn(lengths: Counter[int]) -> Iterator[Exhibit]:
    if not lengths:
        return
    low, high = min(lengths), max(lengths) + 1
    bins = min(_BINS, high - low)
    edges = [low + (high - low) * step // bins for step in range(bins + 1)]
    counts = [0] * bins
    for length, count in lengths.items():
        place = next(index for index in range(bins) if length < edges[index + 1])
        counts[place] += count
    data = {"edges": edges, "counts": counts, "unit": "tokens"}
    yield Exhibit(type="histogram", title="Sequences by length", data=data)


def _told(found: Tokens, lengths: Counter[int], wrong: Sequence[Violation], most: int | None) -> str:
    ids = sum(part.sequences.places for part in found.parts)
    held = f"{lengths.total():,} sequences" if lengths else f"{ids:,} ids"
    if any(one.severity is Severity.ERROR for one in wrong):
        return f"{held} looked at; they do not fit"
    told = f", {min(lengths):,} to {max(lengths):,} tokens long" if lengths else ""
    against = "" if most is not None or not lengths else "; no `max_length` is declared"
    return f"{held}{told}{against}"
