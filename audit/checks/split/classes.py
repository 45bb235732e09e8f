"""`split.classes`: all splits have the same classes, and number them alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Meta

from audit.checks.split._splits import FILES, SplitCheck, Text, empties, plural, some, table, unsplit
from audit.errors import CannotLook, ConfigError, NotApplicable
from audit.facts.splits.folder_classes import FolderClasses
from audit.facts.splits.tables import TableClasses
from audit.measures.ids import spelling
from audit.records.check import Request
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.splits import AskClasses, ClassCounts, joint
from audit.records.splits import Classes as Found
from audit.records.words import Kind, Severity


class Classes(SplitCheck):
    """The splits have the same classes, spelt alike, and number them alike.

    The class of a row is its value in `column`; that of a file is the first folder below
    its split's (`train/cat/1.png`). The first split, training, is what the others are held
    against. A class that training does not have fails, and one that differs from a class of
    training only in case, spaces, dashes or underscores is named beside it. A class that
    training has and another split has not is a warning.

    For folders, the numbers that readers give to classes are compared: torchvision's
    `ImageFolder` and Keras' `image_dataset_from_directory` sort each split's own folders by
    name and count from 0. Where a class is missing, all behind it have other numbers than in
    training, and that fails. Columns are compared so only if `index: true` says that each
    split is numbered for itself.

    ## Why it matters

    A model that is told "1 is dog" in training, and judged with "1 is cow", is wrong without
    any sign of it but a bad score. A class that was never trained cannot be recognised, and one
    that the test lacks is never judged.

    ## Example

    ```yaml
    rules:
      - id: same-classes
        check: split.classes                # the folders below data/train and data/val
        with: {minimum: 20}
      - id: same-labels
        check: split.classes
        with: {column: label}
    ```

    ## How to fix

    Rename what is spelt in two ways. Give each split a folder for every class, or number the
    classes once, from the training split, and use that map for all. Split with stratification,
    so that rare classes reach all splits (`train_test_split(..., stratify=labels)`).
    """

    column: Annotated[Text | None, Meta(description="The column of the class; left out, folders' names.")] = None
    index: Annotated[
        bool | None,
        Meta(description="Whether each split is numbered for itself, by sorted names; left out, folders are."),
    ] = None
    minimum: Annotated[int, Meta(ge=1, description="The fewest rows or files of a class in each split.")] = 1

    def needs(self, project: Project) -> Mapping[str, Request[Found]]:
        """The classes of each split, counted."""
        return {"found": classes(self, project, self.column)}

    def evaluate(self, found: Found) -> Iterator[Finding]:
        """One violation for a split and each way in which its classes are not those of the first."""
        if not any(one.counts for one in found.splits):
            if found.folders:
                raise NotApplicable("no split has a folder for each class")
            raise CannotLook(f"no row has a class in {self.column!r}")
        for path, problem in found.unseen:
            yield Violation(subject=path, kind="unreadable", message=problem, unseen=True)
        first, *others = found.splits
        judged = [*(self._alone(found, one) for one in found.splits), *(self._against(first, one) for one in others)]
        if found.folders if self.index is None else self.index:
            judged += [self._numbers(first, one, folders=found.folders) for one in others]
        violations = [violation for some in judged for violation in some]
        yield from violations
        yield from empties(((one.split, one.subject, one.size) for one in found.splits), found.unit)
        if found.unsplit:
            yield unsplit(first.subject.partition("#")[0], self.split_column or "", found.unsplit)
        for one in found.splits:
            yield Figure(name=f"classes_{one.split}", value=len(one.counts))
        yield _counts(found)
        yield Summary(text=_told(found, violations))

    def _subject(self, one: ClassCounts) -> str:
        return joint(one.subject, *([self.column] if self.column else []))

    def _alone(self, found: Found, one: ClassCounts) -> Iterator[Violation]:
        """What is odd about a split whatever the others have."""
        if one.missing:
            where = f"{self.column!r} is empty" if self.column else "in no folder of a class"
            message = f"{plural(one.missing, found.unit)} of {one.split} without a class: {where}"
            yield self._warning(one, "missing", message)
        few = [f"{name!r} ({count:,})" for name, count in one.counts if count < self.minimum]
        if few:
            message = f"{plural(len(few), 'class', 'classes')} of {one.split} with fewer than {self.minimum:,} "
            yield self._warning(one, "few", f"{message}{found.unit}s: {some(few)}")
        for names in _spelt_alike(name for name, _ in one.counts):
            message = f"{one.split} spells what looks like one class in {len(names)} ways: {some(names)}"
            yield self._warning(one, "spelling", message)

    def _against(self, first: ClassCounts, one: ClassCounts) -> Iterator[Violation]:
        known, own = dict(first.counts), dict(one.counts)
        alike = {spelling(name): name for name in sorted(known, reverse=True)}
        extra = sorted(own.keys() - known.keys())
        meant = {name: alike[spelling(name)] for name in extra if spelling(name) in alike}
        unknown = [name for name in extra if name not in meant]
        if meant:
            told = [f"{name!r} ({plural(own[name], 'time')}) for {right!r}" for name, right in meant.items()]
            message = f"{one.split} spells classes of {first.split} in another way: {some(told)}"
            yield Violation(subject=self._subject(one), kind="spelling", message=message, expected=0, found=len(meant))
        if unknown:
            told = [f"{name!r} ({own[name]:,})" for name in unknown]
            message = (
                f"{plural(len(unknown), 'class', 'classes')} of {one.split} that {first.split} lacks: {some(told)}"
            )
            yield Violation(subject=self._subject(one), kind="extra", message=message, expected=0, found=len(unknown))
        absent = sorted(known.keys() - own.keys() - set(meant.values()))
        if absent:
            message = f"{plural(len(absent), 'class', 'classes')} of {first.split} that {one.split} lacks: "
            yield self._warning(one, "absent", message + some([repr(name) for name in absent]), len(absent))

    def _numbers(self, first: ClassCounts, one: ClassCounts, *, folders: bool) -> Iterator[Violation]:
        known, own = _numbered(first), _numbered(one)
        moved = [name for name in known if name in own and known[name] != own[name]]
        if moved:
            name = moved[0]
            how = (
                "readers of folders sort each split's own" if folders else "each split is numbered by its sorted names"
            )
            yield Violation(
                subject=self._subject(one),
                kind="index",
                message=f"{len(moved):,} of {len(known.keys() & own.keys()):,} shared classes have "
                f"another number in {one.split}: {name!r} is {known[name]} in {first.split} and {own[name]} in "
                f"{one.split}; {how}: number them once for all",
                expected=known[name],
                found=own[name],
            )

    def _warning(self, one: ClassCounts, kind: str, message: str, found: int | None = None) -> Violation:
        return Violation(subject=self._subject(one), kind=kind, severity=Severity.WARNING, message=message, found=found)


def classes(check: SplitCheck, project: Project, column: str | None) -> Request[Found]:
    """The request for the classes of a check's splits, by a column of tables or by the folders of files."""
    splits = check.chosen(project, frozenset({Kind.TABLE}) if column else FILES)
    if splits.tables and not column:
        raise ConfigError("the splits are tables: name the `column` of the class")
    if column and not splits.tables:
        raise ConfigError("only tables have columns; the classes of files are their folders' names")
    if column:
        return TableClasses(root=project.root, splits=splits, wish=AskClasses(column=column))
    return FolderClasses(root=project.root, splits=splits)


def _numbered(one: ClassCounts) -> dict[str, int]:
    return {name: number for number, (name, _) in enumerate(one.counts)}


def _spelt_alike(names: Iterable[str]) -> Iterator[list[str]]:
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        alike[spelling(name)].append(repr(name))
    yield from (some for key, some in alike.items() if key and len(some) > 1)


def _counts(found: Found) -> Exhibit:
    names = sorted({name for one in found.splits for name, _ in one.counts})
    each = [dict(one.counts) for one in found.splits]
    rows = [[name, *(counts.get(name, 0) for counts in each)] for name in names]
    return table("Classes", ["class", *(one.split for one in found.splits)], rows)


def _told(found: Found, violations: Sequence[Violation]) -> str:
    counts = ", ".join(f"{plural(len(one.counts), 'class', 'classes')} in {one.split}" for one in found.splits)
    kinds = sorted({one.kind for one in violations})
    return f"{counts}: {', '.join(kinds)}" if kinds else f"{counts}: the same"
