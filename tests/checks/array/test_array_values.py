"""`array.values` on real files."""

import numpy as np
import pytest
import safetensors.numpy
from support.audits import audited, kinds, only

from audit.records.words import Outcome, Severity

RANDOM = np.random.default_rng(0)


def pictures(count=20, channels=3, side=8, dtype="f4"):
    return RANDOM.random((count, channels, side, side)).astype(dtype)


@pytest.fixture
def store(tmp_path):
    def store(array, name="data/a.npy"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        np.save(tmp_path / name, array)

    return store


def judged(root, datasets=None, **settings):
    datasets = datasets or {"data": {"path": "data", "kind": "array"}}
    return only(audited(root, {"check": "array.values", "with": settings}, datasets=datasets))


def test_numbers_within_their_range_pass(store, tmp_path):
    store(pictures())
    found = judged(tmp_path, min=0, max=1, normalisation="unit")
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.summary == "3,840 values of 1 array looked at, scaled as unit"
    assert (found.figures["normalisation"], found.figures["values"]) == ("unit", 3840)


def test_one_nan_is_found(store, tmp_path):
    array = pictures()
    array[3, 1, 2, 2] = np.nan
    array[4, 1, 2, 2] = -np.inf
    store(array)
    found = judged(tmp_path)
    assert found.outcome is Outcome.FAIL
    assert kinds(found.violations) == [("data/a.npy", "infinite"), ("data/a.npy", "nan")]
    assert found.violations[1].message == "1 of 3,840 values is NaN"
    assert judged(tmp_path, max_nan_share=0.001, max_infinite_share=0.001).outcome is Outcome.PASS


def test_values_beyond_bounds(store, tmp_path):
    store(pictures() * 2 - 1)
    found = judged(tmp_path, min=0, max=0.5)
    assert kinds(found.violations) == [("data/a.npy", "high"), ("data/a.npy", "low")]


SCALED = {
    "unit": lambda one: one,
    "symmetric": lambda one: one * 2 - 1,
    "byte": lambda one: (one * 255).round(),
    "standard": lambda one: (one - one.mean()) / one.std(),
}


@pytest.mark.parametrize("is_so", SCALED)
@pytest.mark.parametrize("declared", SCALED)
def test_scales_are_told_apart(store, tmp_path, is_so, declared):
    store(SCALED[is_so](pictures()))
    found = judged(tmp_path, normalisation=declared)
    expected = [] if is_so == declared else [("data/a.npy", "normalisation")]
    assert kinds(found.violations) == expected
    if is_so != "standard" or declared == "standard":
        assert found.figures["normalisation"] == is_so


def test_scaled_twice(store, tmp_path):
    store(pictures() / 255)
    (one,) = judged(tmp_path, normalisation="unit").violations
    assert "scaled twice" in one.message


SPLITS = {"train": {"path": "train", "kind": "array"}, "val": {"path": "val", "kind": "array"}}


@pytest.mark.parametrize("ours", SCALED)
@pytest.mark.parametrize("theirs", SCALED)
def test_validation_scaled_as_training_is(store, tmp_path, ours, theirs):
    store(SCALED[theirs](pictures(60)), "train/x.npy")
    store(SCALED[ours](pictures()), "val/y.npy")
    found = judged(tmp_path, SPLITS, dataset="val", same_as="train")
    assert kinds(found.violations) == ([] if ours == theirs else [("val/y.npy", "unlike")])


def test_without_a_name_the_validation_set_is_held_against_the_training_set(store, tmp_path):
    store(pictures(60), "train/x.npy")
    store(pictures() * 255, "val/y.npy")
    splits = {name: said | {"role": name} for name, said in SPLITS.items()}
    assert kinds(judged(tmp_path, splits, dataset="val").violations) == [("val/y.npy", "unlike")]
    assert judged(tmp_path, splits, dataset="train").outcome is Outcome.PASS
    assert judged(tmp_path, splits, dataset="val", compare=False).outcome is Outcome.PASS
    assert judged(tmp_path, SPLITS, dataset="val").outcome is Outcome.PASS


def test_bytes_beside_floats_are_told_in_words(store, tmp_path):
    store(pictures(60), "train/x.npy")
    store((pictures() * 255).astype("u1"), "val/x.npy")
    (one,) = judged(tmp_path, SPLITS, dataset="val", same_as="train").violations
    assert one.message.startswith("values in [0, 25")
    assert "(byte), where those of train are in [" in one.message
    assert (one.expected, one.found) == ("unit", "byte")


def test_another_unit_without_a_name(store, tmp_path):
    store(RANDOM.standard_normal((500, 4)) * 20 + 300, "train/x.npy")
    store(RANDOM.standard_normal((100, 4)) * 20 + 300, "val/x.npy")
    assert judged(tmp_path, SPLITS, dataset="val", same_as="train").outcome is Outcome.PASS
    store(RANDOM.standard_normal((100, 4)) * 20000 + 300000, "val/x.npy")
    (one,) = judged(tmp_path, SPLITS, dataset="val", same_as="train").violations
    assert one.kind == "unlike"
    assert "times as far" in one.message


def test_labels_have_no_scale(store, tmp_path):
    for split, count in (("train", 500), ("val", 130)):
        store(pictures(count), f"{split}/x.npy")
        store(np.arange(count), f"{split}/y.npy")
    assert judged(tmp_path, SPLITS, dataset="val", same_as="train").outcome is Outcome.PASS


def test_nothing_passes_by_a_dataset_that_is_not_known(store, tmp_path):
    store(pictures(), "val/x.npy")
    store(pictures(), "train/x.npy")
    (tmp_path / "train" / "y.npy").write_bytes(b"\x93NUMPY")
    found = judged(tmp_path, SPLITS, dataset="val", same_as="train")
    assert found.outcome is Outcome.ERROR
    assert kinds(found.violations) == [("train/y.npy", "reference")]
    (tmp_path / "train" / "y.npy").unlink()
    np.savez(tmp_path / "train" / "x.npz", other=pictures())
    (tmp_path / "train" / "x.npy").unlink()
    np.savez(tmp_path / "val" / "z.npz", one=pictures())
    found = judged(tmp_path, SPLITS, dataset="val", same_as="train")
    assert (found.outcome, {one.kind for one in found.violations}) == (Outcome.ERROR, {"unmatched"})


def test_one_file_of_bytes_among_floats(store, tmp_path):
    for number in range(8):
        store(pictures(2), f"data/{number}.npy")
    store(pictures(2) * 255, "data/old.npy")
    found = judged(tmp_path)
    assert (found.outcome, kinds(found.violations)) == (Outcome.WARN, [("data/old.npy", "minority")])


IMAGENET = {"mean": [0.485, 0.456, 0.406], "sd": [0.229, 0.224, 0.225]}


@pytest.mark.parametrize("axis", [1, -1, None])
def test_mean_and_deviation_of_channels(store, tmp_path, axis):
    mean, sd = (np.array(IMAGENET[name])[:, None, None] for name in ("mean", "sd"))
    array = RANDOM.standard_normal((50, 3, 16, 16)) * sd + mean
    store(np.moveaxis(array, 1, -1) if axis == -1 else array)
    assert judged(tmp_path, channels=IMAGENET | {"axis": axis}).outcome is Outcome.PASS
    store(array[:, ::-1])
    found = judged(tmp_path, channels=IMAGENET | {"axis": 1, "tolerance": 0.02})
    assert kinds(found.violations) == [("data/a.npy", "channel-mean")]
    assert found.violations[0].expected == "[0.485, 0.456, 0.406]"


def test_channels_that_are_not_there(store, tmp_path):
    array = pictures(channels=4)
    array[0, 0, 0, 0] = np.nan
    store(array)
    found = judged(tmp_path, channels=IMAGENET)
    assert kinds(found.violations) == [("data/a.npy", "channels"), ("data/a.npy", "nan")]


def test_channels_without_numbers_are_a_fault_of_the_rule(store, tmp_path):
    store(pictures())
    assert judged(tmp_path, channels={"axis": 1}).outcome is Outcome.ERROR


def test_blank_and_repeated_pictures_warn(store, tmp_path):
    array = pictures()
    array[5] = 0
    array[9] = array[2]
    store(array)
    found = judged(tmp_path)
    assert found.outcome is Outcome.WARN
    assert [(one.kind, one.found) for one in found.violations] == [("constant-items", 1), ("repeated-items", 1)]
    assert found.violations[0].message == "1 of 20 items is of one value throughout: 5"
    assert found.violations[1].message == "1 of 20 items repeats an earlier one byte by byte: 9 as 2"
    assert judged(tmp_path, items=False).outcome is Outcome.PASS
    assert judged(tmp_path, max_constant_share=0.1, max_repeated_share=0.1).outcome is Outcome.PASS
    assert judged(tmp_path, max_repeated_share=0).outcome is Outcome.FAIL


def test_repeated_rows_of_tokens_are_noted(store, tmp_path):
    array = RANDOM.integers(0, 1000, (20, 32))
    array[3] = array[1]
    store(array)
    found = judged(tmp_path)
    assert found.outcome is Outcome.PASS
    assert [(one.kind, one.severity) for one in found.violations] == [("repeated-items", Severity.NOTE)]


def test_items_that_cannot_be_compared_are_no_pass_where_it_was_asked(store, tmp_path):
    store(np.asfortranarray(pictures()))
    found = judged(tmp_path)
    assert [(one.kind, one.severity) for one in found.violations] == [("items", Severity.NOTE)]
    assert judged(tmp_path, max_repeated_share=0).outcome is Outcome.ERROR
    store(np.arange(200.0))
    assert judged(tmp_path, max_repeated_share=0).outcome is Outcome.ERROR


def test_a_cast_nan_warns(store, tmp_path):
    array = RANDOM.integers(0, 9, 1000)
    array[3] = np.iinfo("i8").min
    store(array)
    (one,) = (found := judged(tmp_path)).violations
    assert (found.outcome, one.kind) == (Outcome.WARN, "overflow")
    assert judged(tmp_path, max_extreme_share=0.01).outcome is Outcome.PASS
    assert judged(tmp_path, max_extreme_share=0).outcome is Outcome.FAIL
    store(RANDOM.integers(0, 256, (20, 8, 8, 3)).astype("u1"))
    assert judged(tmp_path).violations == ()


def test_an_array_of_one_value_is_told(store, tmp_path):
    store(np.zeros((4, 3, 8, 8)))
    assert kinds(judged(tmp_path).violations) == [("data/a.npy", "constant")]


def test_arrays_without_values_are_no_pass(store, tmp_path):
    store(np.zeros((0, 3)))
    assert judged(tmp_path).outcome is Outcome.FAIL
    store(pictures(), "data/b.npy")
    found = judged(tmp_path)
    assert (found.outcome, kinds(found.violations)) == (Outcome.WARN, [("data/a.npy", "empty")])


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_keys_choose_arrays_of_an_archive(tmp_path, save):
    (tmp_path / "data").mkdir()
    save(tmp_path / "data" / "a.npz", x=pictures(), y=np.array([1.0, np.nan]), names=np.array(["a", "b"]))
    found = judged(tmp_path)
    assert found.outcome is Outcome.ERROR
    assert kinds(found.violations) == [("data/a.npz#names", "unscanned"), ("data/a.npz#y", "nan")]
    assert judged(tmp_path, keys=["x"]).outcome is Outcome.PASS
    assert kinds(judged(tmp_path, keys=["z*"]).violations) == [("data/a.npz", "keys")]


def test_tensors_of_safetensors(tmp_path):
    (tmp_path / "data").mkdir()
    tensors = {"a.weight": pictures(), "b.bias": np.array([1, np.nan], "f2")}
    safetensors.numpy.save_file(tensors, tmp_path / "data" / "m.safetensors")
    found = judged(tmp_path)
    assert kinds(found.violations) == [("data/m.safetensors#b.bias", "nan")]


def test_objects_are_never_unpickled_and_never_pass(tmp_path):
    class Canary:
        def __reduce__(self):
            return (open, (str(tmp_path / "ran"), "w"))

    (tmp_path / "data").mkdir()
    np.save(tmp_path / "data" / "a.npy", np.array([Canary()], dtype=object), allow_pickle=True)
    found = judged(tmp_path)
    assert found.outcome is Outcome.ERROR
    assert kinds(found.violations) == [("data/a.npy", "unscanned")]
    assert not (tmp_path / "ran").exists()


def test_a_cut_file_fails(store, tmp_path):
    store(pictures())
    file = tmp_path / "data" / "a.npy"
    file.write_bytes(file.read_bytes()[:-8])
    assert kinds(judged(tmp_path).violations) == [("data/a.npy", "truncated")]


def test_what_is_no_array_is_no_pass(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.npy").write_bytes(b"neither this nor that, but long enough")
    assert judged(tmp_path).outcome in {Outcome.ERROR, Outcome.FAIL}
    (tmp_path / "data" / "a.npy").unlink()
    assert judged(tmp_path).outcome is Outcome.ERROR


@pytest.mark.parametrize("version", [2, 3])
def test_chunks_of_zarr(tmp_path, version):
    zarr = pytest.importorskip("zarr")
    array = pictures(50)
    group = zarr.open_group(tmp_path / "data" / "a.zarr", mode="w", zarr_format=version)
    stored = group.create_array("x", shape=array.shape, chunks=(16, 2, 8, 8), dtype=">f4", fill_value=7)
    stored[...] = array
    found = judged(tmp_path, max=1, normalisation="standard")
    assert kinds(found.violations) == [("data/a.zarr#x", "items"), ("data/a.zarr#x", "normalisation")]
    assert (found.figures["max"], found.figures["values"]) == (array.max(), array.size)
    assert judged(tmp_path, normalisation="unit").outcome is Outcome.PASS
    array[49, 2, 7, 7] = np.nan
    stored[...] = array
    assert ("data/a.zarr#x", "nan") in kinds(judged(tmp_path).violations)
    assert judged(tmp_path, channels=IMAGENET).outcome is Outcome.ERROR
    (chunk, *_) = [one for one in (tmp_path / "data").rglob("*") if one.is_file() and one.stat().st_size > 900]
    content = chunk.read_bytes()
    chunk.write_bytes(content[:100])
    assert judged(tmp_path).outcome is Outcome.ERROR
    chunk.unlink()
    assert judged(tmp_path).outcome is Outcome.ERROR


def test_labels_beside_pictures_have_neither_scale_nor_channels(tmp_path):
    (tmp_path / "data").mkdir()
    mean, sd = (np.array(IMAGENET[name])[:, None, None] for name in ("mean", "sd"))
    array = np.clip(RANDOM.standard_normal((50, 3, 16, 16)) * sd * 0.9 + mean, 0, 1)
    np.savez(tmp_path / "data" / "a.npz", x=array, y=np.arange(50))
    assert judged(tmp_path, normalisation="unit", channels=IMAGENET).violations == ()


def test_a_clip_of_integers_is_not_symmetric(store, tmp_path):
    store((RANDOM.standard_normal(16000) * 3000).astype("i2"))
    assert kinds(judged(tmp_path, normalisation="symmetric").violations) == [("data/a.npy", "normalisation")]


@pytest.mark.parametrize(("factor", "offset", "kind"), [(2, 0, "beyond"), (0.6, 0, None), (1, 5, "shifted")])
def test_values_that_have_no_scale_of_a_name_beside_others(store, tmp_path, factor, offset, kind):
    train = RANDOM.standard_normal((500, 4)) if offset else pictures(60)
    val = RANDOM.standard_normal((500, 4)) if offset else pictures(60)
    store(train, "train/x.npy")
    store(val * factor + offset, "val/x.npy")
    found = judged(tmp_path, SPLITS, dataset="val", same_as="train")
    assert [one.kind for one in found.violations] == ([kind] if kind else [])
    assert found.outcome is (Outcome.WARN if kind else Outcome.PASS)
