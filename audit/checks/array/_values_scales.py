"""How values are scaled: held against what is declared, against other files, and against another dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from audit.checks.array._faults import subject
from audit.checks.array._values_groups import ENOUGH, SCALES, Group, grouped, interval, scale, within
from audit.records.array_values import ArrayValues, Moments, Scanned
from audit.records.findings import Violation
from audit.records.words import Severity

NAMES = {"unit": "[0, 1]", "symmetric": "[-1, 1]", "byte": "[0, 255]", "standard": "mean 0 and deviation 1"}

TWICE = 1 / 200
"""Values that reach so small a part of their scale were scaled twice."""

_MOST = 0.75
_FEW = 3
_APART = 10.0


class Named(NamedTuple):
    """A dataset and how violations call it: by its path."""

    path: str
    scanned: Scanned

    def subject(self, group: Group) -> str:
        """What is said of a group is said of its file, if it is one, else of the dataset."""
        files = [file.path for file in self.scanned.files if any(one.key == group.key for one in file.values.arrays)]
        return subject(files[0] if len(files) == 1 else self.path, group.key)


def declared(dataset: Named, name: str, tolerance: float) -> Iterator[Violation]:
    """What is not scaled as declared: arrays that leave the scale, then groups that do not fill it.

    Lists of integers beside other arrays are labels or indices, which have no scale.
    """
    groups = grouped(dataset.scanned)
    known = [group for group in groups if len(groups) == 1 or not _labels(group)]
    out = set()
    for place, where, one in _arrays(dataset.scanned, known):
        if name in SCALES and one.low is not None and one.high is not None and not within(one.low, one.high, name):
            out.add(place)
            yield _wrong(where, f"values in {interval(one.low, one.high)}", name, _called(one))
    for group in known:
        if (group.key, group.dimensions) not in out and group.finite:
            yield from _filled(dataset.subject(group), group, name, tolerance)


def _arrays(scanned: Scanned, groups: Sequence[Group]) -> Iterator[tuple[tuple[str, int], str, ArrayValues]]:
    """The arrays of these groups: of which group, how the report names them, and they themselves."""
    places = {(group.key, group.dimensions) for group in groups}
    for file in scanned.files:
        for one in file.values.arrays:
            place = (one.key, len(one.shape))
            if place in places:
                yield place, subject(file.path, one.key), one


def _labels(group: Group) -> bool:
    return group.integers and group.dimensions < 2  # noqa: PLR2004 - a list


def _called(one: ArrayValues) -> str:
    return scale(one.low, one.high, one.moments)


def _filled(where: str, group: Group, name: str, tolerance: float) -> Iterator[Violation]:
    low, high = group.low or 0, group.high or 0
    if name == "standard":
        yield from _standard(where, group, tolerance)
    elif group.finite < ENOUGH:
        return
    elif max(-low, high) <= TWICE * SCALES[name][1]:
        yield _wrong(where, f"values in {group.range}: so little of it that they seem to be scaled twice,", name, "")
    elif name == "symmetric" and low >= 0:
        yield _wrong(where, f"values in {group.range}, of which none is negative,", name, group.scale)


def _standard(where: str, group: Group, tolerance: float) -> Iterator[Violation]:
    told = group.moments or Moments(count=0)
    if told.mean is None or told.sd is None:
        message = "mean and deviation cannot be computed: the values are too large for 64-bit floats"
        yield Violation(subject=where, kind="normalisation", message=message)
    elif abs(told.mean) > tolerance or abs(told.sd - 1) > tolerance:
        found = f"mean {told.mean:.4g} and deviation {told.sd:.4g}, values in {group.range}"
        yield _wrong(where, found, "standard", group.scale)


def _wrong(where: str, found: str, name: str, called: str) -> Violation:
    also = f", as of {called} values" if called else ""
    message = f"{found}{also}, not scaled to {NAMES[name]} ({name})"
    return Violation(subject=where, kind="normalisation", message=message, expected=name, found=called or found)


def minority(dataset: Named) -> Iterator[Violation]:
    """Files in [0, 255] among files in [0, 1] or [-1, 1]; of those that are dark, the range says nothing."""
    names: dict[tuple[str, int], dict[str, str]] = {}
    for file in dataset.scanned.files:
        for one in file.values.arrays:
            called = _called(one) if one.count >= ENOUGH else ""
            names.setdefault((one.key, len(one.shape)), {})[file.path] = called
    for (key, _), called_so in names.items():
        counts = Counter(called_so.values())
        small = counts["unit"] + counts["symmetric"]
        if len(called_so) >= _FEW and small >= _MOST * len(called_so):
            for path, called in called_so.items():
                if called == "byte":
                    yield _unusual(subject(path, key), small, len(called_so))


def _unusual(where: str, small: int, files: int) -> Violation:
    message = f"values in [0, 255]; in {small:,} of {files:,} files they are in [0, 1] or [-1, 1]"
    return Violation(subject=where, kind="minority", message=message, severity=Severity.WARNING, found="byte")


def unlike(current: Named, reference: Scanned, name: str) -> Iterator[Violation]:
    """Arrays that are not scaled as those of the dataset `name`; lists of integers, labels say, have no scale."""
    known = grouped(reference)
    mine = grouped(current.scanned)
    for group in mine:
        other = _counterpart(group, mine, known)
        where = current.subject(group)
        if other is None:
            message = f"{name} has no such array to hold it against (name in `keys` those that both have)"
            yield Violation(subject=where, kind="unmatched", message=message, unseen=True)
        elif not (_labels(group) and _labels(other)):
            yield from _apart(where, group, other, name)


def _counterpart(group: Group, mine: Sequence[Group], known: Sequence[Group]) -> Group | None:
    same = [one for one in known if one.key == group.key]
    exact = [one for one in same if one.dimensions == group.dimensions]
    if len(exact) == 1:
        return exact[0]
    if len(same) == 1:
        return same[0]
    return known[0] if len(known) == len(mine) == 1 else None


def _apart(where: str, group: Group, other: Group, name: str) -> Iterator[Violation]:
    ours, theirs = group.scale, other.scale
    message = f"values in {_told(group)}, where those of {name} are in {_told(other)}"
    if min(group.finite, other.finite) < ENOUGH:
        few = f"too few values to compare with {name}: {group.finite:,} and {other.finite:,}, {ENOUGH} are needed"
        yield Violation(subject=where, kind="insufficient", message=few, severity=Severity.WARNING)
    elif ours and theirs:
        if ours != theirs:
            yield Violation(subject=where, kind="unlike", message=message, expected=theirs, found=ours)
    else:
        yield from _spread(where, group, other, message)


def _spread(where: str, group: Group, other: Group, message: str) -> Iterator[Violation]:
    """How values without a scale of a name depart from others: how far they spread, where they end, where they lie."""
    ratio = _ratio(group, other)
    kind, severity, what = "", Severity.WARNING, ""
    if ratio and not 1 / _APART <= ratio <= _APART:
        kind, severity, what = "unlike", Severity.ERROR, f"they spread {ratio:.3g} times as far"
    elif other.scale in SCALES and not within(group.low or 0, group.high or 0, other.scale):
        kind, what = "beyond", f"they go beyond {NAMES[other.scale]}"
    elif _shifted(group, other):
        kind, what = "shifted", "their means are more than a deviation apart"
    if kind:
        yield Violation(
            subject=where,
            kind=kind,
            message=f"{message}: {what}",
            severity=severity,
            expected=other.range,
            found=group.range,
        )


def _shifted(group: Group, other: Group) -> bool:
    ours, theirs = group.moments, other.moments
    if ours is None or theirs is None or ours.mean is None or theirs.mean is None or not theirs.sd:
        return False
    return abs(ours.mean - theirs.mean) > theirs.sd


def _told(group: Group) -> str:
    return f"{group.range} ({group.scale})" if group.scale else group.range


def _ratio(group: Group, other: Group) -> float | None:
    ours, theirs = group.moments, other.moments
    return ours.sd / theirs.sd if ours and theirs and ours.sd and theirs.sd else None
