"""Headers of Ogg files, written byte by byte, by libsndfile, and by the tools of Xiph."""

import io
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile
from support.clips import faults, read, told

from audit.records.signals import Length

NOWHERE = (1 << 64) - 1
VORBIS = b"\x01vorbis" + struct.pack("<IBIIIIBB", 0, 2, 44100, 0, 0, 0, 0xB8, 1)
OPUS = b"OpusHead" + struct.pack("<BBHIhB", 1, 1, 312, 16000, 0, 0)
SPEEX = b"Speex   " + bytes(28) + struct.pack("<IIIII", 16000, 1, 4, 1, 0) + bytes(24)
THEORA = b"\x80theora" + bytes(35)


def page(packet, position=0, flags=0, stream=7):
    lacing = b"\xff" * (len(packet) // 255) + bytes([len(packet) % 255])
    return struct.pack("<4sBBQIIIB", b"OggS", 0, flags, position, stream, 0, 0, len(lacing)) + lacing + packet


def ogg(first, position=1000, last=4):
    return page(first, flags=2) + page(b"comments") + page(bytes(900), position // 2) + page(bytes(50), position, last)


def test_vorbis():
    assert told(ogg(VORBIS)) == ("OGG", "VORBIS", 44100, 2, None, 1000)
    assert (read(ogg(VORBIS)).length, faults(ogg(VORBIS))) == (Length.DECLARED, [])


def test_opus_puts_out_48_khz_and_skips_what_is_no_sound():
    assert told(ogg(OPUS, 48312)) == ("OGG", "OPUS", 48000, 1, None, 48000)


def test_speex():
    assert told(ogg(SPEEX)) == ("OGG", "SPEEX", 16000, 1, None, 1000)


def test_a_page_on_which_nothing_ends_does_not_tell_the_length():
    data = ogg(VORBIS, last=0) + page(bytes(50), NOWHERE, 4)
    assert (read(data).frames, faults(data)) == (1000, [])


def test_sound_beside_pictures():
    both = page(THEORA, flags=2, stream=3) + page(VORBIS, flags=2) + page(bytes(9), 800, 4) + page(b"", 9, 4, stream=3)
    assert (read(both).frames, faults(both)) == (800, [])
    assert faults(page(THEORA, flags=2) + page(b"", 9, 4)) == ["unsupported"]


def test_a_cut_within_a_page():
    found = read(ogg(VORBIS)[:-10])
    assert [fault.kind for fault in found.faults] == ["truncated"]
    assert "10 bytes of its last page" in found.faults[0].what
    assert found.frames == 500


def test_a_cut_within_the_head_of_a_page():
    assert faults(ogg(VORBIS)[:-70]) == ["truncated"]


def test_a_cut_between_pages_is_a_doubt():
    assert faults(ogg(VORBIS, last=0)) == ["unfinished"]
    assert faults(page(VORBIS, flags=2) + page(b"comments")) == ["truncated"]


def test_zeros_where_pages_should_be_are_no_sound():
    assert faults(ogg(VORBIS) + bytes(200_000)) == ["truncated"]


def test_streams_one_behind_the_other_have_no_length_of_one():
    found = read(ogg(VORBIS) + ogg(VORBIS).replace(struct.pack("<I", 7), struct.pack("<I", 8)))
    assert [fault.kind for fault in found.faults] == ["chained"]
    assert found.frames is None


def test_no_sound():
    assert faults(ogg(VORBIS, 0)) == ["empty"]
    assert faults(page(VORBIS[:12], flags=2)) == ["truncated"]
    assert faults(page(b"\x01vorbis" + bytes(23), flags=2)) == ["header"]


def test_pages_of_the_largest_size():
    large = page(bytes(255 * 254 + 1), 77, 4)
    assert read(page(VORBIS, flags=2) + large).frames == 77


@pytest.mark.parametrize("subtype", ["VORBIS", "OPUS"])
def test_a_real_file_cut_anywhere_is_not_whole(subtype):
    file = io.BytesIO()
    soundfile.write(file, np.random.default_rng(1).normal(0, 0.1, 40_000), 16000, format="OGG", subtype=subtype)
    data = file.getvalue()
    assert faults(data) == []
    for kept in (5, 30, 100, len(data) // 2, len(data) - 1):
        assert faults(data[:kept]), kept


@pytest.mark.parametrize(
    "path", sorted(Path("/usr/share/sounds/freedesktop/stereo").glob("*.oga")), ids=lambda one: one.stem
)
def test_sounds_of_freedesktop(path):
    said, found = soundfile.info(path), read(path.read_bytes())
    assert (found.frames, found.format.sample_rate_hz, found.faults) == (said.frames, said.samplerate, ())


@pytest.mark.parametrize(
    ("tool", "command", "expected"),
    [
        ("oggenc", ["-q3", "--resample", "22050", "a.wav", "-o", "out"], ("OGG", "VORBIS", 22050, 1, None)),
        ("opusenc", ["a.wav", "out"], ("OGG", "OPUS", 48000, 1, None)),
        ("flac", ["--ogg", "-o", "out", "a.wav"], ("OGG", "PCM_16", 16000, 1, 16)),
    ],
)
def test_what_the_tools_of_xiph_write(tmp_path, tool, command, expected):
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    soundfile.write(tmp_path / "a.wav", np.random.default_rng(1).normal(0, 0.1, 32_000), 16000)
    subprocess.run([tool, *command], cwd=tmp_path, check=True, capture_output=True)
    data = (tmp_path / "out").read_bytes()
    *form, frames = told(data)
    assert (tuple(form), faults(data)) == (expected, [])
    assert frames / expected[2] == pytest.approx(2, abs=0.0001)
