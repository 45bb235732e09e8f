"""Headers of MPEG audio, written byte by byte, by libsndfile, and by LAME."""

import io
import shutil
import struct
import subprocess

import numpy as np
import pytest
import soundfile
from support.clips import faults, read, told
from tinytag import TinyTag

from audit.formats.audio.mpeg import mpeg
from audit.records.signals import Length

WORD = bytes.fromhex("fff348c0")
"""MPEG-2, layer III, 32 kbit/s, 16 kHz, mono: 144 bytes."""


def frame(word, body=b""):
    return word + body.ljust(mpeg(word).size - 4, b"\x55")


def sound(count, word=WORD):
    return frame(word) * count


def xing(frames, length, *, name=b"Xing", silent=(576, 1000), encoder=b"LAME3.100"):
    tag = name + struct.pack(">III", 3, frames, length)
    lame = encoder.ljust(21, b"\0") + (silent[0] << 12 | silent[1]).to_bytes(3, "big")
    return frame(WORD, bytes(9) + tag + lame)


def vbri(frames, length):
    return frame(WORD, bytes(32) + struct.pack(">4sHHHII", b"VBRI", 1, 0, 0, length, frames))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("fffb90c0", (1, 3, 44100, 1, 417, 1152)),
        ("fffb9200", (1, 3, 44100, 2, 418, 1152)),
        ("fff348c0", (2, 3, 16000, 1, 144, 576)),
        ("ffe348c0", (2, 3, 8000, 1, 288, 576)),
        ("fffd8400", (1, 2, 48000, 2, 384, 1152)),
        ("ffff8400", (1, 1, 48000, 2, 256, 384)),
        ("fffb00c0", (1, 3, 44100, 1, 0, 1152)),
    ],
)
def test_headers_of_frames(word, expected):
    assert mpeg(bytes.fromhex(word)) == expected


@pytest.mark.parametrize("word", ["fffa", "00000000", "fff948c0", "ffeb48c0", "fffbf0c0", "fffb9cc0", "fffb90c2"])
def test_no_headers_of_frames(word):
    assert mpeg(bytes.fromhex(word)) is None


def test_frames_are_counted():
    data = sound(100)
    assert told(data) == ("MP3", "MPEG_LAYER_III", 16000, 1, None, 57_600)
    assert (read(data).length, faults(data)) == (Length.EXACT, [])


def test_frames_of_many_sizes_are_counted():
    assert read((sound(1) + sound(1, bytes.fromhex("fff388c0"))) * 50).frames == 57_600


@pytest.mark.parametrize("word", ["fffd84c0", "ffff84c0", "ffe348c0"])
def test_layers_and_versions(word):
    found = mpeg(bytes.fromhex(word))
    assert told(sound(10, bytes.fromhex(word)))[1:] == (
        f"MPEG_LAYER_{'I' * found.layer}",
        found.rate,
        1,
        None,
        10 * found.samples,
    )


@pytest.mark.parametrize("name", [b"Xing", b"Info"])
def test_the_tag_tells_the_length_without_what_the_encoder_added(name):
    data = xing(100, len(sound(101)), name=name) + sound(100)
    assert (read(data).frames, read(data).length, faults(data)) == (57_600 - 1576, Length.DECLARED, [])


def test_another_encoder_tells_nothing_of_what_it_added():
    assert read(xing(100, len(sound(101)), encoder=b"") + sound(100)).frames == 57_600


def test_what_the_encoder_added_is_no_sound():
    assert faults(xing(2, len(sound(3)), silent=(576, 576)) + sound(2)) == ["empty"]


def test_the_tag_of_fraunhofer():
    data = vbri(100, len(sound(101))) + sound(100)
    assert (read(data).frames, read(data).length, faults(data)) == (57_600, Length.DECLARED, [])


def test_a_tag_tells_that_bytes_are_missing():
    found = read((xing(100, len(sound(101))) + sound(100))[:-300])
    assert [(one.kind, one.expected, one.found) for one in found.faults] == [
        ("truncated", len(sound(101)), len(sound(101)) - 300)
    ]


