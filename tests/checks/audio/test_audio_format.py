"""`audio.format` on real files."""

import struct

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st
from support.audits import audited, kinds, only
from support.judging import figures, violations

from audit.checks.audio._format_shown import shown
from audit.checks.audio.format import Format
from audit.records.audio import AudioFormat, Clip, Clips, Header
from audit.records.signals import Length
from audit.records.words import Outcome, Severity
from audit.sinks.html.shapes import Histogram

DATASETS = {"clips": {"path": "clips/*.wav"}}


@pytest.fixture
def clip(tmp_path):
    def clip(name, *, rate=16000, subtype="PCM_16", seconds=0.1, folder="clips"):
        (tmp_path / folder).mkdir(exist_ok=True)
        sound = np.zeros(round(rate * seconds))
        soundfile.write(tmp_path / folder / name, sound, rate, subtype=subtype, format="WAV")

    return clip


def judged(root, datasets=DATASETS, **settings):
    return only(audited(root, {"check": "audio.format", "with": settings}, datasets=datasets))


def test_clips_as_declared_pass(clip, tmp_path):
    clip("a.wav")
    clip("b.wav")
    found = judged(tmp_path, sample_rate_hz=16000, channels=1, subtype="PCM_16", bits=16, container="WAV")
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.summary == "2 clips as declared, in 1 format"
    assert found.figures["duration_s"] == 0.2


def test_one_clip_of_8_khz_is_named(clip, tmp_path):
    for number in range(9):
        clip(f"{number}.wav")
    clip("old.wav", rate=8000)
    found = judged(tmp_path, sample_rate_hz=16000)
    (one,) = found.violations
    assert (found.outcome, one.subject, one.kind) == (Outcome.FAIL, "clips/old.wav", "rate")
    assert (one.message, one.expected, one.found) == ("sample rate 8000 Hz, not 16000 Hz", 16000, 8000)


def test_undeclared_the_minority_is_named(clip, tmp_path):
    for number in range(9):
        clip(f"{number}.wav")
    clip("old.wav", rate=8000)
    found = judged(tmp_path)
    (one,) = found.violations
    assert (one.subject, one.kind) == ("clips/old.wav", "minority")
    assert one.message == "sample rate 8000 Hz, unlike 9 of 10 clips with 16000 Hz"
    assert judged(tmp_path, uniform=False).outcome is Outcome.PASS
    assert judged(tmp_path, sample_rate_hz=[8000, 16000]).outcome is Outcome.PASS


def test_another_sample_format_is_a_warning(clip, tmp_path):
    for name in "ab":
        clip(f"{name}.wav")
    clip("c.wav", subtype="PCM_24")
    found = judged(tmp_path)
    assert found.outcome is Outcome.WARN
    assert [(one.subject, one.severity) for one in found.violations] == [("clips/c.wav", Severity.WARNING)]


def test_floats_are_not_pcm_16(clip, tmp_path):
    clip("float.wav", subtype="FLOAT")
    found = judged(tmp_path, subtype="PCM_16", bits=16)
    assert [(one.kind, one.found) for one in found.violations] == [("bits", 32), ("subtype", "FLOAT")]


def test_an_extensible_header_of_24_bits_passes(tmp_path):
    (tmp_path / "clips").mkdir()
    file = tmp_path / "clips" / "a.wav"
    soundfile.write(file, np.zeros((96, 2)), 96000, format="WAVEX", subtype="PCM_24")
    found = judged(tmp_path, sample_rate_hz=96000, channels=2, subtype="PCM_24", bits=24, min_duration_s=0.001)
    assert (found.outcome, found.violations) == (Outcome.PASS, ())


def test_durations(clip, tmp_path):
    clip("a.wav", seconds=0.1)
    clip("b.wav", seconds=2)
    found = judged(tmp_path, min_duration_s=0.5, max_duration_s=1)
    assert kinds(found.violations) == [("clips/a.wav", "duration"), ("clips/b.wav", "duration")]
    assert [one.found for one in found.violations] == [0.1, 2.0]


