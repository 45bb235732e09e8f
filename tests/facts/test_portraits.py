"""Offenders drawn for the report, from real files: within their bounds, and the same whatever is remembered."""

from __future__ import annotations

import io
import random
import wave

import msgspec
import numpy as np
import pytest
from PIL import Image
from support.audits import audited, only
from support.engine import graph

from audit.engine.evaluate import EXHIBIT_BYTES
from audit.errors import MissingExtra
from audit.facts.signals import portraits
from audit.facts.signals.portraits import ClipExhibits, ContactSheet
from audit.records.dataset import Dataset
from audit.records.portraits import Offender
from audit.records.words import Kind, Outcome

CLIPS = {"clips": {"path": "clips/*", "kind": "audio"}}
PICTURES = {"pictures": {"path": "pictures/*", "kind": "image"}}
FORMAT = {"check": "audio.format", "with": {"sample_rate_hz": 16_000}}
INTEGRITY = {"check": "image.integrity"}


def clip(rate=16_000, seconds=0.5, channels=1):
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(random.Random(0).randbytes(int(rate * seconds) * 2 * channels))
    return out.getvalue()


def picture(size=(200, 150)):
    out = io.BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (*size[::-1], 3), dtype=np.uint8)).save(out, "JPEG")
    return out.getvalue()


def write(folder, files):
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)


def shown(result, kind):
    return [one for one in result.exhibits if one.type == kind]


def test_clips_that_are_not_as_declared_are_drawn_one_of_each_kind_first(tmp_path):
    write(tmp_path / "clips", {f"{number}.wav": clip(8_000) for number in range(9)})
    write(tmp_path / "clips", {f"good{number}.wav": clip() for number in range(10)} | {"z.wav": clip()[:9_000]})
    result = only(audited(tmp_path, FORMAT, datasets=CLIPS))
    drawn = shown(result, "clip")
    assert [one.title for one in drawn] == ["clips/0.wav", "clips/z.wav", *(f"clips/{n}.wav" for n in range(1, 5))]
    assert drawn[0].data["reason"].startswith("sample rate 8000 Hz, not 16000 Hz")
    assert (drawn[0].data["sample_rate_hz"], drawn[0].data["band_hz"]) == (8_000, 8_000)
    assert all(len(msgspec.json.encode(one.data)) <= EXHIBIT_BYTES for one in drawn)


