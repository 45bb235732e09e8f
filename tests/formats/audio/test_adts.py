"""Headers of AAC in ADTS, written byte by byte."""

import pytest
from support.clips import faults, read, told

from audit.records.signals import Length


def frame(size=200, *, rate=8, channels=1, blocks=0):
    head = 0xFFF1 << 40 | 1 << 38 | rate << 34 | channels << 30 | size << 13 | 0x7FF << 2 | blocks
    return head.to_bytes(7, "big") + b"\x21" * (size - 7)


def test_frames_are_counted():
    data = frame() * 10 + frame(333) * 5
    assert told(data) == ("ADTS", "AAC", 16000, 1, None, 15 * 1024)
    assert (read(data).length, faults(data)) == (Length.EXACT, [])


def test_blocks_in_a_frame_count_each():
    assert read(frame(blocks=3) * 4).frames == 4 * 4 * 1024


@pytest.mark.parametrize(("code", "channels"), [(2, 2), (6, 6), (7, 8)])
def test_channels(code, channels):
    assert told(frame(channels=code) * 3)[3] == channels


def test_channels_that_the_sound_alone_tells_are_not_guessed():
    assert faults(frame(channels=0) * 3) == ["unsupported"]


def test_tags_in_front_are_no_sound():
    assert read(b"ID3\4\0\0\0\0\0\x10" + bytes(16) + frame() * 9).frames == 9 * 1024


def test_the_last_frame_tells_that_it_is_cut():
    assert faults((frame() * 9)[:-5]) == ["truncated"]


def test_a_rate_that_is_none():
    assert faults(frame(rate=14) * 9) == ["unknown"]
