"""Headers of FLAC files: written byte by byte, by libsndfile, and cut."""

import io

import numpy as np
import pytest
import soundfile
from support.clips import faults, read, told

from audit.records.signals import Length


def stream_info(rate=16000, channels=1, bits=16, frames=100, *, block=4096):
    packed = rate << 44 | channels - 1 << 41 | bits - 1 << 36 | frames
    return block.to_bytes(2, "big") * 2 + bytes(6) + packed.to_bytes(8, "big") + bytes(16)


def flac(info, more=b"", length=34):
    return b"fLaC\x80" + length.to_bytes(3, "big") + info + more


@pytest.fixture(scope="module")
def noise():
    file = io.BytesIO()
    soundfile.write(file, np.random.default_rng(1).normal(0, 0.1, 100_000), 16000, format="FLAC")
    return file.getvalue()


def test_what_the_first_block_says():
    data = flac(stream_info(44100, 2, 24, 12345))
    assert told(data) == ("FLAC", "PCM_24", 44100, 2, 24, 12345)
    assert (read(data).length, read(data).faults) == (Length.DECLARED, ())


@pytest.mark.parametrize(("bits", "subtype"), [(8, "PCM_S8"), (12, "PCM_16"), (20, "PCM_24"), (32, "PCM_32")])
def test_bits(bits, subtype):
    assert told(flac(stream_info(bits=bits)))[1::3] == (subtype, bits)


def test_tags_may_stand_in_front(noise):
    assert read(b"ID3\4\0\0\0\0\x4e\x20" + bytes(10_016) + noise) == read(noise)


def test_a_file_cut_short_says_where_its_last_frame_ends(noise):
    assert faults(noise) == []
    found = read(noise[: len(noise) // 2])
    (fault,) = found.faults
    assert (fault.kind, fault.expected, fault.found) == ("truncated", 100_000, found.frames)
    assert 50_000 < found.frames < 57_000
    assert found.frames % 4096 == 0


def head(number, *, block=12, rate=9, depth=4, more=b""):
    """The head of a frame, with its CRC: a number below 128, codes for its size, rate and depth."""
    data = bytes([0xFF, 0xF8, block << 4 | rate, depth << 1, number]) + more
    crc = 0
    for bit in "".join(f"{byte:08b}" for byte in data + b"\0"):
        crc = crc << 1 | int(bit)
        crc ^= 0x107 if crc & 0x100 else 0
    return data + bytes([crc])


@pytest.mark.parametrize(
    ("frame", "end"),
    [
        (head(3), 4 * 4096),
        (head(3, rate=12, more=b"\x10"), 4 * 4096),
        (head(3, rate=13, more=b"\x3e\x80"), 4 * 4096),
        (head(3, block=6, more=b"\x63"), 3 * 4096 + 100),
        (head(3, block=7, rate=14, more=b"\x01\xff\x06\x40"), 3 * 4096 + 512),
        (head(3, block=1), 3 * 4096 + 192),
    ],
)
def test_heads_of_frames(frame, end):
    data = flac(stream_info(frames=end + 1), frame + bytes(50))
    assert (read(data).frames, faults(data)) == (end, ["truncated"])
    assert faults(flac(stream_info(frames=end), frame + bytes(50))) == []


@pytest.mark.parametrize(
    "wrong", [head(3)[:-1] + b"\0", head(3, rate=15), head(3, block=0), head(3, depth=6), head(3, depth=11 << 3)]
)
def test_what_is_no_head_of_a_frame(wrong):
    assert faults(flac(stream_info(frames=99_999), wrong + bytes(50))) == []


def test_zeros_where_sound_should_be_are_no_sound(noise):
    found = read(noise[:50_000] + bytes(len(noise) - 50_000))
    assert ([fault.kind for fault in found.faults], found.frames) == (["truncated"], 0)


def test_a_tag_behind_the_sound_is_no_cut(noise):
    assert faults(noise + b"TAG" + bytes(125)) == []


def test_a_length_that_is_not_declared_is_counted(noise):
    place = 8 + 13
    packed = int.from_bytes(noise[place : place + 5], "big") >> 36 << 36
    data = noise[:place] + packed.to_bytes(5, "big") + noise[place + 5 :]
    assert (read(data).frames, read(data).length, faults(data)) == (100_000, Length.EXACT, [])


def test_what_is_wrong_is_said():
    assert faults(flac(stream_info(rate=0))) == ["header"]
    assert faults(flac(stream_info(), length=33)) == ["header"]
    assert faults(b"fLaC\x84" + bytes(50)) == ["header"]
    assert faults(flac(stream_info())[:40]) == ["truncated"]


@pytest.mark.parametrize("block", [192, 4608, 8192])
@pytest.mark.parametrize("channels", [1, 2])
def test_the_last_frame_is_found_whatever_is_in_the_stream(block, channels):
    for seed in range(5):
        file = io.BytesIO()
        sound = np.random.default_rng(seed).normal(0, 0.3, (3 * block + seed, channels))
        soundfile.write(file, sound, 48000, format="FLAC", subtype=("PCM_16", "PCM_24")[seed % 2])
        assert (read(file.getvalue()).frames, faults(file.getvalue())) == (len(sound), [])


def test_blocks_of_many_sizes_are_not_reckoned_with(noise):
    data = noise[:8] + b"\x01\0" + noise[10:]
    assert (read(data[: len(data) // 2]).frames, faults(data)) == (100_000, [])
