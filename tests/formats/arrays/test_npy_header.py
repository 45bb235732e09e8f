"""Headers of NPY, written byte by byte, and held against numpy's word on those that it writes."""

import io
import struct
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.array_headers import kinds, npy, ours

DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16 f16 c32 M8[ns] m8[s] M8[25us] S5 U7 S0 V3".split()  # noqa: SIM905


def written(text, version=(1, 0), data=b""):
    width = "<H" if version[0] == 1 else "<I"
    return b"\x93NUMPY" + bytes(version) + struct.pack(width, len(text.encode())) + text.encode() + data


def said(descr="'<f4'", fortran="False", shape="(2, 3)"):
    return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n"


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 4), (2, 3, 4)])
def test_as_numpy_writes_it(order, dtype, version, shape):
    for layout in "CF":
        array = np.zeros(shape, np.dtype(dtype).newbyteorder(order), order=layout)
        data = npy(array, version)
        (tensor,) = ours(data).tensors
        assert ours(data).faults == ours(data).unsafe == ()
        assert tensor.shape == shape
        if dtype[0] not in "SUV":
            assert tensor.dtype == array.dtype.name
        assert tensor.order == ("|" if array.dtype.byteorder == "|" else order)
        assert tensor.fortran == (array.flags.f_contiguous and not array.flags.c_contiguous)
        assert len(data) - tensor.offset == array.nbytes


def test_texts_and_bytes_are_spelled_short():
    assert [ours(npy(np.zeros(2, one))).tensors[0].dtype for one in ("U7", "S5", "V3")] == ["U7", "S5", "V3"]


