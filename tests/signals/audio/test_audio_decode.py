"""Clips decoded whole: sound ones of every format pass, what is cut or damaged is told as what it is."""

import io
import os
import random
import shutil
import struct
import subprocess
from pathlib import Path

import msgspec
import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.signals.audio import decode as decoding
from audit.signals.audio.decode import decode, measured
from audit.signals.audio.measure import Meter, sounds

SHIPPED = sorted(one for one in Path("/usr/share/sounds").rglob("*") if one.suffix in {".wav", ".oga"})
RATE = 48_000
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 48605698\n".encode()
ADTS = (bytes.fromhex("fff16040191ffc") + b"\x21" * 193) * 10
FORMS = {
    "WAV": "PCM_16",
    "AIFF": "PCM_24",
    "AU": "PCM_16",
    "W64": "FLOAT",
    "FLAC": "PCM_16",
    "OGG": "VORBIS",
    "OPUS": "OPUS",
    "MP3": "MPEG_LAYER_III",
}


def tune(seconds=1.0, rate=RATE, channels=1):
    time = np.arange(round(seconds * rate)) / rate
    noise = np.random.default_rng(0).standard_normal((len(time), channels))
    return 0.2 * np.sin(2 * np.pi * 440 * time * (1 + time))[:, None] + 0.05 * noise


def encoded(samples, form="WAV", subtype=None, rate=RATE):
    out = io.BytesIO()
    soundfile.write(out, samples, rate, subtype=subtype or FORMS[form], format="OGG" if form == "OPUS" else form)
    return out.getvalue()


def looked(data):
    descriptor = os.memfd_create("clip")
    with io.FileIO(descriptor, "r+") as file:
        file.write(data)
        file.seek(0)
        return measured([decode(file)])[0]


def faults(data):
    return [fault.kind for fault in looked(data).faults]


@pytest.fixture(scope="module")
def clips():
    return {form: encoded(tune(), form) for form in FORMS}


@pytest.mark.parametrize("form", FORMS)
def test_a_sound_clip_is_decoded_to_its_last_sample(clips, form):
    said = looked(clips[form])
    assert said.faults == ()
    assert (said.container, said.subtype) == ("OGG" if form == "OPUS" else form, FORMS[form])
    assert (said.sample_rate_hz, said.channels, said.frames, said.claimed) == (RATE, 1, RATE, RATE)
    assert said.sound.rms == pytest.approx(0.15, abs=0.01)


@pytest.mark.parametrize("form", FORMS)
def test_half_a_clip_is_no_clip(clips, form):
    half = clips[form][: len(clips[form]) // 2]
    assert set(faults(half)) <= {"truncated", "corrupt"}
    assert faults(half)


@pytest.mark.parametrize("form", FORMS)
def test_a_clip_that_lacks_its_last_bytes_is_found(clips, form):
    assert faults(clips[form][:-4])[0] in {"truncated", "corrupt"}


@pytest.mark.parametrize("form", ["FLAC", "OGG", "OPUS"])
def test_damage_within_is_found_where_there_are_checksums(clips, form):
    damaged = bytearray(clips[form])
    damaged[len(damaged) * 2 // 3] ^= 255
    assert faults(bytes(damaged)) == ["corrupt"]


def test_the_sizes_of_a_cut_wav_are_told(clips):
    (fault,) = looked(clips["WAV"][:-1000]).faults
    assert (fault.kind, fault.expected, fault.found) == ("truncated", 96_000, 95_000)
    for form in ("AIFF", "AU", "W64"):
        (fault,) = looked(clips[form][:-1000]).faults
        assert (fault.kind, fault.expected - fault.found) == ("truncated", 1000)


def test_more_than_a_block_is_decoded_in_blocks(monkeypatch):
    long = encoded(tune(3, 8000, 2), rate=8000)
    whole = looked(long)
    monkeypatch.setattr(decoding, "BLOCK", 8192)
    blocks = looked(long)
    assert (whole.frames, blocks.frames) == (24_000, 24_000)
    assert blocks.sound.rms == pytest.approx(whole.sound.rms)
    assert blocks.sound.peak == whole.sound.peak


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "empty"),
        (bytes(10_000), "empty"),
        (POINTER, "pointer"),
        (b"<html>not found</html>", "foreign"),
        (b"\1\2\3\4", "unknown"),
        (b"\0\0\0\x20ftypM4A \0\0\0\0", "truncated"),
        (ADTS, "unsupported"),
        (b"fLaC" + bytes(100), "header"),
        (b"OggS" + bytes(24) + b"Speex   1.2", "unsupported"),
        (b"RIFF\x24\0\0\0WAVE", "header"),
    ],
)
def test_what_is_no_clip_is_named(data, kind):
    said = looked(data)
    assert [fault.kind for fault in said.faults] == [kind]
    assert said.sound is None


