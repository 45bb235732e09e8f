"""Tables whose rows belong together: what one side alone holds is still dealt, and people's own ways are no drift."""

import numpy as np
import polars as pl
import pytest

from audit.records.drift import PairQuestion
from audit.records.table import Source
from audit.tables.pair.pair import measured


def compared(folder, reference, current):
    sources = []
    for name, frame in (("reference", reference), ("current", current)):
        frame.write_ipc(folder / f"{name}.arrow")
        sources.append(Source(files=(str(folder / f"{name}.arrow"),), format="ipc"))
    found = measured(PairQuestion(reference=sources[0], current=sources[1], blocks="user"))
    return {(pair.column, test.name): test for pair in found.pairs for test in pair.tests}


def of_users(rng, users, rows, **columns):
    return pl.DataFrame({"user": rng.choice(users, rows), **columns})


def test_levels_and_gaps_of_one_side_alone_are_dealt(tmp_path):
    rng = np.random.default_rng(0)
    reference = of_users(rng, range(40), 900, word=["a", "b", "c"] * 300, value=np.arange(900.0))
    gaps = [None if k % 9 == 0 else float(k) for k in range(450)]
    current = of_users(rng, range(20, 60), 450, word=["a", "b", "c", "d", "e"] * 90, value=gaps)
    tests = compared(tmp_path, reference, current)
    assert tests["word", "total_variation"].p < 0.005
    assert tests["value", "missing"].p < 0.005
    assert {test.how for test in tests.values()} == {"groups"}


@pytest.mark.parametrize("shift", [0.0, 2.0])
def test_people_differ_and_have_not_drifted(tmp_path, shift):
    rng = np.random.default_rng(1)
    own = rng.normal(size=60)
    people = [rng.integers(0, 40, 3000), rng.integers(20, 60, 1000)]
    sides = [
        pl.DataFrame({"user": who, "value": own[who] + rng.normal(0, 0.2, len(who)) + moved})
        for who, moved in zip(people, (0.0, shift), strict=True)
    ]
    test = compared(tmp_path, *sides)["value", "ks"]
    assert test.effect > 0.05
    assert (test.p < 0.005) is bool(shift)
    assert max(test.worth) < 200
