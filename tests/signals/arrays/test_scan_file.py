"""Files of arrays scanned: each way in which their bytes may lie, and what is cut short meanwhile."""

import io
import zipfile
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.records.array import Tensor
from audit.records.tokens import TokenAsk
from audit.signals.arrays import scan_sources
from audit.signals.arrays.scan import scan
from audit.signals.arrays.scan_file import scanned
from audit.signals.arrays.scan_plan import Ask
from audit.signals.arrays.scan_sources import Stream, values
from audit.signals.arrays.tokens_tally import Tally

ALL = Ask(moments=True, items=True)


@pytest.fixture
def look(tmp_path):
    def look(name, keys=()):
        with io.FileIO(tmp_path / name) as file:
            return scanned(file, keys, ALL)

    return look


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_members_of_archives_are_what_the_file_alone_is(look, tmp_path, save):
    array = np.random.default_rng(0).random((500, 40)).astype(">f4")
    array[7] = array[3]
    array[8] = 1
    np.save(tmp_path / "a.npy", array)
    save(tmp_path / "a.npz", x=array, y=array.astype("f2"))
    (alone,) = look("a.npy").arrays
    first, second = look("a.npz").arrays
    assert (first.key, first.low, first.high, first.moments) == ("x", alone.low, alone.high, alone.moments)
    assert first.items == alone.items
    assert (alone.items.constants, alone.items.repeats) == ((8,), ((7, 3),))
    assert second.dtype == "float16"
    assert [one.key for one in look("a.npz", ["y"]).arrays] == ["y"]
    assert look("a.npz", ["y"]).others == ("x",)


