"""Files of arrays with bytes changed at random: each has an answer or a problem, whatever its library makes of it."""

import io
import random

import h5py
import numpy as np
import pyarrow as pa
import pytest
import torch
from pyarrow import feather, parquet
from support.engine import graph

from audit.facts.signals.array_content import ArrayContent
from audit.facts.signals.array_headers import ArrayHeaders
from audit.records.dataset import Dataset
from audit.records.words import Kind


def hdf5(out):
    with h5py.File(out, "w") as file:
        file.create_dataset("g/x", data=np.arange(600.0).reshape(60, 10), chunks=(10, 10), compression="gzip")
        file["y"] = np.array(["a", "b"], h5py.string_dtype())
        file["z"] = np.zeros(3, [("a", "f4"), ("b", "i8")])


def stream(out):
    with pa.ipc.new_stream(out, TABLE.schema) as writer:
        writer.write_table(TABLE)


TABLE = pa.table({"x": pa.FixedSizeListArray.from_arrays(pa.array(np.arange(600.0)), 6), "y": ["word"] * 100})
MADE = {
    "hdf5": hdf5,
    "parquet": lambda out: parquet.write_table(TABLE, out),
    "arrow": lambda out: feather.write_feather(TABLE, out),
    "stream": stream,
    "npz": lambda out: np.savez_compressed(out, x=np.arange(600.0)),
    "pt": lambda out: torch.save({"x": torch.arange(600.0)}, out),
}


@pytest.mark.parametrize("kind", MADE)
def test_each_damaged_file_has_an_answer(tmp_path, kind):
    (tmp_path / "d").mkdir()
    out = io.BytesIO()
    MADE[kind](out)
    chance = random.Random(0)
    for number in range(40):
        data = bytearray(out.getvalue())
        for _ in range(chance.choice([0, 1, 3, 10]) if number else 0):
            data[chance.randrange(8, len(data))] = chance.randrange(256)
        cut = chance.choice([0, 0, 1, 100, 1000]) if number else 0
        (tmp_path / "d" / f"{number:02}").write_bytes(data[: len(data) - cut])
    dataset, asked = Dataset(name="d", path="d", kind=Kind.ARRAY), graph()
    headers = asked.get(ArrayHeaders(root=str(tmp_path), dataset=dataset))
    unpacked = asked.get(ArrayContent(root=str(tmp_path), dataset=dataset))
    seen = {one.path for one in headers.files} | {one.path for one in headers.unseen}
    assert len(seen) == 40
    assert all(one.header.format or one.header.faults for one in headers.files)
    told = {one.path for one in unpacked.files} | {one.path for one in unpacked.unseen}
    assert told == {one.path for one in headers.files if one.header.format}
    whole = next(one for one in unpacked.files if one.path == "d/00")
    assert (whole.contents.faults, whole.contents.parts > 0) == ((), True)
