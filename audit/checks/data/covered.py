"""`data.covered`: nothing passes because nobody looked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from audit.errors import NotApplicable
from audit.facts.coverage import Claim, Coverage, Covers, DatasetCoverage, Doubt, Idle
from audit.records.check import Check, Request
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.project import PlannedRule, Project
from audit.records.words import Severity

_NAMED = 3
_RECORDING = frozenset({"data.lock", "dvc.hash", "files.manifest", "lfs.content"})
"""The checks that compare content with a record: worth naming where they do not run."""


class DataCovered(Check):
    """The content of every declared dataset is verified by some rule of the plan.

    Asks each rule that is going to run which files it compares with a record, and
    names the datasets that have files which none of them does. A rule that is skipped
    or switched off covers nothing, and neither does one whose findings weigh no more
    than a note, or one that only looks at statistics: it would not notice one changed
    value. Datasets that are optional and not there are
    left out, and a dataset that waits for `audit lock data` is left to the `data.lock`
    rule that fails for it: forgetting to lock is told once.

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
        weighed = (rule for rule in project.rules if rule.severity is not Severity.NOTE)
        asked = ((rule, rule.asks.covers(project)) for rule in weighed if rule.asks)
        claims = tuple(Claim(rule.id, covers, rule.severity is Severity.ERROR) for rule, covers in asked if covers)
        idle = tuple(_idle(project.rules))
        return {"coverage": Coverage(root=project.root, datasets=project.datasets, claims=claims, idle=idle)}

    def evaluate(self, coverage: Covers) -> Iterator[Finding]:
        """One violation a dataset, one a place that could not be looked at, and one for each doubt."""
        if not coverage.datasets:
            raise NotApplicable("no dataset is declared, or none is there")
        for dataset in coverage.datasets:
            yield from _unseen(dataset)
        bare = [dataset for dataset in coverage.datasets if dataset.uncovered and not dataset.awaited]
        yield from _doubted(bare, coverage.unknown) if coverage.unknown else _uncovered(bare, coverage.idle)
        yield Figure(name="datasets", value=len(coverage.datasets))
        yield Figure(name="files", value=sum(dataset.files for dataset in coverage.datasets))
        yield Figure(name="uncovered_files", value=_left(coverage.datasets))
        yield _table(coverage)
        yield Summary(text=_summary(coverage))


def _idle(rules: Iterable[PlannedRule]) -> Iterator[Idle]:
    for rule in rules:
        if rule.asks is None and rule.check in _RECORDING:
            yield Idle(rule.id, rule.skip or rule.error or "")


def _unseen(dataset: DatasetCoverage) -> Iterator[Violation]:
    if dataset.problem:
        message = f"{dataset.problem} ({dataset.hint})" if dataset.hint else dataset.problem
        yield Violation(subject=dataset.path, kind="unknown", message=message, unseen=True)
    for place in dataset.obstacles:
        message = f"the dataset {dataset.name!r} cannot be looked at here"
        yield Violation(subject=place, kind="unreadable", message=message, unseen=True)


def _doubted(bare: Sequence[DatasetCoverage], unknown: Mapping[str, Doubt]) -> Iterator[Violation]:
    """No failure while some rule cannot tell what it covers, as it may be the one; what hinders many is said once."""
    rules: defaultdict[Doubt, list[str]] = defaultdict(list)
    for rule, doubt in sorted(unknown.items()):
        rules[doubt].append(rule)
    left = f"{_counted(_left(bare), 'file')} of {_some([repr(dataset.name) for dataset in bare])}"
    for doubt, told in rules.items() if bare else ():
        cannot = f"the rule{'s' if len(told) > 1 else ''} {_some(told)} cannot tell what is covered"
        message = f"{doubt.what}; so {cannot}, and {left} may be compared with no record"
        subject, repair = doubt.where or bare[0].path, doubt.hint or None
        yield Violation(subject=subject, kind="unknown", message=message, repair=repair, unseen=True)


def _uncovered(bare: Sequence[DatasetCoverage], idle: Sequence[Idle]) -> Iterator[Violation]:
    for dataset in bare:
        left = dataset.uncovered
        files = f"{len(left):,} of {_counted(dataset.files, 'file')} of {dataset.name!r}"
        yield Violation(
            subject=dataset.path,
            kind="uncovered",
            message=f"no rule compares {files} with a record: {_some(left)}; {_next(dataset, idle)}",
            expected=dataset.files,
            found=dataset.files - len(left),
        )


def _next(dataset: DatasetCoverage, idle: Sequence[Idle]) -> str:
    """What is most likely missing: a line of a list, a rule that does not run, or a rule."""
    if dataset.records:
        return f"not listed in {_some(dataset.records)}, where others of its files are"
    resting = [f"{one.rule} ({one.reason})" for one in idle if one.rule.endswith(f"[{dataset.name}]")]
    resting += [f"{one.rule} ({one.reason})" for one in idle if "[" not in one.rule]
    missing = f"add a rule {{id: {dataset.name}-lock, check: data.lock, with: {{dataset: {dataset.name}}}}}"
    add = f"{missing} to audit.yaml, then run `audit lock data`"
    return f"these rules might, but do not run: {_some(resting)}; or {add}" if resting else add


def _table(coverage: Covers) -> Exhibit:
    columns = ["dataset", "files", "covered", "by"]
    rows = [
        [dataset.name, dataset.files, dataset.files - len(dataset.uncovered), ", ".join(dataset.rules)]
        for dataset in coverage.datasets
    ]
    return Exhibit(type="table", title="Who verifies which dataset", data={"columns": columns, "rows": rows})


def _summary(coverage: Covers) -> str:
    files, left = sum(dataset.files for dataset in coverage.datasets), _left(coverage.datasets)
    whole = f"{_counted(files, 'file')} of {_counted(len(coverage.datasets), 'dataset')}"
    awaiting = _left(dataset for dataset in coverage.datasets if dataset.awaited)
    later = f", {awaiting:,} of them until `audit lock data` is run" if awaiting else ""
    return f"{left:,} of {whole} compared with no record{later}" if left else f"{whole} compared with a record"


def _left(datasets: Iterable[DatasetCoverage]) -> int:
    return sum(len(dataset.uncovered) for dataset in datasets)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else "")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
