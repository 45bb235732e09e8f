"""Two tables measured against each other: what cannot change the answer, and agreement with plain computations."""

from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import jensenshannon

from audit.records.drift import Measured, PairQuestion
from audit.records.table import Source
from audit.tables.pair import pair as module
from audit.tables.pair.pair import measured

NUMBER = st.none() | st.floats(allow_nan=True, allow_infinity=True) | st.integers(-3, 3).map(float)
COLUMNS = st.fixed_dictionaries(
    {
        "x": st.lists(NUMBER, min_size=8, max_size=8),
        "i": st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=8, max_size=8),
        "c": st.lists(st.none() | st.sampled_from(["a", "b", "", "nan", "é"]), min_size=8, max_size=8),
        "b": st.lists(st.none() | st.booleans(), min_size=8, max_size=8),
        "t": st.lists(st.none() | st.datetimes(), min_size=8, max_size=8),
        "l": st.lists(st.none() | st.lists(st.integers(0, 3)), min_size=8, max_size=8),
    }
)
TYPES = {"x": pl.Float64, "i": pl.Int64, "c": pl.String, "b": pl.Boolean, "t": pl.Datetime("us"), "l": pl.List(pl.Int8)}
FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def frame(columns):
    return pl.DataFrame(columns, schema=TYPES)


def source(folder: Path, name: str, *frames: pl.DataFrame, kind: str = "parquet") -> Source:
    files = []
    for place, each in enumerate(frames):
        file = folder / f"{name}-{place}.{kind}"
        each.write_parquet(file) if kind == "parquet" else each.write_ipc(file)
        files.append(str(file))
    return Source(files=tuple(files), format=kind)


def compare(train, val, **said) -> Measured:
    with TemporaryDirectory() as folder:
        reference = source(Path(folder), "train", *(train if isinstance(train, tuple) else (train,)))
        current = source(Path(folder), "val", *(val if isinstance(val, tuple) else (val,)))
        return measured(PairQuestion(reference=reference, current=current, **said))


def plain(found: Measured) -> bytes:
    return msgspec.json.encode(found)


@FEW
@given(COLUMNS)
def test_identical_tables_have_no_effect(columns):
    for pair in compare(frame(columns), frame(columns)).pairs:
        assert all((test.effect, test.p) == (0.0, 1.0) for test in pair.tests)
        assert (pair.unseen.count, pair.vanished.count) == (0, 0)
        assert {pair.psi, pair.psi_missing, pair.jensen_shannon, pair.wasserstein} <= {0.0, None}


@FEW
@given(COLUMNS, COLUMNS, st.randoms(use_true_random=False), st.integers(1, 7))
def test_neither_the_order_of_rows_nor_shards_nor_batches_change_anything(train, val, draw, cut):
    a, b = frame(train), frame(val)
    before = plain(compare(a, b))
    order = list(range(8))
    draw.shuffle(order)
    mixed = a[order]
    assert plain(compare((mixed[:cut], mixed[cut:]), (b[cut:], b[:cut]))) == before
    together, module._TOGETHER = module._TOGETHER, 1
    try:
        assert plain(compare(a, b)) == before
    finally:
        module._TOGETHER = together


@FEW
@given(COLUMNS, COLUMNS)
def test_the_format_changes_nothing(train, val):
    with TemporaryDirectory() as folder:
        answers = {
            plain(
                measured(
                    PairQuestion(
                        reference=source(Path(folder), "train", frame(train), kind=kind),
                        current=source(Path(folder), "val", frame(val), kind=kind),
                    )
                )
            )
            for kind in ("parquet", "ipc")
        }
    assert len(answers) == 1


@FEW
@given(COLUMNS, COLUMNS)
def test_whatever_the_values_the_answer_is_finite_and_bounded(train, val):
    for pair in msgspec.json.decode(plain(compare(frame(train), frame(val))), type=Measured).pairs:
        for test in pair.tests:
            assert 0.0 <= test.effect <= 1.0
            assert 0.0 <= test.p <= 1.0
            assert test.detectable is None or 0.0 < test.detectable <= 1.0


