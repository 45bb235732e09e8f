"""`array.integrity` on real files."""

import io
import os
import signal
import zipfile

import google_crc32c
import h5py
import numpy as np
import pyarrow as pa
import pytest
import torch
import zarr
from pyarrow import parquet
from safetensors.numpy import save
from support.audits import audited, kinds, only
from support.canaries import Canary

from audit.facts.processes import ask as asking
from audit.facts.signals import array_headers
from audit.formats.arrays.tfrecord import masked
from audit.records.words import Outcome, Severity

DATASETS = {"d": {"path": "d", "kind": "array"}}
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 48605698\n".encode()


def written(save, value):
    out = io.BytesIO()
    save(out, value)
    return out.getvalue()


NPY = written(np.save, np.arange(100.0))
PT = written(lambda out, value: torch.save(value, out), {"w": torch.arange(100.0)})
PACKED = written(lambda out, value: np.savez_compressed(out, **value), {"x": np.arange(1000), "y": np.ones(5)})
SAFE = save({"w": np.arange(4, dtype="f4")})


@pytest.fixture
def judged(tmp_path):
    def judged(files=(), **settings):
        (tmp_path / "d").mkdir(exist_ok=True)
        for name, data in dict(files).items():
            (tmp_path / "d" / name).write_bytes(data)
        return only(audited(tmp_path, {"check": "array.integrity", "with": settings}, datasets=DATASETS))

    return judged


@pytest.fixture
def hdf5(tmp_path):
    (tmp_path / "d").mkdir()
    with h5py.File(tmp_path / "d" / "a.h5", "w") as file:
        values = np.random.default_rng(0).random((100, 10)).astype("f4")
        file.create_dataset("g/x", data=values, chunks=(10, 10), compression="gzip", fletcher32=True)
        yield file


def test_whole_files_pass(judged):
    found = judged({"a.npy": NPY, "b.npz": PACKED, "c.pt": PT, "d.safetensors": SAFE})
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.summary.startswith("4 files whole, ")
    assert found.figures["arrays"] == 5


def test_safetensors_cut_by_4_bytes_and_a_zip_by_that_name(judged):
    header = b'{"w":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}'
    bfloat16 = len(header).to_bytes(8, "little") + header + bytes(4)
    files = {"a": SAFE[:-4], "b": b"PK\3\4 zip", "c": bfloat16, "d": SAFE + b"x", "e": SAFE, "f": PT}
    found = judged({f"{name}.safetensors": data for name, data in files.items()})
    assert found.outcome is Outcome.FAIL
    assert kinds(found.violations) == [
        ("d/a.safetensors", "truncated"),
        ("d/b.safetensors", "suffix"),
        ("d/d.safetensors", "trailing"),
        ("d/f.safetensors", "suffix"),
    ]
    header = len(SAFE) - 24
    assert found.violations[0].message == (
        f"ends after {len(SAFE) - 4} bytes: expected 8 + {header} (header) + 16 = {len(SAFE)} bytes, found 4 fewer"
    )
    assert found.violations[1].message == "not safetensors (zip magic)"


def test_cut_damaged_empty_and_pointers(judged):
    damaged = bytearray(PACKED)
    damaged[200] ^= 255
    changed = PT.replace(np.arange(100, dtype="f4").tobytes(), np.zeros(100, "f4").tobytes())
    found = judged(
        {
            "a.npy": NPY[:-1],
            "b.npz": bytes(damaged),
            "c.pt": changed,
            "d.npy": b"",
            "e.npy": POINTER,
            "f.npz": PACKED[:-3],
        }
    )
    assert found.outcome is Outcome.FAIL
    assert kinds(found.violations) == [
        ("d/a.npy", "truncated"),
        ("d/b.npz", "corrupt"),
        ("d/c.pt", "corrupt"),
        ("d/d.npy", "empty"),
        ("d/e.npy", "pointer"),
        ("d/f.npz", "truncated"),
    ]
    assert "whose CRC is" in found.violations[2].message


