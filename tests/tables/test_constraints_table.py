"""All expectations of a table together: none that cannot be judged costs another its answer."""

from __future__ import annotations

import polars as pl

from audit.records.schema import ColumnRule
from audit.records.shape import Expected, Keys
from audit.records.table import Source
from audit.tables.constraints import table as constraints_table
from audit.tables.constraints.table import broken
from audit.tables.table import Table

FRAME = pl.DataFrame({"*": [1, 2, 3], "^x$": ["a", "b", "a"], "": [0.5, 0.5, 0.5], "lists": [[1], [1], [2]]})


def _table(folder) -> Table:
    FRAME.write_parquet(folder / "t.parquet")
    return Table(Source(files=(str(folder / "t.parquet"),), format="parquet"))


def _expected(folder) -> Expected:
    lost = Source(files=(str(folder / "none.parquet"),), format="parquet")
    return Expected(
        columns=(
            ("*", ColumnRule(max=2)),
            ("gone", ColumnRule(max=2)),
            ("^x$", ColumnRule(pattern="(")),
            ("", ColumnRule(unique=True)),
            ("lists", ColumnRule(unique=True)),
        ),
        unique=(("^x$", ""), ("gone", "*")),
        sums=(("", "*"),),
        references=(Keys(columns=("*",), source=lost, to=("id",), dataset="none"),),
    )


def test_each_expectation_gets_its_answer(tmp_path):
    found = list(broken(_table(tmp_path), _expected(tmp_path)))
    assert [(one.columns, one.kind, one.rows, one.blind) for one in found] == [
        (("*",), "max", (3,), False),
        (("^x$",), "pattern", (), True),
        (("",), "unique", (2, 3), False),
        (("lists",), "unique", (2,), False),
        (("^x$", ""), "unique", (3,), False),
        (("", "*"), "sum", (1, 2, 3), False),
        (("*",), "unreadable", (), True),
    ]


def test_how_many_columns_are_read_together_changes_nothing(tmp_path, monkeypatch):
    table, expected = _table(tmp_path), _expected(tmp_path)
    found = list(broken(table, expected))
    monkeypatch.setattr(constraints_table, "_CELLS", 1)
    assert list(broken(table, expected)) == found


def test_a_column_that_cannot_be_read_with_others_is_read_alone(tmp_path, monkeypatch):
    table, expected = _table(tmp_path), _expected(tmp_path)
    found = list(broken(table, expected))
    plain = Table.select

    def picky(self, names):
        if len(names) > 2:
            raise pl.exceptions.ComputeError("not all at once")
        return plain(self, names)

    monkeypatch.setattr(Table, "select", picky)
    assert list(broken(table, expected)) == found
