"""Metadata of Zarr, written byte by byte; what zarr itself writes is held against it where facts are tested."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.arrays.zarr import array_of_three, array_of_two

TWO = {
    "zarr_format": 2,
    "shape": [5, 7],
    "chunks": [2, 3],
    "dtype": ">f4",
    "compressor": {"id": "blosc", "cname": "lz4"},
    "fill_value": "NaN",
    "order": "F",
    "filters": None,
}
THREE = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [5, 7],
    "data_type": "float32",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "fill_value": 0,
    "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}, {"name": "zstd"}],
    "dimension_names": ["y", "x"],
}


def two(**changes):
    return array_of_two("k", json.dumps(TWO | changes).encode())


def three(**changes):
    return array_of_three("k", json.dumps(THREE | changes).encode())


def test_version_2():
    array = two()
    one = array.tensor
    assert (one.key, one.dtype, one.shape, one.order, one.fortran) == ("k", "float32", (5, 7), ">", True)
    assert (array.grid, array.strange) == ((3, 3), "")
    assert array.place("2.1") == (2, 1)
    assert [array.place(name) for name in ("3.0", "0", "0/0", "0.0.0", ".zarray", "c/0/0", "0.1x")] == [None] * 7
    assert two(dimension_separator="/").place("2/1") == (2, 1)
    assert json.loads(array.chunk)["shape"] == [2, 3]


def test_version_3():
    array = three()
    one = array.tensor
    assert (one.dtype, one.shape, one.order, one.fortran) == ("float32", (5, 7), ">", False)
    assert array.place("c/2/1") == (2, 1)
    assert [array.place(name) for name in ("c/3/0", "2/1", "c.2.1", "zarr.json")] == [None] * 4
    assert three(chunk_key_encoding={"name": "v2"}).place("2.1") == (2, 1)
    assert three(chunk_key_encoding={"name": "default", "configuration": {"separator": "."}}).place("c.2.1") == (2, 1)
    assert "dimension_names" not in json.loads(array.chunk)
    assert three(node_type="group") is None


def test_arrays_of_one_value_and_of_none():
    one = two(shape=[], chunks=[])
    assert (one.grid, one.place("0"), one.place("0.0")) == ((), (), None)
    grid = {"name": "regular", "configuration": {"chunk_shape": []}}
    assert three(shape=[], chunk_grid=grid).place("c") == ()
    assert two(shape=[0, 7]).grid == (0, 3)


@pytest.mark.parametrize(
    ("array", "strange"),
    [
        (two(filters=[{"id": "pickle"}]), "pickle"),
        (two(compressor={"id": "own"}), "own"),
        (two(compressor=None), ""),
        (three(codecs=["bytes", {"name": "own"}]), "own"),
        (
            three(codecs=[{"name": "sharding_indexed", "configuration": {"codecs": [{"name": "numcodecs.pickle"}]}}]),
            "numcodecs.pickle",
        ),
        (three(codecs=[{"name": "sharding_indexed", "configuration": {"codecs": [{"name": "numcodecs.lz4"}]}}]), ""),
    ],
)
def test_codecs_that_are_not_known(array, strange):
    assert array.strange == strange


def test_shards_say_their_byte_order():
    inner = {"codecs": [{"name": "bytes", "configuration": {"endian": "big"}}], "index_codecs": ["bytes"]}
    assert three(codecs=[{"name": "sharding_indexed", "configuration": inner}]).tensor.order == ">"
    inner = {"codecs": ["bytes"], "index_codecs": [{"name": "bytes", "configuration": {"endian": "big"}}]}
    assert three(codecs=[{"name": "sharding_indexed", "configuration": inner}]).tensor.order == "<"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("bool", "bool"),
        ("string", "string"),
        ({"name": "fixed_length_utf32", "configuration": {"length_bytes": 40}}, "U10"),
        ({"name": "null_terminated_bytes", "configuration": {"length_bytes": 5}}, "S5"),
        ({"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}}, "datetime64[s]"),
        ({"name": "own"}, "own"),
    ],
)
def test_types_of_version_3(said, name):
    assert (three(data_type=said).tensor.dtype, three(data_type=said).tensor.order) == (name, "|")


def test_types_of_version_2():
    assert two(dtype="|O", filters=[{"id": "vlen-utf8"}]).tensor.dtype == "string"
    assert two(dtype="|O").tensor.dtype == "object"
    assert two(dtype=[["a", "<f4"], ["b", "<i8", [3]]]).tensor.dtype == "[('a', '<f4'), ('b', '<i8', (3,))]"


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": [5]},
        {"shape": [-1, 7]},
        {"chunks": [0, 3]},
        {"shape": [2**62, 2**62]},
        {"dtype": "<f5"},
        {"dtype": None},
        {"dtype": [["a"]]},
        {"shape": "x"},
        {"filters": 3},
    ],
)
def test_what_is_no_array_of_version_2(changes):
    with pytest.raises(FormatError):
        two(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"node_type": "own"},
        {"chunk_grid": {"name": "rectilinear"}},
        {"chunk_grid": {"name": "regular"}},
        {"shape": [1, 2, 3]},
        {"data_type": 3},
    ],
)
def test_what_is_no_array_of_version_3(changes):
    with pytest.raises(FormatError):
        three(**changes)


NAMES = st.sampled_from(["name", "id", "configuration"])

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.just("bytes"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "id", "configuration"]), inner)
    ),
    max_leaves=8,
)


@given(st.sampled_from([TWO, THREE]), st.data())
def test_whatever_it_says_it_is_an_array_or_not(said, data):
    key = data.draw(st.sampled_from(sorted(said)))
    text = json.dumps(said | {key: data.draw(ANYTHING)}).encode()
    for parse in (array_of_two, array_of_three):
        try:
            array = parse("k", text)
        except FormatError:
            continue
        if array:
            assert array.place("c/0/0") in {None, (0, 0)}


@pytest.mark.parametrize(("parse", "said"), [(array_of_two, TWO), (array_of_three, THREE)])
def test_what_is_no_text(parse, said):
    with pytest.raises(FormatError):
        parse("k", json.dumps(said | {"more": "x"}).encode().replace(b"x", b"\xff"))


@given(st.binary(max_size=100))
def test_any_bytes(text):
    for parse in (array_of_two, array_of_three):
        with pytest.raises(FormatError):
            parse("k", b"{" + text)
