"""`split.groups`: all that belongs to one patient, speaker or user lies in one split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from msgspec import Meta

from audit.checks.split._splits import FILES, SplitCheck, Text, empties, plural, share, some, table, unsplit
from audit.errors import CannotLook, ConfigError
from audit.facts.splits.path_groups import PathGroups
from audit.facts.splits.tables import TableGroups
from audit.records.check import Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.splits import AskGroups, joint
from audit.records.splits import Groups as Found
from audit.records.words import Kind, Severity


class Groups(SplitCheck):
    """No group of rows or files (a patient, a speaker, a user, a session) lies in more than one split.

    The group of a row is its value in `column`; that of a file is what the one group of
    the regular expression `pattern` takes from its path. Ids are compared as text after
    spaces around them are taken off, and nothing else: `p23` is not `p023`, unless
    `normalise` says what to do to them first. Ids in different splits that look alike are
    a note. A row without an id belongs to no group: such rows are counted, and are a warning,
    since nobody can tell whose they are.

    ## Why it matters

    Pictures of one patient, or sentences of one speaker, are different and yet alike. A
    model that has met the patient in training recognises the patient, not the disease, and
    its test says nothing of the next patient. No comparison of content can see this.

    ## Example

    ```yaml
    rules:
      - id: patients-apart
        check: split.groups
        with: {column: patient_id}
      - id: speakers-apart
        check: split.groups
        with: {pattern: "/speakers/([^/]+)/", normalise: [lower]}
    ```

    ## How to fix

    Split by group, not by row: `sklearn.model_selection.GroupShuffleSplit` or `GroupKFold`.
    Where a few groups are shared, move all their rows into one split, training if the test
    set is to stay as it is, or take them out of the others.
    """

    column: Annotated[Text | None, Meta(description="The column of the group, in tables.")] = None
    pattern: Annotated[
        Text | None, Meta(description="A regular expression with one group, searched in files' paths.")
    ] = None
    normalise: Annotated[
        tuple[Literal["lower", "strip-zeros", "strip-punctuation", "digits", "nfkc"], ...],
        Meta(
            description="What is done to ids first, in this order: `lower` case; `strip-zeros` before a number; "
            "`strip-punctuation` and spaces; `digits` alone, letters dropped; Unicode `nfkc`."
        ),
    ] = ()

    def needs(self, project: Project) -> Mapping[str, Request[Found]]:
        """The groups and their splits."""
        if (self.column is None) == (self.pattern is None):
            raise ConfigError("name either the `column` of a table or a `pattern` for the paths of files")
        if self.column:
            splits = self.chosen(project, frozenset({Kind.TABLE}))
            self._fits(tables=splits.tables)
            wish = AskGroups(column=self.column, normalise=self.normalise)
            return {"found": TableGroups(root=project.root, splits=splits, wish=wish)}
        splits = self.chosen(project, FILES)
        self._fits(tables=splits.tables)
        pattern = self.pattern or ""
        return {"found": PathGroups(root=project.root, splits=splits, pattern=pattern, normalise=self.normalise)}

    def evaluate(self, found: Found) -> Iterator[Finding]:
        """One violation for all shared groups, one for each split with rows of no group."""
        subjects = {one.name: one.subject for one in found.splits}
        detail = (self.column,) if self.column else ()
        for path, problem in found.unseen:
            yield Violation(subject=path, kind="unreadable", message=problem, unseen=True)
        if not found.distinct and not found.unseen:
            raise CannotLook(f"no {found.unit} has a group", hint="mend `column` or `pattern`")
        if found.shared:
            yield _shared(found, joint(_last(found, subjects), *detail))
        yield from empties(((one.name, one.subject, one.size) for one in found.splits), found.unit)
        for split, count in found.missing:
            yield self._missing(found, split, count, joint(subjects[split], *detail))
        if found.unsplit:
            yield unsplit(found.splits[0].subject.partition("#")[0], self.split_column or "", found.unsplit)
        for first, later in found.alike[:1]:
            yield self._alike(found, first, later, joint(found.splits[0].subject, *detail))
        yield from _figures(found)
        if found.first:
            columns = ["group", *(one.name for one in found.splits)]
            rows = [[one.name, *(dict(one.rows).get(split.name, 0) for split in found.splits)] for one in found.first]
            yield table("Groups in several splits", columns, rows)
        yield Summary(text=_told(found))

    def _fits(self, *, tables: bool) -> None:
        if tables != (self.column is not None):
            raise ConfigError("`column` is for tables, `pattern` for files; the splits are of the other kind")

    def _missing(self, found: Found, split: str, count: int, subject: str) -> Violation:
        where = f"{self.column!r} is empty" if self.column else f"{self.pattern!r} finds nothing in their paths"
        return Violation(
            subject=subject,
            kind="missing",
            severity=Severity.WARNING,
            message=f"{plural(count, found.unit)} of {split} without a group: {where}; nobody can tell whose they are",
            expected=0,
            found=count,
        )

    def _alike(self, found: Found, first: str, later: str, subject: str) -> Violation:
        more = f", and {len(found.alike) - 1} more such pairs" if len(found.alike) > 1 else ""
        return Violation(
            subject=subject,
            kind="alike",
            severity=Severity.NOTE,
            message=f"{first!r} and {later!r} in different splits look like one id{more}: if they are, say so "
            "with `normalise`",
        )


def _shared(found: Found, subject: str) -> Violation:
    return Violation(
        subject=subject,
        kind="shared",
        message=f"{_count(found)}; move all of a group's {found.unit}s into one split",
        expected=0,
        found=found.shared,
    )


def _count(found: Found) -> str:
    listed = some([one.name for one in found.first], found.shared)
    return (
        f"{plural(found.shared, 'shared group')} ({listed}) over {found.over} splits, "
        f"{found.unit}s affected {found.rows:,} of {found.total:,}"
    )


def _last(found: Found, subjects: Mapping[str, str]) -> str:
    """The last split that shares a group, in whose path the violation stands."""
    held = {split for one in found.first for split, _ in one.rows}
    return [subjects[one.name] for one in found.splits if one.name in held][-1]


def _figures(found: Found) -> Iterator[Figure]:
    yield Figure(name="groups", value=found.distinct)
    yield Figure(name="shared_groups", value=found.shared)
    yield Figure(name=f"affected_{found.unit}s", value=found.rows)
    yield Figure(name=f"{found.unit}s", value=found.total)
    yield Figure(name=f"{found.unit}s_without_group", value=sum(count for _, count in found.missing))


def _told(found: Found) -> str:
    if found.shared:
        return _count(found)
    missing = sum(count for _, count in found.missing)
    without = f", {share(missing, missing + found.total)} {found.unit}s without a group" if missing else ""
    return f"{plural(found.distinct, 'group')} over {len(found.splits)} splits, none shared{without}"
