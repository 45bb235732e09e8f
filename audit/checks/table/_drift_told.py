"""What drifted, in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from audit.checks.table._drift_judged import FEWEST, Judged, Verdict
from audit.checks.table._schema_words import counted, cut, share, some
from audit.records.drift import Apart, Levels, Measured, Side
from audit.records.findings import Violation
from audit.records.words import Severity

MEASURES = {
    "ks": "Kolmogorov-Smirnov D",
    "length_ks": "Kolmogorov-Smirnov D of lengths",
    "total_variation": "total variation",
    "missing": "difference of missing shares",
    "nan": "difference of NaN shares",
}
_GAPS = ("missing", "nan")
_TINY = 1e-300
_WHOLE = 0.99  # a column with so many of the table's rows is short because the table is


def per_column(path: str, columns: Sequence[Judged], severity: Severity) -> Iterator[Violation]:
    """One violation for each column and kind, whatever the number of strata."""
    for name, parts in _grouped(columns).items():
        subject = f"{path}#{name}"
        for kind in ("drift", *_GAPS):
            found = [(part, one) for part in parts for one in part.verdicts if _is(kind, one) and one.state == "drift"]
            if found:
                yield _drifted(subject, kind, found, len(parts), severity)
        yield from _psi(subject, [part for part in parts if part.over_psi], severity)
        yield from _remarks(subject, parts)


def unseen(path: str, columns: Sequence[Judged], levels: Literal["open", "closed"]) -> Iterator[Violation]:
    """Levels that the reference never had: what was fitted on it has no place for them. And those that are gone."""
    closed = levels == "closed"
    for name, parts in _grouped(columns).items():
        pair = parts[0].pair
        if parts[0].range_only and not closed:
            continue
        if pair.unseen.count:
            yield Violation(
                subject=f"{path}#{name}",
                kind="unseen-level",
                severity=Severity.ERROR if closed else Severity.WARNING,
                message=f"{counted(pair.unseen.count, 'unseen level')}{_named(pair.unseen, rows=True)}",
                expected="no level that the reference does not have" if closed else None,
                found=pair.unseen.count,
            )
        if pair.vanished.count:
            yield Violation(
                subject=f"{path}#{name}",
                kind="vanished-level",
                severity=Severity.NOTE,
                message=f"{counted(pair.vanished.count, 'level')} of the reference absent"
                f"{_named(pair.vanished, rows=False)}",
                found=pair.vanished.count,
            )


def apart(path: str, measured: Measured) -> Iterator[Violation]:
    """Columns that are on one side only, or of two types."""
    for one in measured.absent:
        yield Violation(
            subject=f"{path}#{one.column}",
            kind="absent-column",
            message=_absent(one),
            expected=one.reference,
            found=one.current,
        )
    for one in measured.types:
        yield Violation(
            subject=f"{path}#{one.column}",
            kind="type",
            message=f"{one.reference} in the reference and {one.current} here: not compared",
            expected=one.reference,
            found=one.current,
        )


def insufficient(path: str, columns: Sequence[Judged]) -> Iterator[Violation]:
    """What too few rows leave open: once for a table that is too short, else by column."""
    blind = [one for one in columns if one.state == "insufficient"]
    short = [one for one in blind if _whole(one)]
    if short:
        yield _warning(path, f"{_sizes(short[0])}; {_listed(short)} could not be judged")
    long = [one for one in blind if not _whole(one)]
    for name, parts in _grouped(long).items():
        where = f" in {counted(len(parts), 'stratum').replace('stratums', 'strata')}" if parts[0].pair.stratum else ""
        yield _warning(f"{path}#{name}", f"{_sizes(parts[0])}{where}")


def _warning(subject: str, message: str) -> Violation:
    return Violation(
        subject=subject,
        kind="insufficient",
        severity=Severity.WARNING,
        message=f"insufficient data: {message}",
    )


def _sizes(one: Judged) -> str:
    """The test that tells least, and why: too few values, or an effect that they would not have shown."""
    if one.bare:
        n, m = one.values
        return f"{n:,} and {counted(m, 'value')} (n={min(n, m)} < {FEWEST})"
    worst = next((each for each in one.verdicts if min(each.test.sizes) < FEWEST), None) or max(
        (each for each in one.verdicts if each.state == "insufficient"), key=lambda each: each.test.detectable or 1.0
    )
    n, m = worst.test.sizes
    if min(n, m) < FEWEST:
        return f"{n:,} and {counted(m, 'value')} (n={min(n, m)} < {FEWEST})"
    grouped = f" in {worst.test.groups[0]:,} and {worst.test.groups[1]:,} groups" if worst.test.groups else ""
    sees = worst.test.detectable or 1.0
    return (
        f"{n:,} and {counted(m, 'value')}{grouped} would only show a {MEASURES[worst.test.name]} of {sees:.2g} or more"
        f" with 80 % power, and the tolerance is {worst.tolerance:g}"
    )


def _whole(one: Judged) -> bool:
    """Whether the column is as short as the table, or as its stratum."""
    rows = (one.pair.reference.rows, one.pair.current.rows)
    main = one.main
    return main is not None and all(size >= _WHOLE * all_of for size, all_of in zip(main.test.sizes, rows, strict=True))


def _listed(columns: Sequence[Judged]) -> str:
    names = [one.name for one in columns]
    return f"{counted(len(names), 'column')} ({some(names)})"


def _is(kind: str, one: Verdict) -> bool:
    return one.test.name == kind if kind in _GAPS else one.test.name not in _GAPS


def _drifted(
    subject: str, kind: str, found: Sequence[tuple[Judged, Verdict]], parts: int, severity: Severity
) -> Violation:
    part, worst = max(found, key=lambda each: each[1].test.effect / (each[1].tolerance or 1e-9))
    told = _gap(kind, part) if kind in _GAPS else _moved(part, worst)
    within = f"in {len(found)} of {parts} strata, most in {cut(part.pair.stratum)!r}: " if part.pair.stratum else ""
    return Violation(
        subject=subject,
        kind=kind,
        severity=severity,
        message=f"{within}{told}{_chance(worst)}",
        expected=f"at most {worst.tolerance:g}",
        found=float(f"{worst.test.effect:.6g}"),
    )


def _moved(part: Judged, worst: Verdict) -> str:
    effect = f"{MEASURES[worst.test.name]} {worst.test.effect:.3g} > {worst.tolerance:g}"
    error = f" (binned, up to {worst.test.error:.2g} more)" if worst.test.error else ""
    a, b = part.pair.reference, part.pair.current
    if part.pair.kind == "time":
        return f"{effect}{error}: {a.low} to {a.high} -> {b.low} to {b.high}"
    if a.mean is not None and b.mean is not None:
        of = " characters" if part.pair.kind == "text" else ""
        return f"{effect}{error}: mean {a.mean:.4g} -> {b.mean:.4g}{of}"
    return f"{effect}{error}"


def _gap(kind: str, part: Judged) -> str:
    a, b = part.pair.reference, part.pair.current
    return f"{'missing' if kind == 'missing' else 'NaN'} {_rate(a, kind)} -> {_rate(b, kind)}"


def _rate(side: Side, kind: str) -> str:
    return f"{100 * (side.missing if kind == 'missing' else side.nan) / max(1, side.rows):.1f} %"


def _chance(one: Verdict) -> str:
    n, m = one.test.sizes
    groups = f" in {one.test.groups[0]:,} and {one.test.groups[1]:,} groups" if one.test.groups else ""
    chance = f"{one.chance:.2g}" if one.chance >= _TINY else f"below {_TINY:g}"
    return f" (adjusted p {chance}; {n:,} and {m:,} rows{groups})"


def _psi(subject: str, parts: Sequence[Judged], severity: Severity) -> Iterator[Violation]:
    if not parts:
        return
    worst = max(parts, key=lambda one: max(one.pair.psi or 0.0, one.pair.psi_missing or 0.0))
    plain, gaps = worst.pair.psi, worst.pair.psi_missing
    told = [f"{index:.4g} {words}" for index, words in ((plain, "without"), (gaps, "with")) if index is not None]
    yield Violation(
        subject=subject,
        kind="psi",
        severity=severity,
        message=f"population stability index {' and '.join(told)} what is missing as a level, above the rule's limit",
        found=float(f"{max(plain or 0.0, gaps or 0.0):.6g}"),
    )


def _remarks(subject: str, parts: Sequence[Judged]) -> Iterator[Violation]:
    pair = parts[0].pair
    if pair.note:
        yield Violation(subject=subject, kind="not-compared", severity=Severity.NOTE, message=pair.note)
    if parts[0].range_only and pair.kind != "time":
        yield Violation(
            subject=subject,
            kind="held-out",
            severity=Severity.NOTE,
            message="no value in common with the reference, as a split by groups makes it; rows of one group are not "
            f"independent: `blocks: {pair.column}` deals whole groups; `tolerances` with this column has it judged",
        )
    elif parts[0].range_only:
        a, b = pair.reference, pair.current
        when = "after" if pair.disjoint == "after" else "before"
        yield Violation(
            subject=subject,
            kind="range",
            severity=Severity.NOTE,
            message=f"all of it lies {when} the reference, as a split by time makes it ({a.low} to {a.high} -> "
            f"{b.low} to {b.high}); name the column in `tolerances` to have its distance judged",
        )


def _absent(one: Apart) -> str:
    if one.reference is None and one.current is None:
        return "no column of this name, nor any that its pattern matches"
    return "only in the reference" if one.current is None else "not in the reference"


def _named(levels: Levels, *, rows: bool) -> str:
    if not levels.some:
        return f" ({share(levels.rows, levels.of)})"
    told = [
        f"{cut(name)} ({counted(count, 'row')}, {share(count, levels.of)})" if rows else cut(name)
        for name, count in levels.some
    ]
    more = levels.count - len(levels.some)
    rest = f" and {more:,} more" if more else ""
    return f": {', '.join(told)}{rest}"


def _grouped(columns: Iterable[Judged]) -> dict[str, list[Judged]]:
    """The strata of each column together, in the order of the columns."""
    found: defaultdict[str, list[Judged]] = defaultdict(list)
    for one in columns:
        found[one.pair.column].append(one)
    return found
