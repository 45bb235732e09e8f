"""What a lock says of tables comes back as it was written, and is believed only if it adds up."""

from __future__ import annotations

import copy
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats import lock
from audit.formats.keyed import keyed
from audit.formats.lock_profiles import read, salt_of, write
from audit.formats.withheld import withheld
from audit.formats.words import shown
from audit.records.profile import FEWEST, PROBABILITIES, Bins, ColumnProfile, Lengths, Level, TableProfile
from audit.records.table import Column, ColumnType

SALT = "00ff" * 8
FINITE = st.floats(allow_nan=False, allow_infinity=False)
COUNT = st.integers(0, 2**40)


@st.composite
def numbers(draw, name="n"):
    edges = tuple(sorted(draw(st.sets(FINITE, max_size=6))))
    counts = tuple(draw(st.lists(st.integers(0, 100), min_size=len(edges) + 1, max_size=len(edges) + 1)))
    missing, nan, below, above = (draw(st.integers(0, 9)) for _ in range(4))
    low, high = sorted((draw(FINITE), draw(FINITE)))
    return ColumnProfile(
        column=Column(name=name, type=ColumnType.FLOAT, physical="float64", text=draw(st.booleans())),
        rows=sum(counts) + missing + nan + below + above,
        missing=missing,
        nan=nan,
        infinite=below + above,
        negative_infinite=below,
        distinct=min(sum(counts), 5),
        minimum=low,
        maximum=high,
        mean=draw(FINITE),
        deviation=abs(draw(FINITE)),
        quantiles=tuple(sorted(draw(st.lists(FINITE, min_size=len(PROBABILITIES), max_size=len(PROBABILITIES))))),
        bins=Bins(edges=edges, counts=counts),
    )


@st.composite
def words(draw, rows, name="w"):
    left, levels = rows, []
    for value in sorted(draw(st.sets(st.text(max_size=150).map(shown), max_size=5))):
        if left:
            levels.append(Level(value=value, rows=draw(st.integers(1, left))))
            left -= levels[-1].rows
    tail = draw(st.integers(0, left))
    return ColumnProfile(
        column=Column(name=name, type=ColumnType.STRING, physical="string"),
        rows=rows,
        missing=left - tail,
        distinct=min(rows - left + tail, len(levels) + 3),
        levels=tuple(sorted(levels, key=lambda level: (-level.rows, level.value))),
        tail_levels=3 if tail else 0,
        tail_rows=tail,
        lengths=Lengths(shortest=0, longest=9, mean=1.5),
    )


@st.composite
def tables(draw):
    first = draw(numbers(name=draw(st.text())))
    other = draw(words(first.rows, name=draw(st.text().filter(lambda name: name != first.column.name))))
    return TableProfile(rows=first.rows, columns=draw(st.permutations([first, other])))


@given(table=tables(), values=st.booleans())
def test_what_is_written_is_read(table, values):
    kept = withheld(table, SALT, values=values)
    section = lock.parse(lock.render({"profiles": write({"t": kept}, SALT)}))["profiles"]
    assert read(section) == {"t": kept}
    assert salt_of(section) == SALT
    assert write(read(section), SALT) == section


@given(table=tables(), values=st.booleans())
def test_no_group_of_a_few_rows_is_named(table, values):
    for column in withheld(table, SALT, values=values).columns:
        assert all(level.rows >= FEWEST for level in column.levels)
        assert column.bins is None or all(not count or count >= FEWEST for count in column.bins.counts)
        assert column.binned
        if column.finite < FEWEST:
            assert (column.mean, column.deviation, column.minimum, column.bins) == (None, None, None, None)


@given(table=tables())
def test_no_value_of_a_row_is_named(table):
    kept = withheld(table, SALT, values=False)
    assert kept.salt == SALT
    for column in kept.columns:
        assert (column.minimum, column.maximum, column.earliest, column.latest) == (None, None, "", "")
        assert (column.quantiles, column.lengths) == ((), None)
        plain = {level.value for one in table.columns for level in one.levels}
        assert all(len(level.value) == 32 and level.value not in plain for level in column.levels)
        assert sum(level.rows for level in column.levels) + column.tail_rows == (
            column.rows - column.missing if column.column.type is ColumnType.STRING else 0
        )


def test_hashes_hang_on_the_salt_and_on_nothing_else():
    one, other = keyed(SALT), keyed("ff00" * 8)
    assert one("a") == one("a")
    assert len({one("a"), one("b"), other("a"), one("")}) == 4


def test_a_long_word_is_shown_in_few_characters():
    assert shown("x" * 100) == "x" * 100
    assert len(shown("x" * 101)) < 110
    assert shown("x" * 101) != shown("x" * 102)


def test_a_column_is_a_few_lines_of_the_lock():
    edges = tuple(math.sqrt(number) for number in range(255))
    column = ColumnProfile(
        column=Column(name="n", type=ColumnType.FLOAT, physical="float64"),
        rows=256 * 20,
        missing=0,
        bins=Bins(edges=edges, counts=(20,) * 256),
        binned=True,
    )
    text = lock.render({"profiles": write({"t": TableProfile(rows=256 * 20, columns=(column,), salt=SALT)}, SALT)})
    assert text.count(b"\n") < 25