@pytest.mark.parametrize(
    "dtype",
    [
        [("a", "<f4"), ("b", "<i8", (3,))],
        [("a", [("x", ">u2"), ("y", "S3")]), ("é", "?")],
        np.dtype({"names": ["a", "b"], "formats": ["u1", "f8"]}, align=True),
        [(("title", "name"), "f4")],
    ],
)
def test_records(dtype):
    array = np.zeros(5, dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ours(npy(array))
    assert (found.faults, found.unsafe, kinds(found)) == ((), (), [])
    assert found.tensors[0].shape == (5,)


def test_a_record_is_spelled_as_numpy_does():
    dtype = np.dtype([("a", "<f4"), ("b", "<i8", (3,))])
    assert ours(npy(np.zeros(1, dtype))).tensors[0].dtype == str(dtype)


@pytest.mark.parametrize("dtype", ["O", [("a", "i4"), ("b", "O")]])
def test_objects_are_unsafe_and_never_read(dtype):
    found = ours(npy(np.zeros(3, dtype), allow_pickle=True))
    assert (found.tensors[0].dtype, found.tensors[0].offset, found.faults) == ("object", None, ())
    assert found.unsafe == ("is an array of objects, which is a pickle: only unpickling could read it",)


@pytest.mark.parametrize(("cut", "kind"), [(1, "truncated"), (24, "truncated"), (60, "truncated"), (120, "truncated")])
def test_a_cut_file_says_how_many_bytes_are_missing(cut, kind):
    data = npy(np.zeros((2, 3), "f4"))
    found = ours(data[:-cut])
    assert kinds(found) == [kind]
    if cut <= 24:
        what = f"ends after {152 - cut} bytes: expected 128 (header) + 24 = 152 bytes, found {cut} fewer"
        assert found.faults[0].what == what
        assert (found.faults[0].expected, found.faults[0].found) == (152, 152 - cut)


def test_bytes_behind_the_end():
    assert kinds(ours(npy(np.zeros(3)) + b"x")) == ["trailing"]


def test_headers_of_other_writers():
    (tensor,) = ours(written(said(shape="(2L, 3L)"), data=bytes(24))).tensors
    assert tensor.shape == (2, 3)
    assert ours(written(said(shape="()"), data=bytes(4))).faults == ()
    (tensor,) = ours(written('{"shape":(5,),"descr":"|u1","fortran_order":True}', data=bytes(5))).tensors
    assert (tensor.dtype, tensor.order, tensor.shape, tensor.fortran) == ("uint8", "|", (5,), False)
    long = written(said() + " " * 100_000, (2, 0), bytes(24))
    assert (ours(long).faults, ours(long).tensors[0].offset) == ((), len(long) - 24)


@pytest.mark.parametrize(
    ("data", "kind", "words"),
    [
        (written(said("'<f5'")), "header", "declares the type '<f5'"),
        (written(said("'<f4[s]'")), "header", "declares the type"),
        (written(said("''")), "header", "declares the type"),
        (written(said("42")), "header", "without a type"),
        (written(said("[('a',)]")), "header", "a field that is none"),
        (written(said("[('a', '<f4', -1)]")), "header", "sub-array"),
        (written(said(shape="(-1,)")), "header", "which is none"),
        (written(said(shape="(True,)")), "header", "which is none"),
        (written(said(shape="3")), "header", "which is none"),
        (written(said(fortran="0")), "header", "neither True nor False"),
        (written(said(shape="(9223372036854775807, 9)")), "header", "more than numpy can hold"),
        (written(said(shape=str((1,) * 65))), "header", "65 axes"),
        (written(said(shape=str((9**19,) * 3000)), (2, 0)), "header", "3000 axes"),
        (written(said(f"('<f4', {(9**19,) * 3000})"), (2, 0)), "header", "more than numpy can hold"),
        (written("{'descr': '<f4'}"), "header", "does not say descr"),
        (written("__import__('os').system('true')"), "header", "is no literal"),
        (written("[" * 10_000), "header", "too deep"),
        (written("{'descr' '<f4'}"), "header", "no words"),
        (written(said() + "x"), "header", "goes on"),
        (written(said(), (4, 0)), "unsupported", "version 4.0"),
        (written(said(), (1, 1)), "unsupported", "version 1.1"),
        (b"\x93NUMPY\2\0\xff\xff\xff\xff", "unsupported", "4,294,967,295"),
        (written(said("'\\xff'")), "header", "declares the type"),
        (b"\x93NUMPY\3\0\2\0\0\0\xff\xff", "header", "not UTF-8"),
        (b"\x93NUM", "unknown", "no file of arrays"),
    ],
)
def test_what_is_wrong_is_said(data, kind, words):
    (fault,) = ours(data).faults
    assert (fault.kind, words in fault.what) == (kind, True), fault


def read_by_numpy(data):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    except Exception:  # noqa: BLE001 - numpy raises anything
        return None


@given(st.data())
def test_whatever_is_changed_in_a_header_it_is_read_as_numpy_reads_it(data):
    whole = bytearray(
        npy(np.zeros((2, 3), [("a", "<f4"), ("b", ">i2", 2)]) if data.draw(st.booleans()) else np.ones(3))
    )
    for at in data.draw(st.lists(st.integers(0, 127), max_size=3)):
        whole[at] = data.draw(st.sampled_from(b"0123456789()',:<>|=[]{}fi u\0\xff") | st.integers(0, 255))
    found, array = ours(bytes(whole)), read_by_numpy(bytes(whole))
    if array is not None and array.dtype.names is None and not found.faults:
        (tensor,) = found.tensors
        assert tensor.shape + array.shape[len(tensor.shape) :] == array.shape
        assert array.size == 0 or len(whole) - tensor.offset == array.nbytes
    assert found.format == "NPY" or found.faults


@given(st.binary(max_size=300))
def test_any_bytes_behind_the_sign(tail):
    found = ours(b"\x93NUMPY" + tail)
    assert found.format == "NPY" or found.faults


@given(st.text("0123456789()',:<>|=[]{}fiuO \\xLTrueFalsNon", max_size=200))
def test_any_literal(text):
    found = ours(written(text))
    assert found.format == "NPY" or found.faults
