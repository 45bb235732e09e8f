"""Headers of PNG files, written byte by byte, and held against Pillow's word on those that it writes."""

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageCms
from support.picture_headers import exif, opened, ours, picture, pillows, real, saved, told

SIGN = b"\x89PNG\r\n\x1a\n"


def chunk(name, body, crc=None):
    check = zlib.crc32(name + body) if crc is None else crc
    return struct.pack(">I4s", len(body), name) + body + struct.pack(">I", check)


def ihdr(width=100, height=40, bits=8, colour=2):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0))


def png(*before, first=None, behind=()):
    chunks = (first or ihdr(), *before, chunk(b"IDAT", bytes(50)), *behind, chunk(b"IEND", b""))
    return SIGN + b"".join(chunks)


MODES = [
    *((bits, 0, mode, 1) for bits, mode in ((1, "1"), (2, "L"), (4, "L"), (8, "L"), (16, "I;16"))),
    *((bits, 3, "P", 1) for bits in (1, 2, 4, 8)),
    *((bits, colour, mode, count) for bits in (8, 16) for colour, mode, count in ((2, "RGB", 3), (6, "RGBA", 4))),
    (8, 4, "LA", 2),
]


@pytest.mark.parametrize(("bits", "colour", "mode", "channels"), MODES)
def test_modes_by_colour_type_and_depth(bits, colour, mode, channels):
    data = png(first=ihdr(bits=bits, colour=colour))
    said = ours(data)
    assert (said.format.mode, said.format.channels, said.format.bits) == (mode, channels, bits)
    assert told(data)[:3] == opened(data) == ("PNG", mode, (100, 40))


def test_grey_with_alpha_of_16_bits_is_that_though_pillow_makes_more_of_it():
    data = png(first=ihdr(bits=16, colour=4))
    assert (ours(data).format.mode, ours(data).format.bits, opened(data)[1]) == ("LA", 16, "RGBA")


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("value", range(1, 9))
def test_orientation_before_the_pixels(order, value):
    assert ours(png(chunk(b"eXIf", exif(value, order)))).orientation == value


@pytest.mark.parametrize("sizes", [(50,), (8192,) * 20 + (5,), (65_536,), (65_536, 3), (10, 9, 8, 7000, 7), (1,) * 900])
@pytest.mark.parametrize("behind", [0, 20_000, 200_000])
def test_orientation_behind_the_pixels(sizes, behind):
    late = (chunk(b"eXIf", exif(6)), chunk(b"tEXt", bytes(behind)), chunk(b"IEND", b""))
    data = SIGN + ihdr() + b"".join((*(chunk(b"IDAT", bytes(size)) for size in sizes), *late))
    assert told(data).orientation == 6
    assert told(data[: -len(b"".join(late))]).orientation == 1
    assert told(data.replace(b"eXIf", b"tEXt")).orientation == 1


def test_the_size_of_a_profile_is_what_it_says():
    packed = zlib.compress((3144).to_bytes(4, "big") + bytes(3140))
    assert ours(png(chunk(b"iCCP", b"sRGB\0\0" + packed))).icc == 3144
    assert ours(png(chunk(b"iCCP", b"sRGB\0\0damaged"))).icc == 13


def test_a_profile_that_never_ends_is_not_unpacked():
    packed = zlib.compress((5).to_bytes(4, "big") + bytes(50_000_000))
    assert ours(png(chunk(b"iCCP", b"sRGB\0\0" + packed))).icc == 5


@pytest.mark.parametrize(
    ("data", "kind", "words"),
    [
        (SIGN, "truncated", "ends after 8 bytes"),
        (png()[:40], "truncated", "ends after 40 bytes"),
        (png(first=chunk(b"IHDR", bytes(12))), "header", "IHDR"),
        (SIGN + chunk(b"CgBI", bytes(4)) + ihdr() + chunk(b"IDAT", b""), "header", "IHDR"),
        (png().replace(ihdr()[-4:], b"\0\0\0\0"), "header", "CRC"),
        (png(first=ihdr(width=0)), "header", "declares 0 x 40 pixels"),
        (png(first=ihdr(bits=16, colour=3)), "header", "colour type 3 with 16 bits"),
        (png(first=ihdr(colour=5)), "header", "colour type 5 with 8 bits"),
        (SIGN + ihdr() + chunk(b"IEND", b""), "header", "before its picture begins"),
        (SIGN + ihdr() + b"\xff\xff\xff\xfftEXt", "header", "claims 4,294,967,295 bytes"),
        (png(*[chunk(b"tEXt", b"")] * 10_001), "header", "more chunks than any"),
    ],
)
def test_what_is_wrong_is_said(data, kind, words):
    said = ours(data)
    (fault,) = said.faults
    assert said.format is None
    assert (fault.kind, words in fault.what) == (kind, True)


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGB", "RGBA", "I;16"])
@pytest.mark.parametrize("bits", [None, 1, 2, 4])
def test_as_pillow_says(mode, bits):
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    options = {} if bits is None or mode != "P" else {"bits": bits}
    for value in range(1, 9):
        tags = Image.Exif()
        tags[0x0112] = value
        for icc in (None, profile):
            data = saved(picture(mode), "PNG", exif=tags, icc_profile=icc, **options)
            assert told(data) == pillows(data)


@pytest.mark.parametrize("own", [False, True])
def test_animations(own):
    some = [picture("RGB", (20, 20)), picture("RGB", (20, 20)).rotate(90), picture("RGB", (20, 20)).rotate(180)]
    data = saved(some[0], "PNG", save_all=True, append_images=some[1:], default_image=own)
    assert told(data)[:5] == pillows(data)[:5]
    assert told(data).frames == 3 - own


def test_real_pictures():
    paths = real(".png")
    if not paths:
        pytest.skip("no library that ships PNG pictures is installed")
    for path in paths:
        data = path.read_bytes()
        assert told(data) == pillows(data), path


@given(st.binary(max_size=400), st.integers(0, 500))
def test_any_bytes(tail, head):
    said = ours(SIGN + tail, head + 8)
    assert bool(said.format) != bool(said.faults)


@given(st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), max_size=8), st.integers(8, 400))
def test_damaged_bytes(changes, cut):
    data = bytearray(png(chunk(b"iCCP", b"a\0\0" + zlib.compress(bytes(200))), chunk(b"eXIf", exif(6, more=3))))
    for place, value in changes:
        data[33 + place % (len(data) - 33)] = value
    said = ours(bytes(data[:cut]), 16)
    assert bool(said.format) != bool(said.faults)
