"""`split.overlap`: nothing of one split lies in another as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from msgspec import Meta

from audit.checks.split._near import near_findings, near_summary
from audit.checks.split._splits import FILES, SplitCheck, Text, empties, plural, share, some, table, unsplit
from audit.errors import ConfigError
from audit.facts.splits.chosen import Chosen
from audit.facts.splits.files import FileOverlap
from audit.facts.splits.near import NearImages, NearTexts
from audit.facts.splits.tables import TableOverlap
from audit.records.check import Request
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.splits import COINCIDENCE, AskOverlap, Near, Pair, Same, Within, joint
from audit.records.splits import Overlap as Found
from audit.records.words import Kind, Severity


class Overlap(SplitCheck):
    """No row, and no file's content, is in more than one split.

    Rows are compared by value in `columns`, or in all columns that the tables share, less
    those to `ignore`: NaN equals NaN, nothing equals nothing, -0.0 equals 0.0, and 1 equals
    1 whatever its width. Hashes only find candidates, which are then compared value by
    value. Unless `columns` are named, whole numbers that merely number the rows (all
    different, and dense) are left out, and a note says so; another says which column differs
    in every row, so that no two can be equal. Files are compared by content (size, then
    BLAKE3) whatever their names; empty ones are counted, and left out. A group of equal
    members counts once, in however many splits it lies.

    What is in two splits fails; up to the share `allow` of the later one it is a warning.
    What is there twice within one split is a warning. Where a table's values are so coarse
    that half of the equal rows or more would be expected by chance, the first is a warning
    too, and the second a note (both, where row numbers were left out): were the columns
    independent, two rows would agree with the probability prod over columns of
    sum c (c - 1) / (n (n - 1)), c being the counts of a column's values among the n rows of
    the earlier split.

    `near: true` looks for what is nearly equal too, and warns. Pictures look alike if their
    perceptual hashes (signs of the lowest 8 x 8 frequencies of the cosine transform) differ by
    at most `near_bits` of 64 bits and their thumbnails correlate by 0.97 or more; pictures with
    next to nothing in them are left out. Texts of `text_column` are alike if of all sequences
    of five words in either, `similarity` are in both (Jaccard); candidates are found by MinHash,
    and texts of fewer words are left out.

    ## Why it matters

    A model is asked in the test what it was told in training, and answers from memory.
    Patches cut with an overlap, pictures published under two names, and rows that were
    repeated before the split have all put whole test sets into training sets.

    ## Example

    ```yaml
    datasets:
      train: {path: data/train.parquet, role: train}
      test: {path: data/test.parquet, role: test}
      all: {path: data/reviews.csv}            # has a column `split`
    rules:
      - id: no-overlap
        check: split.overlap                   # the datasets with the roles train, val and test
        with: {ignore: [row_id]}
      - id: no-overlap-in-one-table
        check: split.overlap
        with: {dataset: all, split_column: split, columns: [text]}
    ```

    ## How to fix

    Take the named rows or files out of all splits but one: out of training, if the test
    set is given. Better, remove duplicates before splitting, and keep what belongs together
    (crops of one picture, takes of one sentence) in one split. An identifier or a row
    number makes equal rows look different: name it in `ignore`.
    """

    columns: Annotated[tuple[str, ...], Meta(description="Columns that tell rows apart; left out, all shared.")] = ()
    ignore: Annotated[tuple[str, ...], Meta(description="Columns to leave out, such as identifiers.")] = ()
    allow: Annotated[
        float, Meta(ge=0, le=1, description="The share of a split that may be in an earlier one: up to it, a warning.")
    ] = 0.0
    near: Annotated[
        bool, Meta(description="Look for what is nearly equal too: pictures that look alike, texts alike; warnings.")
    ] = False
    near_bits: Annotated[
        int, Meta(ge=0, le=16, description="Of 64 bits, how many the hashes of pictures that look alike may differ by.")
    ] = 4
    text_column: Annotated[Text | None, Meta(description="The column whose texts `near` compares.")] = None
    similarity: Annotated[
        float, Meta(gt=0, le=1, description="The share of word sequences that texts that are alike have in common.")
    ] = 0.8
    only: Annotated[
        Literal["rows", "files"] | None, Meta(description="Only tables' rows, or only files; left out, both apart.")
    ] = None

    def needs(self, project: Project) -> Mapping[str, Request[Found] | Request[Near]]:
        """What the splits share: tables and files apart."""
        accepts = {"rows": frozenset({Kind.TABLE}), "files": FILES}.get(self.only or "", frozenset())
        chosen = {"tables" if one.tables else "files": one for one in self.families(project, accepts)}
        near = {f"near_{name}": self._near(project, one) for name, one in chosen.items()} if self.near else {}
        return {name: self._request(project, one) for name, one in chosen.items()} | near

    def evaluate(self, **found: Found | Near) -> Iterator[Finding]:
        """One violation for two splits that share something, one for a split with duplicates."""
        for one in found.values():
            yield from near_findings(one) if isinstance(one, Near) else self._judged(one)
        told = [near_summary(one) if isinstance(one, Near) else _told(one) for one in found.values()]
        yield Summary(text="; ".join(told))

    def _request(self, project: Project, splits: Chosen) -> Request[Found]:
        if splits.tables:
            wish = AskOverlap(columns=self.columns, ignore=self.ignore)
            return TableOverlap(root=project.root, splits=splits, wish=wish)
        return FileOverlap(root=project.root, splits=splits)

    def _near(self, project: Project, splits: Chosen) -> Request[Near]:
        if not splits.tables:
            return NearImages(root=project.root, splits=splits, distance=self.near_bits)
        if self.text_column is None:
            raise ConfigError("`near` compares the texts of a `text_column`, or pictures", hint="name the column")
        return NearTexts(root=project.root, splits=splits, column=self.text_column, similarity=self.similarity)

    def _judged(self, found: Found) -> Iterator[Finding]:
        subjects = {one.name: one.subject for one in found.splits}
        for path, problem in found.unseen:
            yield Violation(subject=path, kind="unreadable", message=problem, unseen=True)
        yield from empties(((one.name, one.subject, one.size) for one in found.splits), found.unit)
        for pair in found.pairs:
            yield _shared(found, pair, subjects[pair.later], self.allow)
        for within in found.within:
            yield _repeated(found, within, subjects[within.split])
        yield from _remarks(found, self.split_column or "")
        yield from _figures(found)
        yield from _exhibits(found)


def _shared(found: Found, pair: Pair, subject: str, allow: float) -> Violation:
    severity, more = Severity.ERROR, ""
    if pair.chance >= COINCIDENCE * pair.members:
        severity = Severity.NOTE if found.numbers else Severity.WARNING
        more = f"; values are so coarse that chance would make {pair.chance:,.3g} equal: add `columns` that tell apart"
    elif pair.members <= allow * pair.of:
        severity, more = Severity.WARNING, f"; within the {100 * allow:g} % that `allow` lets pass"
    first = next(
        (one for one in found.first if {pair.earlier, pair.later} <= {each.split for each in one.places}), None
    )
    return Violation(
        subject=joint(subject, f"with={pair.earlier}"),
        kind="overlap",
        severity=severity,
        message=f"{pair.later}-{pair.earlier}: {share(pair.members, pair.of)} {found.unit}s of {pair.later} are in "
        f"{pair.earlier} as well ({plural(pair.groups, 'group')}){_such(first)}{more}",
        expected=0,
        found=pair.members,
    )


def _such(first: Same | None) -> str:
    return f": {' = '.join(str(place) for place in first.places[:2])}" if first else ""


def _repeated(found: Found, within: Within, subject: str) -> Violation:
    coarse = within.chance >= COINCIDENCE * within.surplus
    return Violation(
        subject=subject,
        kind="duplicate",
        severity=Severity.NOTE if coarse else Severity.WARNING,
        message=f"{within.split}-{within.split}: {plural(within.groups, 'group')} of equal {found.unit}s within "
        f"{within.split}, {within.surplus:,} more than one of each: {some([str(one) for one in within.example])}",
        expected=0,
        found=within.surplus,
    )


def _remarks(found: Found, column: str) -> Iterator[Violation]:
    """What makes the comparison weaker than it looks."""
    path = found.splits[0].subject.partition("#")[0]
    if found.unsplit:
        yield unsplit(path, column, found.unsplit)
    for name in found.distinct:
        message = "it differs in every row, so that no two can be equal: name it in `ignore` if it identifies them"
        yield Violation(subject=f"{path}#{name}", kind="identifier", severity=Severity.NOTE, message=message)
    for name in found.numbers:
        message = "it numbers the rows, and was left out; name the `columns` to compare if it should not be"
        yield Violation(subject=f"{path}#{name}", kind="row-number", severity=Severity.NOTE, message=message)
    for name in found.unlike:
        message = "the splits keep it in types that cannot be compared; equal rows are told by its values as text"
        yield Violation(subject=f"{path}#{name}", kind="types", severity=Severity.WARNING, message=message)


def _figures(found: Found) -> Iterator[Figure]:
    unit = f"{found.unit}s"
    for one in found.splits:
        yield Figure(name=f"{unit}_{one.name}", value=one.size)
    for pair in found.pairs:
        yield Figure(name=f"shared_{unit}_{pair.later}_{pair.earlier}", value=pair.members)
    for within in found.within:
        yield Figure(name=f"duplicate_{unit}_{within.split}", value=within.surplus)
    yield Figure(name=f"shared_{found.unit}_groups", value=found.groups)
    if found.empty:
        yield Figure(name="empty_files", value=found.empty)
    if found.columns:
        yield Figure(name="columns", value=len(found.columns))
        yield Figure(name="columns_not_shared", value=len(found.apart))


def _exhibits(found: Found) -> Iterator[Exhibit]:
    if found.first:
        rows = [[one.size, *(_listed(one, name.name) for name in found.splits)] for one in found.first]
        yield table(f"Equal {found.unit}s across splits", ["size", *(one.name for one in found.splits)], rows)


def _listed(group: Same, split: str) -> str:
    return some([str(place) for place in group.places if place.split == split])


def _told(found: Found) -> str:
    looked = " + ".join(plural(one.size, found.unit) + f" of {one.name}" for one in found.splits)
    where = f" in {plural(len(found.columns), 'column')}" if found.columns else ""
    if not found.pairs:
        return f"no {found.unit} is in two splits: {looked}{where}"
    worst = max(found.pairs, key=lambda pair: pair.members / max(1, pair.of))
    return (
        f"{plural(found.groups, 'group')} of equal {found.unit}s across splits; {worst.later}-{worst.earlier} "
        f"{share(worst.members, worst.of)}{where}"
    )
