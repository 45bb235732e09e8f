"""What a rule may say to `table.drift`: groups, strata, levels, limits, columns, the lock, waivers."""

import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
import pytest
from support.audits import audited, kinds, only
from support.pairs import DATASETS, drift, found, write

AUDIT = Path(sys.executable).parent / "audit"


def users(seed, first, count, each=20, spread=1.0):
    """Rows of users that are alike within each user and differ between them."""
    draw = np.random.default_rng(seed)
    user = np.repeat(np.arange(first, first + count), each)
    return {"user": [f"u{name}" for name in user], "x": np.repeat(draw.normal(size=count), each) * spread}


def test_rows_of_a_user_alarm_unless_whole_users_are_dealt(tmp_path):
    train, val = users(1, 0, 300), users(2, 300, 100)
    assert found(drift(tmp_path, train, val, ignore=["user"]), "drift")
    result = drift(tmp_path, train, val, blocks="user")
    assert found(result, "drift") == []
    assert "in 300 and 100 groups" in found(result, "insufficient")[0].message


def test_whole_users_that_moved_are_found(tmp_path):
    val = users(2, 300, 100)
    val["x"] = val["x"] + 2
    (moved,) = found(drift(tmp_path, users(1, 0, 300), val, blocks="user"), "drift")
    assert "in 300 and 100 groups" in moved.message


def test_a_few_groups_can_show_nothing(tmp_path):
    result = drift(tmp_path, users(1, 0, 2, each=200), users(2, 2, 2, each=200), blocks="user")
    assert (result.outcome, kinds(result.violations)) == ("warn", [("val.parquet", "insufficient")])


def classes(seed, shares, rows=6_000, shift=0.0):
    draw = np.random.default_rng(seed)
    label = draw.choice(["cat", "dog"], rows, p=shares)
    return {"label": label, "x": draw.normal(size=rows) + (label == "dog") * 2 + shift}


def test_a_changed_mix_of_classes_is_told_from_changed_features(tmp_path):
    train, val = classes(1, [0.5, 0.5]), classes(2, [0.7, 0.3])
    assert kinds(drift(tmp_path, train, val).violations) == [("val.parquet#label", "drift"), ("val.parquet#x", "drift")]
    result = drift(tmp_path, train, val, by="label")
    assert kinds(result.violations) == [("val.parquet#label", "drift")]
    moved = drift(tmp_path, train, classes(2, [0.5, 0.5], shift=0.5), by="label")
    (within,) = moved.violations
    assert (within.subject, within.kind) == ("val.parquet#x", "drift")
    assert within.message.startswith("in 2 of 2 strata, most in ")


def test_levels_are_unseen_only_where_no_stratum_had_them(tmp_path):
    train = {"s": ["a", "b"] * 500, "c": ["x", "y"] * 500}
    val = {"s": ["a", "b"] * 300, "c": (["x", "y"] * 290) + ["y", "z"] * 10}
    (new,) = found(drift(tmp_path, train, val, by="s"), "unseen-level")
    assert new.message == "1 unseen level: z (10 rows, 1.67 %)"


def test_more_strata_than_are_compared_are_told(tmp_path):
    many = {"s": [f"s{name}" for name in range(25)] * 40, "x": np.arange(1000.0)}
    result = drift(tmp_path, many, many, by="s")
    (strata,) = found(result, "strata")
    assert (strata.subject, strata.severity) == ("val.parquet#s", "warning")
    assert strata.message.startswith("400 of 2,000 rows were not compared")
    assert "20 strata that were (the largest on both sides, 5 more)" in strata.message


def test_rows_without_a_stratum_are_told(tmp_path):
    train = {"s": ["a", "b"] * 500, "x": np.arange(1000.0)}
    val = {"s": ["a", None, "c", "a"] * 250, "x": np.arange(1000.0)}
    (strata,) = found(drift(tmp_path, train, val, by="s"), "strata")
    assert strata.message.startswith("1,000 of 2,000 rows were not compared")


def test_a_column_of_groups_or_strata_that_is_not_there_is_an_error(tmp_path):
    for said in ({"by": "y"}, {"blocks": "y"}):
        result = drift(tmp_path, {"x": [1] * 50}, {"x": [1] * 50}, **said)
        assert (result.outcome, result.reason) == ("error", "no column is called 'y'")


def test_the_stability_index_decides_only_where_the_rule_says_so_and_not_by_chance(tmp_path):
    draw = np.random.default_rng(5)
    train, val = {"x": draw.normal(size=5_000)}, {"x": draw.normal(0.11, 1.3, 5_000)}
    wide = {"numbers": 0.2}
    assert drift(tmp_path, train, val, tolerance=wide).outcome == "pass"
    (over,) = drift(tmp_path, train, val, tolerance=wide, max_psi=0.05).violations
    assert (over.subject, over.kind, over.severity) == ("val.parquet#x", "psi", "error")
    few = drift(tmp_path, {"x": draw.normal(size=60)}, {"x": draw.normal(size=60)}, max_psi=0.05)
    assert few.figures["psi.x"] > 0.05
    assert few.outcome == "warn"


def test_tolerances_by_kind_name_and_pattern(tmp_path):
    draw = np.random.default_rng(6)
    train = {"price_a": draw.normal(size=5_000), "price_b": draw.normal(size=5_000)}
    val = {name: column + 0.3 for name, column in train.items()}
    assert len(drift(tmp_path, train, val).violations) == 2
    assert kinds(drift(tmp_path, train, val, tolerances={"price_a": 0.2}).violations) == [
        ("val.parquet#price_b", "drift")
    ]
    for said in ({"tolerances": {"price_*": 0.2}}, {"tolerance": {"numbers": 0.2}}, {"max_drifted_share": 1.0}):
        assert drift(tmp_path, train, val, **said).outcome in {"pass", "warn"}
    assert kinds(drift(tmp_path, train, val, ignore=["*_b"]).violations) == [("val.parquet#price_a", "drift")]
    assert kinds(drift(tmp_path, train, val, columns=["*_b"]).violations) == [("val.parquet#price_b", "drift")]


