"""`table.drift`: what has drifted fails, what has not is silent, and too few rows are no pass."""

from statistics import NormalDist

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_iris
from support.audits import audited, kinds, only
from support.pairs import DATASETS, drift, found, write

DRAW = 20_261


def draws(seed=DRAW):
    return np.random.default_rng(seed)


def table(rows, seed):
    draw = draws(seed)
    return {
        "age": draw.integers(18, 90, rows),
        "income": draw.lognormal(size=rows),
        "zeros": np.where(draw.random(rows) < 0.7, 0.0, draw.exponential(size=rows)),
        "city": draw.choice(["Bern", "Oslo", "Rome", "Riga"], rows, p=[0.5, 0.3, 0.15, 0.05]),
        "smoker": draw.random(rows) < 0.2,
        "seen": pl.Series(draw.integers(0, 10**14, rows)).cast(pl.Datetime("us")),
    }


def test_two_samples_of_one_distribution_pass(tmp_path):
    result = drift(tmp_path, table(20_000, 1), table(5_000, 2))
    assert (result.outcome, result.violations) == ("pass", ())
    assert result.summary == "6 columns of 20,000 and 5,000 rows compared: none drifted"


def test_a_negligible_shift_of_a_million_rows_is_no_drift(tmp_path):
    """D is 0.00399 and p 2.4e-7: significant, and harmless."""
    normal = NormalDist()
    x = np.array([normal.inv_cdf((place + 0.5) / 1_000_000) for place in range(1_000_000)])
    result = drift(tmp_path, {"x": x}, {"x": x + 0.01})
    assert (result.outcome, result.violations) == ("pass", ())
    assert result.figures["ks.x"] == pytest.approx(0.00399, abs=5e-6)
    assert result.figures["p_ks.x"] == pytest.approx(2.4e-7, rel=0.1)
    assert result.figures["psi.x"] == pytest.approx(9.6e-5, rel=0.02)


def test_too_few_rows_are_neither_pass_nor_fail(tmp_path):
    width = load_iris().data[:, 3]
    result = drift(tmp_path, {"w": width}, {"w": [1.4, 1.6] * 4})
    assert (result.outcome, kinds(result.violations)) == ("warn", [("val.parquet", "insufficient")])
    assert "insufficient data: 150 and 8 values (n=8 < 30)" in result.violations[0].message
    assert result.figures["ks.w"] == pytest.approx(0.52)
    assert result.figures["p_ks.w"] == pytest.approx(0.0200, abs=5e-5)


@pytest.mark.parametrize(
    ("train", "val", "effect", "p"), [([0], [1], 1.0, 1.0), ([1, 2], [3, 4, 5, 6], 1.0, 0.1333)], ids=["1-1", "2-4"]
)
def test_p_values_of_tiny_samples_are_exact(tmp_path, train, val, effect, p):
    result = drift(tmp_path, {"x": train}, {"x": val})
    assert result.outcome == "warn"
    assert (result.figures["ks.x"], result.figures["p_ks.x"]) == (effect, pytest.approx(p, abs=5e-5))


def test_a_column_that_collapses_to_missing_fails_though_the_rest_keeps_its_mix(tmp_path):
    train = {"c": ["w"] * 500 + ["b"] * 500}
    result = drift(tmp_path, train, {"c": ["w"] * 25 + ["b"] * 25 + [None] * 950})
    (gone,) = found(result, "missing")
    assert (result.outcome, gone.subject) == ("fail", "val.parquet#c")
    assert "missing 0.0 % -> 95.0 %" in gone.message
    assert result.figures["psi.c"] == 0.0
    assert result.figures["psi_with_missing.c"] == pytest.approx(11.55, abs=0.005)


def test_a_new_level_warns_and_fails_where_levels_are_closed(tmp_path):
    for levels, outcome in (("open", "warn"), ("closed", "fail")):
        result = drift(tmp_path, {"c": list("abc")}, {"c": list("abcd")}, levels=levels)
        (new,) = found(result, "unseen-level")
        assert (result.outcome, new.message) == (outcome, "1 unseen level: d (1 row, 25 %)")


def test_a_null_is_never_a_level(tmp_path):
    result = drift(tmp_path, {"c": list("abc")}, {"c": ["a", "b", "c", None]}, levels="closed")
    assert found(result, "unseen-level") == []
    assert result.figures["missing.c"] == 0.25
    assert "nan" not in str(result.violations).lower()


def test_a_vanished_level_is_a_note(tmp_path):
    result = drift(tmp_path, {"c": list("abc") * 1000}, {"c": list("ab") * 500}, tolerances={"c": 0.4})
    (gone,) = result.violations
    assert (result.outcome, gone.kind, gone.severity) == ("pass", "vanished-level", "note")
    assert gone.message == "1 level of the reference absent: c"