@pytest.fixture
def section():
    number = ColumnProfile(
        column=Column(name="n", type=ColumnType.INTEGER, physical="int64"),
        rows=100,
        missing=10,
        nan=1,
        infinite=2,
        negative_infinite=1,
        distinct=40,
        minimum=0,
        maximum=9,
        mean=4.5,
        deviation=1.0,
        quantiles=tuple(range(len(PROBABILITIES))),
        bins=Bins(edges=(1.0, 2.5), counts=(27, 30, 30)),
    )
    word = ColumnProfile(
        column=Column(name="w", type=ColumnType.STRING, physical="string"),
        rows=100,
        missing=10,
        distinct=2,
        levels=(Level(value="a" * 32, rows=60), Level(value="b" * 32, rows=30)),
        lengths=Lengths(shortest=1, longest=2, mean=1.5),
    )
    return write({"t": withheld(TableProfile(rows=100, columns=(number, word)), SALT, values=True)}, SALT)


def test_the_section_is_good_as_it_is(section):
    assert read(json.loads(json.dumps(section)))["t"].columns[0].bins.counts == (27, 30, 30)
    assert read({}) == {}


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("n.counts", "27 30", "its counts are not one more than its edges"),
        ("n.counts", "27 30 31", "its bins do not ascend, or do not hold its rows"),
        ("n.counts", "117 -30 0", "its counts are not one more than its edges"),
        ("n.counts", "27 30.0 30", "its counts are not one more than its edges"),
        ("n.counts", "27  30 30", "'' is no number"),
        ("n.edges", "2.5 1", "its bins do not ascend, or do not hold its rows"),
        ("n.edges", "1 1", "its bins do not ascend, or do not hold its rows"),
        ("n.edges", "nan 1", "'nan' is no number"),
        ("n.edges", "1 1e999", "'1e999' is no number"),
        ("n.edges", "1 ٣", "is no number"),
        ("n.edges", " ".join(["1"] * 1200), "its counts are not one more than its edges"),
        ("n.edges", "1 " * 20_000, "length <= 20000"),
        ("n.missing", 101, "its counts are more than its rows"),
        ("n.missing", -1, ">= 0"),
        ("n.missing", 1.0, "Expected `int`"),
        ("n.missing", 2**70, "<= 9223372036854775807"),
        ("n.negative_infinite", 3, "its counts are more than its rows"),
        ("n.distinct", 95, "its counts are more than its rows"),
        ("n.quantiles", "1 2 3", "its quantiles"),
        ("n.quantiles", " ".join(["2", "1"] + ["3"] * (len(PROBABILITIES) - 2)), "its quantiles"),
        ("n.mean", math.inf, "a figure is not finite"),
        ("n.deviation", -1.0, ">= 0"),
        ("n.type", "number", "Invalid enum value"),
        ("w.levels", {"a" * 32: 60, "b" * 32: 29}, "its levels do not hold its rows"),
        ("w.levels", {"a" * 32: -60, "b" * 32: 150}, ">= 0"),
        ("w.levels", {"a" * 201: 90}, "length <= 200"),
        ("w.levels", {str(number): 0 for number in range(1001)}, "length <= 1000"),
        ("w.levels", {}, "its levels do not hold its rows"),
        ("w.tail_rows", 5, "its levels do not hold its rows"),
    ],
)
def test_a_column_that_cannot_be_is_refused(section, place, value, said):
    column, field = place.split(".")
    section["tables"]["t"]["columns"][column][field] = value
    with pytest.raises(FormatError) as refused:
        read(section)
    assert said in refused.value.what
    assert (refused.value.where, refused.value.hint) == ("audit.lock", "`audit lock profiles` writes it anew")
    assert refused.value.what.startswith("profiles: ")


@pytest.mark.parametrize(
    "broken",
    [
        [],
        None,
        0,
        {"tables": {}},
        {"salt": SALT},
        {"salt": SALT.upper(), "tables": {}},
        {"salt": SALT + "\n", "tables": {}},
        {"salt": "00", "tables": {}},
        {"salt": SALT, "tables": []},
        {"salt": SALT, "tables": {"t": {"rows": 1, "order": ["a"], "columns": {}}}},
        {"salt": SALT, "tables": {"t": {"rows": -1, "order": [], "columns": {}}}},
        {"salt": SALT, "tables": {"t": {"rows": 1, "order": [["a"]], "columns": {}}}},
    ],
)
def test_a_section_that_is_none_is_refused(broken):
    with pytest.raises(FormatError, match="profiles"):
        read(broken)


def test_an_order_with_a_column_twice_is_refused(section):
    section["tables"]["t"]["order"] = ["n", "n", "w"]
    with pytest.raises(FormatError, match="each once"):
        read(section)


def test_levels_in_plain_words_where_hashes_should_be_are_refused(section):
    hidden = copy.deepcopy(section)
    del hidden["tables"]["t"]["values"]
    assert read(hidden)["t"].salt == SALT
    hidden["tables"]["t"]["columns"]["w"]["levels"] = {"Rome": 90}
    with pytest.raises(FormatError, match="no keyed hash"):
        read(hidden)


@pytest.mark.parametrize("section", [None, 5, [], {"salt": 5}, {"salt": "xyz"}, {"salt": None}])
def test_a_section_without_a_good_salt_has_none(section):
    assert salt_of(section) is None