def test_a_share_of_drifted_columns_may_be_let_pass(tmp_path):
    draw = np.random.default_rng(7)
    train = {f"x{place}": draw.normal(size=3_000) for place in range(4)}
    val = {name: draw.normal(size=3_000) for name in train}
    val["x0"] = val["x0"] + 1
    mild = drift(tmp_path, train, val, max_drifted_share=0.25)
    assert (mild.outcome, kinds(mild.violations)) == ("warn", [("val.parquet#x0", "drift")])
    val["x1"] = val["x1"] + 1
    hard = drift(tmp_path, train, val, max_drifted_share=0.25)
    assert (hard.outcome, kinds(hard.violations)[0]) == ("fail", ("val.parquet", "overall"))


def test_classes_that_are_numbers_may_be_levels(tmp_path):
    draw = np.random.default_rng(8)
    train, val = {"k": draw.integers(0, 5, 5_000)}, {"k": draw.integers(0, 6, 5_000)}
    assert "ks.k" in drift(tmp_path, train, val).figures
    result = drift(tmp_path, train, val, categories=["k"])
    assert [one.kind for one in result.violations] == ["drift", "unseen-level"]


def test_waivers_never_add_a_violation(tmp_path):
    train, val = {"x": np.arange(100.0), "c": ["a"] * 100}, {"x": np.arange(100.0) + 90, "c": ["b"] * 100}
    before = drift(tmp_path, train, val)
    content = msgspec.json.decode((tmp_path / "audit.yaml").read_bytes())
    waiver = {"rule": "table.drift", "subject": "val.parquet#x", "reason": "r", "author": "a", "expires": "2099-01-01"}
    (tmp_path / "audit.yaml").write_bytes(msgspec.json.encode({**content, "waivers": [waiver]}))
    subprocess.run([AUDIT, "run", "-C", tmp_path, "--quiet"], check=False, capture_output=True)
    after = msgspec.json.decode((tmp_path / "reports/latest/report.json").read_bytes())["body"]["results"][0]
    assert [one["key"] for one in after["violations"]] == [one.key for one in before.violations]
    assert [one["subject"] for one in after["violations"] if one["waived"]] == ["val.parquet#x"]


def mixed(seed, rows, shift=0.0):
    draw = np.random.default_rng(seed)
    return {
        "x": draw.normal(shift, 1, rows),
        "zeros": np.where(draw.random(rows) < 0.6, 0.0, draw.exponential(size=rows)),
        "age": draw.integers(0, 90, rows),
        "c": draw.choice(list("abcde"), rows),
        "b": draw.random(rows) < 0.3,
        "t": pl.Series(draw.integers(0, 10**14, rows)).cast(pl.Datetime("us")),
        "id": np.arange(rows) + seed * 10**6,
    }


@pytest.fixture
def locked(tmp_path):
    write(tmp_path, mixed(1, 20_000), mixed(2, 5_000))
    audited(tmp_path, {"check": "table.drift"}, datasets=DATASETS)
    subprocess.run([AUDIT, "lock", "-C", tmp_path, "profiles"], check=True, capture_output=True)
    return tmp_path


def against_lock(root, val, **said):
    pl.DataFrame(val).write_parquet(root / "val.parquet")
    return only(audited(root, {"check": "table.drift", "with": {"against": "lock", **said}}, datasets=DATASETS))


def test_the_recorded_profile_stands_for_the_reference(locked):
    (locked / "train.parquet").unlink()
    result = against_lock(locked, mixed(2, 5_000))
    assert (result.outcome, kinds(result.violations)) == ("pass", [("val.parquet#id", "not-compared")])
    moved = against_lock(locked, mixed(2, 5_000, shift=0.3))
    assert found(moved, "drift")[0].subject == "val.parquet#x"
    assert "(binned, up to " in found(moved, "drift")[0].message


def test_binned_effects_are_off_by_no_more_than_their_bound(locked):
    val = mixed(3, 5_000, shift=0.1)
    binned = against_lock(locked, val)
    exact = only(audited(locked, {"check": "table.drift"}, datasets=DATASETS))
    for name in ("ks.x", "ks.zeros", "ks.age", "ks.t"):
        assert binned.figures[name] <= exact.figures[name] + 1e-12
        assert binned.figures[name] == pytest.approx(exact.figures[name], abs=0.006)
    for name in ("total_variation.c", "total_variation.b", "psi.c"):
        assert binned.figures[name] == pytest.approx(exact.figures[name], rel=1e-9)


def test_an_unseen_level_is_told_without_its_name_where_the_lock_has_none(locked):
    val = mixed(2, 5_000)
    val["c"] = np.where(np.arange(5_000) < 50, "new", val["c"])
    (new,) = found(against_lock(locked, val), "unseen-level")
    assert new.message == "1 unseen level (1 %)"


def test_without_a_recorded_profile_nothing_can_be_looked_at(tmp_path):
    write(tmp_path, mixed(1, 100), mixed(2, 100))
    result = only(audited(tmp_path, {"check": "table.drift", "with": {"against": "lock"}}, datasets=DATASETS))
    assert (result.outcome, result.repair) == ("error", "audit lock profiles")
    assert "audit.lock has no profile of 'train'" in result.reason
