"""Words are counted exactly, whatever the memory, and only so many of them are named."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.profiles import of_column, profiled

from audit.records.profile import Level
from audit.tables.profile import profile as whole
from audit.tables.values import Streamed

WORDS = st.none() | st.sampled_from(["", "a", "b", "NaN", "é", "\0", "a\nb", "x" * 101]) | st.text(max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("words")


@settings(deadline=None)
@given(values=st.lists(WORDS, max_size=80), memory=st.sampled_from([None, 1, 2000]), streamed=st.booleans())
def test_words_are_counted(folder, values, memory, streamed):
    with pytest.MonkeyPatch.context() as patch:
        if streamed:
            patch.setattr(whole, "by_column", lambda table: ((one, Streamed(table, one.name)) for one in table.columns))
        found = of_column(values, folder, pl.String, memory)
    present = [value for value in values if value is not None]
    counts = Counter(present)
    assert (found.rows, found.missing, found.distinct) == (len(values), len(values) - len(present), len(counts))
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    assert [level.rows for level in found.levels] == [rows for _, rows in ranked]
    named = [(level.value, level.rows) for level in found.levels]
    assert [pair for pair in named if "blake3" not in pair[0]] == [pair for pair in ranked if len(pair[0]) <= 100]
    if present:
        lengths = [len(value) for value in present]
        assert (found.lengths.shortest, found.lengths.longest) == (min(lengths), max(lengths))
        assert found.lengths.mean == sum(lengths) / len(lengths)
    else:
        assert found.lengths is None


@pytest.mark.parametrize("memory", [None, 100_000])
def test_the_tail_is_counted(folder, memory, monkeypatch):
    monkeypatch.setattr(whole, "by_column", lambda table: ((one, Streamed(table, one.name)) for one in table.columns))
    often = [f"often {n % 10}" for n in range(100)]
    found = of_column([*(f"{n:05d}" for n in range(3000)), *often, None], folder, memory=memory)
    assert found.levels[:10] == tuple(Level(value=f"often {n}", rows=10) for n in range(10))
    assert found.levels[10:] == tuple(Level(value=f"{n:05d}", rows=1) for n in range(990))
    assert (len(found.levels), found.tail_levels, found.tail_rows) == (1000, 2010, 2010)


def test_a_long_word_stands_for_itself_in_few_characters(folder):
    found = of_column(["x" * 1_000_000, "x" * 1_000_001], folder)
    assert [level.value[:41] for level in found.levels] == ["x" * 32 + "… blake3:"] * 2
    assert len({level.value for level in found.levels}) == 2
    assert found.lengths.longest == 1_000_001


def test_booleans_have_two_levels(folder):
    found = of_column([True, False, True, None], folder)
    assert found.levels == (Level(value="true", rows=2), Level(value="false", rows=1))
    assert (found.missing, found.distinct, found.lengths) == (1, 2, None)


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["b", "a", "unused"])])
def test_categories_are_words(folder, dtype):
    found = of_column(["b", "a", "b", None], folder, dtype)
    assert found.levels == (Level(value="b", rows=2), Level(value="a", rows=1))
    assert (found.missing, found.distinct) == (1, 2)


def test_lists_and_bytes_have_lengths_alone(folder):
    frame = pl.DataFrame(
        {
            "list": [[1, 2, 3], [], None],
            "bytes": [b"ab", None, b""],
            "struct": [{"a": 1}, None, {"a": 3}],
            "array": pl.Series([[1, 2], None, [3, 4]], dtype=pl.Array(pl.Int64, 2)),
            "null": [None, None, None],
        }
    )
    found = {one.column.name: one for one in profiled(frame, folder).columns}
    assert [one.missing for one in found.values()] == [1, 1, 1, 1, 3]
    told = {
        name: (one.lengths.shortest, one.lengths.longest, one.lengths.mean)
        for name, one in found.items()
        if one.lengths
    }
    assert told == {"list": (0, 3, 1.5), "bytes": (0, 2, 1.0), "array": (2, 2, 2.0)}
    assert all(one.distinct is None and one.bins is None and not one.levels for one in found.values())


def test_a_column_without_any_value_has_no_lengths(folder):
    for dtype in (pl.String, pl.Binary, pl.List(pl.Int8)):
        for values in ([], [None, None]):
            found = of_column(values, folder, dtype)
            assert (found.missing, found.lengths, found.levels) == (len(values), None, ())
