"""`image.integrity` on real files."""

import io
import os
import signal

import numpy as np
import pytest
from PIL import Image
from support.audits import audited, kinds, only

from audit.facts.processes import ask as asking
from audit.facts.signals import image_decode
from audit.records.words import Outcome, Severity

DATASETS = {"pictures": {"path": "pictures/*", "kind": "image"}}
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 48605698\n".encode()


def encoded(form, **options):
    out = io.BytesIO()
    values = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    Image.fromarray(values).save(out, form, **options)
    return out.getvalue()


JPEG = encoded("JPEG", quality=90)
PNG = encoded("PNG")


@pytest.fixture
def judged(tmp_path):
    def judged(files, **settings):
        (tmp_path / "pictures").mkdir(exist_ok=True)
        for name, data in files.items():
            (tmp_path / "pictures" / name).write_bytes(data)
        return only(audited(tmp_path, {"check": "image.integrity", "with": settings}, datasets=DATASETS))

    return judged


def test_sound_pictures_pass(judged):
    found = judged({"a.jpg": JPEG, "b.png": PNG})
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.summary == "2 pictures decoded whole"
    assert found.figures == {"pictures": 2, "frames": 2, "pixels": 8192}


def test_cut_and_damaged_pictures_fail_and_the_sound_one_does_not(judged):
    damaged = bytearray(PNG)
    damaged[len(PNG) // 2] ^= 255
    found = judged({"a.jpg": JPEG[: len(JPEG) // 2], "b.png": PNG[: len(PNG) // 2], "c.png": damaged, "d.jpg": JPEG})
    assert found.outcome is Outcome.FAIL
    assert kinds(found.violations) == [
        ("pictures/a.jpg", "truncated"),
        ("pictures/b.png", "truncated"),
        ("pictures/c.png", "corrupt"),
    ]
    assert found.violations[0].message == f"ends after {len(JPEG) // 2:,} bytes, before its picture does"
    assert found.summary == "3 of 4 pictures cannot be decoded whole"


def test_a_pointer_is_a_pointer_and_nothing_else(judged):
    found = judged({"a.jpg": POINTER, "b.jpg": b"", "c.jpg": b"<html>"})
    assert found.outcome is Outcome.FAIL
    assert [kind for _, kind in kinds(found.violations)] == ["pointer", "empty", "unknown"]


def test_a_missing_end_marker_warns_and_bytes_behind_it_are_noted(judged):
    found = judged({"a.jpg": JPEG[:-2], "b.jpg": JPEG + b"more"})
    assert found.outcome is Outcome.WARN
    assert [one.severity for one in found.violations] == [Severity.WARNING, Severity.NOTE]
    (note,) = judged({"a.jpg": JPEG}).violations
    assert (note.kind, note.subject) == ("trailing", "pictures/b.jpg")
    assert judged({"a.jpg": JPEG}).outcome is Outcome.PASS


def test_the_limit_is_the_rules_and_is_asked_anew(judged):
    assert judged({"a.jpg": JPEG}).outcome is Outcome.PASS
    found = judged({}, max_pixels=4095)
    assert kinds(found.violations) == [("pictures/a.jpg", "bomb")]
    assert (found.outcome, found.violations[0].expected, found.violations[0].found) == (Outcome.FAIL, 4095, 4096)


@pytest.mark.parametrize(("name", "data"), [("b.eps", b"%!PS-Adobe-3.0"), ("b.tga", b"\1\2\3"), ("b.jpg", b"%!PS")])
def test_a_format_that_is_not_decoded_is_no_pass_and_no_fail(judged, name, data):
    found = judged({"a.jpg": JPEG, name: data})
    assert found.outcome is Outcome.ERROR
    assert [subject for subject, _ in kinds(found.violations)] == [f"pictures/{name}"]


def test_what_cannot_be_opened_is_no_pass(judged, tmp_path):
    (tmp_path / "pictures").mkdir()
    os.mkfifo(tmp_path / "pictures" / "fifo.jpg")
    found = judged({"a.jpg": JPEG})
    assert found.outcome is Outcome.ERROR
    assert kinds(found.violations) == [("pictures/fifo.jpg", "unreadable")]


def test_a_file_that_kills_the_decoder_is_unseen_and_the_others_are_judged(judged, monkeypatch):
    killing = (
        "import sys, os; sys.path.append(sys.argv[1])\n"
        "from audit.facts.processes import each, image_decode\n"
        "def prepared(asked):\n"
        "    look = image_decode._prepared(asked)\n"
        f"    return lambda file: os.kill(os.getpid(), {int(signal.SIGSEGV)}) "
        "if os.fstat(file.fileno()).st_size == 5 else look(file)\n"
        "each.answer_each(image_decode.Question, prepared)\n"
    )
    monkeypatch.setattr(asking, "_START", killing)
    found = judged({"a.jpg": JPEG, "b.jpg": b"crash", "c.jpg": JPEG[:1000]})
    assert found.outcome is Outcome.ERROR
    assert kinds(found.violations) == [("pictures/b.jpg", "unreadable"), ("pictures/c.jpg", "truncated")]
    assert "signal 11" in found.violations[0].message


def test_without_pillow_it_cannot_look(judged, monkeypatch):
    monkeypatch.setattr(image_decode, "find_spec", lambda name: None)
    found = judged({"a.jpg": JPEG})
    assert found.outcome is Outcome.ERROR
    assert "reproaudit[image]" in (found.reason or "") + str(found.repair)


def test_no_picture_is_no_pass(judged):
    assert judged({}).outcome is Outcome.ERROR
