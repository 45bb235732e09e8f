"""Headers of MP4, M4A and QuickTime files, written byte by byte, and held against tinytag."""

import io
import struct

import pytest
from support.clips import faults, read, told
from tinytag import TinyTag

from audit.formats.audio.aac import configured
from audit.records.signals import Length

AAC_LC_44K_STEREO = bytes.fromhex("1210")
FTYP = struct.pack(">I4s4sI4s", 20, b"ftyp", b"M4A ", 0, b"isom")


def box(name, *parts, size=None):
    body = b"".join(parts)
    return struct.pack(">I4s", 8 + len(body) if size is None else size, name) + body


def full(name, *parts, version=0):
    return box(name, bytes([version, 0, 0, 0]), *parts)


def descriptor(tag, body):
    return bytes([tag, 0x80, 0x80, 0x80, len(body)]) + body


def esds(config, kind=0x40):
    own = descriptor(5, config) if config else b""
    return full(b"esds", descriptor(3, b"\0\1\0" + descriptor(4, bytes([kind]) + bytes(12) + own) + b"\6\1\2"))


def entry(codec, *children, channels=2, bits=16, rate=44100, version=0, more=b""):  # noqa: PLR0913
    said = struct.pack(">6xHHHIHHHHI", 1, version, 0, 0, channels, bits, 0, 0, rate << 16)
    return box(codec, said, more, *children)


def aac(config=AAC_LC_44K_STEREO):
    return entry(b"mp4a", esds(config))


def sized(version, *numbers):
    """Times of creation and change, ticks a second, ticks."""
    return struct.pack(">QQIQ" if version else ">IIII", 0, 0, *numbers)


def track(sample, ticks=88200, scale=44100, *, edits=(), handler=b"soun", version=0):  # noqa: PLR0913
    mdia = box(
        b"mdia",
        full(b"mdhd", sized(version, scale, ticks), bytes(4), version=version),
        full(b"hdlr", bytes(4), handler, bytes(13)),
        box(b"minf", box(b"smhd"), box(b"stbl", full(b"stsd", struct.pack(">I", 1), sample))),
    )
    listed = b"".join(struct.pack(">IiI", length, begin, 1 << 16) for length, begin in edits)
    elst = [box(b"edts", full(b"elst", struct.pack(">I", len(edits)), listed))] if edits else []
    return box(b"trak", full(b"tkhd", bytes(80)), *elst, mdia)


def moov(*tracks, scale=1000, ticks=2000):
    return box(b"moov", full(b"mvhd", sized(0, scale, ticks), bytes(80)), *tracks)


def m4a(*tracks, end=False, media=5000):
    mdat = box(b"mdat", bytes(media))
    return FTYP + (mdat + moov(*tracks) if end else moov(*tracks) + mdat)


@pytest.mark.parametrize("end", [False, True])
@pytest.mark.parametrize("version", [0, 1])
def test_aac(end, version):
    data = m4a(track(aac(), version=version), end=end)
    assert told(data) == ("MP4", "AAC", 44100, 2, None, 88200)
    assert (read(data).length, faults(data)) == (Length.DECLARED, [])


def test_as_tinytag_reads_it():
    for data in (m4a(track(aac())), m4a(track(aac()), end=True)):
        said, found = TinyTag.get(file_obj=io.BytesIO(data), filename="a.m4a"), read(data)
        assert found.frames / found.format.sample_rate_hz == pytest.approx(said.duration)
        assert (found.format.sample_rate_hz, found.format.channels) == (said.samplerate, said.channels)


