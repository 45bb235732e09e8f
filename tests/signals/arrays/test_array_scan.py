"""All values of arrays scanned, held against numpy on arrays of every dtype, order and shape."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as made

from audit.records.array import Tensor
from audit.signals.arrays import scan as scanning
from audit.signals.arrays import scan_cut, scan_items, scan_plan
from audit.signals.arrays.scan import Values, scan
from audit.signals.arrays.scan_plan import Ask

DTYPES = [
    f"{sign}{kind}" for sign in "<>" for kind in ("i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
]
DTYPES += ["i1", "u1", "?"]
SHAPES = made.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6)


@st.composite
def arrays(draw, dtypes=DTYPES, shapes=SHAPES):
    made_of = np.dtype(draw(st.sampled_from(dtypes)))
    return np.asarray(draw(made.arrays(made_of, draw(shapes))), order=draw(st.sampled_from("CF")))


@pytest.fixture(autouse=True, scope="module")
def small():
    """Pieces of few values and spans of few pieces, so that small arrays have many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan_cut, "SPAN", 2)
        patch.setattr(scan_plan, "LEAST", 2)
        for module in (scan_items, scan_plan):
            patch.setattr(module, "BLOCK", 128)
        patch.setattr(scan_plan, "PLAIN", 256)
        patch.setattr(scanning, "LARGE", 512)
        yield


def tensor(array, dtype=None):
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    order = {"big": ">", "little": "<"}.get(array.dtype.byteorder, array.dtype.byteorder)
    order = "<" if order == "=" else order
    return Tensor(key="k", dtype=dtype or array.dtype.name, shape=array.shape, order=order, fortran=fortran)


def scanned(array, ask=None, *, dtype=None, threads=2):
    told = tensor(array, dtype)
    data = array.tobytes("F" if told.fortran else "C")

    def fill(buffer, offset):
        view = memoryview(buffer).cast("B")
        view[:] = data[offset : offset + len(view)]

    return scan(told, Values(fill, anywhere=True), ask or Ask(), threads)


def parts(array):
    """Its numbers as they are looked at: both parts of complex ones, in one dimension."""
    array = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("="))
    return array.view(array.real.dtype).ravel() if array.dtype.kind == "c" else array.ravel()


@settings(deadline=None)
@given(arrays())
def test_ranges_and_what_is_no_number(array):
    found, numbers = scanned(array), parts(array)
    assert found.problem == ""
    assert found.count == numbers.size
    finite = numbers[np.isfinite(numbers)]
    assert found.nan == np.count_nonzero(np.isnan(numbers))
    assert found.infinite_low == np.count_nonzero(np.isneginf(numbers)) if numbers.dtype.kind == "f" else True
    assert found.infinite == np.count_nonzero(np.isinf(numbers))
    assert (found.low is None) == (finite.size == 0)
    if finite.size:
        assert (found.low, found.high) == (finite.min().item(), finite.max().item())


@settings(deadline=None)
@given(arrays([each for each in DTYPES if "i" in each or "u" in each]))
def test_integers_at_the_end_of_their_type(array):
    found, ends = scanned(array), np.iinfo(array.dtype)
    assert found.at_high == np.count_nonzero(array == ends.max)
    assert found.at_low == (np.count_nonzero(array == ends.min) if ends.min else 0)


def close(found, expected):
    return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)


@settings(deadline=None)
@given(arrays([each for each in DTYPES if "8" not in each and "c" not in each]), st.data())
def test_moments_of_channels(array, data):
    axis = data.draw(st.integers(0, array.ndim - 1)) if array.ndim else None
    channels = array.shape[axis] if array.ndim else 1
    found = scanned(array, Ask(axis=axis, channels=max(1, channels)))
    if not array.size:
        return
    rows = np.moveaxis(array, axis, 0).reshape(channels, -1) if array.ndim else array.reshape(1, 1)
    assert len(found.channels) == channels
    with np.errstate(all="ignore"):
        for told, values in zip((*found.channels, found.moments), (*rows, array.ravel()), strict=True):
            row = values.astype("f8")[np.isfinite(values)]
            assert told.count == row.size
            if row.size and told.sd is not None:
                scale = max(1.0, np.abs(row).max())
                assert close(told.mean / scale, row.mean() / scale)
                assert close(told.sd / scale, row.std() / scale)
            elif row.size:
                assert not np.isfinite(row.std())


def test_far_from_zero_no_digits_are_lost():
    array = 1e9 + np.random.default_rng(0).standard_normal((400, 3))
    found = scanned(array, Ask(axis=1, channels=3))
    assert np.allclose([one.sd for one in found.channels], array.std(axis=0), rtol=1e-6)


