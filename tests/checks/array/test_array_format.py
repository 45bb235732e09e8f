"""`array.format` on real files."""

import io
import os

import h5py
import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from support.audits import audited, kinds, only

from audit.records.words import Outcome, Severity

DATASETS = {"d": {"path": "d", "kind": "array"}}
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 48605698\n"


@pytest.fixture
def put(tmp_path):
    def put(name, array=None, folder="d", **arrays):
        (tmp_path / folder).mkdir(exist_ok=True)
        np.savez(tmp_path / folder / name, **arrays) if arrays else np.save(tmp_path / folder / name, array)

    return put


def judged(root, datasets=DATASETS, **settings):
    return only(audited(root, {"check": "array.format", "with": settings}, datasets=datasets))


def test_arrays_as_declared_pass(put, tmp_path):
    put("a.npy", np.zeros((2, 3), "f4"))
    put("b.npy", np.zeros((5, 3), "f4"))
    found = judged(tmp_path, dtype="float32", shape=["N", 3], order="little", fortran=False, min_items=1)
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.summary == "2 files as declared, with 2 arrays"
    assert found.figures == {"files": 2, "arrays": 2, "values": 21}


def test_another_type_shape_order_and_layout_are_named(put, tmp_path):
    put("a.npy", np.asfortranarray(np.zeros((2, 4), ">f8")))
    found = judged(tmp_path, dtype="float32", shape=["N", 3], order="little", fortran=False)
    assert found.outcome is Outcome.FAIL
    assert [(one.kind, one.message) for one in found.violations] == [
        ("dtype", "dtype float64, not float32"),
        (
            "layout",
            "the first index is the fastest (Fortran order), which `fortran: false` excludes",
        ),
        ("order", "big-endian, not little-endian"),
        ("shape", "shape [2, 4], not [N, 3]"),
    ]
    assert {one.subject for one in found.violations} == {"d/a.npy"}
    assert judged(tmp_path, dtype=["float32", "float64"], shape=[None, "*"]).outcome is Outcome.PASS


def test_names_stand_for_one_number_in_a_file(put, tmp_path):
    rules = {"images": {"dtype": "uint8", "shape": ["N", 3, "S", "S"]}, "labels": {"dtype": "int64", "shape": ["N"]}}
    put("a.npz", images=np.zeros((5, 3, 8, 8), "u1"), labels=np.zeros(5, "i8"))
    put("b.npz", images=np.zeros((7, 3, 8, 8), "u1"), labels=np.zeros(7, "i8"))
    assert judged(tmp_path, arrays=rules).outcome is Outcome.PASS
    put("b.npz", images=np.zeros((7, 3, 8, 9), "u1"), labels=np.zeros(6, "i8"))
    found = judged(tmp_path, arrays=rules)
    assert [(one.subject, one.message) for one in found.violations if one.kind == "dimension"] == [
        ("d/b.npz#images", "S is 9 here and 8 in 'images'"),
        ("d/b.npz#labels", "N is 6 here and 7 in 'images'"),
    ]


def test_names_across_files(put, tmp_path):
    for name, length in ("a", 4), ("b", 4), ("c", 5):
        put(f"{name}.npy", np.zeros((3, length)))
    assert judged(tmp_path, shape=["N", "T"]).outcome is Outcome.PASS
    found = judged(tmp_path, shape=["N", "T"], across=["T"])
    assert [(one.subject, one.message) for one in found.violations] == [("d/c.npy", "T is 5 here and 4 in 2 arrays")]


def test_keys(put, tmp_path):
    put("a.npz", x=np.zeros(2), y=np.zeros(2), layer_1=np.zeros(3))
    assert judged(tmp_path, arrays={"x": {}, "y": {}, "layer_*": {}}, closed=True).outcome is Outcome.PASS
    found = judged(tmp_path, arrays={"x": {}, "z": {}, "w": {"required": False}}, closed=True)
    assert kinds(found.violations) == [
        ("d/a.npz#layer_1", "extra-key"),
        ("d/a.npz#y", "extra-key"),
        ("d/a.npz#z", "key"),
    ]


def test_what_is_said_of_all_holds_where_an_array_says_nothing(put, tmp_path):
    put("a.npz", x=np.zeros(2, "f4"), y=np.zeros(2, "f8"))
    assert judged(tmp_path, dtype="float32", arrays={"y": {"dtype": "float64"}}).outcome is Outcome.PASS
    found = judged(tmp_path, dtype="float32", arrays={"y": {"items": 2}})
    assert kinds(found.violations) == [("d/a.npz#y", "dtype")]


def test_items(put, tmp_path):
    put("a.npy", np.zeros((5, 2)))
    put("b.npy", np.float64(1))
    found = judged(tmp_path, uniform=False, min_items=6, max_items=9)
    assert [one.message for one in found.violations] == ["5 items, fewer than 6", "is a single value, without items"]
    assert judged(tmp_path, uniform=False, items=4).violations[0].message == "5 items, not 4"
    assert judged(tmp_path, uniform=False, max_items=4).violations[0].message == "5 items, more than 4"


def test_undeclared_the_minority_is_named(put, tmp_path):
    for number in range(9):
        put(f"{number}.npy", np.zeros((number, 3), "f4"))
    put("odd.npy", np.zeros((2, 3), "f8"))
    found = judged(tmp_path)
    assert [(one.subject, one.kind, one.severity) for one in found.violations] == [
        ("d/odd.npy", "minority", Severity.ERROR)
    ]
    assert found.violations[0].message == "dtype float64, unlike 9 of 10 files with dtype float32"
    assert judged(tmp_path, uniform=False).outcome is Outcome.PASS
    assert judged(tmp_path, dtype=["float32", "float64"]).outcome is Outcome.PASS


