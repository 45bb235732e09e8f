"""`table.shift`: no classifier can tell the rows of two tables apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from audit.facts.tables.shift import TableShift
from audit.records.check import Check, Request
from audit.records.dataset import DatasetName
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.shift import Shift as Told
from audit.records.words import Kind, Severity

_NAMED = 3


class Shift(Check):
    """Rows of the current table are like those of the reference, all columns seen together.

    Trains classifiers (gradient boosting of trees, scikit-learn) to tell the rows of the two
    tables apart, and measures on rows that they have not seen how well they do: the mean
    area under the ROC curve of five folds, 0.5 if they can only guess, 1 if they always
    know. At most `rows` rows a table are looked at, fewer where there are very many
    columns, the same ones on every machine.

    The tables have shifted when the area is above `tolerance` **and** chance cannot explain
    it: its p-value is below `false_alarms`. An area of 0.55 takes a total variation of more
    than 0.05 between the rows, since a difference of V gives at most 0.5 + V - V²/2: what
    `table.drift` calls a drift of one column. The variance is that of DeLong, for groups
    that of Obuchowski, doubled since folds learn from each other's rows. Where these sizes
    find with 80 % power only an area beyond twice the tolerated excess over 0.5, or one
    side has fewer than 30 rows (or 20 groups, with `blocks`), the answer is a warning:
    insufficient data.

    Words are codes of their 200 most frequent levels, times are seconds, missing values
    are a value of their own. Left out, unless `columns` names them, are identifiers (words
    of which no two in a table are alike; whole numbers too, if no number is in both tables
    or they count without a gap), names of users or sessions of which none is in both
    tables, and times that are later in every row, as a split by time makes them. So are
    lists and other compound values, columns of one table alone, and columns of different
    types. All of them are named.

    The columns that gave it away are those whose permutation in unseen rows costs most of
    the area (Breiman), or with `explain: shap` those with the largest mean absolute SHAP
    value. Two columns that say the same share what they are worth.

    Sources: D. Lopez-Paz, M. Oquab 2017, "Revisiting classifier two-sample tests", ICLR;
    E. DeLong and others 1988, Biometrics 44; N. Obuchowski 1997, Biometrics 53; L. Breiman
    2001, "Random forests", Machine Learning 45.

    ## Why it matters

    Columns that each look as they did can belong together differently: heights in inches
    for one clinic and in centimetres for another with the same mix, two features whose
    correlation turned round, labels attached to other rows. A model has learned how they
    belong together, and no test of one column sees it.

    ## Example

    ```yaml
    rules:
      - id: rows-alike
        check: table.shift
        with: {reference: train, current: val, blocks: user_id, ignore: ["*_version"]}
    ```

    ## How to fix

    Look at the columns that gave it away, together: draw one over the other for both
    tables. Where the difference is meant, as with the names of held-out users, name the
    column in `ignore` or `blocks`. Else make the split anew, or collect validation data
    from where the training data comes from.
    """

    accepts: ClassVar[frozenset[Kind]] = frozenset({Kind.TABLE})

    reference: DatasetName
    current: DatasetName
    columns: Annotated[
        tuple[str, ...], Meta(description="The columns to look at, by name or pattern; left out, all.")
    ] = ()
    ignore: Annotated[tuple[str, ...], Meta(description="Columns to leave out, by name or pattern.")] = ()
    blocks: Annotated[
        str, Meta(description="The column of users, sessions or recordings whose rows depend on each other.")
    ] = ""
    tolerance: Annotated[float, Meta(ge=0.5, lt=1, description="The area under the ROC curve that is tolerated.")] = (
        0.55
    )
    false_alarms: Annotated[
        float, Meta(gt=0, le=0.2, description="The share of audits of equal tables that may alarm.")
    ] = 0.01
    rows: Annotated[int, Meta(ge=100, le=100_000, description="Rows of each table that are looked at.")] = 10_000
    explain: Annotated[
        Literal["permutation", "shap"], Meta(description="How to find the columns that gave it away.")
    ] = "permutation"
    timeout_s: Annotated[int, Meta(ge=1, le=86400, description="Seconds that it may take.")] = 600

    def needs(self, project: Project) -> Mapping[str, Request[Told]]:
        """What a classifier makes of the two tables."""
        return {
            "told": TableShift(
                root=project.root,
                reference=project.dataset(self.reference),
                current=project.dataset(self.current),
                columns=self.columns,
                ignore=self.ignore,
                blocks=self.blocks,
                rows=self.rows,
                false_alarms=self.false_alarms,
                tolerance=self.tolerance,
                shap=self.explain == "shap",
                timeout_s=self.timeout_s,
            )
        }

    def evaluate(self, told: Told) -> Iterator[Finding]:
        """A violation of the current table as a whole; or too few rows to say."""
        yield from self._judged(told)
        yield Figure(name="reference_rows", value=told.sampled[0])
        yield Figure(name="current_rows", value=told.sampled[1])
        yield Figure(name="columns", value=len(told.columns))
        if told.auc is not None:
            for name in ("auc", "low", "high", "p", "detectable"):
                yield Figure(name=name if name in {"auc", "p"} else f"auc_{name}", value=getattr(told, name))
        if told.gave:
            yield _bars(told)
        if told.left:
            rows = [[one.column, one.reason] for one in told.left]
            data = {"columns": ["column", "why"], "rows": rows}
            yield Exhibit(type="table", title="Columns that were not looked at", data=data)
        yield Summary(text=_summary(told))

    def _judged(self, told: Told) -> Iterator[Violation]:
        if told.auc is not None and told.auc > self.tolerance and told.p < self.false_alarms:
            yield Violation(
                subject=told.path,
                kind="shift",
                message=f"a classifier tells its rows from those of {self.reference!r} with an AUC of {told.auc:.3f} "
                f"(95 % interval {told.low:.3f} to {told.high:.3f}, p = {told.p:.2g}){_given(told)}",
                expected=self.tolerance,
                found=told.auc,
            )
        elif told.auc is None or told.detectable - 0.5 > 2 * (self.tolerance - 0.5):
            yield Violation(
                subject=told.path,
                kind="insufficient-data",
                severity=Severity.WARNING,
                message=f"insufficient data: {_scarce(told)}",
                found=min(told.sampled),
            )


def _given(told: Told) -> str:
    names = [repr(one.column) for one in told.gave[:_NAMED] if one.importance > 0]
    return f"; given away most by {', '.join(names)}" if names else ""


def _scarce(told: Told) -> str:
    sizes = f"{told.sampled[0]:,} and {told.sampled[1]:,} rows"
    if told.groups:
        sizes += f" of {told.groups[0]:,} and {told.groups[1]:,} groups"
    if not told.columns:
        return "no column can be compared"
    if told.auc is None:
        return f"{sizes} are too few to train on"
    return f"{sizes} show only an AUC beyond {told.detectable:.3f} with 80 % power; it was {told.auc:.3f}"


def _bars(told: Told) -> Exhibit:
    data = {"labels": [one.column for one in told.gave], "values": [one.importance for one in told.gave]}
    return Exhibit(type="bars", title="The columns that gave it away", data=data)


def _summary(told: Told) -> str:
    left = f"; {len(told.left):,} not looked at" if told.left else ""
    looked = f"{len(told.columns):,} column{'' if len(told.columns) == 1 else 's'}{left}"
    if told.auc is None:
        return f"insufficient data in {looked}"
    return f"AUC {told.auc:.3f} ({told.low:.3f} to {told.high:.3f}) over {looked}"