def test_validation_stored_as_training_is(clip, tmp_path):
    clip("a.wav", folder="train")
    clip("a.wav", folder="val", rate=8000)
    datasets = {name: {"path": name, "kind": "audio"} for name in ("train", "val")}
    found = judged(tmp_path, datasets, dataset="val", same_as="train")
    (one,) = found.violations
    assert (one.subject, one.kind) == ("val/a.wav", "unlike")
    assert one.message == "sample rate 8000 Hz, which no clip of train has: 16000 Hz"
    assert judged(tmp_path, datasets, dataset="train", same_as="train").outcome is Outcome.PASS


@pytest.mark.parametrize("known", [False, True])
def test_nothing_passes_or_fails_by_a_dataset_that_is_not_known(clip, tmp_path, known):
    (tmp_path / "train").mkdir()
    soundfile.write(tmp_path / "train" / "b.wav", np.zeros(1600), 16000, format="AU")
    if known:
        clip("a.wav", folder="train", rate=8000)
    clip("a.wav", folder="val")
    datasets = {name: {"path": name, "kind": "audio"} for name in ("train", "val")}
    found = judged(tmp_path, datasets, dataset="val", same_as="train")
    assert found.outcome is Outcome.ERROR
    assert kinds(found.violations) == [("train/b.wav", "reference")]


def test_a_cut_clip_fails(clip, tmp_path):
    clip("a.wav")
    file = tmp_path / "clips" / "a.wav"
    file.write_bytes(file.read_bytes()[:-100])
    found = judged(tmp_path)
    assert kinds(found.violations) == [("clips/a.wav", "truncated")]
    assert (found.violations[0].expected, found.violations[0].found) == (3200, 3100)


def test_what_is_not_read_is_no_pass(clip, tmp_path):
    clip("a.wav")
    soundfile.write(tmp_path / "clips" / "b.wav", np.zeros(1600), 16000, format="AU")
    found = judged(tmp_path)
    assert found.outcome is Outcome.ERROR
    assert kinds(found.violations) == [("clips/b.wav", "unknown")]


def test_a_length_that_is_not_said_is_no_pass(clip, tmp_path):
    clip("a.wav", subtype="G721_32", rate=8000)
    file = tmp_path / "clips" / "a.wav"
    file.write_bytes(file.read_bytes().replace(b"fact", b"junk").replace(b"\x40\0\1\0", b"\x45\0\1\0"))
    assert judged(tmp_path).outcome is Outcome.PASS
    assert judged(tmp_path, max_duration_s=1).outcome is Outcome.ERROR


def test_no_clip_is_no_pass(tmp_path):
    assert judged(tmp_path).outcome is Outcome.ERROR


def encode(name, sound, rate=16000, **how):
    soundfile.write(name, sound, rate, **how)


def test_a_compressed_clip_is_judged_as_any_other(clip, tmp_path):
    (tmp_path / "clips").mkdir()
    for name, rate in ("a.flac", 16000), ("b.ogg", 8000), ("c.mp3", 16000):
        encode(tmp_path / "clips" / name, np.zeros(16000), rate)
    datasets = {"clips": {"path": "clips/*", "kind": "audio"}}
    found = judged(tmp_path, datasets, sample_rate_hz=16000, subtype="PCM_16", max_duration_s=1.5)
    assert kinds(found.violations) == [
        ("clips/b.ogg", "duration"),
        ("clips/b.ogg", "rate"),
        ("clips/b.ogg", "subtype"),
        ("clips/c.mp3", "subtype"),
    ]


def test_a_lossy_clip_has_no_bits(tmp_path):
    (tmp_path / "clips").mkdir()
    encode(tmp_path / "clips" / "a.mp3", np.zeros(16000))
    (one,) = judged(tmp_path, {"clips": {"path": "clips/*", "kind": "audio"}}, bits=16).violations
    assert (one.kind, one.message, one.found) == ("bits", "bit depth none, not 16", None)


def test_a_name_that_lies_is_a_warning(clip, tmp_path):
    clip("a.wav")
    clip("b.MP3")
    clip("c.sound")
    found = judged(tmp_path, {"clips": {"path": "clips/*", "kind": "audio"}})
    (one,) = found.violations
    assert (found.outcome, one.subject, one.kind) == (Outcome.WARN, "clips/b.MP3", "suffix")
    assert (one.message, one.expected, one.found) == ("is WAV, though it is named as MP3", "MP3", "WAV")


