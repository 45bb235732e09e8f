"""What a profile says of numbers is what a plain computation says of them."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.profiles import of_column

from audit.records.profile import FEWEST, PROBABILITIES
from audit.tables.profile import profile as whole
from audit.tables.values import Streamed

INTEGERS = {pl.Int8: (-128, 127), pl.Int64: (-(2**63), 2**63 - 1), pl.UInt64: (0, 2**64 - 1), pl.UInt16: (0, 65535)}
FLOATS = st.floats(allow_nan=True, allow_infinity=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("numbers")


def columns_of(elements, most=120):
    """Few values, many times each, as well as many values."""
    few = st.lists(elements, min_size=1, max_size=4).flatmap(
        lambda some: st.lists(st.sampled_from(some), max_size=most)
    )
    return few | st.lists(elements, max_size=most)


@settings(deadline=None)
@given(data=st.data())
def test_integers_are_exact_to_the_ends_of_their_width(folder, data):
    dtype = data.draw(st.sampled_from(list(INTEGERS)))
    low, high = INTEGERS[dtype]
    values = data.draw(columns_of(st.none() | st.integers(low, high) | st.sampled_from([low, high])))
    found = of_column(values, folder, dtype)
    present = sorted(value for value in values if value is not None)
    assert (found.rows, found.missing) == (len(values), len(values) - len(present))
    assert found.distinct == len(set(present))
    assert (found.minimum, found.maximum) == ((present[0], present[-1]) if present else (None, None))
    assert all(type(one) is int for one in found.quantiles)
    check_quantiles(found, present)
    check_bins(found, [float(value) for value in present])
    slack = 1e-15 * max(map(abs, present), default=0)  # moments are of float64
    if present:
        assert found.mean == pytest.approx(float(Fraction(sum(present), len(present))), rel=1e-12, abs=slack)
    if len(present) > 1:
        assert found.deviation == pytest.approx(statistics.stdev(map(float, present)), rel=1e-9, abs=slack)


@settings(deadline=None)
@given(values=columns_of(st.none() | FLOATS))
def test_floats_are_counted_apart_from_what_is_no_number(folder, values):
    found = of_column(values, folder, pl.Float64)
    numbers = [value for value in values if value is not None]
    finite = sorted(value + 0.0 for value in numbers if math.isfinite(value))
    assert found.missing == len(values) - len(numbers)
    assert found.nan == sum(map(math.isnan, numbers))
    assert found.infinite == sum(map(math.isinf, numbers))
    assert found.negative_infinite == numbers.count(-math.inf)
    assert found.finite == len(finite)
    assert found.distinct == len(set(finite))
    assert (found.minimum, found.maximum) == ((finite[0], finite[-1]) if finite else (None, None))
    check_quantiles(found, finite)
    check_bins(found, finite)
    for figure in (found.mean, found.deviation):
        assert figure is None or math.isfinite(figure)


@settings(deadline=None)
@given(
    values=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=200), power=st.sampled_from([-1000, -300, 0, 300, 900])
)
def test_moments_neither_overflow_nor_vanish(folder, values, power):
    scaled = [math.ldexp(value, power) for value in values]
    found = of_column(scaled, folder, pl.Float64)
    exact = [Fraction(value) for value in scaled]
    mean = sum(exact) / len(exact)
    slack = sum(map(abs, exact)) / 10**14 + Fraction(5e-324)  # some units in the last place of what is summed up
    assert abs(Fraction(found.mean) - mean) <= slack
    variance = sum((value - mean) ** 2 for value in exact) / (len(exact) - 1)
    grain = 2 * Fraction(found.deviation) * Fraction(5e-324)  # what the least float64 makes of a square
    assert abs(Fraction(found.deviation) ** 2 - variance) <= variance / 10**9 + slack**2 + grain


def check_quantiles(found, ascending):
    """Of rank ceil(p n), in hundredths, so that no float64 near p decides."""
    n = len(ascending)
    wanted = [ascending[max(1, math.ceil(Fraction(round(p * 100), 100) * n)) - 1] for p in PROBABILITIES] if n else []
    assert list(found.quantiles) == wanted


def check_bins(found, ascending):
    if not ascending:
        assert found.bins is None
        return
    edges, counts = found.bins.edges, found.bins.counts
    assert sorted(set(edges)) == list(edges)
    assert all(map(math.isfinite, edges))
    bounds = [-math.inf, *edges, math.inf]
    wanted = [sum(low <= value < high for value in ascending) for low, high in pairwise(bounds)]
    assert list(counts) == wanted
    assert len(counts) == 1 or all(not count or count >= FEWEST for count in counts)


def test_a_constant_column_has_no_spread(folder):
    found = of_column([0.1] * 1000, folder)
    assert (found.mean, found.deviation, found.distinct) == (0.1, 0.0, 1)
    assert found.bins.edges[0] == 0.1
    assert found.bins.counts == (0, 1000, 0)


def test_one_row_has_a_mean_and_no_deviation(folder):
    found = of_column([7], folder)
    assert (found.mean, found.deviation, found.distinct, found.quantiles) == (7.0, None, 1, (7,) * len(PROBABILITIES))
    assert (found.bins.edges, found.bins.counts) == ((), (1,))


@pytest.mark.parametrize("values", [[], [None, None], [math.nan], [math.inf, -math.inf, math.nan, None]])
def test_where_no_number_is_finite_there_are_counts_alone(folder, values):
    found = of_column(values, folder, pl.Float64)
    assert found.distinct == 0
    assert (found.minimum, found.mean, found.deviation, found.bins, found.quantiles) == (None, None, None, None, ())


def test_the_largest_numbers_have_a_mean(folder):
    found = of_column([1.7976931348623157e308] * 3 + [-1.7976931348623157e308], folder)
    assert found.mean == pytest.approx(8.98846567431158e307)
    assert found.deviation is None or math.isfinite(found.deviation)


def test_integers_of_128_bits_keep_their_extremes(folder):
    found = of_column([2**100, -(2**90), 3], folder, pl.Int128)
    assert (found.minimum, found.maximum) == (-(2**90), 2**100)
    assert found.distinct is None


def test_decimals_and_narrow_floats_are_numbers(folder):
    assert of_column(["1.25", "2.75"], folder, None).levels
    found = of_column(pl.Series(["1.25", "2.75"]).cast(pl.Decimal(10, 2)).to_list(), folder, pl.Decimal(10, 2))
    assert (found.minimum, found.maximum, found.mean) == (1.25, 2.75, 2.0)
    assert of_column([0.5, 1.5], folder, pl.Float32).mean == 1.0


def test_discrete_numbers_are_told_apart(folder):
    found = of_column([0, 1, 2] * 2000, folder)
    assert (found.bins.edges, found.bins.counts) == ((0.0, 1.0, 2.0, 3.0), (0, 2000, 2000, 2000, 0))


def test_a_heavy_zero_has_a_bin_of_its_own(folder):
    values = np.concatenate([np.zeros(5000), np.random.default_rng(1).random(5000) + 0.001])
    found = of_column(values, folder)
    assert found.bins.edges[:2] == (0.0, math.nextafter(0.0, 1.0))
    assert found.bins.counts[:2] == (0, 5000)


def test_no_edge_is_a_value_that_few_rows_have(folder):
    values = np.random.default_rng(2).standard_normal(20_000)
    found = of_column(values, folder)
    assert len(found.bins.edges) > 200
    assert not set(found.bins.edges) & set(values)
    assert max(found.bins.counts) < 20_000 / 256 * 1.25


COLUMNS = {
    "normal": lambda draw, n: draw.standard_normal(n),
    "heavy": lambda draw, n: draw.standard_cauchy(n) * 1e9,
    "far": lambda draw, n: 1e6 + draw.standard_normal(n),
    "few": lambda draw, n: draw.poisson(2, n).astype(float),
    "integers": lambda draw, n: draw.integers(-50, 50, n),
    "zeros": lambda draw, n: np.where(draw.random(n) < 0.5, 0, draw.random(n)),
    "two": lambda draw, n: np.where(np.arange(n) < 21, 1e300, -1e300),
    "stairs": lambda draw, n: np.arange(n) // 19,
}


@pytest.mark.parametrize("size", [49, 50, 99, 175, 1000, 5121, 20_000])
@pytest.mark.parametrize("name", COLUMNS)
def test_bins_hold_what_lies_between_their_edges(folder, name, size):
    values = COLUMNS[name](np.random.default_rng(size), size)
    found = of_column(values, folder)
    ascending = sorted(values.tolist())
    check_quantiles(found, ascending)
    edges, counts = found.bins.edges, found.bins.counts
    assert list(counts) == np.diff(np.searchsorted(ascending, edges), prepend=0, append=size).tolist()
    assert len(counts) == 1 or all(not count or count >= FEWEST for count in counts)
    assert len(counts) <= 256
    if name in {"normal", "heavy", "far"}:
        assert len(counts) >= min(256, size // 25) * 0.8
    rare = {value for value in set(ascending) if ascending.count(value) < FEWEST} if size < 2000 else set()
    assert name not in {"normal", "heavy", "far", "zeros"} or not rare & set(edges)


def test_minus_zero_is_zero(folder):
    found = [of_column(values, folder) for values in ([-0.0, 0.0], [0.0, -0.0])]
    assert found[0].distinct == 1
    assert repr(found[0]) == repr(found[1])
    assert math.copysign(1, found[0].minimum) == math.copysign(1, of_column([-0.0], folder).minimum) == 1


@settings(deadline=None)
@given(data=st.data())
def test_what_does_not_fit_into_memory_has_the_same_profile(tmp_path_factory, data):
    """Ranges of 16 bits, down to the last, against one sort; streamed in batches against held."""
    folder = tmp_path_factory.mktemp("large")
    near = st.integers(0, 70_000).map(lambda step: 1.0 + step * 2.0**-52)
    elements = st.none() | FLOATS | near | st.just(1.0)
    values = data.draw(columns_of(elements, most=300))
    held = of_column(values, folder, pl.Float64)
    assert of_column(values, folder, pl.Float64, memory=8 * data.draw(st.integers(1, 1 + len(values) // 3))) == held


def test_a_streamed_column_has_the_same_profile(tmp_path, monkeypatch):
    values = np.random.default_rng(3).integers(-(2**62), 2**62, 3000)
    held = of_column(values, tmp_path)
    monkeypatch.setattr("audit.tables.values._BATCH", 64)
    monkeypatch.setattr(whole, "by_column", lambda table: ((one, Streamed(table, one.name)) for one in table.columns))
    assert of_column(values, tmp_path) == held
    assert of_column(values, tmp_path, memory=8 * 100) == held
    assert of_column(np.zeros(3000), tmp_path, memory=8 * 100).bins.counts == (0, 3000, 0)
