"""Equal rows over splits, against a plain definition; whatever the hash, the order of rows and the files."""

import math
from collections import Counter
from itertools import product

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.errors import CannotLook
from audit.records.splits import AskOverlap, Part
from audit.records.table import Source
from audit.tables.splits import overlap as module
from audit.tables.splits.overlap import overlap

NUMBERS = st.sampled_from([None, math.nan, 0.0, -0.0, 1.0, 2.5])
ROWS = st.lists(st.tuples(NUMBERS, st.sampled_from([None, "", "a", "b"]), st.booleans()), max_size=12)
TYPES = {"x": pl.Float64, "s": pl.String, "b": pl.Boolean}


def part(folder, name, rows, split=None):
    path = folder / f"{name}.parquet"
    pl.DataFrame(rows, schema=TYPES, orient="row").write_parquet(path)
    return Part(split=split or name, path=name, source=Source(files=(str(path),), format="parquet"))


def meant(row):
    x, s, b = row
    return ("nan" if x is not None and math.isnan(x) else x if x is None else x + 0.0, s, b)


def expected(splits):
    counts = {name: Counter(map(meant, rows)) for name, rows in splits.items()}
    names = list(splits)
    pairs = {}
    for first, later in product(range(len(names)), repeat=2):
        if first < later:
            both = counts[names[first]].keys() & counts[names[later]].keys()
            if both:
                pairs[names[first], names[later]] = (len(both), sum(counts[names[later]][row] for row in both))
    within = {name: sum(count - 1 for count in each.values()) for name, each in counts.items()}
    return pairs, {name: surplus for name, surplus in within.items() if surplus}


@pytest.mark.parametrize("colliding", [False, True])
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_equal_rows_are_those_of_the_definition_even_if_all_hashes_collide(tmp_path_factory, colliding, data):
    splits = {name: data.draw(ROWS) for name in ("train", "val", "test")}
    folder = tmp_path_factory.mktemp("o")
    parts = [part(folder, name, rows) for name, rows in splits.items()]
    with pytest.MonkeyPatch.context() as patch:
        if colliding:
            patch.setattr(module, "_mixed", lambda values: values[0].hash(0) * pl.lit(0, dtype=pl.UInt64))
        found = overlap(parts, "", AskOverlap())
    pairs, within = expected(splits)
    assert {(one.earlier, one.later): (one.groups, one.members) for one in found.pairs} == pairs
    assert {one.split: one.surplus for one in found.within} == within
    assert [one.size for one in found.splits] == [len(rows) for rows in splits.values()]
    for same in found.first:
        rows = [meant(splits[place.split][place.row - 1]) for place in same.places]
        assert len(set(rows)) == 1


@settings(max_examples=20, deadline=None)
@given(ROWS, ROWS, st.randoms(use_true_random=False))
def test_order_of_rows_and_files_changes_no_count(tmp_path_factory, train, test, random):
    folder = tmp_path_factory.mktemp("p")
    once = overlap([part(folder, "train", train), part(folder, "test", test)], "", AskOverlap())
    random.shuffle(train)
    half = len(train) // 2
    parts = [
        part(folder, "a", train[half:], "train"),
        part(folder, "b", train[:half], "train"),
        part(folder, "test", test),
    ]
    again = overlap(parts, "", AskOverlap())
    assert (again.pairs, again.groups) == (once.pairs, once.groups)
    assert [(one.groups, one.surplus) for one in again.within] == [(one.groups, one.surplus) for one in once.within]


def frames(folder, **splits):
    parts = []
    for name, frame in splits.items():
        frame.write_parquet(folder / f"{name}.parquet")
        source = Source(files=(str(folder / f"{name}.parquet"),), format="parquet")
        parts.append(Part(split=name, path=name, source=source))
    return parts


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (pl.Series([1, 2], dtype=pl.UInt64), pl.Series([1, 2], dtype=pl.Int8)),
        (pl.Series([1, 2], dtype=pl.Int64), pl.Series([1.0, 2.0])),
        (pl.Series([0.1, 0.2]), pl.Series([0.1, 0.2], dtype=pl.Float32)),
        (pl.Series(["a", "b"]), pl.Series(["a", "b"], dtype=pl.Categorical)),
        (pl.Series([[1, 2], None]), pl.Series([[1, 2], None])),
        (pl.Series([{"k": 1}, {"k": None}]), pl.Series([{"k": 1}, {"k": None}])),
        (pl.Series([b"a", b""]), pl.Series([b"a", b""])),
        (
            pl.Series([0, 1]).cast(pl.Datetime("us", "UTC")),
            pl.Series([0, 1000]).cast(pl.Datetime("ns", "Europe/Berlin")),
        ),
        (pl.Series([0, 1]).cast(pl.Date), pl.Series([0, 86_400_000]).cast(pl.Datetime("ms"))),
        (pl.Series([1, 2]).cast(pl.Duration("ms")), pl.Series([1000, 2000]).cast(pl.Duration("us"))),
        (pl.Series([None, None]), pl.Series([None, None], dtype=pl.String)),
        (pl.Series(["1.50", "2"]).cast(pl.Decimal(10, 2)), pl.Series([1.5, 2.0])),
    ],
)
def test_equal_means_the_same_value_whatever_the_type(tmp_path, a, b):
    parts = frames(tmp_path, train=pl.DataFrame({"*": a, "n": [1, 2]}), test=pl.DataFrame({"n": [1, 2], "*": b}))
    found = overlap(parts, "", AskOverlap())
    assert [(pair.groups, pair.members) for pair in found.pairs] == [(2, 2)]
    assert found.unlike == ()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (pl.Series([2**53 + 1]), pl.Series([2**53])),
        (pl.Series([2**64 - 1], dtype=pl.UInt64), pl.Series([-1])),
        (pl.Series(["a "]), pl.Series(["a"])),
        (pl.Series([[1, 2]]), pl.Series([[2, 1]])),
    ],
)
def test_what_differs_stays_apart(tmp_path, a, b):
    parts = frames(tmp_path, train=pl.DataFrame({"v": a}), test=pl.DataFrame({"v": b}))
    assert overlap(parts, "", AskOverlap()).pairs == ()


def test_a_column_with_too_many_values_tells_no_splits(tmp_path):
    (one,) = frames(tmp_path, all=pl.DataFrame({"s": map(str, range(100)), "v": range(100)}))
    with pytest.raises(CannotLook, match="it tells no splits"):
        overlap([one], "s", AskOverlap())
    with pytest.raises(CannotLook, match="nothing to compare"):
        overlap(frames(tmp_path, one=pl.DataFrame({"s": ["a"], "v": [1]})), "s", AskOverlap())