ALAC = full(b"alac", struct.pack(">IBBBBBBHIII", 4096, 0, 24, 40, 10, 14, 1, 255, 0, 0, 96000))
STREAM_INFO = bytes(10) + (48000 << 44 | 1 << 41 | 23 << 36).to_bytes(8, "big") + bytes(16)
FLAC = full(b"dfLa", b"\x80\0\0\x22", STREAM_INFO)
WAVE = box(b"wave", box(b"frma", b"mp4a"), esds(AAC_LC_44K_STEREO))
SECOND = struct.pack(">IdIIIIII", 72, 96000.0, 6, 0x7F000000, 24, 0, 0, 0)


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        (entry(b"alac", ALAC), ("ALAC_24", 96000, 1, 24)),
        (entry(b"Opus", box(b"dOps", bytes(11)), channels=1, rate=16000), ("OPUS", 48000, 1, None)),
        (entry(b"fLaC", FLAC), ("PCM_24", 48000, 2, 24)),
        (entry(b"mp4a", esds(b"", kind=0x6B), rate=22050), ("MPEG_LAYER_III", 22050, 2, None)),
        (entry(b"sowt", channels=1, version=1, more=bytes(16)), ("PCM_16", 44100, 1, 16)),
        (entry(b"lpcm", version=2, rate=1, more=SECOND), ("PCM_24", 96000, 6, 24)),
        (entry(b"mp4a", WAVE, version=1, more=bytes(16)), ("AAC", 44100, 2, None)),
        (entry(b"ac-3", channels=6, rate=48000), ("AC3", 48000, 6, None)),
        (entry(b"dtsc"), ("dtsc", 44100, 2, None)),
    ],
)
def test_codecs(sample, expected):
    subtype, rate, channels, bits = expected
    assert told(m4a(track(sample)))[:5] == ("MP4", subtype, rate, channels, bits)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("1210", (44100, 2)),
        ("1408", (16000, 1)),
        ("2b118800", (48000, 2)),  # spectral band replication, told first: kind 5, 24000, then 48000
        ("131056e598", (48000, 2)),  # told behind: 24000, then 48000
        ("eb8a0800", (44100, 2)),  # with parametric stereo: one channel of 22050 becomes two of 44100
        ("17803e8008", (32000, 1)),  # a rate in 24 bits
    ],
)
def test_configurations_of_aac(config, expected):
    assert configured(bytes.fromhex(config)) == expected


def test_an_edit_leaves_out_what_the_encoder_put_in_front():
    assert read(m4a(track(aac(), 88200 + 1024, edits=[(2000, 1024)]))).frames == 88200
    assert read(m4a(track(aac(), 88200 + 2112 + 500, edits=[(2000, 2112)]))).frames == 88200
    assert read(m4a(track(aac(), edits=[(500, -1), (1000, 0)]))).frames == 44100
    assert read(m4a(track(aac(), edits=[(0, 1024)]))).frames == 88200 - 1024


def test_the_first_track_of_sound_counts():
    picture = track(entry(b"avc1"), handler=b"vide")
    assert told(m4a(picture, track(aac())))[1] == "AAC"
    assert faults(m4a(picture)) == ["header"]


def test_fragments_do_not_say_how_long_they_are():
    data = FTYP + box(b"moov", track(aac(), 0), box(b"mvex")) + box(b"moof") + box(b"mdat", bytes(99))
    assert (read(data).frames, faults(data)) == (None, [])
    assert faults(m4a(track(aac(), 0))) == ["empty"]


def test_missing_media_is_told():
    (fault,) = read(m4a(track(aac()))[:-1000]).faults
    assert (fault.kind, fault.expected, fault.found) == ("truncated", 5000, 4000)
    large = FTYP + moov(track(aac())) + struct.pack(">I4sQ", 1, b"mdat", 1 << 40)
    assert faults(large) == ["truncated"]
    assert faults(large, len(large) - 16 + (1 << 40)) == []


def test_without_its_index_nothing_is_known():
    assert faults(m4a(track(aac()), end=True)[:-300]) == ["truncated"]
    assert faults(FTYP + box(b"mdat", bytes(500), size=0)) == ["truncated"]
    assert faults(FTYP) == ["truncated"]


@pytest.mark.parametrize(
    "sample",
    [
        entry(b"mp4a", esds(bytes.fromhex("1200"))),
        entry(b"mp4a", esds(bytes.fromhex("16f0"))),
        entry(b"alac"),
        entry(b"lpcm", bits=12),
        entry(b"Opus", channels=0),
        b"",
    ],
)
def test_what_is_not_understood_is_no_pass(sample):
    found = read(m4a(track(sample)))
    assert found.format is None
    assert found.faults[0].kind in {"unsupported", "header"}


def test_boxes_that_go_round_are_left():
    assert faults(FTYP + box(b"free", size=0) * 3) == ["truncated"]
    assert faults(FTYP + box(b"free", size=4) * 3) == ["truncated"]
    assert faults(FTYP + box(b"free") * 5000) == ["truncated"]
