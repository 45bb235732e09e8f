"""`table.schema`: a table's columns and values are what was declared, or what another table has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from msgspec import Meta

from audit.checks.table._schema_breaches import broken
from audit.checks.table._schema_columns import declared, extra, keyed, ordered
from audit.checks.table._schema_like import Likeness, unlike
from audit.checks.table._schema_reading import reading
from audit.checks.table._schema_references import foreign_key, references
from audit.checks.table._schema_told import told
from audit.checks.table._schema_words import counted
from audit.facts.tables.schema import Shapes, TableBreaches, TableShapes, spelled
from audit.records.check import Check, Request
from audit.records.dataset import Dataset, DatasetName
from audit.records.findings import Finding, Violation
from audit.records.project import Project
from audit.records.schema import ColumnRule, Extra, Levels, Name, Reference, RowBounds, distinct
from audit.records.shape import Breach, Shape
from audit.records.table import ColumnType
from audit.records.words import Kind, Severity


class TableSchema(Check):
    """A table has the columns, types and values that are declared, or those of another table.

    Without any parameter, it tells what reading the table met: rows with another number of
    fields, bytes that are not of the encoding, lines that are no JSON, columns of one name,
    integers that no float64 holds (each an error); words like `NA` in a column of words,
    columns of mixed types (each a warning); numbers that begin with zeros, and so are text
    (a note); and that the table has no rows (a warning, unless `rows` is given).

    **Declared columns.** `columns` has a type for each name, or a mapping of:

    - `type`: `integer`, `float`, `boolean`, `string`, `categorical`, `timestamp`, `date`,
      `duration`, `time`, `list`, `struct` or `binary`, whatever the width, the format and
      the library that wrote it
    - `required`: whether the column must be there; `true` if left out
    - `nullable`, `max_missing`: whether values may be missing, and the share of them that
      may, 0 to 1; NaN counts as missing
    - `min`, `max`: bounds, themselves allowed; dates and times in ISO 8601, with an offset
      where the column has a time zone; durations in seconds
    - `allowed`: the values that there may be
    - `pattern`: a regular expression that matches the whole of each value, in the
      [syntax of Rust](https://docs.rs/regex/latest/regex/#syntax), which is linear in time
      and so has no look-around
    - `min_length`, `max_length`: characters of words, bytes, items of lists
    - `unique`: whether no value stands twice
    - `monotonic`: `increasing`, `strictly-increasing`, `decreasing` or
      `strictly-decreasing` down the rows
    - `zone`: a time zone, by its offsets (`UTC` is `Etc/UTC`); `naive` for none, `aware`
      for any

    Missing values break nothing but `nullable` and `max_missing`; a row where a part of a key
    is missing breaks neither `unique` nor `references`, as in SQL. A column of whole numbers
    is a `float`, and one of categories a `string`. Whole numbers beside missing values that a
    reader made floats of warn, and fail from 2^53 on, where floats skip integers.

    **Like another table.** `infer: train` takes the schema of the dataset `train`, or of
    those with that role: absent and extra columns and other types fail (a column
    declared with `required: false`, as a label that is kept back, may be absent); another
    order,
    missing values where that table has none, and levels that it lacks warn. Levels are
    compared in columns of words or booleans that have at most 1,000 of them there, and
    either at most 20 or two rows to each level; names of users, patients or sessions, none
    of which is in both (as a split by groups makes it), are a note; with `levels: closed`, columns of words
    that could not be compared warn. Timestamps with a zone against ones without fail; two
    zones with different offsets warn, and the unit of the clock is a note. Of what reading
    met, warnings that the other table has in the same column are notes. Missing values
    beside integers are a note where the format keeps them apart, as Parquet does. Ranges are
    left to `table.drift`. `infer: "role:train"` holds only for datasets that have a role
    themselves, and another one; among several with the role it takes the one that shares
    the most columns.

    Row numbers begin at 1 and count the rows of the dataset, without a header.

    ## Why it matters

    A column that changed its type, its unit or its place is still read without an error. An
    identifier that became a float is rounded, a clock without its zone is hours off, and a
    category that training never saw is encoded as something else.

    ## Example

    ```yaml
    rules:
      - id: visits-as-agreed
        check: table.schema
        with:
          dataset: train
          columns:
            visit: {type: integer, nullable: false, unique: true}
            user_id: integer
            age: {type: integer, min: 0, max: 120}
            outcome: {type: categorical, allowed: [healthy, ill]}
            seen: {type: timestamp, zone: UTC, min: "2020-01-01T00:00:00Z"}
          unique: [[user_id, seen]]
          references: [{columns: [user_id], dataset: users, to: [id]}]
          rows: {min: 1000}
      - id: columns-like-train
        check: table.schema
        with: {dataset: val, infer: train}
    ```

    ## How to fix

    The message names the rows. Where the data is wrong, mend what writes it and write it
    again; where the world has changed, declare so, and train again. Write tables as Parquet:
    text keeps no types. `show_values: false` keeps the values of rows out of reports.
    """

    accepts = frozenset({Kind.TABLE})

    dataset: DatasetName
    columns: Annotated[
        dict[Name, ColumnRule | ColumnType | None],
        Meta(description="What each column is: its type, or a mapping as above."),
    ] = {}
    extra: Annotated[
        Extra | None,
        Meta(description="Columns beyond those: left out, allowed if declared, forbidden if inferred."),
    ] = None
    order: Annotated[
        bool | None,
        Meta(description="Whether columns stand in that order; left out, warns if inferred."),
    ] = None
    rows: Annotated[RowBounds | None, Meta(description="How many rows: `min`, `max`.")] = None
    unique: Annotated[
        tuple[Annotated[tuple[Name, ...], Meta(min_length=1)], ...],
        Meta(description="Columns whose values together stand nowhere twice."),
    ] = ()
    references: Annotated[
        tuple[Reference, ...],
        Meta(description="Foreign keys: `columns` here, the `dataset` that has them, and its columns `to`."),
    ] = ()
    sums_to_one: Annotated[
        tuple[Annotated[tuple[Name, ...], Meta(min_length=2)], ...],
        Meta(description="Columns that sum to one in each row."),
    ] = ()
    tolerance: Annotated[float, Meta(ge=0, le=1, description="By how much such a sum may differ from one.")] = 1e-6
    infer: Annotated[
        str,
        Meta(description="The dataset or role whose schema it must have; `role:train` for datasets with roles alone."),
    ] = ""
    levels: Annotated[
        Levels, Meta(description="Whether levels that the other table lacks warn (`open`) or fail (`closed`).")
    ] = Levels.OPEN
    show_values: Annotated[bool, Meta(description="Whether messages may show values of rows, at most three.")] = True

    def __post_init__(self) -> None:
        """Refuse columns that are named twice: raises `ValueError`."""
        for columns in (*self.unique, *self.sums_to_one):
            distinct(columns)

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """The shape of the table and of those that it must be like, and what breaks the rules for its values."""
        dataset = project.dataset(self.dataset)
        like = references(project, dataset, self.infer, alone=self._declares_nothing())
        keys = tuple(foreign_key(project, key) for key in self.references)
        broken = TableBreaches(
            root=project.root,
            dataset=dataset,
            rules=spelled(self._rules()),
            unique=self.unique,
            sums=self.sums_to_one,
            tolerance=self.tolerance,
            references=keys,
        )
        return {
            "shapes": TableShapes(root=project.root, dataset=dataset, like=like),
            "breaches": broken,
        }

    def evaluate(self, shapes: Shapes, breaches: tuple[Breach, ...]) -> Iterator[Finding]:
        """One violation a column and expectation, one a remark of the reader."""
        found = list(self._violations(shapes, breaches))
        yield from found
        yield from told(shapes, found)

    def _violations(self, shapes: Shapes, breaches: tuple[Breach, ...]) -> Iterator[Violation]:
        path, own, rules = shapes.dataset.path, shapes.own, self._rules()
        alike = {(one.column, one.kind) for _, other in shapes.others for one in other.remarks}
        yield from reading(path, own.remarks, rules, show=self.show_values, alike=alike)
        yield from _rows(path, own, self.rows)
        mistyped = set()
        for one in self._of_columns(path, own, rules):
            yield one
            mistyped |= {one.subject.removeprefix(f"{path}#")} if one.kind == "type" else set()
        for breach in breaches:
            yield from broken(path, breach, mistyped, show=self.show_values)
        yield from self._unlike(path, shapes)

    def _of_columns(self, path: str, own: Shape, rules: Mapping[str, ColumnRule]) -> Iterator[Violation]:
        yield from declared(path, own, rules)
        yield from keyed(path, own, rules, self._keys())
        if rules and not self.infer:
            yield from extra(path, own, rules, "declared", self.extra or Extra.ALLOW)
        if rules and self.order:
            yield from ordered(path, own, list(rules), "declared", Severity.ERROR)

    def _unlike(self, path: str, shapes: Shapes) -> Iterator[Violation]:
        for dataset, reason in shapes.unread:
            message = f"{dataset.name!r}, whose schema it must have, cannot be read: {reason}"
            yield Violation(subject=dataset.path, kind="unread", message=message, unseen=True)
        if shapes.others:
            other, shape = max(shapes.others, key=lambda one: len(one[1].named().keys() & shapes.own.named().keys()))
            yield from unlike(path, shapes.own, shape, self._likeness(other))

    def _likeness(self, other: Dataset) -> Likeness:
        order = Severity.WARNING if self.order is None else Severity.ERROR if self.order else None
        return Likeness(
            name=other.name,
            extra=self.extra or Extra.FORBID,
            order=order,
            levels=self.levels,
            show=self.show_values,
            known=tuple(self.columns),
            optional=tuple(name for name, rule in self._rules().items() if not rule.required),
        )

    def _rules(self) -> dict[str, ColumnRule]:
        return {name: _full(rule) for name, rule in self.columns.items()}

    def _keys(self) -> list[str]:
        keys = (*self.unique, *self.sums_to_one, *(key.columns for key in self.references))
        return list(dict.fromkeys(name for columns in keys for name in columns))

    def _declares_nothing(self) -> bool:
        return not (self.columns or self.rows or self._keys())


def _full(rule: ColumnRule | ColumnType | None) -> ColumnRule:
    return rule if isinstance(rule, ColumnRule) else ColumnRule(type=rule)


def _rows(path: str, own: Shape, bounds: RowBounds | None) -> Iterator[Violation]:
    if bounds is None:
        if own.rows == 0:
            yield Violation(subject=path, kind="empty", message="the table has no rows", severity=Severity.WARNING)
        return
    for word, bound, bad in (
        ("at least", bounds.min, bounds.min is not None and own.rows < bounds.min),
        ("at most", bounds.max, bounds.max is not None and own.rows > bounds.max),
    ):
        if bad:
            message = f"{counted(own.rows, 'row')}, {word} {bound:,} expected"
            yield Violation(subject=path, kind="rows", message=message, expected=bound, found=own.rows)
