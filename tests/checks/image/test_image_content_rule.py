"""`image.content` on real files."""

import io

import numpy as np
import pytest
from PIL import Image
from support.audits import audited, kinds, only

from audit.checks.image.content import Content
from audit.checks.image.integrity import Integrity
from audit.facts.signals import image_decode
from audit.records.dataset import Dataset
from audit.records.project import PlannedRule, Project
from audit.records.words import Kind, Outcome, Role, Severity, Trigger

DATASETS = {"pictures": {"path": "pictures/*", "kind": "image"}}
SPLIT = {
    "train": {"path": "train/*", "kind": "image", "role": "train"},
    "val": {"path": "val/*", "kind": "image", "role": "val"},
}
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 48605698\n".encode()


def png(values):
    out = io.BytesIO()
    Image.fromarray(np.clip(np.round(values), 0, 255).astype(np.uint8)).save(out, "PNG", compress_level=0)
    return out.getvalue()


def scene(seed, sd=6.0, size=48):
    """A plane of some brightness and tilt, with noise."""
    rng = np.random.default_rng(seed)
    tilt = np.add.outer(np.linspace(0, rng.normal(0, 30), size), np.linspace(0, rng.normal(0, 30), size))
    plane = rng.uniform(60, 190) + tilt[:, :, None] + rng.normal(0, 8, 3)
    return png(plane + rng.normal(0, sd, (size, size, 3)))


SOUND = scene(0)
BLANK = png(np.full((30, 40, 3), 7))


def write(folder, files):
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)


@pytest.fixture
def judged(tmp_path):
    def judged(files, **settings):
        write(tmp_path / "pictures", files)
        return only(audited(tmp_path, {"check": "image.content", "with": settings}, datasets=DATASETS))

    return judged


@pytest.fixture
def held(tmp_path):
    def held(train, val, *rules, datasets=None, **settings):
        for name, some in (("train", train), ("val", val)):
            write(tmp_path / name, {f"{at:04}.png": one for at, one in enumerate(some)})
        rules = rules or ({"check": "image.content", "with": settings},)
        return audited(tmp_path, *rules, datasets=datasets or SPLIT)

    return held


def test_pictures_that_show_something_pass(judged):
    found = judged({"a.png": SOUND, "b.png": scene(1)})
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.summary == "2 pictures show something"
    assert found.figures["pictures"] == 2
    assert found.figures["median_noise"] == pytest.approx(4, abs=1)
    assert [one.title for one in found.exhibits] == ["Measures of the pictures"]


def test_blank_and_nearly_blank_pictures_are_named(judged):
    nearly = np.full((100, 100), 250)
    nearly[:7, :7] = 0
    found = judged({"a.png": SOUND, "b.png": BLANK, "c.png": png(nearly)})
    assert found.outcome is Outcome.FAIL
    assert kinds(found.violations) == [("pictures/b.png", "blank"), ("pictures/c.png", "near-blank")]
    assert found.violations[0].message == "is blank: all its pixels are red 7, green 7, blue 7"
    assert found.violations[1].message == "is nearly blank: 99.51 % of its pixels lie within 8 of 256 levels"
    assert [one.severity for one in found.violations] == [Severity.ERROR, Severity.WARNING]
    assert found.summary == "2 of 3 pictures should be looked at"
    assert "pictures" in [one.type for one in found.exhibits]


def test_blank_pictures_that_are_meant_pass(judged):
    nearly = np.full((100, 100), 250)
    nearly[:7, :7] = 0
    assert judged({"b.png": BLANK, "c.png": png(nearly)}, blank=False).outcome is Outcome.PASS
    assert kinds(judged({}, max_flat_share=None).violations) == [("pictures/b.png", "blank")]
    assert kinds(judged({}, max_flat_share=0.996).violations) == [("pictures/b.png", "blank")]


def test_bounds_are_held(judged):
    bounds = {"brightness": {"min": 30, "max": 220}, "sharpness": {"min": 50}, "noise": {"max": 20}}
    dark, soft, rough = np.full((64, 64), 10.0), np.full((64, 64), 120.0), np.full((64, 64), 120.0)
    rng = np.random.default_rng(3)
    dark, soft, rough = (one + rng.normal(0, sd, (64, 64)) for one, sd in ((dark, 12), (soft, 1), (rough, 40)))
    soft[:, 32:] += 25
    found = judged({"a.png": SOUND, "b.png": png(dark), "c.png": png(soft), "d.png": png(rough)}, bounds=bounds)
    assert found.outcome is Outcome.FAIL
    assert kinds(found.violations) == [
        ("pictures/b.png", "brightness"),
        ("pictures/c.png", "sharpness"),
        ("pictures/d.png", "noise"),
    ]
    assert found.violations[0].message.startswith("brightness 1")
    assert found.violations[0].expected == 30


def test_a_bound_on_what_a_picture_is_too_small_for_is_no_pass(judged):
    found = judged({"a.png": png(np.arange(4).reshape(2, 2) * 60)}, bounds={"noise": {"max": 3}})
    assert found.outcome is Outcome.ERROR
    assert found.violations[0].message == "is too small to have a noise: 2 x 2"
    assert judged({}, bounds={"quality": {"min": 80}}).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("data", "kind"), [(POINTER, "pointer"), (b"", "empty"), (SOUND[:1000], "truncated"), (b"<html>", "unknown")]
)
def test_what_cannot_be_decoded_is_no_pass(judged, data, kind):
    found = judged({"a.png": SOUND, "b.png": data})
    assert found.outcome is (Outcome.ERROR if kind == "unknown" else Outcome.FAIL)
    assert kinds(found.violations) == [("pictures/b.png", kind)]
    assert found.violations[0].message.startswith("cannot be measured: it ")