@pytest.mark.parametrize(
    ("column", "change", "kind"),
    [
        ("income", lambda x: x * 1.5, "drift"),
        ("age", lambda x: x + 5, "drift"),
        ("city", lambda x: np.where(np.arange(len(x)) % 10 == 0, "Riga", x), "drift"),
        ("smoker", lambda x: x | (np.arange(len(x)) % 10 == 0), "drift"),
        ("income", lambda x: np.where(np.arange(len(x)) % 10 == 0, np.nan, x), "nan"),
        ("seen", lambda x: x.dt.offset_by("90d"), "drift"),
    ],
    ids=["scaled", "shifted", "mix", "boolean", "nan", "later"],
)
def test_what_drifts_fails_alone(tmp_path, column, change, kind):
    val = table(5_000, 2)
    val[column] = change(val[column])
    result = drift(tmp_path, table(20_000, 1), val)
    assert (result.outcome, kinds(result.violations)) == ("fail", [(f"val.parquet#{column}", kind)])
    assert result.summary.startswith("6 columns of 20,000 and 5,000 rows compared: 1 drifted, most ")
    drawn = [one.type for one in result.exhibits if one.title.startswith(f"{column}: ")]
    assert drawn == ["bars2" if column in {"city", "smoker"} else "histogram"]


def test_exhibits_hold_to_their_format(tmp_path):
    val = table(5_000, 2)
    val["age"] = val["age"] + 5
    result = drift(tmp_path, table(20_000, 1), val)
    overview = next(one.data for one in result.exhibits if one.type == "columns")
    assert overview["names"] == ["train", "val"]
    worst = overview["rows"][0]
    assert (worst[0], worst[1], worst[2], worst[7]) == ("age", "number", "D", "drift")
    assert len(overview["rows"]) == 6
    for row in overview["rows"]:
        assert len(row) == 12
        for sketch in row[10:]:
            assert len(sketch) <= 12
            assert all(0 <= height <= 99 for height in sketch)
    drawing = next(one.data for one in result.exhibits if one.type == "histogram")
    assert len(drawing["edges"]) == 31
    for shares in drawing["series"].values():
        assert sum(shares) == pytest.approx(1.0, abs=1e-4)


def test_columns_on_one_side_and_of_two_types_are_violations(tmp_path):
    train = {"a": [1, 2] * 100, "b": [1, 2] * 100, "c": [1, 2] * 100}
    val = {"a": ["x", "y"] * 100, "d": [1, 2] * 100, "c": [1, 2] * 100}
    result = drift(tmp_path, train, val)
    assert result.outcome == "fail"
    assert kinds(result.violations)[1:] == [
        ("val.parquet#a", "type"),
        ("val.parquet#b", "absent-column"),
        ("val.parquet#d", "absent-column"),
    ]


@pytest.mark.parametrize(
    ("train", "val"),
    [
        (pl.Series([1, 2] * 100, dtype=pl.Int32), pl.Series([1.0, 2.0] * 100)),
        (pl.Series(["a", "b"] * 100), pl.Series(["a", "b"] * 100, dtype=pl.Categorical)),
        (pl.Series([0, 10**9] * 100).cast(pl.Datetime("ns")), pl.Series([0, 10**6] * 100).cast(pl.Datetime("us"))),
        (pl.Series([0, 1] * 100).cast(pl.Date), pl.Series([0, 86_400_000] * 100).cast(pl.Datetime("ms"))),
        (pl.Series([1, 2] * 100, dtype=pl.Float32), pl.Series([1, 2] * 100).cast(pl.Decimal(10, 2))),
        (pl.Series([1, 2] * 100, dtype=pl.UInt64), pl.Series([1, 2] * 100, dtype=pl.Int128)),
    ],
    ids=["float", "categorical", "unit", "date", "decimal", "wide"],
)
def test_the_same_values_in_another_spelling_have_no_effect(tmp_path, train, val):
    result = drift(tmp_path, {"x": train}, {"x": val}, tolerance={"numbers": 0.5, "categories": 0.5, "timestamps": 0.5})
    assert (result.outcome, result.violations) == ("pass", ())
    assert {value for name, value in result.figures.items() if name.endswith(".x") and name[:2] != "p_"} == {0.0}


def test_a_column_of_nulls_alone_has_drifted_by_what_is_missing(tmp_path):
    rows = 1_000
    result = drift(tmp_path, {"x": draws().normal(size=rows)}, {"x": pl.Series([None] * rows)})
    assert ("val.parquet#x", "missing") in kinds(result.violations)
    assert result.outcome == "fail"


def test_identifiers_and_free_text_do_not_cry_wolf(tmp_path):
    rows = 5_000
    train = {
        "id": np.arange(rows),
        "key": draws().permutation(20_000)[:rows],
        "uuid": [f"{place:032x}" for place in range(rows)],
        "x": draws(1).normal(size=rows),
    }
    val = {
        "id": np.arange(rows, 2 * rows),
        "key": draws().permutation(20_000)[rows : 2 * rows],
        "uuid": [f"{place:032x}" for place in range(rows, 2 * rows)],
        "x": draws(2).normal(size=rows),
    }
    result = drift(tmp_path, train, val)
    noted = [(f"val.parquet#{name}", "not-compared") for name in ("id", "key", "uuid")]
    assert (result.outcome, kinds(result.violations)) == ("pass", noted)
    assert {one.severity for one in result.violations} == {"note"}
    assert result.summary.endswith("2 not compared")
    named = drift(tmp_path, train, val, columns=["id"])
    assert kinds(named.violations) == [("val.parquet#id", "drift")]


