"""Tables of one distribution raise no alarm, whatever they are made of."""

from __future__ import annotations

import os

import numpy as np
import polars as pl
import pytest

from audit.records.table import Source
from audit.tables.learned.features import Wanted
from audit.tables.learned.shift import Options, shift
from audit.tables.table import Table


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    monkeypatch.setitem(os.environ, "OMP_NUM_THREADS", "1")


def told(folder, tables, **wanted):
    opened = []
    for name, table in zip(("reference", "current"), tables, strict=True):
        table.write_parquet(folder / f"{name}.parquet")
        opened.append(Table(Source(files=(str(folder / f"{name}.parquet"),), format="parquet")))
    return shift(tuple(opened), Wanted(**wanted), Options())


def mixed(seed, rows=120):
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "normal": draw.normal(size=rows),
            "heavy": draw.standard_cauchy(size=rows),
            "zeros": draw.exponential(size=rows) * (draw.random(rows) < 0.3),
            "level": draw.choice(["a", "b", "c", "d"], rows, p=[0.7, 0.2, 0.09, 0.01]),
        }
    )


@pytest.mark.slow
def test_pairs_of_one_distribution_are_not_told_apart(tmp_path):
    """In 25 pairs, more than two with p below 0.01 would come about in one run of 500 if the rate were 0.01."""
    found = [told(tmp_path, [mixed(2 * seed), mixed(2 * seed + 1)]) for seed in range(25)]
    assert sum(one.auc > 0.55 and one.p < 0.01 for one in found) <= 2
    assert 0.47 < np.mean([one.auc for one in found]) < 0.53
    assert all(one.low < one.auc < one.high for one in found)


def test_the_order_of_the_columns_and_of_the_sides_changes_little(tmp_path):
    first, second = mixed(1, 600), mixed(2, 600).with_columns(pl.col("normal") + 0.8)
    forth = told(tmp_path, [first, second])
    back = told(tmp_path, [second.select(second.columns[::-1]), first])
    assert forth.auc == pytest.approx(back.auc, abs=0.03)
    assert forth.gave[0].column == back.gave[0].column == "normal"


def test_very_many_columns_take_fewer_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("audit.tables.learned.features.CELLS", 4_000)
    assert told(tmp_path, [mixed(1, 2_000), mixed(2, 2_000)]).sampled == (500, 500)
    assert told(tmp_path, [mixed(1, 2_000), mixed(2, 2_000)], columns=["level"]).sampled == (2_000, 2_000)


def test_rows_without_a_group_are_groups_of_their_own(tmp_path):
    tables = [mixed(seed, 300).with_columns(user=pl.when(pl.int_range(300) < 30).then(seed)) for seed in (1, 2)]
    assert told(tmp_path, tables, groups="user").groups == (271, 271)


def test_columns_without_values_in_a_fold_are_trained_with(tmp_path):
    tables = [
        mixed(seed).with_columns(
            nothing=pl.lit(None, pl.String), once=pl.when(pl.int_range(pl.len()) == seed).then(1.0)
        )
        for seed in (1, 2)
    ]
    found = told(tmp_path, tables)
    assert found.auc is not None
    assert "once" in found.columns
