"""Keys, foreign keys and sums, held against Python that looks at one row after the other."""

from __future__ import annotations

import math
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.records.shape import Breach, Keys
from audit.records.table import Source
from audit.tables.constraints.keys import orphans, repeated, unbalanced
from audit.tables.table import Table

SMALL = st.integers(0, 3) | st.none()
PAIRS = st.lists(st.tuples(SMALL, st.sampled_from(["a", "b", None])), max_size=12)


def _source(folder: str, name: str, table: Any) -> Source:
    path = Path(folder, f"{name}.parquet")
    pl.DataFrame(table).write_parquet(path)
    return Source(files=(str(path),), format="parquet")


def _told(found: list[Breach]) -> tuple[int, tuple[int, ...]]:
    assert len(found) <= 1
    return (found[0].count, found[0].rows) if found else (0, ())


def _frame(pairs: list[tuple[Any, Any]], *names: str) -> pl.DataFrame:
    return pl.DataFrame(pairs, schema={names[0]: pl.Int64, names[1]: pl.String}, orient="row")


@settings(max_examples=50)
@given(PAIRS)
def test_keys_that_stand_twice(pairs):
    seen: set[Any] = set()
    rows = [n for n, one in enumerate(pairs, 1) if None not in one and (one in seen or bool(seen.add(one)))]
    with tempfile.TemporaryDirectory() as folder:
        table = Table(_source(folder, "t", _frame(pairs, "row", "value 0")))
        assert _told(list(repeated(table, ("row", "value 0")))) == (len(rows), tuple(rows[:3]))


@settings(max_examples=50)
@given(PAIRS, PAIRS)
def test_keys_that_the_other_table_lacks(pairs, others):
    known = {one for one in others if None not in one}
    rows = [n for n, one in enumerate(pairs, 1) if None not in one and one not in known]
    with tempfile.TemporaryDirectory() as folder:
        there = _frame(others, "x", "y").cast({"x": pl.UInt8, "y": pl.Categorical})
        keys = Keys(columns=("a", "b"), source=_source(folder, "u", there), to=("x", "y"), dataset="u")
        table = Table(_source(folder, "t", _frame(pairs, "a", "b")))
        assert _told(list(orphans(table, keys))) == (len(rows), tuple(rows[:3]))


def _orphans(folder, here: pl.Series, there: pl.Series) -> list[Breach]:
    keys = Keys(columns=("a",), source=_source(folder, "u", {"b": there}), to=("b",), dataset="u")
    return list(orphans(Table(_source(folder, "t", {"a": here})), keys))


NOON = pl.Series([datetime(2024, 6, 1, 12)])  # noqa: DTZ001

ALIKE = {
    "widths": (pl.Series([2**63 - 1], dtype=pl.Int64), pl.Series([2**63 - 1], dtype=pl.UInt64)),
    "categories": (pl.Series(["a"], dtype=pl.Categorical), pl.Series(["a"])),
    "enumerations": (pl.Series(["a"], dtype=pl.Enum(["a"])), pl.Series(["a"], dtype=pl.Enum(["b", "a"]))),
    "units": (NOON.dt.cast_time_unit("ns"), NOON.dt.cast_time_unit("ms")),
    "zones": (NOON.dt.replace_time_zone("UTC"), NOON.dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo")),
    "nothing here": (pl.Series([None]), pl.Series([1])),
}


@pytest.mark.parametrize("case", ALIKE)
def test_the_same_key_in_another_spelling_is_found(tmp_path, case):
    assert _orphans(tmp_path, *ALIKE[case]) == []


def test_instants_finer_than_the_other_clock_are_not_rounded_to_it(tmp_path):
    fine = pl.Series([1], dtype=pl.Int64).cast(pl.Datetime("ns"))
    assert _told(_orphans(tmp_path, fine, pl.Series([0], dtype=pl.Int64).cast(pl.Datetime("ms")))) == (1, (1,))


UNLIKE = {
    "'a' is string, 'b' of 'u' is integer": (pl.Series(["1"]), pl.Series([1])),
    "'a' is a timestamp without a time zone, 'b' of 'u' is a timestamp with a time zone": (
        NOON,
        NOON.dt.replace_time_zone("UTC"),
    ),
    "'a' is integer, 'b' of 'u' is float": (pl.Series([1]), pl.Series([1.0])),
}


@pytest.mark.parametrize("told", UNLIKE)
def test_keys_of_unlike_types_are_not_compared(tmp_path, told):
    assert [one.unfit for one in _orphans(tmp_path, *UNLIKE[told])] == [told]


def test_keys_that_the_other_table_has_no_column_for(tmp_path):
    source = _source(tmp_path, "t", {"a": [1]})
    keys = Keys(columns=("a",), source=source, to=("z",), dataset="t")
    assert [one.unfit for one in orphans(Table(source), keys)] == ["'t' has no column 'z'"]


def test_a_key_of_the_table_itself(tmp_path):
    source = _source(tmp_path, "t", {"id": [1, 2, 3], "parent": [None, 1, 9]})
    keys = Keys(columns=("parent",), source=source, to=("id",), dataset="t")
    assert _told(list(orphans(Table(source), keys))) == (1, (3,))


def test_shares_that_do_not_sum_to_one(tmp_path):
    table = {"p": [0.1, 0.5, None, math.nan, math.inf, 1], "q": [0.9, 0.4, 1.0, 1.0, 0.0, 0], "w": ["x"] * 6}
    held = Table(_source(tmp_path, "t", pl.DataFrame(table, strict=False)))
    assert _told(list(unbalanced(held, ("p", "q"), 1e-9))) == (2, (2, 5))
    assert _told(list(unbalanced(held, ("p", "q"), 0.11))) == (1, (5,))
    assert [one.unfit for one in unbalanced(held, ("p", "w"), 0)] == ["only numbers have a sum: 'w' is string"]