@pytest.mark.parametrize("seed", range(4))
def test_numbers_agree_with_scipy(seed):
    draw = np.random.default_rng(seed)
    a, b = draw.normal(size=3_000), draw.normal(0.1, 1.2, 1_000)
    (pair,) = compare(pl.DataFrame({"x": a}), pl.DataFrame({"x": b})).pairs
    (test,) = pair.tests
    expected = stats.ks_2samp(a, b, method="asymp")
    assert test.effect == pytest.approx(expected.statistic, abs=1e-12)
    assert test.p == pytest.approx(expected.pvalue, rel=0.2)
    assert pair.wasserstein == pytest.approx(stats.wasserstein_distance(a, b) / a.std(ddof=1), abs=1e-9)
    edges = np.unique(np.quantile(a, np.arange(1, 10) / 10, method="inverted_cdf"))
    p, q = (np.diff(np.searchsorted(np.sort(x), edges, "right"), prepend=0, append=len(x)) / len(x) for x in (a, b))
    assert pair.psi == pytest.approx(((q - p) * np.log(q / p)).sum(), abs=1e-9)
    assert pair.jensen_shannon == pytest.approx(jensenshannon(p, q, base=2), abs=1e-9)


def test_levels_agree_with_scipy():
    draw = np.random.default_rng(9)
    a, b = draw.choice(list("abcd"), 2_000), draw.choice(list("abc"), 700)
    (pair,) = compare(pl.DataFrame({"c": a}), pl.DataFrame({"c": b})).pairs
    p, q = ([np.mean(side == level) for level in "abcd"] for side in (a, b))
    assert pair.tests[0].effect == pytest.approx(np.abs(np.subtract(p, q)).sum() / 2, abs=1e-12)
    assert pair.jensen_shannon == pytest.approx(jensenshannon(p, q, base=2), abs=1e-9)


def test_what_is_missing_is_tested_as_scipy_does():
    a, b = [None] * 40 + [1.0] * 360, [None] * 45 + [1.0] * 155
    (pair,) = compare(pl.DataFrame({"x": a}), pl.DataFrame({"x": b})).pairs
    missing = next(test for test in pair.tests if test.name == "missing")
    assert missing.p == pytest.approx(stats.fisher_exact([[40, 360], [45, 155]]).pvalue, rel=1e-9)


def test_a_column_that_does_not_fit_is_compared_on_bins(monkeypatch):
    draw = np.random.default_rng(4)
    words = [f"word {place}" for place in range(40_000)]
    a = pl.DataFrame(
        {"x": draw.normal(size=40_000), "c": draw.choice(words, 40_000), "k": draw.choice(list("ab"), 40_000)}
    )
    b = pl.DataFrame(
        {"x": draw.normal(0.1, 1, 9_000), "c": draw.choice(words, 9_000), "k": draw.choice(list("ab"), 9_000)}
    )
    exact = {pair.column: pair for pair in compare(a, b).pairs}
    monkeypatch.setattr(module, "budget", lambda: 200_000)
    binned = {pair.column: pair for pair in compare(a, b).pairs}
    assert [pair.binned for pair in binned.values()] == [True, True, False]
    assert plain(compare(a[::-1], b)) == plain(compare(a, b))
    x, y = binned["x"].tests[0], exact["x"].tests[0]
    assert x.effect <= y.effect <= x.effect + x.error <= x.effect + 0.005
    assert (binned["k"].tests[0].effect, binned["k"].psi) == (exact["k"].tests[0].effect, exact["k"].psi)


def test_every_integer_counts_whatever_its_width():
    big = [2**63 - 1, 2**63 - 2] * 20
    (pair,) = compare(pl.DataFrame({"i": big}), pl.DataFrame({"i": [one - 2 for one in big]})).pairs
    assert pair.tests[0].effect == 1.0
