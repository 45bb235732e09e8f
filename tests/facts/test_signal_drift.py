"""Numbers of two datasets' signals, measured and judged."""

import math

import numpy as np
import pytest
from support.engine import graph

from audit.checks._signal_drift import Allowed, Sides, drift, judged_signals, told
from audit.facts.signals.signal_drift import signal_drift
from audit.records.check import Request
from audit.records.findings import Exhibit, Figure, Violation

SIDES = Sides("train", "val", "clip")
ALLOWED = Allowed(0.1, {}, 0.01)


class Drift(Request):
    """As a fact about signals calls it."""

    reference: dict
    current: dict

    def __hash__(self):
        return id(self)

    def collect(self, ctx):
        return signal_drift(ctx, self.reference, self.current, path="data/val")


def measured(reference, current):
    return graph().get(Drift(reference=reference, current=current))


def judged(reference, current, allowed=ALLOWED):
    found = measured(reference, current)
    columns = judged_signals(found, allowed)
    return list(drift(found, columns, SIDES)), told(columns, SIDES)


def violations(found):
    return [(one.subject, one.kind) for one in found if isinstance(one, Violation)]


@pytest.fixture
def drawn():
    rng = np.random.default_rng(7)
    return lambda size=500, **shift: {
        name: (rng.normal(size=size) + shift.get(name, 0.0)).tolist() for name in ("level", "hum", "width")
    }


def test_alike_passes_and_is_shown(drawn):
    found, clause = judged(drawn(), drawn())
    assert violations(found) == []
    assert clause == "distributed as in train"
    assert [one.type for one in found if isinstance(one, Exhibit)] == ["columns", "table"]


def test_the_column_that_moved_is_named_and_drawn(drawn):
    found, clause = judged(drawn(), drawn(hum=0.8))
    (one,) = [one for one in found if isinstance(one, Violation)]
    assert (one.subject, one.kind, one.expected) == ("data/val#hum", "drift", "at most 0.1")
    assert one.message.startswith("Kolmogorov-Smirnov D 0.3")
    assert "500 and 500 clips" in one.message
    assert clause == "1 of 3 measures distributed unlike train: hum"
    assert "histogram" in [one.type for one in found if isinstance(one, Exhibit)]
    assert {one.name: one.value for one in found if isinstance(one, Figure)}["measures_drifted"] == 1


def test_a_tolerance_of_its_own_lets_it_pass(drawn):
    found, _ = judged(drawn(), drawn(hum=0.8), Allowed(0.1, {"h*": 0.5}, 0.01))
    assert violations(found) == []


def test_numbers_that_files_lack_are_told(drawn):
    here, there = drawn(), drawn()
    there["hum"][:250] = [None] * 200 + [math.nan] * 50
    found, _ = judged(here, there)
    (one,) = [one for one in found if isinstance(one, Violation)]
    assert (one.subject, one.message[:34]) == ("data/val#hum", "clips without it 0.0 % -> 50.0 %, ")


def test_what_no_file_has_is_left_out_and_costs_nothing(drawn):
    here, there = ({**some, "none": [None] * 500} for some in (drawn(), drawn()))
    found = measured(here, there)
    assert found.left_out == ("none",)
    assert [pair.column for pair in found.pairs] == ["level", "hum", "width"]
    assert found.rows == (500, 500)


def test_few_are_insufficient_not_a_pass(drawn):
    found, clause = judged(drawn(20), drawn(20, hum=5))
    assert violations(found) == [("data/val", "insufficient")]
    assert clause == "too few clips to judge 3 of 3 measures"
    found, _ = judged(drawn(60), drawn(60))
    (one,) = [one for one in found if isinstance(one, Violation)]
    assert "so few would only show a D of 0.4 or more; with more files, or a tolerance of 0.2" in one.message


def test_infinite_numbers_are_numbers(drawn):
    here, there = drawn(), drawn()
    there["hum"][:300] = [-math.inf] * 300
    found, _ = judged(here, there)
    assert violations(found) == [("data/val#hum", "drift")]


def test_nothing_at_all_is_nothing():
    assert measured({"level": []}, {"level": []}).pairs == ()
