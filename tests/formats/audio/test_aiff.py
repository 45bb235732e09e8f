"""Headers of AIFF and AIFF-C files, written byte by byte."""

import struct

import pytest
from support.clips import faults, read, told

from audit.records.signals import Length

RATE_16K = bytes.fromhex("400cfa00000000000000")
RATE_44K = bytes.fromhex("400eac44000000000000")


def chunk(name, body):
    return name + struct.pack(">I", len(body)) + body + b"\0" * (len(body) % 2)


def common(frames, *, channels=1, bits=16, rate=RATE_16K, codec=b""):
    return chunk(b"COMM", struct.pack(">HIH", channels, frames, bits) + rate + (codec + b"\0\0" if codec else b""))


def sound(data, offset=0):
    return chunk(b"SSND", struct.pack(">II", offset, 0) + b"\0" * offset + data)


def form(*chunks, kind=b"AIFF"):
    body = kind + b"".join(chunks)
    return b"FORM" + struct.pack(">I", len(body)) + body


def test_the_plain_file():
    data = form(common(100), sound(bytes(200)))
    assert told(data) == ("AIFF", "PCM_16", 16000, 1, 16, 100)
    assert (read(data).length, read(data).faults) == (Length.EXACT, ())


@pytest.mark.parametrize(
    ("codec", "bits", "width", "expected"),
    [
        (b"sowt", 16, 2, ("PCM_16", 16)),
        (b"NONE", 8, 1, ("PCM_S8", 8)),
        (b"twos", 24, 3, ("PCM_24", 24)),
        (b"in32", 16, 4, ("PCM_32", 32)),
        (b"raw ", 8, 1, ("PCM_U8", 8)),
        (b"fl32", 32, 4, ("FLOAT", 32)),
        (b"FL64", 64, 8, ("DOUBLE", 64)),
        (b"ulaw", 16, 1, ("ULAW", None)),
        (b"ALAW", 16, 1, ("ALAW", None)),
    ],
)
def test_codecs(codec, bits, width, expected):
    data = form(common(50, channels=2, bits=bits, rate=RATE_44K, codec=codec), sound(bytes(100 * width)), kind=b"AIFC")
    assert told(data) == ("AIFF", expected[0], 44100, 2, expected[1], 50)
    assert faults(data) == []


def test_packets_of_ima_hold_64_samples():
    data = form(common(10, channels=2, codec=b"ima4"), sound(bytes(680)), kind=b"AIFC")
    assert told(data)[1:] == ("IMA_ADPCM", 16000, 2, None, 640)
    assert read(data).length is Length.DECLARED


def test_chunks_stand_in_any_order_and_odd_ones_are_padded():
    data = form(chunk(b"NAME", b"abc"), sound(bytes(200), offset=6), chunk(b"APPL", bytes(9001)), common(100))
    assert told(data)[-1] == 100
    assert faults(data) == []


def test_a_cut_file_says_how_much_is_missing():
    found = read(form(common(100), sound(bytes(200)))[:-50])
    assert [(one.kind, one.expected, one.found) for one in found.faults] == [("truncated", 200, 150)]
    assert found.frames == 75


def test_what_stands_before_the_sound_in_its_chunk_is_no_sound():
    assert faults(form(common(100), sound(bytes(200), offset=6))[:-3]) == ["truncated"]


def test_a_number_of_frames_that_is_not_there_is_told_and_not_believed():
    found = read(form(common(1000), sound(bytes(200))))
    assert [(one.kind, one.expected, one.found) for one in found.faults] == [("length", 1000, 100)]
    assert found.frames == 100


def test_no_sound():
    assert faults(form(common(0))) == ["empty"]
    assert faults(form(common(0), sound(b""))) == ["empty"]
    assert faults(form(common(9))) == ["truncated"]
    assert faults(form(sound(b"12"))) == ["truncated"]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (form(common(1, channels=0), sound(b"12")), "header"),
        (form(common(1, bits=40), sound(b"12345")), "header"),
        (form(common(1, rate=bytes(10)), sound(b"12")), "unsupported"),
        (form(common(1, rate=b"\x7f\xff" + bytes(8)), sound(b"12")), "unsupported"),
        (form(common(1), sound(b"12"), kind=b"ILBM"), "header"),
        (form(chunk(b"COMM", b"123"), sound(b"12")), "header"),
    ],
)
def test_a_header_that_makes_no_sense(data, kind):
    assert faults(data) == [kind]
    assert read(data).format is None
