"""The decision of `table.drift`: an effect above its tolerance, a small adjusted p, and enough rows, all three."""

import pytest

from audit.checks.table._drift_judged import Limits, Tolerance, judged
from audit.records.drift import Measured, Pair, Side, Test

LIMITS = Limits(Tolerance(), {}, (), 0.01, None)


def pair(column="x", kind="number", disjoint="", **said):
    test = {"name": "ks", "effect": 0.2, "p": 1e-9, "how": "", "sizes": (1_000, 1_000), "detectable": 0.05, **said}
    side = Side(rows=1_000, missing=0)
    return Pair(
        column=column,
        kind=kind,
        disjoint=disjoint,
        reference=side,
        current=side,
        tests=(Test(**test),),
    )


def states(*pairs, limits=LIMITS):
    return [one.state for one in judged(Measured(pairs=pairs), limits)]


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ({}, "drift"),
        ({"effect": 0.05}, "pass"),
        ({"p": 0.01}, "pass"),
        ({"sizes": (29, 1_000)}, "insufficient"),
        ({"sizes": (30, 1_000)}, "drift"),
        ({"effect": 0.01, "detectable": 0.1}, "pass"),
        ({"effect": 0.01, "detectable": 0.101}, "insufficient"),
        ({"effect": 0.01, "detectable": None}, "insufficient"),
        ({"effect": 0.01, "error": 0.06}, "insufficient"),
        ({"name": "total_variation", "effect": 0.04}, "drift"),
        ({"name": "missing", "effect": 0.04, "detectable": 0.01}, "insufficient"),
    ],
)
def test_all_three_decide(said, state):
    """The last has a test of what is missing and none of its values."""
    assert states(pair(**said)) == [state]


def test_p_values_are_adjusted_over_all_tests_of_the_rule():
    assert states(pair(p=0.006)) == ["drift"]
    assert states(pair(p=0.006), pair("y", p=0.5)) == ["pass", "pass"]
    assert states(pair(p=0.004), pair("y", p=0.5)) == ["drift", "pass"]


def test_times_that_lie_apart_are_not_tested_and_cost_the_others_nothing():
    (apart, _) = judged(Measured(pairs=(pair("t", "time", disjoint="after"), pair(p=0.006))), LIMITS)
    assert (apart.verdicts, apart.range_only, apart.state) == ((), True, "pass")
    assert states(pair("t", "time", disjoint="after"), pair(p=0.006)) == ["pass", "drift"]
    named = LIMITS._replace(columns={"t": 0.1})
    assert states(pair("t", "time", disjoint="after"), limits=named) == ["drift"]


def test_a_name_goes_before_a_pattern():
    own = LIMITS._replace(columns={"*": 0.5, "x": 0.1})
    assert states(pair(), pair("y"), limits=own) == ["drift", "pass"]
