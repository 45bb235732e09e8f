"""`table.drift`: the current table is distributed as the reference is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from audit.checks.table._comparison import attached, missing
from audit.checks.table._drift_judged import Judged, Limits, Share, Tolerance, judged
from audit.checks.table._drift_shown import exhibits, figures, worst_first
from audit.checks.table._drift_told import MEASURES, apart, insufficient, per_column, unseen
from audit.errors import CannotLook, ConfigError
from audit.facts.tables.comparison import TableComparison
from audit.facts.tables.drift import TablePair
from audit.records.check import Check, Request
from audit.records.comparison import Compared
from audit.records.dataset import DatasetName
from audit.records.drift import Measured
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.words import Kind, Severity


class Drift(Check):
    """Each column of the current table is distributed as in the reference: numbers, levels, times, what is missing.

    One effect decides for each kind of column:

    | column | effect | tolerance |
    | --- | --- | --- |
    | numbers, durations | Kolmogorov-Smirnov D: the largest distance between both distribution functions | 0.05 |
    | words, categories, booleans | total variation: half the sum of the distances between the levels' shares | 0.03 |
    | timestamps, dates | D, and the range | 0.05 |
    | what is missing (null), what is NaN | difference of the shares | 0.05 |

    A column has drifted when its effect is above the tolerance **and** chance does not
    explain it: its p-value (two-sample Kolmogorov-Smirnov, exact where rows are few; a
    seeded permutation test of levels, or an upper bound of it; Fisher's exact test of
    shares), adjusted by Holm's procedure over all tests of the rule, is below
    `false_alarms`. With a million rows every difference is significant and most are
    harmless; with ten rows every effect is large and most are chance.

    Where fewer than 30 rows are there, or the effect that so many rows would find with
    80 % power is more than twice the tolerance, the outcome is `warn` (insufficient data),
    not `pass`. A level that the reference never had is a warning, with `levels: closed` an
    error; one that vanished is a note. A null is never a level.

    The population stability index (reference deciles, unique edges, a share of 0 taken for
    0.0001), the Jensen-Shannon distance (base 2, over the same bins) and the Wasserstein
    distance over the reference's standard deviation are shown. The index decides only with
    `max_psi`, and then with the test beside it: without any drift it is about
    9 (1/n + 1/m) on average.

    Not compared, with a note: whole numbers that name rows rather than measure something
    (no two are the same, within a range in which chance would have made some; name them in
    `columns` to compare them), lists and bytes (only what is missing), and words of which
    most differ (their lengths are compared; `categories` makes levels of them). Times that
    all lie after the reference's, as a split by time makes them, are shown by their range
    and not judged, unless `columns` or `tolerances` names the column. So are, with a note,
    names of users, patients or sessions of which no value is on both sides, as a split by
    groups makes them: those that the column's name or the values' form tells, and that are
    not only spelled otherwise.

    Rows that belong together (of one user, one recording) are not independent and would
    alarm every night: `blocks: user_id` deals whole groups instead of rows. `by: label`
    compares within each value of a column, so that changed features are told from a changed
    mix of classes, which is tested as a column of its own.

    `profile: true` has ydata-profiling compare the two tables in a page that lies beside the
    report and is linked from it, on at most 10,000 rows and 100 columns of each; what that
    points at is noted and decides nothing, nor does its absence. `audit run --profile` does
    it once.

    `against: lock` compares with the reference's profile in `audit.lock` (`audit lock
    profiles`) instead of its data. Effects are then on the profile's bins and `binned`: the
    distance of the values may be larger, by no more than the bound that is shown.

    ## Why it matters

    A model is chosen by its figures on the validation set. If that set is distributed
    differently, the figures are of another task: a sensor that was replaced, a unit that
    changed, a join that now finds nothing.

    ## Example

    ```yaml
    rules:
      - id: val-like-train
        check: table.drift
        with:
          ignore: ["*_id"]
          tolerances: {price: 0.1}
          by: label
      - id: tonight-like-last-release
        check: table.drift
        with: {reference: val, current: val, against: lock, max_psi: 0.2}
    ```

    ## How to fix

    Look at the two distributions of the drifted column in the report. If the data is wrong,
    mend where it comes from. If the world has changed, the reference is out of date: split
    anew, or train again. If the difference does no harm, say so with `tolerances` for that
    column, or with a waiver that expires. Insufficient data wants more rows, or a wider
    tolerance that these rows can show.
    """

    accepts: ClassVar[frozenset[Kind]] = frozenset({Kind.TABLE})

    reference: DatasetName
    current: DatasetName
    columns: Annotated[
        tuple[str, ...], Meta(description="The columns to compare, by name or pattern; left out, all.")
    ] = ()
    ignore: Annotated[
        tuple[str, ...], Meta(description="Columns to leave out, by name or pattern: identifiers, free text.")
    ] = ()
    categories: Annotated[
        tuple[str, ...], Meta(description="Columns whose values are levels though they look like numbers or free text.")
    ] = ()
    tolerance: Annotated[Tolerance, Meta(description="The effect that is let pass, by kind of column.")] = Tolerance()
    tolerances: Annotated[
        dict[str, Share], Meta(description="The effect that is let pass in single columns, by name or pattern.")
    ] = {}
    false_alarms: Annotated[
        float, Meta(gt=0, lt=1, description="How often a rule may fail though nothing has drifted.")
    ] = 0.01
    max_psi: Annotated[float | None, Meta(description="The largest population stability index.")] = None
    levels: Annotated[
        Literal["open", "closed"], Meta(description="Whether a level that the reference does not have is an error.")
    ] = "open"
    max_drifted_share: Annotated[
        Share | None,
        Meta(description="Fail only if more than this share of the columns drifted; each alone is then a warning."),
    ] = None
    blocks: Annotated[str, Meta(description="The column whose equal values belong together and move as one.")] = ""
    by: Annotated[str, Meta(description="The column within whose values to compare.")] = ""
    against: Annotated[
        Literal["data", "lock"], Meta(description="Whether the reference is its data or its profile in `audit.lock`.")
    ] = "data"

    profile: Annotated[
        bool,
        Meta(description="Write ydata-profiling's comparison of the two beside the report (extra `profiling`)."),
    ] = False
    profile_timeout_s: Annotated[int, Meta(ge=1, description="Seconds that it may take.")] = 600
    profile_memory_mib: Annotated[int, Meta(ge=1, description="Memory that it may take, in MiB.")] = 4096

    def needs(self, project: Project) -> Mapping[str, Request[Measured] | Request[Compared]]:
        """Both tables, measured against each other; and a profile of them, if it is wanted."""
        locked = self.against == "lock"
        if locked and (self.blocks or self.by):
            raise ConfigError("a profile holds no rows: `blocks` and `by` need `against: data`")
        profile = {} if locked or not self.profile else {"profiled": self._profile(project)}
        return {
            **profile,
            "measured": TablePair(
                root=project.root,
                reference=project.dataset(self.reference),
                current=project.dataset(self.current),
                columns=self.columns,
                ignore=self.ignore,
                categories=self.categories,
                blocks=self.blocks,
                by=self.by,
                false_alarms=self.false_alarms,
                locked=locked,
            ),
        }

    def _profile(self, project: Project) -> TableComparison:
        return TableComparison(
            root=project.root,
            reference=project.dataset(self.reference),
            current=project.dataset(self.current),
            only=self.columns,
            ignore=self.ignore,
            timeout_s=self.profile_timeout_s,
            memory_mib=self.profile_memory_mib,
        )

    def evaluate(self, measured: Measured, profiled: Compared | None = None) -> Iterator[Finding]:
        """Hold each column against its tolerance."""
        path = measured.path
        limits = Limits(
            self.tolerance, self.tolerances, (*self.columns, *self.categories), self.false_alarms, self.max_psi
        )
        columns = judged(measured, limits)
        if not columns and not measured.absent and not measured.types:
            raise CannotLook("no column is left to compare", hint="look at `columns` and `ignore` of the rule")
        share = _share(columns)
        mild = self.max_drifted_share is not None and share <= self.max_drifted_share
        yield from apart(path, measured)
        yield from per_column(path, columns, Severity.WARNING if mild else Severity.ERROR)
        yield from unseen(path, columns, self.levels)
        yield from insufficient(path, columns)
        if self.max_drifted_share is not None and not mild:
            yield _overall(path, share, self.max_drifted_share)
        yield from _strata(path, self.by, measured)
        yield from _counts(measured, columns)
        yield from figures(columns)
        names = (self.reference, f"{self.current} now" if self.current == self.reference else self.current)
        yield from exhibits(columns, names)
        if profiled is not None:
            yield from attached(profiled)
        elif self.profile:
            yield missing("`audit.lock` holds no rows to draw the reference from")
        yield Summary(text=_told(measured, columns))


def _names(columns: Sequence[Judged], *states: str) -> list[str]:
    return list(dict.fromkeys(one.pair.column for one in columns if one.state in states))


def _compared(columns: Sequence[Judged]) -> list[str]:
    return list(dict.fromkeys(one.pair.column for one in columns if one.compared))


def _share(columns: Sequence[Judged]) -> float:
    return len(_names(columns, "drift")) / max(1, len({one.pair.column for one in columns}))


def _overall(path: str, share: float, most: float) -> Violation:
    return Violation(
        subject=path,
        kind="overall",
        message=f"{share:.0%} of the columns drifted, more than {most:.0%}",
        expected=f"at most {most:g}",
        found=float(f"{share:.6g}"),
    )


def _strata(path: str, by: str, measured: Measured) -> Iterator[Violation]:
    if measured.rows_left_out:
        beyond = f", {measured.strata_left_out:,} more" if measured.strata_left_out else ""
        yield Violation(
            subject=f"{path}#{by}",
            kind="strata",
            severity=Severity.WARNING,
            message=f"{measured.rows_left_out:,} of {sum(measured.rows):,} rows were not compared: they are in none of "
            f"the {measured.strata:,} strata that were (the largest on both sides{beyond})",
        )


def _counts(measured: Measured, columns: Sequence[Judged]) -> Iterator[Figure]:
    yield Figure(name="rows_reference", value=measured.rows[0])
    yield Figure(name="rows_current", value=measured.rows[1])
    yield Figure(name="columns_compared", value=len(_compared(columns)))
    yield Figure(name="columns_drifted", value=len(_names(columns, "drift")))
    yield Figure(name="columns_insufficient", value=len(_names(columns, "insufficient")))
    yield Figure(name="tests", value=sum(len(one.verdicts) for one in columns))


def _told(measured: Measured, columns: Sequence[Judged]) -> str:
    n, m = measured.rows
    compared, drifted = _compared(columns), _names(columns, "drift")
    told = f"{len(compared):,} column{'s' if len(compared) != 1 else ''} of {n:,} and {m:,} rows compared"
    if drifted:
        worst = worst_first(columns)[0]
        most = max(worst.verdicts, key=lambda one: one.test.effect / (one.tolerance or 1e-9))
        told += f": {len(drifted):,} drifted, most {worst.name} ({MEASURES[most.test.name]} {most.test.effect:.3g})"
    else:
        told += ": none drifted"
    if unsure := _names(columns, "insufficient"):
        told += f"; too few rows to judge {len(unsure):,}"
    left = len({one.pair.column for one in columns}) - len(compared)
    return told + (f"; {left:,} not compared" if left else "")