def test_another_number_of_axes_is_told_once_and_other_items_warn(put, tmp_path):
    for number in range(10):
        put(f"{number}.npy", np.zeros((4, 3)))
    put("flat.npy", np.zeros(12))
    put("wide.npy", np.zeros((4, 2)))
    found = judged(tmp_path)
    assert [(one.subject, one.severity) for one in found.violations] == [("d/flat.npy", Severity.ERROR)]
    (tmp_path / "d" / "flat.npy").unlink()
    found = judged(tmp_path)
    assert [(one.subject, one.severity) for one in found.violations] == [("d/wide.npy", Severity.WARNING)]
    assert found.violations[0].message == "items of shape [2], unlike 10 of 11 files with items of shape [3]"


def test_items_of_many_shapes_are_no_minority(put, tmp_path):
    for number in range(10):
        put(f"{number}.npy", np.zeros((80, number)))
    assert judged(tmp_path).violations == ()


def test_validation_stored_as_training_is(put, tmp_path):
    datasets = {name: {"path": name, "kind": "array"} for name in ("train", "val")}
    put("a.npz", folder="train", x=np.zeros((9, 3, 8, 8), "f4"), y=np.zeros(9, "i8"))
    put("a.npz", folder="val", x=np.zeros((2, 3, 8, 8), "f4"), y=np.zeros(2, "i8"))
    assert judged(tmp_path, datasets, dataset="val", same_as="train").outcome is Outcome.PASS
    put("a.npz", folder="val", x=np.zeros((2, 3, 9, 9), "f8"), z=np.zeros(2, "i8"))
    found = judged(tmp_path, datasets, dataset="val", same_as="train")
    assert [(one.subject, one.message) for one in found.violations] == [
        ("val/a.npz#x", "dtype float64, which no file of train has: float32"),
        ("val/a.npz#x", "items of shape [3, 9, 9], which no file of train has: [3, 8, 8]"),
        ("val/a.npz#z", "no file of train has this array"),
    ]


def test_nothing_passes_by_a_dataset_that_is_not_known(put, tmp_path):
    datasets = {name: {"path": name, "kind": "array"} for name in ("train", "val")}
    put("a.npy", np.zeros(3), folder="val")
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "a.npy").write_bytes(b"\x93NUMPY")
    found = judged(tmp_path, datasets, dataset="val", same_as="train")
    assert (found.outcome, kinds(found.violations)) == (Outcome.ERROR, [("train/a.npy", "reference")])


def test_bfloat16_in_safetensors_and_pytorch(tmp_path):
    (tmp_path / "d").mkdir()
    save_file({"w": torch.zeros(2, 3, dtype=torch.bfloat16)}, tmp_path / "d" / "a.safetensors")
    torch.save({"w": torch.zeros(5, 3, dtype=torch.bfloat16)}, tmp_path / "d" / "b.pt")
    assert judged(tmp_path, dtype="bfloat16", shape=["N", 3]).outcome is Outcome.PASS


def test_cut_empty_pointers_and_misnamed_files_fail(put, tmp_path):
    put("a.npy", np.zeros(3))
    whole = (tmp_path / "d" / "a.npy").read_bytes()
    for name, data in (
        ("b.npy", whole[:-4]),
        ("c.npy", b""),
        ("d.npy", POINTER.encode()),
        ("e.safetensors", b"PK\3\4 zip"),
        ("f.npy", b"hello"),
    ):
        (tmp_path / "d" / name).write_bytes(data)
    found = judged(tmp_path)
    assert found.outcome is Outcome.FAIL
    assert [kind for _, kind in kinds(found.violations)] == ["truncated", "empty", "pointer", "suffix", "suffix"]
    assert found.violations[3].message == "not safetensors (zip magic)"


def test_what_is_not_read_is_no_pass(put, tmp_path):
    put("a.npy", np.zeros(3))
    (tmp_path / "d" / "notes.txt").write_text("hello")
    found = judged(tmp_path)
    assert (found.outcome, kinds(found.violations)) == (Outcome.ERROR, [("d/notes.txt", "unknown")])


def test_what_cannot_be_opened_is_no_pass(put, tmp_path):
    put("a.npy", np.zeros(3))
    os.mkfifo(tmp_path / "d" / "fifo.npy")
    assert judged(tmp_path).outcome is Outcome.ERROR


def test_a_file_without_arrays_and_no_file_at_all(put, tmp_path):
    assert judged(tmp_path).outcome is Outcome.ERROR
    (tmp_path / "d").mkdir()
    out = io.BytesIO()
    np.savez(out)
    (tmp_path / "d" / "a.npz").write_bytes(out.getvalue())
    assert kinds(judged(tmp_path).violations) == [("d/a.npz", "empty")]


def test_many_wrong_arrays_of_a_file_are_counted(put, tmp_path):
    put("a.npz", **{f"{number:03}": np.zeros(1) for number in range(50)})
    found = judged(tmp_path, dtype="float32")
    assert len(found.violations) == 21
    assert found.violations[0].message == "30 more arrays are wrong in this way"


def test_names_that_no_text_can_have(tmp_path):
    (tmp_path / "d").mkdir()
    torch.save({"a\ud800\n": torch.zeros(2), 10**5000: torch.zeros(1)}, tmp_path / "d" / "a.pt")
    with h5py.File(tmp_path / "d" / "b.h5", "w") as file:
        file[b"\xff\xfe"] = np.zeros(2)
    found = judged(tmp_path, dtype="int8", uniform=False)
    assert kinds(found.violations) == [
        ("d/a.pt", "dtype"),
        ("d/a.pt#a\\ud800\n", "dtype"),
        ("d/b.h5", "unreadable"),
    ]
    assert found.violations[2].message == r"has a name that is not UTF-8: b'\xff\xfe'"