def test_numbers_that_are_no_colours_are_no_pass(judged, tmp_path):
    write(tmp_path / "pictures", {})
    Image.fromarray(np.ones((9, 9), np.float32)).save(tmp_path / "pictures" / "depth.tiff")
    found = judged({"a.png": SOUND})
    assert (found.outcome, kinds(found.violations)) == (Outcome.ERROR, [("pictures/depth.tiff", "unmeasured")])


def test_without_pillow_it_cannot_look(judged, monkeypatch):
    monkeypatch.setattr(image_decode, "find_spec", lambda name: None)
    found = judged({"a.png": SOUND})
    assert found.outcome is Outcome.ERROR
    assert "reproaudit[image]" in (found.reason or "") + str(found.repair)


def test_the_validation_set_is_held_against_the_training_set(held):
    train, val = held([scene(seed) for seed in range(300)], [scene(seed) for seed in range(300, 600)]).results
    assert (train.outcome, train.summary) == (Outcome.PASS, "300 pictures show something")
    assert (val.outcome, val.violations) == (Outcome.PASS, ())
    assert val.summary == "300 pictures show something; distributed as in train"
    assert (val.figures["pictures_reference"], val.figures["measures_drifted"]) == (300, 0)
    assert [one.type for one in val.exhibits] == ["columns", "table", "table"]


def test_what_drifted_is_named_and_drawn(held):
    report = held([scene(seed) for seed in range(300)], [scene(seed, sd=7.5) for seed in range(300, 600)])
    train, val = report.results
    assert train.outcome is Outcome.PASS
    assert val.outcome is Outcome.FAIL
    assert ("val/*#noise", "drift") in kinds(val.violations)
    assert "histogram" in [one.type for one in val.exhibits]
    let = held([], [], tolerances={"[ns]*": 1}, tolerance=0.3).results[1]
    assert "val/*#noise" not in dict(kinds(let.violations))


def test_few_pictures_warn(held):
    train, val = held([scene(seed) for seed in range(20)], [scene(seed) for seed in range(40, 60)]).results
    assert train.outcome is Outcome.PASS
    assert (val.outcome, kinds(val.violations)) == (Outcome.WARN, [("val/*", "insufficient")])
    assert held([], [], compare=False).results[1].outcome is Outcome.PASS


def test_a_reference_is_one_that_is_named(held):
    datasets = {name: {**said, "role": None} for name, said in SPLIT.items()}
    datasets = {name: {key: value for key, value in said.items() if value} for name, said in datasets.items()}
    train, val = held([scene(1)] * 40, [scene(2)] * 40, datasets=datasets).results
    assert (train.outcome, val.outcome) == (Outcome.PASS, Outcome.PASS)
    train, val = held([], [], datasets=datasets, reference="train").results
    assert (train.outcome, val.outcome) == (Outcome.PASS, Outcome.FAIL)


@pytest.mark.parametrize(
    ("data", "outcome", "kind"), [(SOUND[:500], Outcome.WARN, "left-out"), (b"<html>", Outcome.ERROR, "unreadable")]
)
def test_what_is_not_known_of_the_reference_is_told(held, tmp_path, data, outcome, kind):
    write(tmp_path / "train", {"odd.png": data})
    _, val = held([scene(seed) for seed in range(40)], [scene(seed) for seed in range(40, 80)]).results
    assert val.outcome is outcome
    (one,) = [one for one in val.violations if one.subject == "train/odd.png"]
    assert (one.kind, one.message.partition(": it ")[0]) == (kind, "of the pictures to compare with")


def test_no_picture_that_can_be_measured_is_no_pass(held, tmp_path):
    write(tmp_path / "train", {"cut.png": SOUND[:500]})
    _, val = held([], [scene(1)]).results
    assert (val.outcome, val.reason) == (Outcome.ERROR, "train/*: no picture could be measured")


def test_a_project_with_both_rules_decodes_once():
    dataset = Dataset(name="pictures", path="pictures/*", kind=Kind.IMAGE)
    content, integrity = Content(dataset="pictures"), Integrity(dataset="pictures")

    def project(*asks):
        rules = tuple(
            PlannedRule(id="x", check=f"image.{type(one).__name__.lower()}", severity=Severity.ERROR, asks=one)
            for one in asks
        )
        return Project(root="/p", name="p", trigger=Trigger.LAUNCH, datasets=(dataset,), rules=rules)

    both = project(content, integrity)
    assert content.needs(both) == integrity.needs(both)
    assert not integrity.needs(project(integrity))["pictures"].measured


def test_several_training_sets_are_one_reference_and_other_kinds_are_none():
    roles = {"a": Role.TRAIN, "b": Role.TRAIN, "val": Role.VAL, "test": Role.TEST}
    pictures = tuple(Dataset(name=name, path=name, kind=Kind.IMAGE, role=role) for name, role in roles.items())
    table = Dataset(name="table", path="table.csv", kind=Kind.TABLE, role=Role.TRAIN)
    project = Project(root="/p", name="p", trigger=Trigger.LAUNCH, datasets=(*pictures, table))
    apart = Content(dataset="val").needs(project)["apart"]
    assert [one.name for one in apart.references] == ["a", "b"]
    assert "apart" not in Content(dataset="test").needs(project)
    assert [one.name for one in Content(dataset="test", reference="val").needs(project)["apart"].references] == ["val"]
    assert "apart" not in Content(dataset="a", reference="a").needs(project)