def test_24_bits_in_32_are_no_fault(tmp_path):
    (tmp_path / "clips").mkdir()
    guid = bytes.fromhex("0100000000001000800000aa00389b71")
    described = struct.pack("<HHIIHHHHI", 0xFFFE, 2, 48000, 384000, 8, 32, 22, 24, 3) + guid
    body = b"WAVEfmt " + struct.pack("<I", 40) + described + b"data" + struct.pack("<I", 800) + bytes(800)
    (tmp_path / "clips" / "a.wav").write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)
    found = judged(tmp_path, bits=24, subtype="PCM_32", sample_rate_hz=48000, channels=2)
    assert (found.outcome, found.violations) == (Outcome.PASS, ())


def test_what_is_no_sound_at_all_fails(tmp_path):
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips" / "a.wav").write_bytes(b"<!DOCTYPE html><html><body>404</body></html>")
    found = judged(tmp_path)
    assert found.outcome is Outcome.FAIL
    assert kinds(found.violations) == [("clips/a.wav", "foreign")]


def test_a_pointer_of_git_lfs_fails_and_says_how_to_fetch_it(tmp_path):
    (tmp_path / "clips").mkdir()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 48605698\n"
    (tmp_path / "clips" / "a.wav").write_text(pointer)
    (one,) = judged(tmp_path).violations
    assert (one.kind, one.severity, one.repair) == ("pointer", Severity.ERROR, "git lfs pull")


def test_an_estimate_is_told_as_one():
    form = AudioFormat(container="MP3", subtype="MPEG_LAYER_III", sample_rate_hz=16000, channels=1)
    header = Header(format=form, frames=16000 * 90, length=Length.ESTIMATED)
    clips = Clips(clips=(Clip(path="a.mp3", location="/a.mp3", size=1, header=header),))
    found = list(Format(dataset="clips", max_duration_s=60).evaluate(clips))
    assert [one.message for one in violations(found)] == ["about 90.000 s long, longer than 60 s"]
    assert figures(found)["estimated"] == 1


def test_a_doubt_is_a_warning(tmp_path):
    (tmp_path / "clips").mkdir()
    file = tmp_path / "clips" / "a.ogg"
    encode(file, np.random.default_rng(1).normal(0, 0.1, 200_000))
    data = file.read_bytes()
    file.write_bytes(data[: data.rindex(b"OggS")])
    found = judged(tmp_path, {"clips": {"path": "clips/*", "kind": "audio"}})
    assert (found.outcome, kinds(found.violations)) == (Outcome.WARN, [("clips/a.ogg", "unfinished")])


def test_how_long_clips_are_is_measured_and_drawn(clip, tmp_path):
    for number, seconds in enumerate((0.1, 0.5, 2, 2)):
        clip(f"{number}.wav", seconds=seconds)
    found = judged(tmp_path)
    assert found.figures == {"clips": 4, "duration_s": 4.6, "shortest_s": 0.1, "longest_s": 2.0}
    drawn = {one.title: one.data for one in found.exhibits}
    assert drawn["Clips by sample rate"] == {"labels": ["16000 Hz"], "values": [4]}
    durations = drawn["Clips by duration"]
    assert (durations["edges"][0], durations["edges"][1], durations["edges"][-1]) == (0.1, 0.2, 2.1)
    assert (sum(durations["counts"]), durations["counts"][0], durations["counts"][-1]) == (4, 1, 2)


@given(st.lists(st.integers(0, 10**13), min_size=1, max_size=30))
def test_any_durations_can_be_drawn(lengths):
    form = AudioFormat(container="WAV", subtype="PCM_16", sample_rate_hz=1_000_000, channels=1)
    clips = [Clip(path="a", location="/a", size=0, header=Header(format=form, frames=frames)) for frames in lengths]
    drawn = Histogram(**next(one.data for one in shown(clips) if one.type == "histogram"))
    assert sum(drawn.counts) == len(lengths)
    assert len(drawn.counts) <= 22
