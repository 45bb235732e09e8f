"""`table.drift` sees values, not how they are stored, nor how many workers read them."""

import numpy as np
import polars as pl
import pytest
from support.audits import audited, kinds, only
from support.pairs import drift, report, write

from audit.records.report import canonical


def table(seed, rows):
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "x": draw.normal(size=rows),
            "n": pl.Series(draw.integers(0, 50, rows)).set(pl.Series(draw.random(rows) < 0.1), None),
            "c": draw.choice(["red", "green", "blue"], rows),
            "b": draw.random(rows) < 0.4,
            "d": pl.Series(draw.integers(0, 2_000, rows)).cast(pl.Date),
        }
    )


def stored(root, frame, name, suffix):
    path = root / f"{name}{suffix}"
    {".parquet": frame.write_parquet, ".arrow": frame.write_ipc, ".csv": frame.write_csv, ".jsonl": frame.write_ndjson}[
        suffix
    ](path)
    return path.name


def test_the_format_of_a_table_changes_nothing(tmp_path):
    train, val = table(1, 2_000), table(2, 700)
    figures = {}
    for suffix in (".parquet", ".arrow", ".csv", ".jsonl"):
        root = tmp_path / suffix[1:]
        root.mkdir()
        datasets = {
            "train": {"path": stored(root, train, "train", ".parquet"), "role": "train"},
            "val": {"path": stored(root, val, "val", suffix), "role": "val"},
        }
        said = {"tolerance": {"numbers": 0.2, "categories": 0.2, "timestamps": 0.2, "missing": 0.2}}
        result = only(audited(root, {"check": "table.drift", "with": said}, datasets=datasets))
        assert (result.outcome, result.violations) == ("pass", ())
        figures[suffix] = result.figures
    assert all(figures[suffix] == figures[".parquet"] for suffix in figures)


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_a_null_among_integers_is_no_other_type_and_no_drift(tmp_path, suffix):
    datasets = {
        name: {"path": stored(tmp_path, pl.DataFrame({"id": ids}), name, suffix), "role": name}
        for name, ids in (("train", [1, 2, 3]), ("val", [1, 2, None, 3]))
    }
    result = only(audited(tmp_path, {"check": "table.drift"}, datasets=datasets))
    assert (result.outcome, {one.kind for one in result.violations}) == ("warn", {"insufficient"})
    assert (result.figures["ks.id"], result.figures["missing.id"]) == (0.0, 0.25)


def test_time_zones_are_told_from_naive_times_and_equal_instants_are_equal(tmp_path):
    naive = pl.Series(np.arange(200) * 3_600_000_000).cast(pl.Datetime("us"))
    utc = naive.dt.replace_time_zone("UTC")
    berlin = utc.dt.convert_time_zone("Europe/Berlin")
    wide = {"timestamps": 0.5}
    assert kinds(drift(tmp_path, {"t": naive}, {"t": utc}, tolerance=wide).violations) == [("val.parquet#t", "type")]
    result = drift(tmp_path, {"t": utc}, {"t": berlin}, tolerance=wide)
    assert (result.outcome, result.figures["ks.t"]) == ("pass", 0.0)


def test_the_same_rows_give_the_same_bytes_whatever_the_workers_and_their_order(tmp_path):
    train, val = table(1, 5_000), table(3, 2_000).with_columns(pl.col("x") + 1)
    write(tmp_path, train, val)
    before = canonical(report(tmp_path).body)
    assert canonical(report(tmp_path, jobs=1).body) == before
    write(tmp_path, train[::-1], val.sample(fraction=1.0, shuffle=True, seed=1))
    assert canonical(report(tmp_path).body) == before


def test_a_part_of_a_table_is_compared_by_itself(tmp_path):
    draw = np.random.default_rng(5)
    rows = 2_000
    split = draw.choice(["a", "b"], rows)
    pl.DataFrame({"s": split, "x": draw.normal(size=rows) + (split == "b")}).write_parquet(tmp_path / "all.parquet")
    datasets = {
        "train": {"path": "all.parquet", "role": "train", "where": {"s": ["a"]}},
        "val": {"path": "all.parquet", "role": "val", "where": {"s": ["b"]}},
    }
    result = only(audited(tmp_path, {"check": "table.drift", "with": {"ignore": ["s"]}}, datasets=datasets))
    assert kinds(result.violations) == [("all.parquet#x", "drift")]
