"""`data.covered`: nothing passes because nobody looked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.errors import NotApplicable
from audit.facts.coverage import Claim, Coverage, Covers, DatasetCoverage
from audit.records.check import Check, Request
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.project import Project

_NAMED = 3


class DataCovered(Check):
    """The content of every declared dataset is verified by some rule of the plan.

    Asks each rule that is going to run which files it compares with a record, and
    names the datasets that have files which none of them does. A rule that is skipped
    or switched off covers nothing, and neither does one that only looks at statistics:
    it would not notice one changed value. Datasets that are optional and not there are
    left out.

    ## Why it matters

    An audit that passes is taken for the statement that the data is as recorded. It
    says so only of what was compared with a record; a dataset that somebody added to
    `audit.yaml`, or moved out of the folder that DVC tracks, would pass unseen.

    ## Example

    ```yaml
    rules:
      - id: data-covered
        check: data.covered
    ```

    ## How to fix

    Record the dataset, and have a rule compare it: with `dvc add` and `dvc.hash`; with
    `audit lock data` and `data.lock`; with Git LFS and `lfs.content`; or with a file of
    checksums and `files.manifest`. A dataset that is not needed any more is best taken
    out of `audit.yaml`.
    """

    def needs(self, project: Project) -> Mapping[str, Request[Covers]]:
        """The claims of the rules that run, and the files of all datasets."""
        asked = ((rule.id, rule.asks.covers(project)) for rule in project.rules if rule.asks)
        claims = tuple(Claim(rule, covers) for rule, covers in asked if covers)
        return {"coverage": Coverage(root=project.root, datasets=project.datasets, claims=claims)}

    def evaluate(self, coverage: Covers) -> Iterator[Finding]:
        """One violation a dataset, and one a place that could not be looked at."""
        if not coverage.datasets:
            raise NotApplicable("no dataset is declared, or none is there")
        for dataset in coverage.datasets:
            yield from _judged(dataset, coverage.unknown)
        files = sum(dataset.files for dataset in coverage.datasets)
        left = sum(len(dataset.uncovered) for dataset in coverage.datasets)
        yield Figure(name="datasets", value=len(coverage.datasets))
        yield Figure(name="files", value=files)
        yield Figure(name="uncovered_files", value=left)
        yield _table(coverage)
        yield Summary(text=_summary(coverage, files, left))


def _judged(dataset: DatasetCoverage, unknown: Mapping[str, str]) -> Iterator[Violation]:
    if dataset.problem:
        message = f"{dataset.problem} ({dataset.hint})" if dataset.hint else dataset.problem
        yield Violation(subject=dataset.path, kind="unknown", message=message, unseen=True)
    for place in dataset.obstacles:
        message = f"the dataset {dataset.name!r} cannot be looked at here"
        yield Violation(subject=place, kind="unreadable", message=message, unseen=True)
    if dataset.uncovered:
        yield _uncovered(dataset, unknown)


def _uncovered(dataset: DatasetCoverage, unknown: Mapping[str, str]) -> Violation:
    """Not a failure yet while some rule cannot tell what it covers: it may be the one."""
    left = dataset.uncovered
    named = ", ".join(left[:_NAMED]) + (", ..." if len(left) > _NAMED else "")
    files = f"{len(left):,} of {dataset.files:,} files of {dataset.name!r}"
    said = f"no rule compares {files} with a record, as data.lock or dvc.hash would: {named}"
    doubt = "".join(f"; the rule {rule} cannot tell what it covers: {why}" for rule, why in sorted(unknown.items()))
    return Violation(
        subject=dataset.path,
        kind="uncovered",
        message=said + doubt,
        expected=dataset.files,
        found=dataset.files - len(left),
        repair=None if unknown else "audit lock data",
        unseen=bool(unknown),
    )


def _table(coverage: Covers) -> Exhibit:
    columns = ["dataset", "files", "covered", "by"]
    rows = [
        [dataset.name, dataset.files, dataset.files - len(dataset.uncovered), ", ".join(dataset.rules)]
        for dataset in coverage.datasets
    ]
    return Exhibit(type="table", title="Who verifies which dataset", data={"columns": columns, "rows": rows})


def _summary(coverage: Covers, files: int, left: int) -> str:
    count = len(coverage.datasets)
    whole = f"{files:,} file{'s' if files != 1 else ''} of {count:,} dataset{'s' if count != 1 else ''}"
    return f"{left:,} of {whole} compared with no record" if left else f"{whole} compared with a record"
