"""The headers of a dataset's files of arrays, on real files."""

import os

import numpy as np
import pytest
from safetensors.numpy import save_file
from support.engine import graph

from audit.errors import CannotLook
from audit.facts.signals.array_headers import ArrayHeaders
from audit.records.dataset import Dataset
from audit.records.words import Kind

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 48605698\n"


@pytest.fixture
def arrays(tmp_path):
    (tmp_path / "d").mkdir()

    def arrays(path="d"):
        return graph().get(ArrayHeaders(root=str(tmp_path), dataset=Dataset(name="d", path=path, kind=Kind.ARRAY)))

    return arrays


def test_files_in_the_order_of_their_paths(arrays, tmp_path):
    np.savez(tmp_path / "d" / "b.npz", x=np.zeros(2), y=np.ones(3))
    np.save(tmp_path / "d" / "a.npy", np.zeros((2, 3), "f4"))
    save_file({"w": np.zeros(4, "f4")}, tmp_path / "d" / "c.safetensors")
    found = arrays()
    assert [(one.path, one.header.format) for one in found.files] == [
        ("d/a.npy", "NPY"),
        ("d/b.npz", "NPZ"),
        ("d/c.safetensors", "SAFETENSORS"),
    ]
    assert (found.files[0].size, found.files[0].location) == (152, str(tmp_path / "d" / "a.npy"))
    assert [one.key for one in found.files[1].header.tensors] == ["x", "y"]


def test_what_is_no_array_says_what_it_is(arrays, tmp_path):
    for name, content in ("a.npy", ""), ("b.npy", POINTER), ("c.txt", "hello"), ("d.npy", "\0" * 9), ("e.npy", "hello"):
        (tmp_path / "d" / name).write_text(content)
    kinds = [one.header.faults[0].kind for one in arrays().files]
    assert kinds == ["empty", "pointer", "unknown", "empty", "suffix"]


def test_what_cannot_be_looked_at_is_unseen(arrays, tmp_path):
    np.save(tmp_path / "d" / "a.npy", np.zeros(3))
    os.mkfifo(tmp_path / "d" / "fifo.npy")
    (tmp_path / "d" / "gone.npy").symlink_to("nowhere.npy")
    found = arrays()
    assert [one.path for one in found.files] == ["d/a.npy"]
    assert [(one.path, one.gone) for one in found.unseen] == [("d/fifo.npy", False), ("d/gone.npy", True)]


def test_no_file_at_all_is_no_pass(arrays):
    with pytest.raises(CannotLook, match="matches no file"):
        arrays()
