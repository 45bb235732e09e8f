"""Pickles in files of arrays that would leave a mark if they were ever run: whole audits leave none."""

import io
import pickle
import zipfile

import h5py
import numpy as np
import pyarrow as pa
import pytest
import torch
import zarr
from pyarrow import parquet
from support.audits import audited, kinds
from support.canaries import Canary, Quiet, pickled

from audit.records.words import Outcome, Verdict

DATASETS = {"d": {"path": "d", "kind": "array"}}
CHECKS = ("array.format", "array.integrity", "array.values")


def old(value):
    out = io.BytesIO()
    torch.save(value, out, _use_new_zipfile_serialization=False)
    return out.getvalue()


def new(value):
    out = io.BytesIO()
    torch.save(value, out)
    return out.getvalue()


def objects(value, *, packed):
    out = io.BytesIO()
    array = np.empty(1, object)
    array[0] = value
    np.savez(out, x=array) if packed else np.save(out, array, allow_pickle=True)
    return out.getvalue()


def opaque(value):
    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        file["x"] = np.void(pickle.dumps(value))
        file["y"] = np.zeros(3)
    return out.getvalue()


def binary(value):
    out = io.BytesIO()
    parquet.write_table(pa.table({"x": pa.array([pickle.dumps(value)], "binary"), "y": [1.0]}), out)
    return out.getvalue()


def scripted(value):
    """An archive with the pickle twice, once where TorchScript has its constants."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(new(value))) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
        target.writestr("archive/constants.pkl", pickle.dumps(value))
    return out.getvalue()


HOLDERS = {
    "a.pt": new,
    "b.pth": old,
    "c.npy": lambda value: objects(value, packed=False),
    "d.npz": lambda value: objects(value, packed=True),
    "e.pkl": lambda value: pickle.dumps(value, 5),
    "f.pkl": lambda value: pickle.dumps(value, 0),
    "g.npy": lambda value: pickle.dumps(value, 2),
    "h.h5": opaque,
    "i.parquet": binary,
    "j.safetensors": lambda value: pickle.dumps(value, 4),
    "k.pt": lambda value: new({"w": torch.zeros(2), "x": value}),
    "l.pt": scripted,
}
LOUD = {"a.pt", "b.pth", "e.pkl", "f.pkl", "g.npy", "j.safetensors", "k.pt"}
"""Those whose canary is a pickle of its own, so that what it names is told."""


@pytest.mark.parametrize("kind", [Canary, Quiet])
def test_nothing_is_ever_run(tmp_path, kind):
    mark = tmp_path / "mark"
    (tmp_path / "d").mkdir()
    for name, hold in HOLDERS.items():
        (tmp_path / "d" / name).write_bytes(hold(kind(mark)))
    report = audited(tmp_path, *({"check": check} for check in CHECKS), datasets=DATASETS)
    assert not mark.exists()
    assert report.verdict is not Verdict.PASS
    told = kinds(next(one for one in report.results if one.check == "array.integrity").violations)
    assert {subject for subject, _ in told} == {f"d/{name}" for name in HOLDERS}
    if kind is Canary:
        assert {f"d/{name}" for name in LOUD} <= {subject for subject, kind in told if kind == "code"}


@pytest.mark.parametrize("name", ["c.npy", "d.npz", "e.pkl"])
def test_the_canary_sings_when_it_is_run(tmp_path, name):
    mark = tmp_path / "mark"
    data = HOLDERS[name](Canary(mark))
    if name == "e.pkl":
        pickle.loads(data)  # noqa: S301 - this once, to see that it would
    else:
        np.load(io.BytesIO(data), allow_pickle=True)["x" if name == "d.npz" else 0]
    assert mark.exists()


def test_a_codec_of_zarr_that_unpickles_is_not_run(tmp_path):
    mark = tmp_path / "mark"
    folder = tmp_path / "d" / "a.zarr"
    array = zarr.create_array(folder, shape=(1,), chunks=(1,), dtype="f4", zarr_format=2, compressors=None)
    array[...] = 1
    text = (folder / ".zarray").read_text().replace('"filters": null', '"filters": [{"id": "pickle"}]')
    (folder / ".zarray").write_text(text.replace('"<f4"', '"|O"').replace('"fill_value": 0.0', '"fill_value": null'))
    (folder / "0").write_bytes(pickled(mark))
    report = audited(tmp_path, *({"check": check} for check in CHECKS), datasets=DATASETS)
    assert not mark.exists()
    assert {one.outcome for one in report.results} >= {Outcome.ERROR}