def test_pictures_that_cannot_be_decoded_are_on_one_sheet(tmp_path):
    data = picture()
    write(tmp_path / "pictures", {f"{n:02}.jpg": data[: len(data) // 2] for n in range(20)} | {"empty.jpg": b""})
    result = only(audited(tmp_path, INTEGRITY, datasets=PICTURES))
    (sheet,) = shown(result, "pictures")
    pictures = sheet.data["pictures"]
    assert [one["path"] for one in pictures[:3]] == ["pictures/00.jpg", "pictures/empty.jpg", "pictures/01.jpg"]
    assert len(pictures) == 12
    assert pictures[0]["cut"]
    assert pictures[1] == {"path": "pictures/empty.jpg", "reason": "is empty: 0 bytes"}
    assert len(msgspec.json.encode(sheet.data)) <= EXHIBIT_BYTES


def test_a_picture_of_too_many_pixels_is_not_decoded_to_be_shown_either(tmp_path):
    write(tmp_path / "pictures", {"a.jpg": picture((200, 150))})
    result = only(audited(tmp_path, INTEGRITY | {"with": {"max_pixels": 29_999}}, datasets=PICTURES))
    (sheet,) = shown(result, "pictures")
    assert [one.keys() for one in sheet.data["pictures"]] == [{"path", "reason"}]


def test_sound_files_are_not_drawn(tmp_path):
    write(tmp_path / "clips", {"a.wav": clip()})
    write(tmp_path / "pictures", {"a.jpg": picture()})
    report = audited(tmp_path, FORMAT, INTEGRITY, datasets=CLIPS | PICTURES)
    assert [result.outcome for result in report.results] == [Outcome.PASS] * 2
    assert not any(shown(result, kind) for result in report.results for kind in ("clip", "pictures"))


def test_what_is_remembered_and_the_number_of_workers_change_no_byte_of_the_body(tmp_path):
    write(tmp_path / "clips", {"a.wav": clip(8_000), "b.wav": clip()})
    write(tmp_path / "pictures", {"a.jpg": picture()[:2_000], "b.jpg": picture()})
    options = ({"jobs": 1}, {"jobs": 4}, {"jobs": 4, "deep": True})
    reports = [audited(tmp_path, FORMAT, INTEGRITY, datasets=CLIPS | PICTURES, **one) for one in options]
    assert len({one.envelope.body_digest for one in reports}) == 1
    assert all(shown(*pair) for pair in zip(reports[0].results, ("clip", "pictures"), strict=True))


@pytest.mark.parametrize(
    ("request_of", "folder", "kind"), [(ClipExhibits, "clips", Kind.AUDIO), (ContactSheet, "pictures", Kind.IMAGE)]
)
def test_without_the_library_it_says_what_to_install(monkeypatch, tmp_path, request_of, folder, kind):
    monkeypatch.setattr(portraits, "find_spec", lambda name: None)
    asked = request_of(root=str(tmp_path), dataset=Dataset(name="d", path=folder, kind=kind), offenders=())
    with pytest.raises(MissingExtra, match=r"which decodes .* is not installed"):
        graph().get(asked)


@pytest.mark.parametrize("rule", [FORMAT, INTEGRITY])
def test_without_the_library_the_rule_stands_as_it_would(monkeypatch, tmp_path, rule):
    monkeypatch.setattr(portraits, "find_spec", lambda name: None)
    write(tmp_path / "clips", {"a.wav": clip(8_000)})
    write(tmp_path / "pictures", {"a.jpg": picture()[:2_000]})
    report = audited(tmp_path, rule, datasets=CLIPS | PICTURES)
    assert only(report).outcome is Outcome.FAIL
    (warning,) = report.envelope.warnings
    assert "is not shown in pictures: " in warning
    assert "pip install" in warning


def test_a_file_on_which_the_decoder_dies_is_left_out_and_the_others_are_drawn(monkeypatch, tmp_path):
    from audit.facts.processes import ask as asking

    die = "import audit.facts.processes.each as each, os, signal\n_look = each._opened\n"
    die += "each._opened = lambda path, look: os.kill(os.getpid(), 11) if '/a.wav' in path else _look(path, look)\n"
    monkeypatch.setattr(asking, "_START", f"import sys; sys.path.append(sys.argv[1])\n{die}{asking._START}")
    write(tmp_path / "clips", {"a.wav": clip(8_000), "b.wav": clip(8_000)})
    report = audited(tmp_path, FORMAT, datasets=CLIPS)
    assert [one.title for one in shown(only(report), "clip")] == ["clips/b.wav"]


def test_subjects_that_are_no_files_of_the_dataset_show_nothing(tmp_path):
    write(tmp_path / "clips", {"a.wav": clip()})
    (tmp_path / "secret.wav").write_bytes(clip())
    names = ("clips/a.wav#line=1", "../secret.wav", "secret.wav", str(tmp_path / "secret.wav"), "env:HOME")
    asked = ClipExhibits(
        root=str(tmp_path.resolve()),
        dataset=Dataset(name="clips", path="clips/*", kind=Kind.AUDIO),
        offenders=tuple(Offender(path=name, reason="r") for name in names),
    )
    assert graph().get(asked) == ()


def test_the_longest_names_stay_within_an_exhibit(tmp_path):
    names = [f"{number:02}" + "\N{SNOWMAN}" * 80 + ".jpg" for number in range(12)]
    write(tmp_path / "pictures", dict.fromkeys(names, picture()))
    asked = ContactSheet(
        root=str(tmp_path.resolve()),
        dataset=Dataset(name="d", path="pictures", kind=Kind.IMAGE),
        offenders=tuple(Offender(path=f"pictures/{name}", reason="\0" * 300) for name in names),
    )
    (sheet,) = graph().get(asked)
    assert len(msgspec.json.encode(sheet.data)) <= EXHIBIT_BYTES
    assert len(sheet.data["pictures"]) > 6


def test_a_name_that_is_not_utf_8_is_passed_over(tmp_path):
    write(tmp_path / "clips", {"a.wav": clip(8_000), b"b\xff.wav".decode("utf-8", "surrogateescape"): clip(8_000)})
    report = audited(tmp_path, FORMAT, datasets=CLIPS)
    assert [one.title for one in shown(only(report), "clip")] == ["clips/a.wav"]
    assert report.envelope.warnings == ()
