"""`audio.integrity` on real files."""

import io
import os
import signal

import numpy as np
import pytest
import soundfile
from support.audits import audited, kinds, only

from audit.facts.processes import ask as asking
from audit.facts.signals import audio_decode
from audit.records.words import Outcome, Severity

ADTS = (bytes.fromhex("fff16040191ffc") + b"\x21" * 193) * 10
DATASETS = {"clips": {"path": "clips/*", "kind": "audio"}}
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 48605698\n".encode()


def encoded(form, subtype="PCM_16", samples=None):
    out = io.BytesIO()
    noise = 0.1 * np.random.default_rng(0).standard_normal(16_000) if samples is None else samples
    soundfile.write(out, noise, 16_000, format=form, subtype=subtype)
    return out.getvalue()


WAV = encoded("WAV")
FLAC = encoded("FLAC")


@pytest.fixture
def judged(tmp_path):
    def judged(files):
        (tmp_path / "clips").mkdir(exist_ok=True)
        for name, data in files.items():
            (tmp_path / "clips" / name).write_bytes(data)
        return only(audited(tmp_path, {"check": "audio.integrity"}, datasets=DATASETS))

    return judged


def test_sound_clips_pass(judged):
    found = judged({"a.wav": WAV, "b.flac": FLAC})
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.summary == "2 clips decoded whole"
    assert found.figures == {"clips": 2, "frames": 32_000, "duration_s": 2}


def test_cut_and_damaged_clips_fail_and_the_sound_one_does_not(judged):
    damaged = bytearray(FLAC)
    damaged[len(FLAC) // 2] ^= 255
    found = judged({"a.wav": WAV[: len(WAV) // 2], "b.flac": FLAC[: len(FLAC) // 2], "c.flac": damaged, "d.wav": WAV})
    assert found.outcome is Outcome.FAIL
    assert kinds(found.violations) == [
        ("clips/a.wav", "truncated"),
        ("clips/b.flac", "truncated"),
        ("clips/c.flac", "corrupt"),
    ]
    assert found.summary == "3 of 4 clips cannot be decoded whole"


def test_what_holds_no_sound_is_named_once(judged):
    found = judged({"a.wav": POINTER, "b.wav": b"", "c.wav": b"<html>", "d.wav": encoded("WAV", samples=np.zeros(0))})
    assert found.outcome is Outcome.FAIL
    assert [kind for _, kind in kinds(found.violations)] == ["pointer", "empty", "foreign", "empty"]


def test_samples_that_are_no_numbers_fail(judged):
    samples = np.array([0, np.nan, 0.5], np.float32)
    found = judged({"a.wav": encoded("WAV", "FLOAT", samples)})
    assert found.outcome is Outcome.FAIL
    assert kinds(found.violations) == [("clips/a.wav", "non-finite")]


def test_a_clip_that_ends_within_a_sample_fails(judged):
    ragged = bytearray(WAV + b"\1")
    ragged[40:44] = (32_001).to_bytes(4, "little")
    found = judged({"a.wav": ragged})
    assert found.outcome is Outcome.FAIL
    assert [(one.kind, one.severity) for one in found.violations] == [("ragged", Severity.ERROR)]


def test_an_ogg_that_is_cut_between_two_pages_warns(judged):
    data = encoded("OGG", "VORBIS")
    found = judged({"a.ogg": data[: data.rindex(b"OggS")]})
    assert found.outcome is Outcome.WARN
    assert [(one.kind, one.severity) for one in found.violations] == [("unfinished", Severity.WARNING)]


@pytest.mark.parametrize(("name", "data"), [("b.aac", ADTS), ("b.txt", b"words"), ("b.wma", b"words")])
def test_a_format_that_is_not_decoded_is_no_pass_and_no_fail(judged, name, data):
    found = judged({"a.wav": WAV, name: data})
    assert found.outcome is Outcome.ERROR
    assert [subject for subject, _ in kinds(found.violations)] == [f"clips/{name}"]


def test_what_cannot_be_opened_is_no_pass(judged, tmp_path):
    (tmp_path / "clips").mkdir()
    os.mkfifo(tmp_path / "clips" / "fifo.wav")
    found = judged({"a.wav": WAV})
    assert found.outcome is Outcome.ERROR
    assert kinds(found.violations) == [("clips/fifo.wav", "unreadable")]


def test_a_file_that_kills_the_decoder_is_unseen_and_the_others_are_judged(judged, monkeypatch):
    killing = (
        "import sys, os; sys.path.append(sys.argv[1])\n"
        "from audit.facts.processes import each, audio_decode\n"
        "def prepared(asked):\n"
        "    look = audio_decode._prepared(asked)\n"
        f"    return lambda file: os.kill(os.getpid(), {int(signal.SIGSEGV)}) "
        "if os.fstat(file.fileno()).st_size == 5 else look(file)\n"
        "each.answer_each(audio_decode.Question, prepared, audio_decode._finished)\n"
    )
    monkeypatch.setattr(asking, "_START", killing)
    found = judged({"a.wav": WAV, "b.wav": b"crash", "c.wav": WAV[:1000]})
    assert found.outcome is Outcome.ERROR
    assert kinds(found.violations) == [("clips/b.wav", "unreadable"), ("clips/c.wav", "truncated")]


def test_without_soundfile_it_cannot_look(judged, monkeypatch):
    monkeypatch.setattr(audio_decode, "find_spec", lambda name: None)
    found = judged({"a.wav": WAV})
    assert found.outcome is Outcome.ERROR
    assert "reproaudit[audio]" in (found.reason or "") + str(found.repair)


def test_no_clip_is_no_pass(judged):
    assert judged({}).outcome is Outcome.ERROR