def test_a_member_that_is_damaged_raises(look, tmp_path):
    np.savez_compressed(tmp_path / "a.npz", x=np.random.default_rng(0).random(50_000))
    data = bytearray((tmp_path / "a.npz").read_bytes())
    data[len(data) // 2] ^= 0xFF
    (tmp_path / "a.npz").write_bytes(data)
    with pytest.raises((zipfile.BadZipFile, zlib.error)):
        look("a.npz")


def test_a_file_that_is_cut_meanwhile_raises(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(1000))
    tensor = Tensor(key="", dtype="float64", shape=(2000,), offset=128)
    with io.FileIO(tmp_path / "a.npy") as file, pytest.raises(FormatError, match="ends after 8,128 bytes"):
        scan(tensor, values(file, None, tensor), ALL)


@given(st.binary(max_size=200), st.lists(st.integers(1, 9)), st.data())
@settings(deadline=None)
def test_a_stream_gives_what_lies_there(content, sizes, data):
    def begin():
        at = 0
        for size in sizes:
            if content[at : at + size]:
                yield memoryview(content[at : at + size])
            at += size
        if content[at:]:
            yield memoryview(content[at:])

    stream = Stream(begin)
    for _ in range(4):
        start = data.draw(st.integers(0, len(content)))
        buffer = bytearray(data.draw(st.integers(0, 20)))
        if start + len(buffer) > len(content):
            with pytest.raises(FormatError):
                stream.fill(buffer, start)
            return
        stream.fill(buffer, start)
        assert bytes(buffer) == content[start : start + len(buffer)]


SEQUENCES = st.lists(st.lists(st.integers(-2, 12), max_size=8), max_size=12)


@given(SEQUENCES, st.none() | st.just(0), st.integers(1, 5))
@settings(deadline=None)
def test_sequences_are_counted_as_one_by_one(sequences, pad, step):
    tally = Tally(TokenAsk(pad_id=pad, vocab_size=10, end_id=9, max_length=4))
    for start in range(0, len(sequences), step):
        some = sequences[start : start + step]
        ids = np.array([each for one in some for each in one], "i8")
        tally.take(ids, np.concatenate(([0], np.cumsum([len(one) for one in some], dtype="i8"))))
    found = tally.told("ids")
    cut = [_cut(one, pad) for one in sequences]
    counts = {}
    for whole in cut:
        held = counts.setdefault(len(whole), [0, 0])
        held[0] += 1
        held[1] += whole[-1:] == [9]
    assert [(one.length, one.sequences, one.ended) for one in found.lengths] == [
        (length, *counts[length]) for length in sorted(counts)
    ]
    ids = [each for one in sequences for each in one]
    assert (found.places, found.low, found.high) == (len(ids), min(ids, default=None), max(ids, default=None))
    assert found.outside == sum(not 0 <= each < 10 for each in ids)
    if found.outside:
        row = next(index for index, one in enumerate(sequences) if any(not 0 <= each < 10 for each in one))
        assert found.outside_first.index == row
    left = [one[0] == pad for one, whole in zip(sequences, cut, strict=True) if whole and pad is not None]
    assert found.left + found.both == sum(left)
    assert found.empty_first == next((index for index, whole in enumerate(cut) if not whole), None)


def _cut(one, pad):
    """Without padding at its ends."""
    if pad is None:
        return one
    real = [index for index, each in enumerate(one) if each != pad]
    return one[real[0] : real[-1] + 1] if real else []


ARRAY = np.random.default_rng(0).random((300, 5, 7)).astype("f4")


def same(found, array):
    assert (found.problem, found.shape, found.count) == ("", array.shape, array.size)
    assert (found.low, found.high) == (array.min(), array.max())
    assert np.isclose(found.moments.sd, array.std(dtype="f8"))


HDF5 = [
    ("<f4", {}),
    (">f8", {"chunks": (16, 5, 7)}),
    ("<i2", {"chunks": (7, 2, 3), "compression": "gzip"}),
    (">f4", {"chunks": (50, 5, 1), "shuffle": True}),
]


@pytest.fixture(params=[1 << 26, 1000, 100, 10])
def sliced(request, monkeypatch):
    monkeypatch.setattr(scan_sources, "SLICE", request.param)


@pytest.mark.usefixtures("sliced")
@pytest.mark.parametrize(("dtype", "options"), HDF5)
def test_datasets_of_hdf5(look, tmp_path, dtype, options):
    h5py = pytest.importorskip("h5py")
    array = (ARRAY * 1000).astype(dtype)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("g/x", data=array, **options)
        file["one"] = np.float32(3)
        file["name"] = "word"
    found = {one.key: one for one in look("a.h5").arrays}
    same(found["g/x"], array)
    assert (found["one"].low, found["one"].count) == (3, 1)
    assert found["name"].problem


def test_datasets_that_lie_in_other_files_are_not_looked_at(look, tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", shape=(4,), dtype="f4", external=[(str(tmp_path / "raw"), 0, 16)])
    assert look("a.h5").arrays == ()
    assert look("a.h5").faults


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_columns_of_tensors(look, tmp_path, name):
    pa = pytest.importorskip("pyarrow")
    tensors = pa.FixedShapeTensorArray.from_numpy_ndarray(ARRAY)
    flat = ARRAY.reshape(300, -1)
    lists = pa.array(flat.tolist(), pa.list_(pa.float32(), 35))
    content = {"t": tensors, "l": lists, "n": flat[:, 0], "b": flat[:, 0] > 0.5, "s": ["x"] * 300}
    content["null"] = pa.array([None, *range(299)])
    table = pa.table(content)
    if name.endswith("parquet"):
        pq = pytest.importorskip("pyarrow.parquet")
        pq.write_table(table, tmp_path / name, row_group_size=70)
    else:
        with pa.ipc.new_file(tmp_path / name, table.schema) as file:
            file.write_table(table, 70)
    found = {one.key: one for one in look(name).arrays}
    same(found["t"], ARRAY)
    same(found["l"], flat)
    same(found["n"], flat[:, 0])
    assert (found["b"].low, found["b"].high, found["b"].count) == (0, 1, 300)
    assert "null" in found["null"].problem
    assert found["s"].problem


def test_tensors_of_torch(look, tmp_path):
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(ARRAY)
    torch.save({"x": tensor, "t": tensor[0].T, "half": tensor.bfloat16(), "s": tensor[:, ::2]}, tmp_path / "a.pt")
    found = {one.key: one for one in look("a.pt").arrays}
    same(found["x"], ARRAY)
    same(found["t"], ARRAY[0].T)
    same(found["half"], tensor.bfloat16().float().numpy())
    assert "spread out" in found["s"].problem
