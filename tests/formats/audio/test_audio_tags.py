"""Tags before and behind the sound, written byte by byte."""

import struct

import pytest

from audit.errors import FormatError
from audit.formats.audio.tags import before, end
from audit.formats.pieces import Pieces

SOUND = b"\x55" * 500
ID3V1 = b"TAG" + bytes(125)


def pieces(data):
    return Pieces(data[:4096], len(data), lambda at, size: data[at : at + size])


def id3(size, flags=0):
    return b"ID3\4\0" + bytes([flags, 0, 0, size >> 7, size & 0x7F]) + bytes(size)


def ape(size, *, headed):
    said = b"APETAGEX" + struct.pack("<IIII", 2000, size + 32, 1, (headed << 31)) + bytes(8)
    return (said if headed else b"") + bytes(size) + said


@pytest.mark.parametrize(
    ("tag", "size"),
    [
        (b"", 0),
        (id3(300), 310),
        (id3(300, 0x10) + b"3DI" + bytes(7), 320),
        (id3(0) + id3(9), 29),
        (b"ID3\4\0\0\xff\0\0\0", 0),
    ],
)
def test_before(tag, size):
    assert before(pieces(tag + SOUND)) == size


def test_tags_that_go_on_beyond_the_file():
    with pytest.raises(FormatError, match="within the tags"):
        before(pieces(id3(300)[:200]))


@pytest.mark.parametrize(
    "tag",
    [
        b"",
        ID3V1,
        ape(90, headed=False),
        ape(90, headed=True),
        ape(90, headed=True) + ID3V1,
        b"LYRICSBEGIN" + b"x" * 40 + b"000051LYRICS200" + ID3V1,
        b"LYRICSBEGIN" + b"x" * 40 + b"000051LYRICS200" + ape(5, headed=True) + ID3V1,
    ],
)
def test_behind(tag):
    assert end(pieces(SOUND + tag)) == len(SOUND)


def test_a_tag_larger_than_the_file_is_none():
    data = SOUND + ape(9000, headed=False)[-32:]
    assert end(pieces(data)) == len(data)
