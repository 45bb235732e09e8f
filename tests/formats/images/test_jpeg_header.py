"""Headers of JPEG files, written byte by byte, and held against Pillow's word on those that it writes."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageCms
from support.picture_headers import exif, ours, picture, pillows, real, saved, told


def segment(code, body):
    return struct.pack(">BBH", 0xFF, code, len(body) + 2) + body


def frame(width=100, height=40, channels=3, bits=8, code=0xC0):
    return segment(code, struct.pack(">BHHB", bits, height, width, channels) + b"\1\x11\0" * channels)


def jpeg(*segments):
    return b"\xff\xd8" + b"".join(segments) + segment(0xDA, bytes(10)) + b"\0\xff\xd9"


def turned(value, order="<", **options):
    return segment(0xE1, b"Exif\0\0" + exif(value, order, **options))


def test_a_frame_header_says_it_all():
    said = ours(jpeg(frame()))
    assert (said.width, said.height, said.upright, said.orientation) == (100, 40, (100, 40), 1)
    form = said.format
    assert (form.name, form.mode, form.channels, form.bits) == ("JPEG", "RGB", 3, 8)
    assert (said.icc, said.frames, said.faults) == (0, 1, ())


@pytest.mark.parametrize(("channels", "mode"), [(1, "L"), (3, "RGB"), (4, "CMYK")])
@pytest.mark.parametrize("code", [0xC0, 0xC1, 0xC2, 0xC3, 0xC9, 0xCA])
def test_modes_by_components(channels, mode, code):
    said = ours(jpeg(frame(channels=channels, code=code, bits=12)))
    assert (said.format.mode, said.format.channels, said.format.bits) == (mode, channels, 12)


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("value", range(1, 9))
@pytest.mark.parametrize("kind", [1, 3, 4])
def test_orientation_in_both_byte_orders(order, value, kind):
    said = ours(jpeg(turned(value, order, kind=kind), frame()))
    assert said.orientation == value
    assert said.upright == ((40, 100) if value >= 5 else (100, 40))


@pytest.mark.parametrize("body", [exif(0), exif(9), exif(6, kind=4)[:20], b"", b"II*\0", b"II*\0\xff\xff\xff\xff"])
def test_an_orientation_that_cannot_be_understood_is_none(body):
    assert ours(jpeg(segment(0xE1, b"Exif\0\0" + body), frame())).orientation == 1


@pytest.mark.parametrize("more", [0, 100, 200])
@pytest.mark.parametrize("before", [0, 3000, 4060, 4096, 60_000])
def test_what_stands_beyond_the_head_is_read_where_it_is(more, before):
    asked = jpeg(segment(0xE0, bytes(before)), segment(0xE2, bytes(65_000)), turned(8, more=more), frame())
    assert told(asked)[1:4] == ("RGB", (100, 40), 8)


def test_few_reads_for_large_segments():
    data = jpeg(*(segment(0xE2, b"ICC_PROFILE\0" + bytes([at, 8]) + bytes(65_000)) for at in range(1, 9)), frame())
    reads = []
    from audit.formats.images.jpeg import parse

    said = parse(data[:4096], len(data), lambda at, size: reads.append(size) or data[at : at + size])
    assert said.icc == 8 * 65_000
    assert len(reads) == 8
    assert max(reads) == 4096


def test_fill_bytes_and_markers_without_a_length():
    data = b"\xff\xd8\xff\xff\xff" + frame()[1:] + b"\xff\x01\xff\xd0" + segment(0xDA, bytes(10))
    assert told(data).size == (100, 40)


@pytest.mark.parametrize(
    ("data", "kind", "words"),
    [
        (jpeg(frame())[:10], "truncated", "ends after 10 bytes"),
        (jpeg(), "header", "without a frame header"),
        (b"\xff\xd8\xff\xd9", "truncated", "ends after 4 bytes"),
        (b"\xff\xd8\xff\xd9\0\0", "header", "before its picture begins"),
        (jpeg(b"\xff\xe0\0\1", frame()), "header", "before its picture begins"),
        (jpeg(segment(0xE0, b""), b"junk", frame()), "header", "no marker at byte 6"),
        (jpeg(frame(width=0)), "header", "declares 0 x 40 pixels"),
        (jpeg(frame(height=0)), "unsupported", "DNL"),
        (jpeg(frame(channels=2)), "unsupported", "2 components"),
        (jpeg(*[segment(0xE0, b"")] * 5000, frame()), "unsupported", "more than 4,096 segments"),
    ],
)
def test_what_is_wrong_is_said(data, kind, words):
    said = ours(data)
    (fault,) = said.faults
    assert said.format is None
    assert (fault.kind, words in fault.what) == (kind, True)


@pytest.mark.parametrize("mode", ["1", "L", "RGB", "CMYK", "YCbCr"])
@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"optimize": True, "quality": 95}])
def test_as_pillow_says(mode, options):
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    for value in range(1, 9):
        tags = Image.Exif()
        tags[0x0112] = value
        for icc in (None, profile, profile * 120):
            data = saved(picture(mode), "JPEG", exif=tags, icc_profile=icc, **options)
            assert told(data) == pillows(data)


def test_several_pictures_in_one_file():
    small = picture("RGB")
    data = saved(small, "MPO", save_all=True, append_images=[small, small])
    assert told(data) == pillows(data)
    assert told(data).frames == 3


def test_real_pictures():
    paths = real(".jpg", ".jpeg")
    if not paths:
        pytest.skip("no library that ships JPEG pictures is installed")
    for path in paths:
        data = path.read_bytes()
        assert told(data) == pillows(data), path


@given(st.binary(max_size=400), st.integers(0, 500))
def test_any_bytes(tail, head):
    said = ours(b"\xff\xd8\xff" + tail, head + 3)
    assert bool(said.format) != bool(said.faults)


@given(st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), max_size=8), st.integers(4, 400))
def test_damaged_bytes(changes, cut):
    data = bytearray(jpeg(turned(6, more=3), segment(0xE2, b"MPF\0" + exif(3)), frame()))
    for place, value in changes:
        data[3 + place % (len(data) - 3)] = value
    said = ours(bytes(data[:cut]), 16)
    assert bool(said.format) != bool(said.faults)
