"""`leakage.target` finds the answer among the features, and lets honest strong features be."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from support.audits import audited, kinds, only

DATASETS = {"train": {"path": "train.parquet", "role": "train"}, "val": {"path": "val.parquet", "role": "val"}}
HALF = 600


def patients(count, seed, told=3.0, **columns):
    """An honest table: a label, a feature that tells something of it, one that tells nothing."""
    draw = np.random.default_rng(seed)
    sick = draw.integers(0, 2, count)
    data = {"sick": sick, "honest": draw.normal(size=count) + sick, "noise": draw.normal(size=count)}
    late = sick * told + draw.normal(size=count) * 0.3
    return pl.DataFrame(data | {name: column(sick, late, draw) for name, column in columns.items()})


def judged(tmp_path, train, val=None, label="sick", **parameters):
    train.write_parquet(tmp_path / "train.parquet")
    if val is not None:
        val.write_parquet(tmp_path / "val.parquet")
    datasets = DATASETS if val is not None else {"train": DATASETS["train"]}
    return only(
        audited(tmp_path, {"check": "leakage.target", "with": {"label": label, **parameters}}, datasets=datasets)
    )


def test_honest_features_pass(tmp_path):
    found = judged(tmp_path, patients(HALF, 1), patients(HALF, 2))
    assert (found.outcome, found.violations) == ("pass", ())
    assert "'honest'" in found.summary


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_diabetes])
def test_textbook_tables_pass_in_random_order(tmp_path, load):
    table = pl.from_pandas(load(as_frame=True).frame).sample(fraction=1, shuffle=True, seed=4)
    cut = len(table) * 2 // 3
    assert judged(tmp_path, table[:cut], table[cut:], label="target").violations == ()


@pytest.mark.parametrize(
    "column",
    [
        lambda sick, late, draw: np.where(sick == 1, "yes", "no"),
        lambda sick, late, draw: sick * -2.5 + 7,
        lambda sick, late, draw: sick == 0,
        lambda sick, late, draw: pl.Series([3 if one else None for one in sick]),
    ],
    ids=["words", "scaled", "negated", "missing"],
)
def test_the_label_under_another_name_fails(tmp_path, column):
    tables = [patients(HALF, seed, twin=column) for seed in (1, 2)]
    found = judged(tmp_path, *tables)
    assert found.outcome == "fail"
    assert kinds(found.violations) == [("train.parquet#twin", "copy")]


def test_what_tells_the_label_in_training_alone_fails(tmp_path):
    train = patients(HALF, 1, late=lambda sick, late, draw: late)
    val = patients(HALF, 2, late=lambda sick, late, draw: draw.permutation(late))
    found = judged(tmp_path, train, val)
    assert found.outcome == "fail"
    assert kinds(found.violations) == [("train.parquet#late", "train-only")]


def test_what_tells_it_in_both_is_a_warning_for_a_person_to_judge(tmp_path):
    tables = [patients(HALF, seed, late=lambda sick, late, draw: late) for seed in (1, 2)]
    found = judged(tmp_path, *tables)
    assert found.outcome == "warn"
    assert kinds(found.violations) == [("train.parquet#late", "alone")]
    assert judged(tmp_path, *tables, ignore=["late"]).outcome == "pass"


def test_training_labels_behind_user_names_are_found(tmp_path):
    user = np.arange(HALF) % 60
    train = pl.DataFrame({"user": [f"u{one * 37 % 60}" for one in user], "sick": user * 7919 % 61 % 2})
    val = train.with_columns(user=pl.lit("v") + pl.col("user"))
    found = judged(tmp_path, train.sample(fraction=1, shuffle=True, seed=1), val)
    assert kinds(found.violations) == [("train.parquet#user", "train-only")]


def test_identifiers_that_tell_the_label(tmp_path):
    def number(sick, late, draw):
        return [f"{'case' if one else 'ctrl'}-{place:05}" for place, one in enumerate(sick)]

    train, val = patients(HALF, 1, id=number), patients(HALF, 2, id=number)
    found = judged(tmp_path, train, val)
    assert kinds(found.violations) == [("train.parquet#id", "identifier")]
    assert found.outcome == "warn"
    assert judged(tmp_path, train, val, features=["i?", "honest"]).outcome == "fail"


def test_rows_sorted_by_the_label_are_a_warning(tmp_path):
    found = judged(tmp_path, patients(HALF, 1).sort("sick"), patients(HALF, 2))
    assert kinds(found.violations) == [("train.parquet", "order")]
    assert found.figures["order_auc"] > 0.99
    assert found.figures["same_class_as_row_before_ratio"] > 0.99


def numbers(count, seed):
    draw = np.random.default_rng(seed)
    price = np.exp(draw.normal(size=count))
    return pl.DataFrame(
        {
            "price": price,
            "log": np.log(price),
            "taxed": price * (1.2 + 0.001 * draw.normal(size=count)),
            "size": price + draw.normal(size=count),
            "noise": draw.normal(size=count),
        }
    )


def test_a_label_of_numbers(tmp_path):
    found = judged(tmp_path, numbers(HALF, 1), numbers(HALF, 2), label="price")
    assert kinds(found.violations) == [("train.parquet#log", "copy"), ("train.parquet#taxed", "alone")]
    changed = numbers(HALF, 2).with_columns(pl.col("taxed").shuffle(seed=1))
    found = judged(tmp_path, numbers(HALF, 1), changed, label="price", ignore=["log"])
    assert kinds(found.violations) == [("train.parquet#taxed", "train-only")]


def test_a_copy_in_very_few_rows_may_be_chance(tmp_path):
    few = pl.DataFrame({"sick": [0, 1, 1, 0, 1], "twin": ["a", "b", "b", "a", "b"]})
    found = judged(tmp_path, few)
    assert found.outcome == "warn"
    assert kinds(found.violations) == [("train.parquet", "insufficient-data")]


def test_without_a_current_table_it_says_so(tmp_path):
    assert "compared with no other table" in judged(tmp_path, patients(HALF, 1)).summary


def test_a_current_table_without_labels_cannot_be_compared_if_it_was_asked_for(tmp_path):
    unlabelled = patients(HALF, 2).drop("sick")
    assert judged(tmp_path, patients(HALF, 1), unlabelled).outcome == "pass"
    found = judged(tmp_path, patients(HALF, 1), unlabelled, reference="train", current="val")
    assert (found.outcome, kinds(found.violations)) == ("error", [("train.parquet", "unlabelled")])


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"x": [1.0, 2.0]}, "sick"),
        ({"sick": [1, 1], "x": [1.0, 2.0]}, "fewer than two values"),
        ({"sick": [None, None], "x": [1.0, 2.0]}, "no label"),
        ({"sick": [[1], [2]], "x": [1.0, 2.0]}, "no label"),
    ],
)
def test_what_is_no_label_cannot_be_looked_at(tmp_path, table, told):
    found = judged(tmp_path, pl.DataFrame(table))
    assert found.outcome == "error"
    assert told in found.reason


def test_columns_of_every_type_are_looked_at_or_named(tmp_path):
    table = patients(HALF, 1).with_columns(
        pl.lit(1).alias("constant"),
        pl.lit(None).alias("nothing"),
        pl.Series("list", [[1]] * HALF),
        pl.Series("empty", [None] * HALF, dtype=pl.Float64),
        pl.datetime_range(pl.datetime(2024, 1, 1), pl.datetime(2025, 1, 1), "1h", eager=True).head(HALF).alias("at"),
        pl.Series("gaps", [float("nan"), None, float("inf"), 1.0] * (HALF // 4)),
    )
    found = judged(tmp_path, table, table)
    assert found.violations == ()
    assert found.figures["features"] == 6
    assert found.figures["not_looked_at"] == "nothing (no values), list (a list)"


def test_few_false_alarms_in_small_honest_tables(tmp_path):
    """Forty features in eighty rows, one of them strong: over ten pairs of tables at most one may fail."""
    alarms = 0
    for seed in range(10):
        tables = [
            patients(
                80,
                2 * seed + side,
                **{f"n{at}": lambda sick, late, draw: draw.normal(size=len(sick)) for at in range(40)},
            )
            for side in range(2)
        ]
        alarms += (
            judged(
                tmp_path, *(table.with_columns(honest=pl.col("honest") + pl.col("sick")) for table in tables)
            ).outcome
            == "fail"
        )
    assert alarms <= 1