def test_amounts_that_all_differ_are_no_identifiers(tmp_path):
    """A thousand amounts of ten million are mostly all different: chance, and a unit that changed must be found."""
    cents = draws().permutation(10**7)
    train, val = {"amount": cents[:1_000]}, {"amount": cents[1_000:2_000] * 100}
    result = drift(tmp_path, train, val)
    assert ("val.parquet#amount", "drift") in kinds(result.violations)


def test_free_text_is_compared_by_its_lengths(tmp_path):
    words = [f"{place} " + "word " * int(length) for place, length in enumerate(draws().poisson(20, 4_000))]
    train, val = words[:3_000], [f"{text} and much more than that" for text in words[3_000:]]
    result = drift(tmp_path, {"t": train}, {"t": val})
    assert [one.kind for one in result.violations] == ["drift", "not-compared"]
    assert "of lengths" in result.violations[0].message


def test_a_split_by_time_is_told_by_its_range_unless_the_rule_names_the_column(tmp_path):
    train, val = (
        {"t": pl.Series(np.arange(*days) * 86_400_000).cast(pl.Datetime("ms"))} for days in ((0, 900), (900, 1300))
    )
    result = drift(tmp_path, train, val)
    (range_,) = result.violations
    assert (result.outcome, range_.kind, range_.severity) == ("pass", "range", "note")
    assert "1970-01-01 00:00:00 to 1972-06-18 00:00:00" in range_.message
    assert drift(tmp_path, train, val, tolerances={"t": 0.1}).outcome == "fail"


def test_lists_are_compared_by_what_is_missing(tmp_path):
    train, val = [[1, 2]] * 1_000, [[3]] * 500 + [None] * 500
    result = drift(tmp_path, {"l": train}, {"l": val})
    assert kinds(result.violations) == [("val.parquet#l", "missing"), ("val.parquet#l", "not-compared")]


def test_a_table_that_is_not_there_is_an_error(tmp_path):
    write(tmp_path, {"x": [1]}, {"x": [1]})
    (tmp_path / "val.parquet").unlink()
    result = only(audited(tmp_path, {"check": "table.drift"}, datasets=DATASETS))
    assert result.outcome == "error"


def test_a_damaged_table_is_an_error(tmp_path):
    write(tmp_path, {"x": list(range(5000))}, {"x": list(range(5000))})
    data = (tmp_path / "val.parquet").read_bytes()
    (tmp_path / "val.parquet").write_bytes(data[: len(data) // 2])
    assert only(audited(tmp_path, {"check": "table.drift"}, datasets=DATASETS)).outcome == "error"


def test_nothing_left_to_compare_is_an_error(tmp_path):
    result = drift(tmp_path, {"x": [1]}, {"x": [1]}, ignore=["*"])
    assert (result.outcome, result.reason) == ("error", "no column is left to compare")


def test_a_column_that_no_table_has_is_named(tmp_path):
    result = drift(tmp_path, {"x": [1] * 100}, {"x": [1] * 100}, columns=["y*"])
    assert kinds(result.violations) == [("val.parquet#y*", "absent-column")]


@pytest.mark.parametrize("rows", [0, 1])
def test_empty_and_tiny_tables_are_insufficient(tmp_path, rows):
    schema = {"x": pl.Float64, "c": pl.String, "t": pl.Date}
    few = pl.DataFrame({"x": [1.0], "c": ["a"], "t": [0]}, schema=schema).head(rows)
    many = pl.DataFrame({"x": [1.0] * 50, "c": ["a"] * 50, "t": [0] * 50}, schema=schema)
    for train, val in ((few, many), (many, few), (few, few)):
        result = drift(tmp_path, train, val)
        assert result.outcome == "warn"
        assert {one.kind for one in found(result, "insufficient")} == {"insufficient"}


def test_names_of_columns_may_be_anything(tmp_path):
    names = ["*", "^a$", "<b>&", 'a"b', "two\nlines", "", " ", "ключ", "a.b"]
    train, val = ({name: draws(seed).normal(size=500) for name in names} for seed in (1, 2))
    result = drift(tmp_path, train, val, tolerance={"numbers": 0.3})
    assert (result.outcome, result.violations) == ("pass", ())
    assert result.figures["columns_compared"] == len(names)


def test_a_wide_table_has_overviews_that_fit(tmp_path):
    names = [f"column with a rather long name, number {place:04}" for place in range(700)]
    table = {name: [1.0, 2.0] * 20 for name in names}
    result = drift(tmp_path, table, table)
    overviews = [one for one in result.exhibits if one.title == "Columns"]
    assert {one.type for one in result.exhibits} == {"columns", "table"}
    assert sum(len(one.data["rows"]) for one in overviews) == 700
    assert max(len(one.data["rows"]) for one in overviews) <= 300