def test_objects_warn_and_weigh_what_the_rule_says(judged):
    objects = written(lambda out, value: np.save(out, value, allow_pickle=True), np.array([{}, 1], object))
    found = judged({"a.npy": objects})
    assert [(one.kind, one.severity) for one in found.violations] == [("unsafe", Severity.WARNING)]
    assert found.outcome is Outcome.WARN
    assert judged(unsafe="error").outcome is Outcome.FAIL
    assert judged(unsafe="ok").outcome is Outcome.PASS


def test_a_bomb_is_unpacked_no_further_than_it_says(judged):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", NPY + bytes(100_000_000))
    data = bytearray(out.getvalue())
    at = data.rfind(b"PK\1\2")
    data[at + 24 : at + 28] = len(NPY).to_bytes(4, "little")
    found = judged({"a.npz": bytes(data)})
    assert [one.message for one in found.violations] == [f"has a member 'a.npy' that holds more than {len(NPY)} bytes"]


def test_sound_hdf5_passes(hdf5, judged):
    hdf5.close()
    found = judged()
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.figures["unpacked_parts"] == 10


def test_a_damaged_chunk_and_a_cut_file_of_hdf5(hdf5, judged, tmp_path):
    info = hdf5["g/x"].id.get_chunk_info(3)
    hdf5.close()
    data = bytearray((tmp_path / "d" / "a.h5").read_bytes())
    (tmp_path / "d" / "cut.h5").write_bytes(data[:-100])
    data[info.byte_offset + 50] ^= 255
    found = judged({"a.h5": bytes(data)})
    assert kinds(found.violations) == [("d/a.h5", "corrupt"), ("d/cut.h5", "truncated")]
    assert found.violations[0].message.startswith("has a part of 'g/x' at [30, 0] that cannot be read")
    assert found.violations[1].message == "ends too early: 100 bytes are missing"


def test_what_hdf5_keeps_elsewhere_is_unseen(hdf5, judged):
    hdf5["link"] = h5py.ExternalLink("/etc/passwd", "/x")
    hdf5.create_dataset("raw", (4,), "f4", external=[("/etc/passwd", 0, 16)])
    layout = h5py.VirtualLayout((4,), "i4")
    layout[:] = h5py.VirtualSource("other.h5", "x", (4,))
    hdf5.create_virtual_dataset("view", layout)
    hdf5.close()
    found = judged()
    assert found.outcome is Outcome.ERROR
    assert sorted(one.message for one in found.violations) == [
        "holds in 'link' a link into the file '/etc/passwd', which is not followed",
        "holds in 'view' a view of other.h5, which is not followed",
        "keeps the values of 'raw' in /etc/passwd, which is not followed",
    ]


@pytest.fixture
def store(tmp_path):
    def store(version=3, **options):
        folder = tmp_path / "d" / "a.zarr"
        group = zarr.open_group(folder, mode="w", zarr_format=version)
        one = group.create_array("x", shape=(10, 6), chunks=(2, 3), dtype="f4", **options)
        one[...] = np.arange(60).reshape(10, 6) + 1
        group.create_array("y", shape=(3,), chunks=(3,), dtype="i8")[...] = 7
        return folder

    return store


def chunks(folder):
    return sorted(one for one in folder.rglob("*") if one.is_file() and not one.name.startswith((".", "zarr.json")))


@pytest.mark.parametrize("version", [2, 3])
def test_a_store_of_zarr_is_one_thing(store, judged, version):
    store(version)
    found = judged()
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert (found.figures["files"], found.figures["arrays"], found.figures["unpacked_parts"]) == (1, 2, 11)


