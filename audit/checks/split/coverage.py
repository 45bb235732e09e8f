"""`split.coverage`: every record is in exactly one split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from msgspec import Meta

from audit.checks.split._splits import FILES, SplitCheck, Text, empties, plural, share, some, table, unsplit
from audit.errors import ConfigError
from audit.facts.splits.lists import DatasetsCover, ListedFiles
from audit.facts.splits.tables import TableKeys
from audit.records.check import Request
from audit.records.dataset import DatasetName
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.splits import Keys, Unsafe, joint
from audit.records.words import Kind, Severity

_UNSAFE = 100


class Coverage(SplitCheck):
    """Every record is in exactly one split, and the splits name nothing else.

    In one of three ways. `lists` names for each split a file that lists the files in it, a
    path a line, or the column `column` of a CSV or TSV file; they are held against the dataset
    `whole`. Without `lists`, the files of the splits' own datasets are. For tables, `key` names
    the column that tells records apart; the splits' keys are held against those of the table
    `whole`, or, without it, only against each other.

    A file or key that no split has, that several have, or that is not in `whole` fails. One
    that a split has twice is a warning. A listed path that is absolute or has `..` is
    `unsafe-path`, and is not looked for.

    ## Why it matters

    Lists of splits outlive the data that they were made for: files are renamed, added and
    removed, and a loader that skips what it does not find trains on half of it in silence.
    What is in no split is never used, and what is in two is trained on and tested on.

    ## Example

    ```yaml
    datasets:
      clips: {path: "clips/**/*.wav"}
      users: {path: data/users.parquet}
      train: {path: data/train.parquet, role: train}
      test: {path: data/test.parquet, role: test}
    rules:
      - id: lists-cover-the-corpus
        check: split.coverage
        with:
          whole: clips
          lists: {train: splits/train.txt, val: splits/val.txt, test: splits/test.txt}
      - id: every-user-in-one-split
        check: split.coverage
        with: {key: user_id, whole: users}
    ```

    ## How to fix

    Make the lists again from the data that is there, and commit both together. Take what is
    in two lists out of one: out of training, if the test set is to stay as it is. If some
    files are left out on purpose, narrow the dataset `whole` to those that count.
    """

    whole: Annotated[DatasetName | None, Meta(description="The dataset whose records the splits divide.")] = None
    lists: Annotated[
        dict[str, Text], Meta(description="For each split the list of its files; paths relative to the project.")
    ] = {}
    base: Annotated[
        str | None, Meta(description="The folder that listed paths start from; left out, that of `whole`.")
    ] = None
    column: Annotated[Text | None, Meta(description="The column of the files, in lists that are CSV or TSV.")] = None
    match: Annotated[
        Literal["path", "name", "stem"],
        Meta(description="Compare whole paths, or the names of files, or these without their suffix (`stem`)."),
    ] = "path"
    key: Annotated[Text | None, Meta(description="The column that tells the records of tables apart.")] = None

    def needs(self, project: Project) -> Mapping[str, Request[Keys]]:
        """What the splits name, and what there is."""
        if self.lists and self.key:
            raise ConfigError("`lists` is for files, `key` for tables")
        if self.key:
            return {"keys": self._tables(project)}
        if self.whole is None:
            raise ConfigError("say in `whole` which dataset the splits divide, or name a `key` of tables")
        whole = project.dataset(self.whole)
        if whole.kind is Kind.TABLE:
            raise ConfigError(f"{self.whole!r} is a table: name the `key` of its records")
        if not self.lists:
            splits = self.chosen(project, FILES)
            if splits.tables:
                raise ConfigError("the splits are tables: name the `key` of their records")
            return {"keys": DatasetsCover(root=project.root, splits=splits, whole=whole)}
        lists = tuple(sorted(self.lists.items()))
        return {
            "keys": ListedFiles(
                root=project.root, lists=lists, whole=whole, start=self.base, column=self.column, match=self.match
            )
        }

    def evaluate(self, keys: Keys) -> Iterator[Finding]:
        """One violation for each way in which a split and the whole disagree, one for each unsafe path."""
        for path, problem in keys.unseen:
            yield Violation(subject=path, kind="unreadable", message=problem, unseen=True)
        found = [*self._whole(keys), *self._each(keys)]
        yield from found
        yield from empties(((one.name, one.subject, one.size) for one in keys.splits), self._noun)
        yield from (_unsafe(one) for one in keys.unsafe[:_UNSAFE])
        yield Figure(name="records", value=keys.whole)
        yield Figure(name="in_no_split", value=keys.uncovered)
        yield Figure(name="in_several_splits", value=keys.several)
        yield Figure(name="not_there", value=sum(count for _, count, _ in keys.unknown))
        yield Figure(name="unsafe_paths", value=len(keys.unsafe))
        for one in keys.splits:
            yield Figure(name=f"named_{one.name}", value=one.size)
        rows = [[name, "in no split"] for name in keys.uncovered_first]
        rows += [[name, f"in {', '.join(splits)}"] for name, splits in keys.several_first]
        rows += [[name, f"named by {split}, not there"] for split, _, names in keys.unknown for name in names]
        if rows:
            yield table("Records that are not in exactly one split", [self._noun, "where"], rows, limit=60)
        yield Summary(text=self._told(keys))

    @property
    def _noun(self) -> str:
        return "key" if self.key else "file"

    def _tables(self, project: Project) -> Request[Keys]:
        splits = self.chosen(project, frozenset({Kind.TABLE}))
        if not splits.tables:
            raise ConfigError("`key` is for tables; the splits are files")
        whole = project.dataset(self.whole) if self.whole else None
        if whole is not None and whole.kind is not Kind.TABLE:
            raise ConfigError(f"{self.whole!r} is no table, and has no `key`")
        return TableKeys(root=project.root, splits=splits, column=self.key or "", whole=whole)

    def _whole(self, keys: Keys) -> Iterator[Violation]:
        path = keys.splits[0].subject.partition("#")[0]
        if keys.uncovered:
            names = some(keys.uncovered_first, keys.uncovered)
            message = f"{share(keys.uncovered, keys.whole)} {self._noun}s are in no split: {names}"
            yield Violation(
                subject=self._subject(path), kind="uncovered", message=message, expected=0, found=keys.uncovered
            )
        if keys.several:
            told = [f"{name} ({', '.join(splits)})" for name, splits in keys.several_first]
            message = f"{plural(keys.several, self._noun)} in several splits: {some(told, keys.several)}"
            yield Violation(
                subject=self._subject(path), kind="several", message=message, expected=0, found=keys.several
            )
        if keys.unsplit:
            yield unsplit(path, self.split_column or "", keys.unsplit)

    def _each(self, keys: Keys) -> Iterator[Violation]:
        subjects = {one.name: one.subject for one in keys.splits}
        for split, count, names in keys.unknown:
            message = f"{plural(count, self._noun)} named by {split} {'is' if count == 1 else 'are'} not in "
            message += f"{self.whole!r}: {some(names, count)}"
            yield Violation(
                subject=self._subject(subjects[split]), kind="missing", message=message, expected=0, found=count
            )
        for split, count, names in keys.repeated:
            message = f"{plural(count, self._noun)} more than once in {split}: {some(names, count)}"
            yield Violation(
                subject=self._subject(subjects[split]), kind="repeated", severity=Severity.WARNING, message=message
            )
        for split, count in keys.missing:
            message = f"{plural(count, 'row')} of {split} without a key"
            yield Violation(
                subject=self._subject(subjects[split]), kind="no-key", severity=Severity.WARNING, message=message
            )

    def _subject(self, path: str) -> str:
        return joint(path, self.key) if self.key else path

    def _told(self, keys: Keys) -> str:
        wrong = [
            f"{count:,} {what}"
            for count, what in (
                (keys.uncovered, "in no split"),
                (keys.several, "in several"),
                (sum(count for _, count, _ in keys.unknown), "named but not there"),
                (len(keys.unsafe), "unsafe paths"),
            )
            if count
        ]
        held = plural(keys.whole, self._noun)
        return f"{held}: {', '.join(wrong)}" if wrong else f"{held}, each in exactly one of {len(keys.splits)} splits"


def _unsafe(one: Unsafe) -> Violation:
    return Violation(
        subject=f"{one.path}#line={one.line}",
        kind="unsafe-path",
        message=f"{one.said[:200]!r} {one.reason}; it was not looked for: write paths relative to the base folder",
    )
