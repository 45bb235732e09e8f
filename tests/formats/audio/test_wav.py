"""Headers of WAV files, written byte by byte, and held against what libsndfile writes."""

import io
import struct

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from audit.formats.audio.wav import parse
from audit.records.signals import Length

PCM_GUID = bytes.fromhex("0100000000001000800000aa00389b71")
FLOAT_GUID = bytes.fromhex("0300000000001000800000aa00389b71")


def chunk(name, body, size=None):
    length = len(body) if size is None else size
    return name + struct.pack("<I", length) + body + b"\0" * (len(body) % 2)


def fmt(code=1, channels=1, rate=16000, bits=16, more=b""):
    block = channels * -(-bits // 8)
    return struct.pack("<HHIIHH", code, channels, rate, rate * block, block, bits) + more


def riff(*chunks, magic=b"RIFF"):
    body = b"WAVE" + b"".join(chunks)
    return magic + struct.pack("<I", len(body)) + body


def extension(valid, guid):
    return struct.pack("<HHI", 22, valid, 3) + guid


def header(data, size=None, most=4096):
    return parse(data[:most], len(data) if size is None else size, lambda place, count: data[place : place + count])


def said(data, **how):
    found = header(data, **how)
    form = found.format
    return form.subtype, form.sample_rate_hz, form.channels, form.bits, found.frames


def kinds(data, **how):
    return [fault.kind for fault in header(data, **how).faults]


def test_the_plain_file():
    data = riff(chunk(b"fmt ", fmt()), chunk(b"data", b"\0" * 3200))
    assert said(data) == ("PCM_16", 16000, 1, 16, 1600)
    assert header(data).faults == ()
    assert header(data).length is Length.EXACT


def test_an_extensible_header_is_no_corruption():
    more = extension(24, PCM_GUID)
    data = riff(chunk(b"fmt ", fmt(0xFFFE, 2, 96000, 24, more)), chunk(b"data", b"\0" * 576))
    assert said(data) == ("PCM_24", 96000, 2, 24, 96)
    assert header(data).faults == ()


def test_an_extensible_header_says_float_by_its_guid():
    more = extension(32, FLOAT_GUID)
    data = riff(chunk(b"fmt ", fmt(0xFFFE, 2, 96000, 32, more)), chunk(b"data", b"\0" * 768))
    assert said(data) == ("FLOAT", 96000, 2, 32, 96)


def test_twenty_valid_bits_in_twenty_four():
    more = extension(20, PCM_GUID)
    data = riff(chunk(b"fmt ", fmt(0xFFFE, 1, 48000, 24, more)), chunk(b"data", b"\0" * 30))
    assert said(data) == ("PCM_24", 48000, 1, 20, 10)


def test_twenty_four_bits_in_four_bytes():
    described = struct.pack("<HHIIHH", 1, 2, 48000, 384000, 8, 24)
    data = riff(chunk(b"fmt ", described), chunk(b"data", b"\0" * 80))
    assert (said(data), kinds(data)) == (("PCM_32", 48000, 2, 24, 10), [])
    described = struct.pack("<HHIIHH", 0xFFFE, 2, 48000, 384000, 8, 32) + extension(24, PCM_GUID)
    data = riff(chunk(b"fmt ", described), chunk(b"data", b"\0" * 80))
    assert (said(data), kinds(data)) == (("PCM_32", 48000, 2, 24, 10), [])


def test_a_float_is_no_int():
    data = riff(chunk(b"fmt ", fmt(3, 1, 16000, 32)), chunk(b"fact", b"\0" * 4), chunk(b"data", b"\0" * 64000))
    assert said(data) == ("FLOAT", 16000, 1, 32, 16000)


@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE", "ALAW", "ULAW"])
@pytest.mark.parametrize("container", ["WAV", "WAVEX", "RF64"])
@pytest.mark.parametrize("channels", [1, 2, 6])
def test_what_libsndfile_writes(subtype, container, channels):
    file = io.BytesIO()
    sound = np.zeros((123, channels))
    soundfile.write(file, sound, 22050, format=container, subtype=subtype)
    found = header(file.getvalue())
    assert (found.format.subtype, found.format.sample_rate_hz, found.format.channels) == (subtype, 22050, channels)
    assert found.frames == 123
    assert found.faults == ()


@pytest.mark.parametrize("subtype", ["MS_ADPCM", "IMA_ADPCM"])
def test_blocks_of_packed_samples_have_the_declared_length(subtype):
    file = io.BytesIO()
    soundfile.write(file, np.zeros(4000), 8000, format="WAV", subtype=subtype)
    found = header(file.getvalue())
    assert (found.format.subtype, found.format.bits, found.length) == (subtype, None, Length.DECLARED)
    assert found.frames == soundfile.info(io.BytesIO(file.getvalue())).frames


@pytest.mark.parametrize(
    ("fact", "frames", "length"),
    [
        (505 * 7 + 3, 505 * 7 + 3, Length.DECLARED),
        (505 * 8, 505 * 8, Length.DECLARED),
        (2000, 505 * 8, Length.ESTIMATED),
        (9_999_999, 505 * 8, Length.ESTIMATED),
        (0, 505 * 8, Length.ESTIMATED),
    ],
)
def test_a_number_of_samples_is_believed_where_the_blocks_allow_it(fact, frames, length):
    described = struct.pack("<HHIIHHHH", 0x11, 1, 8000, 4055, 256, 4, 2, 505)
    facts = chunk(b"fact", struct.pack("<I", fact))
    data = riff(chunk(b"fmt ", described), facts, chunk(b"data", b"\0" * 2048))
    assert (header(data).frames, header(data).length, kinds(data)) == (frames, length, [])


def test_chunks_stand_in_any_order_and_odd_ones_are_padded():
    chunks = chunk(b"LIST", b"odd"), chunk(b"data", b"\0" * 7), chunk(b"junk", b"x" * 9999), chunk(b"fmt ", fmt(bits=8))
    assert said(riff(*chunks)) == ("PCM_U8", 16000, 1, 8, 7)


def test_a_cut_file_says_how_much_is_missing():
    data = riff(chunk(b"fmt ", fmt()), chunk(b"data", b"\0" * 3200))[:-1000]
    (fault,) = header(data).faults
    assert (fault.kind, fault.expected, fault.found) == ("truncated", 3200, 2200)
    assert header(data).frames == 1100


def test_a_file_that_ends_before_its_sound():
    assert kinds(riff(chunk(b"fmt ", fmt()))) == ["truncated"]


def test_a_file_without_sound():
    assert kinds(riff(chunk(b"fmt ", fmt()), chunk(b"data", b""))) == ["empty"]


@pytest.mark.parametrize("size", [0xFFFFFFFF, 0x7FFFF000])
def test_a_size_left_open_goes_to_the_end(size):
    data = riff(chunk(b"fmt ", fmt()), chunk(b"data", b"\0" * 100, size=size))
    assert said(data)[-1] == 50
    assert header(data).faults == ()


def test_a_size_that_wrapped_at_four_gigabytes():
    data = riff(chunk(b"fmt ", fmt()), chunk(b"data", b"", size=1000))
    found = header(data, size=44 + 1000 + (1 << 32))
    assert [fault.kind for fault in found.faults] == ["wrapped"]
    assert found.frames == (1000 + (1 << 32)) // 2


def test_a_size_that_wrapped_with_a_chunk_behind_the_sound():
    data = riff(chunk(b"fmt ", fmt()), chunk(b"data", b"", size=1 << 30))
    found = header(data, size=44 + (5 << 30) + 64)
    assert [fault.kind for fault in found.faults] == ["wrapped"]
    assert found.frames == (5 << 30) // 2


def test_a_file_that_was_never_finished_says_so():
    (fault,) = header(riff(chunk(b"fmt ", fmt()), chunk(b"data", b"\1" * 320, size=0))).faults
    assert (fault.kind, fault.found) == ("empty", 320)
    assert "written to its end" in fault.what


def test_all_sound_missing_is_cut_and_not_empty():
    (fault,) = header(riff(chunk(b"fmt ", fmt()), chunk(b"data", b"", size=3200))).faults
    assert (fault.kind, fault.expected, fault.found) == ("truncated", 3200, 0)


def test_rf64_has_the_size_in_its_own_chunk():
    large = 5 << 30
    ds64 = chunk(b"ds64", struct.pack("<QQQI", large + 72, large, large // 2, 0))
    data = riff(ds64, chunk(b"fmt ", fmt()), chunk(b"data", b"", size=0xFFFFFFFF), magic=b"RF64")
    assert header(data, size=len(data) + large).frames == large // 2
    assert kinds(data, size=len(data) + large - 2) == ["truncated"]


def test_half_a_sample_at_the_end():
    assert kinds(riff(chunk(b"fmt ", fmt()), chunk(b"data", b"\0" * 3))) == ["ragged"]


@pytest.mark.parametrize(
    ("described", "why"),
    [
        (fmt(channels=0), "0 channels"),
        (fmt(rate=0), "at 0 Hz"),
        (fmt()[:12] + b"\3\0\x10\0", "block of 3"),
        (fmt(3, bits=16), "samples of 16 bits"),
        (fmt()[:10], "in 10 bytes"),
        (fmt(0xFFFE), "without its extension"),
        (fmt(0xFFFE, more=extension(16, b"\7" * 16)), "sub-format"),
    ],
)
def test_a_header_that_contradicts_itself_says_how(described, why):
    found = header(riff(chunk(b"fmt ", described), chunk(b"data", b"\0\0")))
    assert found.format is None
    assert why in found.faults[0].what


def test_a_video_is_no_sound():
    assert kinds(b"RIFF\0\0\0\0AVI " + b"\0" * 50) == ["header"]


@given(st.binary(max_size=200), st.integers(0, 1 << 40))
def test_any_bytes_have_an_answer(data, size):
    found = header(b"RIFF\0\0\0\0WAVE" + data, size=max(size, len(data) + 12))
    assert found.format or found.faults


@given(st.data())
def test_a_file_cut_anywhere_is_never_sound(data):
    whole = riff(chunk(b"fmt ", fmt()), chunk(b"LIST", b"abcd"), chunk(b"data", b"\1" * 64))
    cut = whole[: data.draw(st.integers(12, len(whole) - 1))]
    assert kinds(cut)


def test_millions_of_empty_chunks_are_not_walked():
    reads = []

    def read(place, count):
        reads.append(place)
        return chunk(b"junk", b"") * 6

    parse(b"RIFF\0\0\0\0WAVE", 1 << 40, read)
    assert len(reads) <= 1000
