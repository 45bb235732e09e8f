"""Headers of Wave64 files, written byte by byte."""

import struct

from support.clips import faults, read, told

TAIL = bytes.fromhex("f3acd3118cd100c04f8edb8a")
RIFF = bytes.fromhex("726966662e91cf11a5d628db04c10000")
PCM = struct.pack("<HHIIHH", 1, 1, 16000, 32000, 2, 16)


def chunk(name, body, size=None):
    length = 24 + (len(body) if size is None else size)
    return name + TAIL + struct.pack("<Q", length) + body + bytes(-len(body) % 8)


def w64(*chunks):
    body = b"wave" + TAIL + b"".join(chunks)
    return RIFF + struct.pack("<Q", 24 + len(body)) + body


def test_the_plain_file():
    data = w64(chunk(b"fmt ", PCM), chunk(b"junk", b"odd"), chunk(b"data", bytes(200)))
    assert told(data) == ("W64", "PCM_16", 16000, 1, 16, 100)
    assert faults(data) == []


def test_more_than_four_gigabytes():
    data = w64(chunk(b"fmt ", PCM), chunk(b"data", b"", size=6 << 30))
    assert read(data, size=len(data) + (6 << 30)).frames == 3 << 30
    assert faults(data, size=len(data) + (6 << 30) - 2) == ["truncated"]


def test_what_is_wrong_is_said():
    assert faults(w64(chunk(b"data", bytes(8)))) == ["header"]
    assert faults(w64(chunk(b"fmt ", PCM))) == ["truncated"]
    assert faults(w64(b"x" * 24)) == ["header"]
    assert faults(w64(chunk(b"fmt ", PCM, size=-24 + 3))) == ["header"]
    assert faults(RIFF + bytes(40)) == ["header"]
    assert faults(w64(chunk(b"fmt ", PCM), chunk(b"data", b""))) == ["empty"]
