"""What `table.shift` makes of an answer: an effect and a test decide together."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from support.judging import figures, named, summary

from audit.checks.table.shift import Shift
from audit.records.shift import Gave, Left
from audit.records.shift import Shift as Told

CHECK = Shift(reference="train", current="val")
SHIFTED = Told(
    path="val.csv",
    rows=(5_000, 900),
    sampled=(5_000, 900),
    columns=("x", "y"),
    left=(Left(column="id", reason="an identifier"),),
    auc=0.7,
    low=0.66,
    high=0.74,
    p=1e-9,
    detectable=0.54,
    gave=(Gave(column="y", importance=0.1), Gave(column="x", importance=0.0)),
)


def judged(check=CHECK, **change):
    return named(check.evaluate(replace(SHIFTED, **change)))


def test_a_large_effect_that_chance_does_not_explain_is_a_shift():
    found = list(CHECK.evaluate(SHIFTED))
    assert named(found) == [("val.csv", "shift")]
    assert summary(found) == "AUC 0.700 (0.660 to 0.740) over 2 columns; 1 not looked at"
    assert figures(found)["auc_detectable"] == 0.54


@pytest.mark.parametrize("change", [{"p": 0.01}, {"p": 0.4}, {"auc": 0.55}, {"auc": 0.3}])
def test_one_of_both_alone_is_none(change):
    assert judged(**change) == []


def test_the_rule_sets_both():
    assert judged(Shift(reference="train", current="val", tolerance=0.7)) == []
    assert judged(Shift(reference="train", current="val", false_alarms=0.1), p=0.05) == [("val.csv", "shift")]


@pytest.mark.parametrize("change", [{"auc": None}, {"auc": 0.5, "detectable": 0.61}, {"p": 0.4, "detectable": 0.7}])
def test_too_little_to_say_is_a_warning(change):
    assert judged(**change) == [("val.csv", "insufficient-data")]


def test_only_columns_that_gave_something_away_are_named():
    message = next(iter(CHECK.evaluate(SHIFTED))).message
    assert message.endswith("given away most by 'y'")
