"""`split.ratio`: the splits have the sizes that were declared, and the same shares of classes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from audit.checks.split._splits import FILES, SplitCheck, Text, plural, table, unsplit
from audit.errors import ConfigError
from audit.facts.processes.split_shares import Apart
from audit.facts.splits.class_shares import ClassShares, Stratified
from audit.facts.splits.folder_classes import FolderClasses
from audit.facts.splits.tables import TableClasses
from audit.measures.holm import adjusted
from audit.records.check import Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.splits import AskClasses, ClassCounts, Classes, joint
from audit.records.words import Severity

FEWEST = 30
"""Rows on each side below which class shares tell nothing."""

BLIND = 2.0
"""A test that would only find more than this many times the tolerance is no reason to pass."""

_WHOLE = 1e-6
_FOLDER = "folder"


class _Compared(NamedTuple):
    """A split against the first: how far its class shares are apart, and the adjusted p-value."""

    one: ClassCounts
    apart: Apart
    chance: float
    few: bool


class Ratio(SplitCheck):
    """The splits have the declared shares of all rows or files, and the same shares of classes.

    `shares` names the splits and their shares, which add up to 1. A split fails if its share
    is more than `tolerance` away, unless one row more or less would be nearer to what was
    declared: five rows cannot be split into 80 and 20 percent of seven.

    With `stratify`, the class shares of each split are compared with those of the first.
    Total variation, 1/2 sum |p_k - q_k| over all classes, is the share of rows that would
    have to change their class. A split fails if it is above `class_tolerance` **and** chance
    cannot explain it: the p-value of a permutation test (seeded), adjusted by Holm over all
    splits, is below `false_alarms`. Where there are fewer than 30 rows, or only more than
    twice the tolerance would be found (with 80 % power), that is a warning: insufficient data.

    ## Why it matters

    A test set that shrank, because a download broke off or a filter was changed, gives a
    score with a wider margin than anybody thinks. One with another mix of classes gives the
    score of another task.

    ## Example

    ```yaml
    rules:
      - id: eighty-ten-ten
        check: split.ratio
        with: {shares: {train: 0.8, val: 0.1, test: 0.1}, tolerance: 0.005, stratify: label}
      - id: folders-alike
        check: split.ratio
        with: {stratify: folder}
    ```

    ## How to fix

    Make the split again from its seed, and record it. Stratify it
    (`train_test_split(..., stratify=labels)`, `StratifiedGroupKFold`). If the split is meant to
    be as it is, declare its shares.
    """

    shares: Annotated[
        dict[str, Annotated[float, Meta(ge=0, le=1)]], Meta(description="The share of each split; they add up to 1.")
    ] = {}
    tolerance: Annotated[
        float, Meta(ge=0, le=1, description="How far a split's share may be off: 0.01 is a point.")
    ] = 0.01
    stratify: Annotated[
        Text | None, Meta(description="The column of the class, whose shares are to be alike; `folder` for files.")
    ] = None
    class_tolerance: Annotated[
        float, Meta(ge=0, le=1, description="The total variation of class shares that is let pass.")
    ] = 0.03
    false_alarms: Annotated[
        float, Meta(gt=0, lt=1, description="How often class shares may fail though only chance moved them.")
    ] = 0.01

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """The sizes of the splits, and the shares of their classes."""
        if not self.shares and not self.stratify:
            raise ConfigError("say which `shares` the splits have, or what to `stratify` by")
        if self.shares and not math.isclose(sum(self.shares.values()), 1.0, abs_tol=_WHOLE):
            raise ConfigError(f"`shares` add up to {sum(self.shares.values()):g}, not to 1")
        classes = self._classes(project)
        return {"found": ClassShares(classes=classes, below=self.false_alarms) if self.stratify else classes}

    def evaluate(self, found: Classes | Stratified) -> Iterator[Finding]:
        """One violation for a split whose size, or whose mix of classes, is not as declared."""
        classes = found.classes if isinstance(found, Stratified) else found
        for path, problem in classes.unseen:
            yield Violation(subject=path, kind="unreadable", message=problem, unseen=True)
        sizes = [*self._sizes(classes)]
        compared = _compared(found) if isinstance(found, Stratified) else []
        mixes = [violation for one in compared for violation in self._mix(classes, one)]
        yield from (*sizes, *mixes)
        if isinstance(found, Stratified):
            yield from self._classless(found)
        if classes.unsplit:
            yield unsplit(classes.splits[0].subject.partition("#")[0], self.split_column or "", classes.unsplit)
        yield from _figures(classes, compared)
        yield self._table(classes)
        yield Summary(text=self._told(classes, [*sizes, *mixes]))

    def _classes(self, project: Project) -> Request[Classes]:
        splits = self.chosen(project)
        if splits.tables:
            return TableClasses(root=project.root, splits=splits, wish=AskClasses(column=self.stratify or ""))
        if self.stratify not in {None, _FOLDER}:
            raise ConfigError("only tables have columns to stratify by; the classes of files are their folders' names")
        return FolderClasses(root=project.root, splits=self.chosen(project, FILES))

    def _sizes(self, found: Classes) -> Iterator[Violation]:
        total = sum(one.size for one in found.splits)
        sizes = {one.split: one for one in found.splits}
        for name, share in self.shares.items():
            if name not in sizes:
                subject = found.splits[0].subject.partition("#")[0]
                message = f"there is no split {name!r}, which should have {100 * share:g} %"
                yield Violation(
                    subject=joint(subject, f"split={name}"), kind="missing", message=message, expected=share
                )
            elif total and self._off(sizes[name].size, total, share):
                yield _size(found, sizes[name], total, share, self.tolerance)
        for name in sizes.keys() - self.shares.keys() if self.shares else ():
            message = (
                f"{plural(sizes[name].size, found.unit)} are in the split {name!r}, of which `shares` says nothing"
            )
            yield Violation(subject=sizes[name].subject, kind="extra", message=message, found=sizes[name].size)

    def _off(self, size: int, total: int, share: float) -> bool:
        return abs(size / total - share) > self.tolerance + _WHOLE and abs(size - share * total) >= 1

    def _mix(self, found: Classes, compared: _Compared) -> Iterator[Violation]:
        one, apart = compared.one, compared.apart
        first = found.splits[0].split
        told = (
            f"class shares of {one.split} and {first} differ by {apart.effect:.3g} (total variation; tolerance "
            f"{self.class_tolerance:g}, p = {compared.chance:.2g})"
        )
        subject = joint(one.subject, *([self.stratify] if self.stratify and not found.folders else []))
        if apart.effect > self.class_tolerance and compared.chance < self.false_alarms and not compared.few:
            message = f"{told}; {_furthest(found.splits[0], one)}"
            yield Violation(
                subject=subject, kind="classes", message=message, expected=self.class_tolerance, found=apart.effect
            )
        elif compared.few or apart.detectable > BLIND * self.class_tolerance:
            message = (
                f"insufficient data: {told}; {plural(one.size, found.unit)} of {one.split} would show a difference of "
                f"{apart.detectable:.2g} or more"
            )
            yield Violation(subject=subject, kind="insufficient", severity=Severity.WARNING, message=message)

    def _classless(self, found: Stratified) -> Iterator[Violation]:
        """Nothing is said of splits without any class; rows without one are left out, and told."""
        for one in found.classes.splits:
            if not one.counts:
                message = f"no {found.classes.unit} of {one.split} has a class"
                yield Violation(subject=one.subject, kind="unlabelled", message=message, unseen=True)
            elif one.missing:
                message = f"{plural(one.missing, found.classes.unit)} of {one.split} without a class, left out"
                yield Violation(subject=one.subject, kind="unlabelled", severity=Severity.WARNING, message=message)

    def _table(self, found: Classes) -> Finding:
        total = sum(one.size for one in found.splits)
        rows = [[one.split, one.size, _percent(one.size, total), self._declared(one.split)] for one in found.splits]
        return table("Sizes of the splits", ["split", f"{found.unit}s", "share", "declared"], rows)

    def _declared(self, name: str) -> str | None:
        return f"{100 * self.shares[name]:g} %" if name in self.shares else None

    def _told(self, found: Classes, violations: list[Violation]) -> str:
        total = sum(one.size for one in found.splits)
        told = ", ".join(f"{one.split} {_percent(one.size, total)}" for one in found.splits)
        kinds = {one.kind for one in violations}
        wrong = ["not the declared shares"] if kinds & {"share", "missing", "extra"} else []
        wrong += ["classes differ"] if "classes" in kinds else []
        wrong += ["insufficient data on classes"] if "insufficient" in kinds else []
        wrong += ["no classes"] if self.stratify and not all(one.counts for one in found.splits) else []
        return f"{plural(total, found.unit)}: {told}{'; ' + ', '.join(wrong) if wrong else ', as declared'}"


def _size(found: Classes, one: ClassCounts, total: int, share: float, tolerance: float) -> Violation:
    return Violation(
        subject=one.subject,
        kind="share",
        message=f"{one.split} has {one.size:,} of {total:,} {found.unit}s, {_percent(one.size, total)} where "
        f"{100 * share:g} % (+/- {100 * tolerance:g}) are declared",
        expected=share,
        found=one.size / total,
    )


def _compared(found: Stratified) -> list[_Compared]:
    first, *others = found.classes.splits
    able = [(one, apart) for one, apart in zip(others, found.apart, strict=True) if apart is not None]
    chances = adjusted([apart.p for _, apart in able])
    return [
        _Compared(one, apart, chance, min(_labelled(first), _labelled(one)) < FEWEST)
        for (one, apart), chance in zip(able, chances, strict=True)
    ]


def _labelled(one: ClassCounts) -> int:
    return one.size - one.missing


def _furthest(first: ClassCounts, one: ClassCounts) -> str:
    """The class whose shares are furthest apart."""
    a, b = dict(first.counts), dict(one.counts)
    n, m = _labelled(first), _labelled(one)
    name = max(sorted(a.keys() | b.keys()), key=lambda each: abs(a.get(each, 0) / n - b.get(each, 0) / m))
    return (
        f"{name!r} is {_percent(a.get(name, 0), n)} of {first.split} and {_percent(b.get(name, 0), m)} of {one.split}"
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole if whole else 0.0:.3g} %"


def _figures(found: Classes, compared: list[_Compared]) -> Iterator[Figure]:
    total = sum(one.size for one in found.splits)
    for one in found.splits:
        yield Figure(name=f"{found.unit}s_{one.split}", value=one.size)
        yield Figure(name=f"share_{one.split}", value=one.size / total if total else 0.0)
    for each in compared:
        yield Figure(name=f"total_variation_{each.one.split}", value=each.apart.effect)
        yield Figure(name=f"p_adjusted_{each.one.split}", value=each.chance)
        yield Figure(name=f"detectable_{each.one.split}", value=each.apart.detectable)