@pytest.mark.parametrize(
    ("version", "options"),
    [
        (2, {}),
        (2, {"chunk_key_encoding": {"name": "v2", "separator": "/"}}),
        (3, {}),
        (3, {"chunk_key_encoding": {"name": "default", "separator": "."}}),
        (3, {"shards": (10, 6)}),
        (3, {"compressors": None}),
    ],
)
def test_a_chunk_that_is_cut(store, judged, tmp_path, version, options):
    file = chunks(store(version, **options) / "x")[-1]
    file.write_bytes(file.read_bytes()[:-1])
    found = judged()
    assert (found.outcome, kinds(found.violations)) == (Outcome.FAIL, [("d/a.zarr", "corrupt")])
    assert found.violations[0].message.startswith(f"has a chunk '{file.relative_to(tmp_path / 'd/a.zarr').as_posix()}'")


@pytest.mark.parametrize("version", [2, 3])
def test_a_single_value_that_is_cut(judged, tmp_path, version):
    folder = tmp_path / "d" / "a.zarr"
    zarr.create_array(folder, shape=(), dtype="f8", zarr_format=version, compressors=None)[...] = 7
    assert judged().outcome is Outcome.PASS
    (file,) = chunks(folder)
    file.write_bytes(file.read_bytes()[:-1])
    assert kinds(judged().violations) == [("d/a.zarr", "corrupt")]


@pytest.mark.parametrize("version", [2, 3])
def test_chunks_that_are_not_there_warn(store, judged, version):
    for file in chunks(store(version) / "x")[:4]:
        file.unlink()
    found = judged()
    assert [(one.kind, one.severity) for one in found.violations] == [("absent", Severity.WARNING)]
    assert found.violations[0].message == "lacks 4 of 10 chunks of 'x', which then read as its fill value"
    assert judged(absent="ok").outcome is Outcome.PASS
    assert judged(absent="error").outcome is Outcome.FAIL


def test_pickles_in_zarr_are_not_decoded(store, judged):
    folder = store(2)
    meta = folder / "x" / ".zarray"
    text = meta.read_text().replace('"filters": null', '"filters": [{"id": "pickle"}]').replace('"<f4"', '"|O"')
    meta.write_text(text)
    found = judged()
    assert found.outcome is Outcome.ERROR
    assert kinds(found.violations) == [("d/a.zarr", "unsafe"), ("d/a.zarr", "unsupported")]


def test_damaged_metadata_of_zarr(store, judged):
    (store() / "x" / "zarr.json").write_text('{"zarr_format": 3, "node_type": "array", "shape": [-1]}')
    found = judged()
    assert kinds(found.violations) == [("d/a.zarr", "header")]


def test_columns_of_parquet(judged, tmp_path):
    (tmp_path / "d").mkdir()
    values = pa.FixedSizeListArray.from_arrays(pa.array(np.random.default_rng(0).random(3000), "float32"), 3)
    table = pa.table({"v": values})
    parquet.write_table(table, tmp_path / "d" / "a.parquet", write_page_checksum=True, compression="none")
    assert judged().outcome is Outcome.PASS
    data = bytearray((tmp_path / "d" / "a.parquet").read_bytes())
    found = judged({"b.parquet": bytes(data[:-1]), "c.parquet": b"PAR1"})
    assert kinds(found.violations) == [("d/b.parquet", "truncated"), ("d/c.parquet", "corrupt")]
    (tmp_path / "d" / "c.parquet").unlink()
    data[3000] ^= 255
    found = judged({"b.parquet": bytes(data)})
    assert kinds(found.violations) == [("d/b.parquet", "corrupt")]


def test_what_cannot_be_opened_and_what_is_not_read_is_no_pass(judged, tmp_path):
    found = judged({"a.npy": NPY, "b.txt": b"hello"})
    assert (found.outcome, kinds(found.violations)) == (Outcome.ERROR, [("d/b.txt", "unknown")])
    (tmp_path / "d" / "b.txt").unlink()
    os.mkfifo(tmp_path / "d" / "fifo.npy")
    assert judged().outcome is Outcome.ERROR