def test_the_last_frame_tells_that_it_is_cut():
    assert faults(sound(100)[:-1]) == ["truncated"]


def test_files_joined_are_counted_and_told():
    one = xing(100, len(sound(101))) + sound(100)
    found = read(one + one)
    assert [fault.kind for fault in found.faults] == ["length"]
    assert found.frames == 201 * 576


def test_tags_before_and_behind_are_no_sound():
    before = b"ID3\4\0\0\0\0\x4e\x20" + bytes(10_016)
    ape = b"APETAGEX" + struct.pack("<IIII", 2000, 32, 0, 0) + bytes(8)
    behind = bytes(1968) + ape + b"TAG" + bytes(125)
    lyrics = b"LYRICSBEGIN" + b"x" * 40 + b"000051LYRICS200"
    for data in (before + sound(50), sound(50) + behind, before + sound(50) + lyrics + behind, before * 2 + sound(50)):
        assert (read(data).frames, faults(data)) == (28_800, [])


def test_what_is_no_sound_among_frames_is_told():
    data = sound(50) + b"\x01" * 500 + sound(50)
    assert (read(data).frames, faults(data)) == (57_600, ["damaged"])
    assert read(bytes(300) + sound(50)).frames == 28_800


def test_one_frame_alone_is_an_accident():
    assert read(b"\1" + WORD + b"\1" * 30 + sound(50)).frames == 28_800


def test_a_long_file_is_estimated_by_its_beginning():
    found = read(sound(120_000))
    assert found.length is Length.ESTIMATED
    assert found.frames == pytest.approx(120_000 * 576, rel=0.001)


def test_one_frame():
    assert read(sound(1)).frames == 576


@pytest.mark.parametrize(
    "data", [b"\xff\xfe" + "name,text\n".encode("utf-16-le") * 50, b"\xff" * 9000, b"\xff\xf3\x48\xc0" * 3000]
)
def test_what_looks_like_it_is_not(data):
    assert faults(data) in (["unknown"], ["damaged"], ["truncated"])


def test_tags_alone_are_no_sound():
    assert faults(b"ID3\4\0\0\0\0\x4e\x20" + bytes(10_000)) == ["truncated"]


@pytest.mark.parametrize(
    "options",
    [
        ["-b", "64"],
        ["-V", "4"],
        ["--abr", "80"],
        ["-V", "4", "-t"],
        ["-b", "64", "-t"],
        ["--resample", "11.025"],
        ["--resample", "44.1", "-V", "2"],
        ["--freeformat", "-b", "64"],
        ["-V", "4", "--add-id3v2", "--tt", "title", "--tc", "comment"],
    ],
    ids=" ".join,
)
def test_what_lame_writes(tmp_path, options):
    if not shutil.which("lame"):
        pytest.skip("lame is not installed")
    soundfile.write(tmp_path / "a.wav", np.random.default_rng(1).normal(0, 0.1, 32_000), 16000)
    subprocess.run(["lame", *options, "a.wav", "a.mp3"], cwd=tmp_path, check=True, capture_output=True)
    found = read((tmp_path / "a.mp3").read_bytes())
    seconds = found.frames / found.format.sample_rate_hz
    assert found.faults == ()
    if found.length is Length.DECLARED:
        assert seconds == pytest.approx(2, abs=0.0001)
    else:
        assert seconds == pytest.approx(TinyTag.get(tmp_path / "a.mp3").duration)


def test_a_real_file_cut_anywhere_is_not_whole():
    file = io.BytesIO()
    soundfile.write(file, np.random.default_rng(1).normal(0, 0.1, 40_000), 16000, format="MP3")
    data = file.getvalue()
    assert faults(data) == []
    for kept in (2, 50, 500, len(data) // 2, len(data) - 1):
        assert faults(data[:kept]), kept