def items(array):
    """Indices of constant items, and of those whose bytes an earlier one has."""
    seen, constant, repeats = {}, [], []
    for index, item in enumerate(np.ascontiguousarray(array)):
        if parts(item).min() == parts(item).max():
            constant.append(index)
        elif (earlier := seen.setdefault(item.tobytes(), index)) != index:
            repeats.append((index, earlier))
    return constant, repeats


@settings(deadline=None)
@given(arrays(shapes=made.array_shapes(min_dims=2, max_dims=4, min_side=1, max_side=8)), st.data())
def test_constant_and_repeated_items(array, data):
    array = np.ascontiguousarray(array)
    for _ in range(data.draw(st.integers(0, 3))):
        a, b = (data.draw(st.integers(0, len(array) - 1)) for _ in "ab")
        array[a] = array[b]
    found = scanned(array, Ask(items=True)).items
    if array[0].size < 2:
        assert found is None
        return
    constant, repeats = items(array)
    assert (found.count, found.problem) == (len(array), "")
    assert (found.constant, list(found.constants)) == (len(constant), constant[:5])
    assert (found.repeated, list(found.repeats)) == (len(repeats), repeats[:5])


def test_items_whose_sums_are_alike_are_told_apart(monkeypatch):
    monkeypatch.setattr(scan_items, "_odds", lambda count: np.zeros(count, "u8"))
    array = np.arange(60, dtype="i8").reshape(6, 10)
    array[4] = array[1]
    found = scanned(array, Ask(items=True)).items
    assert (found.repeated, found.repeats) == (1, ((4, 1),))


@pytest.mark.parametrize("halves", [(0, 1), (1, 0)])
def test_an_item_of_two_pieces_that_are_each_constant_is_not(halves):
    array = np.repeat(np.array([halves, (2, 2)], "f8"), 100, axis=1)
    found = scanned(array, Ask(items=True)).items
    assert found.constants == (1,)


def test_items_in_fortran_order_are_not_compared_in_silence():
    found = scanned(np.zeros((4, 6), order="F"), Ask(items=True)).items
    assert "Fortran order" in found.problem


@settings(max_examples=30, deadline=None)
@given(arrays(shapes=made.array_shapes(min_dims=2, max_dims=3, min_side=8, max_side=20)), st.integers(1, 4))
def test_as_many_workers_as_there_are_find_the_same(array, threads):
    ask = Ask(moments=True, axis=-1, channels=array.shape[-1], items=True)
    assert scanned(array, ask, threads=threads) == scanned(array, ask, threads=1)


def test_bfloat16_is_the_upper_half_of_float32():
    array = np.array([1.5, -2.25, np.nan, np.inf, -0.0], "f4")
    stored = (array.view("u4") >> 16).astype("u2")
    found = scanned(stored, dtype="bfloat16")
    assert (found.low, found.high, found.nan, found.infinite_high) == (-2.25, 1.5, 1, 1)
    assert scanned(stored.byteswap().view(stored.dtype.newbyteorder(">")), dtype="bfloat16") == found


EIGHTS = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"]


@pytest.mark.parametrize("dtype", EIGHTS)
def test_floats_of_8_bits_are_what_torch_makes_of_them(dtype):
    torch = pytest.importorskip("torch")
    codes = np.arange(256, dtype="u1")
    numbers = torch.from_numpy(codes).view(getattr(torch, dtype)).to(torch.float32).numpy()
    for code, number in enumerate(numbers):
        found = scanned(codes[code : code + 1], dtype=dtype)
        assert found.low == (number if np.isfinite(number) else None)
        assert (found.nan, found.infinite) == (int(np.isnan(number)), int(np.isinf(number)))


@pytest.mark.parametrize("bits", [0x7FC00001, 0xFFC00000, 0x7F800001, 0xFFFFFFFF])
def test_every_nan_is_one(bits):
    array = np.full(300, bits, "u4").view("f4")
    assert scanned(array).nan == 300


def test_what_cannot_be_scanned_says_so():
    for dtype in ("object", "str", "void", "float128"):
        assert scanned(np.zeros(3), dtype=dtype).problem
    assert scanned(np.zeros((0, 3))).count == 0


@pytest.mark.parametrize(
    ("shape", "channels", "axis"),
    [
        ((9, 3, 8, 8), 3, 1),
        ((9, 8, 8, 3), 3, 3),
        ((3, 8, 8), 3, 0),
        ((8, 8, 3), 3, 2),
        ((9, 5), 5, 1),
        ((9, 5), 1, None),
    ],
)
def test_the_axis_of_channels_is_found(shape, channels, axis):
    assert scan_plan.channel_axis(shape, Ask(channels=channels)) == (axis, "")


@pytest.mark.parametrize("shape", [(9, 3, 8, 3), (9, 8, 8, 1), ()])
def test_an_axis_of_channels_that_is_not_plain_is_a_problem(shape):
    axis, problem = scan_plan.channel_axis(shape, Ask(channels=3))
    assert axis is None
    assert "axis" in problem