def test_a_file_that_kills_what_reads_it_is_unseen_and_the_others_are_judged(hdf5, judged, monkeypatch, tmp_path):
    hdf5.close()
    (tmp_path / "d" / "b.h5").write_bytes(b"\x89HDF\r\n\x1a\n crash")
    killing = (
        "import sys, os; sys.path.append(sys.argv.pop(1))\n"
        "import runpy\n"
        "from audit.facts.processes import each\n"
        "looked = each._looked\n"
        "def look(file, look):\n"
        f"    os.fstat(file.fileno()).st_size == 14 and os.kill(os.getpid(), {int(signal.SIGSEGV)})\n"
        "    return looked(file, look)\n"
        "each._looked = look\n"
        "runpy.run_module(sys.argv[1], None, '__main__', True)\n"
    )
    monkeypatch.setattr(asking, "_START", killing)
    found = judged({"c.npy": NPY[:-1]})
    assert found.outcome is Outcome.ERROR
    assert kinds(found.violations) == [("d/b.h5", "unreadable"), ("d/c.npy", "truncated")]
    assert "signal 11" in found.violations[0].message


@pytest.mark.parametrize(("library", "extra"), [("h5py", "array"), ("pyarrow", "data")])
def test_without_the_library_it_cannot_look(judged, monkeypatch, library, extra):
    monkeypatch.setattr(array_headers, "find_spec", lambda name: None)
    found = judged({"a": {"h5py": b"\x89HDF\r\n\x1a\n", "pyarrow": b"PAR1"}[library] + bytes(100)})
    assert found.outcome is Outcome.ERROR
    assert f"reproaudit[{extra}]" in (found.reason or "") + str(found.repair)


def test_no_file_is_no_pass(judged):
    assert judged().outcome is Outcome.ERROR


def record(data):
    def crc(part):
        return masked(google_crc32c.value(part)).to_bytes(4, "little")

    length = len(data).to_bytes(8, "little")
    return length + crc(length) + data + crc(data)


def test_records_of_tensorflow(judged):
    whole = record(b"first") + record(b"") + record(b"x" * 3_000_000)
    damaged = bytearray(whole)
    damaged[13] ^= 1
    longer = bytearray(whole)
    longer[21] ^= 1
    found = judged({"a.tfrecord": whole})
    assert (found.outcome, found.figures["unpacked_parts"]) == (Outcome.PASS, 3)
    found = judged({"b": bytes(damaged), "c": bytes(longer), "d": whole[:-2], "e": whole[:-3_000_010]})
    assert [(subject, kind) for subject, kind in kinds(found.violations)] == [
        ("d/b", "corrupt"),
        ("d/c", "corrupt"),
        ("d/d", "truncated"),
        ("d/e", "truncated"),
    ]
    assert found.violations[2].message.endswith("expected 2 more")


def test_features_of_records_are_not_taken_apart(judged, tmp_path):
    judged({"a.tfrecord": record(b"first") + record(b"second")})
    rules = [{"check": "array.format", "with": {"items": 2}}, {"check": "array.values"}]
    report = audited(tmp_path, *rules, datasets=DATASETS)
    assert [one.outcome for one in report.results] == [Outcome.ERROR, Outcome.ERROR]
    assert [kind for one in report.results for _, kind in kinds(one.violations)] == ["unsupported", "unscanned"]


def test_code_in_an_array_of_objects_fails(judged, tmp_path):
    array = np.empty(1, object)
    array[0] = Canary(tmp_path / "mark")
    npy = written(lambda out, value: np.save(out, value, allow_pickle=True), array)
    npz = written(lambda out, value: np.savez(out, x=value), array)
    found = judged({"a.npy": npy, "b.npz": npz})
    assert kinds(found.violations) == [
        ("d/a.npy", "code"),
        ("d/a.npy", "unsafe"),
        ("d/b.npz", "code"),
        ("d/b.npz", "unsafe"),
    ]
    assert found.outcome is Outcome.FAIL
    assert found.violations[0].message == "would run posix.mkdir when it is unpickled"
