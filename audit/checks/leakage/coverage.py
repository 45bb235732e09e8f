"""`leakage.coverage`: which types of leakage the plan looks for, and which nobody does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta

from audit.errors import NotApplicable
from audit.facts.leakage import Attempt, Leakage, Looked, Watch
from audit.records.check import Check, Request
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.project import PlannedRule, Project
from audit.records.words import Kind, Severity

LeakageType = Literal["L1.1", "L1.2", "L1.3", "L1.4", "L2", "L3.1", "L3.2", "L3.3"]
"""The eight types, by their numbers in the paper."""


class Type(NamedTuple):
    """A type of leakage: the checks that look for it, and what to do where none does."""

    name: str
    checks: tuple[str, ...]
    advice: str


TYPES: Mapping[LeakageType, Type] = {
    "L1.1": Type(
        "no test set",
        ("split.overlap",),
        "declare a dataset with the role val or test, and add a rule {id: split-overlap, check: split.overlap}",
    ),
    "L1.2": Type(
        "preprocessing on training and test set",
        (),
        "the data does not show it: fit scalers, imputers and oversampling on training rows alone",
    ),
    "L1.3": Type(
        "feature selection on training and test set",
        (),
        "the data does not show it: select features inside each fold of the training rows",
    ),
    "L1.4": Type("duplicates", ("split.overlap",), "add a rule {id: split-overlap, check: split.overlap}"),
    "L2": Type(
        "features that are not legitimate",
        ("leakage.target",),
        "add a rule {id: leakage-target, check: leakage.target, with: {label: COLUMN}}",
    ),
    "L3.1": Type(
        "temporal leakage",
        ("split.time",),
        "where rows have a time, add a rule of the check split.time that names its column",
    ),
    "L3.2": Type(
        "training and test samples that depend on each other",
        ("split.groups",),
        "where rows belong to people, devices or places, add a rule of the check split.groups that names the column",
    ),
    "L3.3": Type(
        "sampling bias in the test distribution",
        ("table.drift", "table.shift", "split.ratio"),
        "add a rule {id: drift, check: table.drift}",
    ),
}


class Coverage(Check):
    """Each of the eight types of leakage is looked for by some rule, or said not to be.

    Goes through the eight types of Kapoor and Narayanan and names for each the rules of
    this plan that look for it: L1.1 no test set, L1.2 preprocessing and L1.3 feature
    selection on training and test set, L1.4 duplicates, L2 features that are not
    legitimate, L3.1 temporal leakage, L3.2 samples that depend on each other, L3.3
    sampling bias in the test distribution. A rule that is skipped or switched off, that
    weighs no more than a note, that has nothing to judge or could not look, covers
    nothing. A type that no rule looks for is a note with the rule to add; one that
    `require` names is an error. What L1.2 and L1.3 ask for cannot be seen in data, so no
    rule covers them: check the code, and where `require` names them, write a waiver that
    says who did. That a rule looks for a type does not prove the data free of it.

    ## Why it matters

    In 17 fields, 294 papers were found to be affected by leakage. An audit that passes is
    easily taken to say that there is none, although nobody declared the column of
    patients by which it could have told.

    Source: S. Kapoor, A. Narayanan 2023, "Leakage and the reproducibility crisis in
    machine-learning-based science", Patterns 4(9), 100804,
    https://doi.org/10.1016/j.patter.2023.100804.

    ## Example

    ```yaml
    rules:
      - id: leakage-coverage
        check: leakage.coverage
        with: {require: [L1.4, L2, L3.2]}
    ```

    ## How to fix

    Add the rule that the message names. Where a type cannot occur, as temporal leakage
    in data without time, leave it to its note, or write a waiver with the reason.
    """

    require: Annotated[
        tuple[LeakageType, ...], Meta(description="The types that must be looked for; others are noted.")
    ] = ()

    def needs(self, project: Project) -> Mapping[str, Request[Watch]]:
        """What the rules that look for leakage find to judge."""
        roles = {dataset.role for dataset in project.datasets} - {None}
        if not any(dataset.kind is Kind.TABLE for dataset in project.datasets) and len(roles) <= 1:
            raise NotApplicable("neither a table nor a split is declared")
        useful = {check for one in TYPES.values() for check in one.checks}
        attempts = tuple(_attempt(rule, project) for rule in project.rules if rule.check in useful)
        return {"watch": Leakage(attempts=attempts)}

    def evaluate(self, watch: Watch) -> Iterator[Finding]:
        """One violation for each type that nobody looks for."""
        covered = {code: _covering(code, watch) for code in TYPES}
        for code, one in TYPES.items():
            if not covered[code]:
                yield Violation(
                    subject=f"audit.yaml#{code}",
                    kind="unchecked",
                    severity=Severity.ERROR if code in self.require else Severity.NOTE,
                    message=f"no rule looks for {one.name}: {_next(code, watch)}",
                )
        yield Figure(name="types_checked", value=sum(bool(rules) for rules in covered.values()))
        yield Figure(name="types", value=len(TYPES))
        yield _table(covered, watch)
        yield Summary(text=_summary([code for code, rules in covered.items() if not rules]))


def _attempt(rule: PlannedRule, project: Project) -> Attempt:
    muted = rule.severity is Severity.NOTE
    if rule.asks is None:
        return Attempt(rule=rule.id, check=rule.check, idle=rule.skip or rule.error or "", muted=muted)
    try:
        needs = tuple(rule.asks.needs(project).items())
    except NotApplicable as nothing:
        return Attempt(rule=rule.id, check=rule.check, idle=f"it has nothing to judge: {nothing.what}", muted=muted)
    return Attempt(rule=rule.id, check=rule.check, asks=rule.asks, needs=needs, muted=muted)


def _covering(code: LeakageType, watch: Watch) -> list[str]:
    """The rules that look for it."""
    return [one.rule for one in watch.rules if one.check in TYPES[code].checks and not one.reason]


def _resting(code: LeakageType, watch: Watch) -> Looked | None:
    return next((one for one in watch.rules if one.check in TYPES[code].checks and one.reason), None)


def _next(code: LeakageType, watch: Watch) -> str:
    """The rule that would look for it if it ran, or what to add."""
    resting = _resting(code, watch)
    return f"the rule {resting.rule} might, but {resting.reason}" if resting else TYPES[code].advice


def _table(covered: Mapping[LeakageType, Sequence[str]], watch: Watch) -> Exhibit:
    rows = [
        [code, TYPES[code].name, ", ".join(rules) or "not checked", "" if rules else _next(code, watch)]
        for code, rules in covered.items()
    ]
    columns = ["type", "leakage", "looked for by", "to do"]
    return Exhibit(type="table", title="Who looks for which leakage", data={"columns": columns, "rows": rows})


def _summary(open_types: Sequence[str]) -> str:
    told = f"; not checked: {', '.join(open_types)}" if open_types else ""
    return f"{len(TYPES) - len(open_types)} of {len(TYPES)} types of leakage are looked for{told}"
