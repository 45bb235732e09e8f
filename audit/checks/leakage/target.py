"""`leakage.target`: no feature is the answer in disguise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from audit.checks.leakage._verdicts import Case, Limits, cases, order, scarce, shown, verdict
from audit.facts.tables.target import TableTarget
from audit.records.check import Check, Request
from audit.records.dataset import Dataset, DatasetName
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.target import Target as Told
from audit.records.words import Kind, Role

_ROWS = 50


class Target(Check):
    """No single feature tells the label nearly alone, or in the training table only.

    Measures for each feature how well it alone tells the label in rows that taught
    nothing: for classes by the area under the ROC curve (AUC; the mean of one class
    against the rest), for numbers by R², the squared correlation of the label's ranks with the
    mean rank of like rows. Like are rows of one value or, where there are many, between
    the same two of 64 quantiles; the share of each class (the mean rank) among the rows of
    four folds is the prediction for the fifth, drawn to the overall one with the weight
    of two rows. The better of that and of the plain order of the values counts. In the
    current table, the whole training table teaches.

    - `copy` (error): values and classes correspond one to one, or values order all
      rows as a numeric label does.
    - `train-only` (error from an AUC of 0.9 or an R² of 0.8; warning from 0.75 or 0.5): in
      the current table less than half of what it tells is left, of 2 AUC - 1 or R².
    - `alone` (warning): at least `almost`, with or without a current table. Honest features
      can be that strong; a person has to say whether this one is known before the answer.
    - `identifier` (warning; error if `features` names it): no two rows share a value, and
      yet it tells the label with an AUC of 0.75 or an R² of 0.5.
    - `order` (warning): the number of the row tells the label that well; rows are sorted.

    Each counts only if chance cannot explain it: its p-value (Mann and Whitney; Fisher's
    transformation; for copies the exact count of orders), adjusted by Holm over all
    features, is below `false_alarms`. Where an AUC of 0.9 (R² of 0.8) might go unnoticed, the answer
    is a warning: insufficient data. At most `rows` rows are looked at, the same ones on
    every machine; copies are sought in all rows.

    Sources: J. Hanley, B. McNeil 1982, Radiology 143 (variance of the AUC); D.
    Micci-Barreca 2001, SIGKDD Explorations 3 (shares drawn to the overall one); S. Kaufman
    and others 2012, "Leakage in data mining", ACM TKDD 6 (what to look for).

    ## Why it matters

    A column filled in after the outcome was known, an account number that was assigned
    by outcome, a target encoding that saw its own row: each gives a model that is
    excellent in the notebook and useless in use.

    ## Example

    ```yaml
    rules:
      - id: no-answer-among-the-features
        check: leakage.target
        with: {label: readmitted, ignore: [patient_id]}
    ```

    ## How to fix

    Ask of the column that is named when its value becomes known. If that is after the
    label, drop it. If it was computed from labels, compute it within training folds. If it
    is honest, name it in `ignore`, or waive its warning with the reason. Columns
    that the model never gets, such as identifiers, belong in `ignore` too.
    """

    accepts: ClassVar[frozenset[Kind]] = frozenset({Kind.TABLE})

    label: Annotated[str, Meta(min_length=1, description="The column that is to be predicted.")]
    reference: DatasetName
    current: Annotated[
        DatasetName | None,
        Meta(description="Where the features must tell the label too; left out, the one table with the role val."),
    ] = None
    task: Annotated[
        Literal["auto", "classes", "numbers"],
        Meta(description="How to take the label; by itself, words and whole numbers of at most 20 values are classes."),
    ] = "auto"
    features: Annotated[
        tuple[str, ...], Meta(description="The features, by name or pattern; left out, all columns but the label.")
    ] = ()
    ignore: Annotated[
        tuple[str, ...], Meta(description="Columns that are no features, or known to be honest, by name or pattern.")
    ] = ()
    almost: Annotated[
        float, Meta(ge=0.5, le=1, description="From where a feature tells the label almost alone: AUC, or R².")
    ] = 0.99
    false_alarms: Annotated[
        float, Meta(gt=0, le=0.2, description="The share of audits of honest tables that may alarm.")
    ] = 0.01
    rows: Annotated[int, Meta(ge=100, le=1_000_000, description="Rows of each table that are looked at.")] = 100_000
    timeout_s: Annotated[int, Meta(ge=1, le=86400, description="Seconds that it may take.")] = 600

    def needs(self, project: Project) -> Mapping[str, Request[Told]]:
        """The strength of each feature."""
        return {
            "told": TableTarget(
                root=project.root,
                reference=project.dataset(self.reference),
                current=self._current(project),
                label=self.label,
                task=self.task,
                columns=self.features,
                ignore=self.ignore,
                rows=self.rows,
                timeout_s=self.timeout_s,
            )
        }

    def evaluate(self, told: Told) -> Iterator[Finding]:
        """At most one violation a feature, one of the order of the rows, and one where there is too little to say."""
        limits = Limits(
            2 * self.almost - 1 if told.task == "classes" else self.almost, self.false_alarms, self.features
        )
        judged = [(case, verdict(case, told, limits)) for case in cases(told)]
        yield from (found for _, found in judged if found)
        yield from order(told, limits)
        yield from scarce(told, limits)
        if self.current and told.compared is None:
            message = f"the dataset {self.current!r} has no column {self.label!r}, so nothing can be compared with it"
            yield Violation(subject=told.path, kind="unlabelled", message=message, unseen=True)
        yield from _figures(told)
        yield _table(judged)
        yield Summary(text=_summary(told, [case for case, _ in judged]))

    def _current(self, project: Project) -> Dataset | None:
        """The dataset that is named, or the one table with the role val; none if there are several."""
        if self.current:
            return project.dataset(self.current)
        found = [one for one in project.role(Role.VAL) if one.kind is Kind.TABLE and one.name != self.reference]
        return found[0] if len(found) == 1 else None


def _figures(told: Told) -> Iterator[Figure]:
    yield Figure(name="features", value=len(told.features))
    yield Figure(name="rows", value=told.sampled)
    if told.compared is not None:
        yield Figure(name="current_rows", value=told.compared)
    yield Figure(
        name="order_auc" if told.order.auc is not None else "order_r2", value=told.order.auc or told.order.value
    )
    if told.neighbours is not None and told.neighbours_by_chance is not None:
        yield Figure(name="same_class_as_row_before_ratio", value=told.neighbours)
        yield Figure(name="same_class_by_chance_ratio", value=told.neighbours_by_chance)
    if told.left:
        yield Figure(name="not_looked_at", value=", ".join(f"{one.column} ({one.reason})" for one in told.left[:20]))


def _table(judged: Sequence[tuple[Case, Violation | None]]) -> Exhibit:
    """The strongest features first."""
    ranked = sorted(judged, key=lambda one: (one[1] is None, -one[0].single.here.value))[:_ROWS]
    rows = [
        [
            case.single.column,
            shown(case.single.here),
            shown(case.single.there) if case.single.there else "",
            case.p,
            found.kind if found else "",
        ]
        for case, found in ranked
    ]
    columns = ["feature", "in unseen training rows", "in the current table", "p (Holm)", "finding"]
    return Exhibit(
        type="table", title="What single features tell of the label", data={"columns": columns, "rows": rows}
    )


def _summary(told: Told, judged: Sequence[Case]) -> str:
    if not judged:
        return "no feature to look at"
    best = max(judged, key=lambda case: case.single.here.value).single
    compared = "" if told.compared is not None else "; compared with no other table"
    count = f"{len(judged):,} feature{'' if len(judged) == 1 else 's'}"
    return f"the strongest of {count} is {best.column!r} with {shown(best.here)}{compared}"
