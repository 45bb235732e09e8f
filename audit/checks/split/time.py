"""`split.time`: training data lies before validation data, and that before test data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

from msgspec import Meta

from audit.checks.split._splits import SplitCheck, Text, empties, plural, share, table, unsplit
from audit.errors import CannotLook, ConfigError
from audit.facts.splits.tables import TableTimes
from audit.records.check import Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.splits import AskTimes, Span, TimePair, Times, joint
from audit.records.words import Kind, Severity

_WORDS = {"train": "training", "val": "validation", "test": "test"}


class Time(SplitCheck):
    """The splits follow each other in time: training, then validation, then test; or their windows do not overlap.

    With `column` alone, no row of a later split may come before the latest row of an
    earlier one. A row at that very time is a warning; one that follows it by less than
    `gap` fails. With `by`, each series is judged for itself.

    With `column` and `end`, or `column` and `window`, rows are windows of a longer series:
    from the first sample to the last, both included, or so long from the first sample on.
    Then no window of one split may share a sample with one of another, or be less than
    `gap` away from it; order does not matter. With `by`, windows of different series never
    overlap.

    Columns hold dates, timestamps (compared to the microsecond) or numbers. Times with a
    zone and times without one cannot be compared, and that is an `error`. Rows without a
    time are counted, and are a warning.

    ## Why it matters

    Whoever splits ordered data at random trains on the future of what is asked in the
    test: prices, sensors and logs of tomorrow tell much of today. Windows that are cut with
    an overlap and then shuffled share raw samples although no two rows are equal.

    ## Example

    ```yaml
    rules:
      - id: past-then-future
        check: split.time
        with: {column: recorded_at, gap: 7d}
      - id: windows-apart
        check: split.time
        with: {column: first_sample, end: last_sample, by: recording}
    ```

    ## How to fix

    Split at a point of time, not at random (`sklearn.model_selection.TimeSeriesSplit`, with
    its `gap`). Cut windows after splitting, not before; or leave out of training all windows
    that reach into another split.
    """

    column: Annotated[Text, Meta(description="The column of the time, or of a window's start.")]
    end: Annotated[Text | None, Meta(description="The column of a window's end, which belongs to it.")] = None
    window: Annotated[
        str | int | float | None, Meta(description="How long each window is, as `gap`; its end does not belong to it.")
    ] = None
    gap: Annotated[
        str | int | float | None,
        Meta(
            description="The least distance: a number in the column's own unit, or for dates a number and one of "
            "us, ms, s, m, h, d, w."
        ),
    ] = None
    by: Annotated[Text | None, Meta(description="The column that names the series of each row.")] = None

    def needs(self, project: Project) -> Mapping[str, Request[Times]]:
        """The times of each two splits."""
        if self.end and self.window is not None:
            raise ConfigError("a window's end is told by `end` or by `window`, not by both")
        wish = AskTimes(
            column=self.column,
            end=self.end or "",
            window=_said(self.window),
            gap=_said(self.gap),
            by=self.by or "",
        )
        splits = self.chosen(project, frozenset({Kind.TABLE}))
        if not splits.tables:
            raise ConfigError("only tables have a column of times")
        return {"times": TableTimes(root=project.root, splits=splits, wish=wish)}

    def evaluate(self, times: Times) -> Iterator[Finding]:
        """One violation for two splits and each way in which they are too close."""
        windows = self.end is not None or self.window is not None
        spans = {span.split: span for span in times.spans}
        if not any(span.first for span in times.spans):
            raise CannotLook(f"no row has a time in {self.column!r}")
        for pair in times.pairs:
            subject = joint(spans[pair.later].subject, self.column, f"with={pair.earlier}")
            yield from (_windows if windows else _order)(pair, subject, _said(self.gap))
        yield from empties(((span.split, span.subject, span.rows) for span in times.spans), "row")
        for span in times.spans:
            yield from self._remarks(span)
        for name in times.unordered:
            yield self._unordered(spans[name])
        if times.unsplit:
            yield unsplit(times.spans[0].subject.partition("#")[0], self.split_column or "", times.unsplit)
        yield from _figures(times, windows=windows)
        rows = [[span.split, span.rows, span.first, span.last, span.missing] for span in times.spans]
        yield table("When the splits are", ["split", "rows", "from", "to", "without a time"], rows)
        yield Summary(text=_told(times, windows=windows))

    def _remarks(self, span: Span) -> Iterator[Violation]:
        subject = joint(span.subject, self.column)
        told = f"{plural(span.rows, 'row')} of {span.split}"
        if span.missing:
            message = f"{span.missing:,} of {told} have no time, or no series, and could not be judged"
            yield Violation(
                subject=subject,
                kind="missing",
                severity=Severity.WARNING,
                message=message,
                expected=0,
                found=span.missing,
            )
        if span.reversed:
            message = f"{span.reversed:,} of {told} end before they start, and could not be judged"
            yield Violation(subject=subject, kind="reversed", message=message, expected=0, found=span.reversed)

    def _unordered(self, span: Span) -> Violation:
        return Violation(
            subject=span.subject,
            kind="unordered",
            message=f"whether {span.split!r} comes before or after the others is not known: call splits train, val "
            "and test",
            unseen=True,
        )


def _said(length: str | float | None) -> str:
    if length is None:
        return ""
    return f"{length:f}".rstrip("0").rstrip(".") if isinstance(length, float) else str(length)


def _order(pair: TimePair, subject: str, gap: str) -> Iterator[Violation]:
    earlier, later = _WORDS.get(pair.earlier, pair.earlier), _WORDS.get(pair.later, pair.later)
    ends = f"max({pair.earlier})={pair.last} {{}} min({pair.later})={pair.first}"
    where = f" (in the series {pair.series!r})" if pair.series is not None else ""
    if pair.before:
        yield Violation(
            subject=subject,
            kind="order",
            message=f"{ends.format('>')}{where}; {pair.before:,} of {pair.of:,} {later} rows "
            f"precede the latest {earlier} row",
            expected=f"after {pair.last}",
            found=pair.first,
        )
    if pair.equal and not pair.before:
        yield Violation(
            subject=subject,
            kind="boundary",
            severity=Severity.WARNING,
            message=f"{ends.format('=')}{where}; {pair.equal:,} of {pair.of:,} {later} rows are at the "
            f"time of the latest {earlier} row",
            expected=f"after {pair.last}",
            found=pair.first,
        )
    if pair.close or (gap and pair.equal and not pair.before):
        yield Violation(
            subject=subject,
            kind="gap",
            message=f"{ends.format('<' if not pair.before and not pair.equal else '>=')}{where}; "
            f"{pair.close + pair.equal:,} of {pair.of:,} {later} rows follow the latest {earlier} row "
            f"by less than {gap}",
            expected=gap,
        )


def _windows(pair: TimePair, subject: str, gap: str) -> Iterator[Violation]:
    where = f" of the series {pair.series!r}" if pair.series is not None else ""
    if pair.before:
        yield Violation(
            subject=subject,
            kind="window",
            message=f"{share(pair.before, pair.of)} windows of {pair.later} share samples with windows of "
            f"{pair.earlier}: the first is {pair.first}{where}",
            expected=0,
            found=pair.before,
        )
    if pair.close:
        yield Violation(
            subject=subject,
            kind="gap",
            message=f"{share(pair.close, pair.of)} windows of {pair.later} are less than {gap} away from windows of "
            f"{pair.earlier}",
            expected=gap,
            found=pair.close,
        )


def _figures(times: Times, *, windows: bool) -> Iterator[Figure]:
    what = "overlapping_windows" if windows else "rows_before"
    for pair in times.pairs:
        yield Figure(name=f"{what}_{pair.later}_{pair.earlier}", value=pair.before)
        if not windows:
            yield Figure(name=f"rows_at_boundary_{pair.later}_{pair.earlier}", value=pair.equal)
    for span in times.spans:
        yield Figure(name=f"first_{span.split}", value=span.first)
        yield Figure(name=f"last_{span.split}", value=span.last)


def _told(times: Times, *, windows: bool) -> str:
    bad = [pair for pair in times.pairs if pair.before]
    names = ", ".join(span.split for span in times.spans)
    if windows:
        rows = " + ".join(plural(span.rows, "window") + f" of {span.split}" for span in times.spans)
        told = ", ".join(f"{share(pair.before, pair.of)} of {pair.later} overlap {pair.earlier}" for pair in bad)
        return told or f"no windows of {rows} overlap"
    told = ", ".join(
        f"{share(pair.before, pair.of)} rows of {pair.later} precede the latest of {pair.earlier}" for pair in bad
    )
    equal = ", ".join(f"{pair.later} begins when {pair.earlier} ends" for pair in times.pairs if pair.equal and not bad)
    return told or equal or f"{names} follow each other in time"
