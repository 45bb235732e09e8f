"""The shape of a table: what is missing, and the levels of columns that have few."""

from __future__ import annotations

import math

import polars as pl
import pytest

from audit.records.shape import MAX_LEVELS, Shape
from audit.records.table import Source
from audit.tables.constraints import shape as constraints_shape
from audit.tables.constraints.shape import shape
from audit.tables.table import Table


def _shape(folder, table) -> Shape:
    pl.DataFrame(table).write_parquet(folder / "t.parquet", row_group_size=7)
    return shape(Table(Source(files=(str(folder / "t.parquet"),), format="parquet")))


def test_missing_values_and_nan_are_counted_apart(tmp_path):
    found = _shape(tmp_path, {"*": [1.0, math.nan, None], "^x$": [None, None, "a"], "": [1, 2, 3]})
    assert [(one.column.name, one.missing, one.nan) for one in found.columns] == [
        ("*", 1, 1),
        ("^x$", 2, 0),
        ("", 0, 0),
    ]
    assert found.rows == 3


WHOLE = {
    "whole": ([1.0, -2.0, None, math.nan], True),
    "nothing": ([None, math.nan], True),
    "a fraction": ([1.0, 0.5], False),
    "infinite": ([math.inf], False),
    "where floats skip integers": ([2.0**53], False),
    "just below": ([2.0**53 - 1], True),
}


@pytest.mark.parametrize("case", WHOLE)
def test_floats_that_are_whole_numbers(tmp_path, case):
    values, whole = WHOLE[case]
    found = _shape(tmp_path, {"x": pl.Series(values, dtype=pl.Float64)})
    assert found.columns[0].whole is whole


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical])
def test_levels_by_how_often_they_are_there(tmp_path, dtype):
    words = pl.Series(["b", "a", None, "c", "c", "nan"], dtype=dtype)
    (found,) = _shape(tmp_path, {"x": words}).columns
    assert [(one.value, one.rows) for one in found.levels or ()] == [("c", 2), ("a", 1), ("b", 1), ("nan", 1)]


def test_as_many_levels_as_are_counted_and_one_more(tmp_path):
    words = [None, *(f"{n:05}" for n in range(MAX_LEVELS))]
    assert len(_shape(tmp_path, {"x": words}).columns[0].levels or ()) == MAX_LEVELS
    assert _shape(tmp_path, {"x": [*words, "one more"]}).columns[0].levels is None
    assert _shape(tmp_path, {"x": ["y" * 201]}).columns[0].levels is None


def test_levels_that_take_too_much_room_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(constraints_shape, "_ROOM", 100)
    first, second = _shape(tmp_path, {"a": ["x", "y"], "b": ["z" * 90, "y"]}).columns
    assert (first.levels is not None, first.crowded) == (True, False)
    assert (second.levels, second.crowded) == (None, True)


def test_batches_of_columns_change_nothing(tmp_path, monkeypatch):
    table = {f"c{n}": ["a", "b", None] * 5 for n in range(7)}
    found = _shape(tmp_path, table)
    monkeypatch.setattr(constraints_shape, "_AT_ONCE", 2)
    monkeypatch.setattr(constraints_shape, "_CELLS", 1)
    assert _shape(tmp_path, table) == found


def test_a_table_without_rows(tmp_path):
    found = _shape(tmp_path, pl.DataFrame(schema={"a": pl.Float64, "b": pl.String}))
    assert (found.rows, [one.absent for one in found.columns]) == (0, [0, 0])