def test_a_clip_without_a_sample_is_empty():
    assert faults(encoded(np.zeros((0, 1)))) == ["empty"]
    assert faults(encoded(np.zeros((0, 1)), "AIFF")) == ["empty"]


def test_a_header_that_lies_allocates_nothing_of_what_it_claims():
    data = bytearray(encoded(tune(), "FLAC"))
    word = int.from_bytes(data[18:26], "big")
    data[18:26] = (word | (1 << 36) - 1).to_bytes(8, "big")  # 36 bits of samples
    said = looked(bytes(data))
    assert said.claimed == (1 << 36) - 1
    assert [fault.kind for fault in said.faults] == ["truncated"]


def test_samples_that_are_no_numbers_are_counted_and_the_others_measured():
    samples = np.full(1000, 0.5, np.float32)
    samples[10:13] = [np.nan, np.inf, -np.inf]
    said = looked(encoded(samples, subtype="FLOAT"))
    assert [(fault.kind, fault.found) for fault in said.faults] == [("non-finite", 3)]
    assert said.sound.peak == 0.5


def test_floats_are_measured_as_floats():
    sine = 0.5 * np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000)
    said = looked(encoded(sine, subtype="FLOAT", rate=16_000))
    assert said.sound.peak == pytest.approx(0.5, abs=1e-4)
    assert said.sound.rms == pytest.approx(0.5 / np.sqrt(2), rel=1e-3)


def test_a_wav_written_byte_by_byte():
    samples = struct.pack("<4h", 0, 16384, -32768, 0)
    fmt = struct.pack("<HHIIHH", 1, 2, 8000, 32_000, 4, 16)
    data = b"RIFF" + struct.pack("<I", 44) + b"WAVEfmt \x10\0\0\0" + fmt + b"data\x08\0\0\0" + samples
    said = looked(data)
    assert (said.faults, said.frames, said.channels, said.sound.peak) == ((), 2, 2, 1.0)
    assert said.sound.dc == -0.5


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_sounds_are_whole(path):
    said = looked(path.read_bytes())
    assert said.faults == ()
    assert said.frames == said.claimed


@pytest.mark.parametrize(
    ("tool", "command"),
    [
        ("flac", ["flac", "-s", "-f", "-o", "OUT", "IN"]),
        ("lame", ["lame", "--quiet", "IN", "OUT"]),
        ("oggenc", ["oggenc", "-Q", "-o", "OUT", "IN"]),
        ("opusenc", ["opusenc", "--quiet", "IN", "OUT"]),
    ],
)
def test_what_the_tools_write_is_whole_and_half_of_it_is_not(tmp_path, clips, tool, command):
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    (tmp_path / "in.wav").write_bytes(clips["WAV"])
    names = {"IN": str(tmp_path / "in.wav"), "OUT": str(tmp_path / "out")}
    subprocess.run([names.get(word, word) for word in command], check=True, capture_output=True)
    data = (tmp_path / "out").read_bytes()
    assert faults(data) == []
    assert faults(data[: len(data) // 2])[0] in {"truncated", "corrupt"}


@given(st.binary(max_size=300))
def test_any_bytes_have_an_answer(data):
    looked(data)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(FORMS)), st.randoms(use_true_random=False))
def test_mutated_clips_have_an_answer(form, chance: random.Random):
    data = bytearray(SHORT[form])
    for _ in range(chance.randint(1, 8)):
        data[chance.randrange(min(len(data), 200 if chance.random() < 0.7 else len(data)))] = chance.randrange(256)
    said = looked(bytes(data[: chance.randint(1, len(data))]))
    assert said.frames or said.faults


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([1, 7, 100, 799, 8000, 655_350, 2**31 - 1]), st.integers(1, 9), st.integers(0, 5000))
def test_any_rate_and_any_length_can_be_measured(rate, channels, frames):
    meter = Meter(rate, channels)
    block = np.random.default_rng(frames).standard_normal((frames, channels)).astype(np.float32)
    if frames:
        meter.take(block)
    (sound,) = sounds([meter])
    assert (sound is None) == (not frames)
    numbers = [one for one in msgspec.to_builtins(sound).values() if isinstance(one, float)] if sound else []
    assert np.isfinite(numbers).all()


SHORT = {form: encoded(tune(0.1), form) for form in FORMS}
