"""Headers of files of arrays that libraries read, and of Zarr, on files that these libraries write."""

from itertools import product

import h5py
import numpy as np
import pyarrow as pa
import pytest
import zarr
from pyarrow import feather, parquet
from support.engine import graph
from zarr.codecs import BytesCodec

from audit.facts.signals.array_headers import ArrayHeaders
from audit.records.dataset import Dataset
from audit.records.words import Kind

DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()  # noqa: SIM905 - as numpy says them


@pytest.fixture
def arrays(tmp_path):
    (tmp_path / "d").mkdir()

    def arrays(path="d"):
        return graph().get(ArrayHeaders(root=str(tmp_path), dataset=Dataset(name="d", path=path, kind=Kind.ARRAY)))

    return arrays


def told(file):
    return {one.key: (one.dtype, one.shape, one.order) for one in file.header.tensors}


def test_every_dtype_and_order_of_hdf5(arrays, tmp_path):
    expected = {}
    with h5py.File(tmp_path / "d" / "a.h5", "w") as file:
        for order in "<>":
            for dtype in DTYPES:
                key, array = f"{order}{dtype}", np.ones((2, 3), np.dtype(dtype).newbyteorder(order))
                file[key] = array
                expected[key] = (array.dtype.name, (2, 3), "|" if array.dtype.itemsize == 1 else order)
    (found,) = arrays().files
    assert (found.header.format, found.header.faults, told(found)) == ("HDF5", (), expected)
    data = (tmp_path / "d" / "a.h5").read_bytes()
    for one in found.header.tensors:
        held = np.ones((2, 3), np.dtype(one.dtype).newbyteorder(one.order)).tobytes()
        assert data[one.offset : one.offset + len(held)] == held


def test_kinds_of_hdf5(arrays, tmp_path):
    with h5py.File(tmp_path / "d" / "a.h5", "w", userblock_size=1024) as file:
        file["group/words"] = np.array(["a", "b"], h5py.string_dtype())
        file["group/bytes"] = np.array([b"abc"], "S3")
        file["lists"] = np.zeros(0, h5py.vlen_dtype("f4"))
        file["pairs"] = np.zeros(2, [("a", "f4"), ("b", "i8")])
        file["one"] = 1.5
        file["none"] = h5py.Empty("f4")
        file["loop"] = file["group"]
        file["soft"] = h5py.SoftLink("/one")
        file.create_dataset("lazy", (10**9, 10**6), "f4", chunks=(10, 10), compression="gzip")
    (found,) = arrays().files
    assert {key.replace("loop", "group"): value for key, value in told(found).items()} == {
        "group/words": ("string", (2,), "|"),
        "group/bytes": ("S3", (1,), "|"),
        "lists": ("vlen(float32)", (0,), "|"),
        "pairs": ("[('a', '<f4'), ('b', '<i8')]", (2,), "|"),
        "one": ("float64", (), "<"),
        "none": ("float32", (0,), "<"),
        "lazy": ("float32", (10**9, 10**6), "<"),
    }


@pytest.mark.parametrize("version", [2, 3])
def test_every_dtype_and_order_of_zarr(arrays, tmp_path, version):
    group = zarr.open_group(tmp_path / "d" / "a.zarr", mode="w", zarr_format=version)
    expected = {}
    for number, (order, dtype) in enumerate(product("<>", DTYPES)):
        array = np.ones((4, 3), np.dtype(dtype).newbyteorder(order))
        said = {"serializer": BytesCodec(endian="big")} if version == 3 and order == ">" else {}
        group.create_array(f"g/{number}", data=array, chunks=(2, 3), **said)
        expected[f"g/{number}"] = (array.dtype.name, (4, 3), "|" if array.dtype.itemsize == 1 else order)
    (found,) = arrays().files
    assert (found.path, found.header.format, found.header.faults) == ("d/a.zarr", "ZARR", ())
    assert told(found) == expected
    assert found.location == str(tmp_path / "d" / "a.zarr")


@pytest.mark.parametrize("version", [2, 3])
def test_stores_by_a_pattern_which_leaves_dot_files_out(arrays, tmp_path, version):
    for name in "ab":
        zarr.create_array(tmp_path / "d" / f"{name}.zarr", data=np.ones(3), zarr_format=version)
    np.save(tmp_path / "d" / "c.npy", np.ones(2))
    found = arrays("d/*")
    assert [(one.path, told(one)) for one in found.files] == [
        ("d/a.zarr", {"": ("float64", (3,), "<")}),
        ("d/b.zarr", {"": ("float64", (3,), "<")}),
        ("d/c.npy", {"": ("float64", (2,), "<")}),
    ]
    assert [one.path for one in arrays("d/a.zarr").files] == ["d/a.zarr"]


def test_a_store_by_another_name_and_a_group_of_one(arrays, tmp_path):
    group = zarr.open_group(tmp_path / "d" / "store", mode="w")
    group.create_array("x/y", shape=(2,), dtype="i4")
    group.create_array("x/z", shape=(3,), dtype="i4")
    assert [(one.path, list(told(one))) for one in arrays().files] == [("d/store", ["x/y", "x/z"])]
    assert [(one.path, list(told(one))) for one in arrays("d/store/x").files] == [("d/store/x", ["y", "z"])]


def test_a_folder_that_is_called_a_store_and_is_none(arrays, tmp_path):
    (tmp_path / "d" / "a.zarr").mkdir()
    (tmp_path / "d" / "a.zarr" / "0.0").write_text("x")
    (found,) = arrays().files
    assert (found.header.format, [one.kind for one in found.header.faults]) == ("", ["unknown"])


def streamed(table, path):
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize("write", [parquet.write_table, feather.write_feather, streamed])
def test_columns(arrays, tmp_path, write):
    numbers = pa.array(np.arange(24, dtype="f4"))
    table = pa.table(
        {
            "fixed": pa.FixedSizeListArray.from_arrays(numbers, 6),
            "nested": pa.FixedSizeListArray.from_arrays(pa.FixedSizeListArray.from_arrays(numbers, 2), 3),
            "tensor": pa.FixedShapeTensorArray.from_numpy_ndarray(np.zeros((4, 2, 3), "f8")),
            "constant": pa.array([[1, 2]] * 4, pa.list_(pa.int16())),
            "ragged": pa.array([[1], [], [1, 2], [3]], pa.list_(pa.int16())),
            "label": pa.array([0, 1, 2, 3], "uint8"),
            "word": ["a", "b", "c", "d"],
            "half": pa.array(np.zeros(4, "f2")),
        }
    )
    write(table, tmp_path / "d" / "a.bin")
    (found,) = arrays().files
    assert found.header.format == ("PARQUET" if write is parquet.write_table else "ARROW")
    said = told(found)
    kind, *rest = said.pop("ragged")
    assert (kind.startswith("list<"), rest) == (True, [(4,), "|"])
    assert said == {
        "fixed": ("float32", (4, 6), "<"),
        "nested": ("float32", (4, 3, 2), "<"),
        "tensor": ("float64", (4, 2, 3), "<"),
        "constant": ("int16", (4, 2), "<"),
        "label": ("uint8", (4,), "|"),
        "word": ("string", (4,), "|"),
        "half": ("float16", (4,), "<"),
    }


def test_by_another_name_it_says_so(arrays, tmp_path):
    with h5py.File(tmp_path / "d" / "a.npy", "w") as file:
        file["x"] = np.zeros(3)
    (found,) = arrays().files
    assert [(one.kind, one.what) for one in found.header.faults] == [("suffix", "not NPY (HDF5 magic)")]
    assert [one.key for one in found.header.tensors] == ["x"]
