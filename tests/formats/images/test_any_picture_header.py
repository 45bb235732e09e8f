"""Any bytes make of a header an answer or a fault: quickly, without asking for what a header merely claims."""

import io
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from support.picture_headers import exif, ours, picture, saved

from audit.formats.images.header import header

SIGNS = [
    b"\xff\xd8\xff\xe1",
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    b"GIF89a",
    b"II*\0",
    b"MM\0*",
    b"II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0",
    b"BM" + bytes(12),
    b"qoif",
    b"\0\0\0\x0cjP  \r\n\x87\n",
    b"\xff\x4f\xff\x51",
    b"RIFF....WEBPVP8X",
    b"P5 ",
    b"P3#",
    b"\0\0\0\x10ftypavif\0\0\0\0",
    b"\0\0\0\x10ftypheic\0\0\0\0",
]
FORMATS = ("AVIF", "BMP", "GIF", "JPEG", "JPEG2000", "PNG", "PPM", "QOI", "TIFF", "WEBP")


def made(form):
    image = picture("P" if form == "GIF" else "RGB", (20, 10))
    tags = Image.Exif()
    tags[0x0112] = 6
    return saved(image, form, **({"exif": tags} if form not in {"GIF", "BMP", "PPM", "QOI", "JPEG2000"} else {}))


FILES = [made(form) for form in FORMATS if form in Image.SAVE or not Image.init()]


def judged(data, head):
    """Its header; every byte that is asked for counts."""
    asked = []

    def read(at, size):
        asked.append(size)
        return data[at : at + size]

    said = header(data[: max(head, 1024)], len(data), read)
    assert bool(said.format) != bool(said.faults)
    assert sum(asked) < 1_000_000 + 5000 * len(data)
    assert max(asked, default=0) <= 1 << 17
    return said


@settings(max_examples=300)
@given(st.sampled_from(SIGNS), st.binary(max_size=300), st.integers(1, 400))
def test_any_bytes(sign, tail, head):
    judged(sign + tail, head)


@settings(max_examples=400)
@given(
    st.sampled_from(FILES),
    st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), max_size=6),
    st.integers(0, 5000),
    st.integers(1, 3000),
)
def test_damaged_files(data, changes, cut, head):
    some = bytearray(data)
    for place, value in changes:
        some[place % len(some)] = value
    judged(bytes(some[: cut or None]), head)


def test_a_header_that_lies_is_not_believed():
    ifd = struct.pack("<HHHI4s", 1, 258, 3, 0xFFFFFFFF, b"\x08\0\0\0")
    for data in (
        b"II*\0\x08\0\0\0" + ifd + bytes(4),
        b"II+\0\x08\0\0\0" + struct.pack("<Q", 8) + struct.pack("<Q", 2**63),
        b"\xff\xd8\xff\xe1\xff\xffExif\0\0" + b"II*\0" + struct.pack("<I", 2**32 - 1),
        b"\0\0\0\x10ftypavif\0\0\0\0" + struct.pack(">I4s", 2**31, b"meta"),
        b"GIF89a" + bytes(7) + b"," + bytes(9) + b"\xff",
        b"P5 99999999999999999999 1 255 ",
    ):
        assert judged(data, 4096).format is None


def test_blocks_without_end_are_not_walked_along():
    data = saved(picture("P", (20, 10)), "GIF")[:-1] + b"!\xfe" + b"\x01a" * (1 << 18)
    assert [one.kind for one in ours(data + b"\0;").faults] == ["unsupported"]
    assert ours(data[:100_000] + b"\0;").frames == 1


def test_pages_in_a_circle_are_counted_once():
    entries = struct.pack("<HHII", 256, 3, 1, 5) + struct.pack("<HHII", 257, 3, 1, 4)
    data = b"II*\0\x08\0\0\0" + struct.pack("<H", 2) + entries + struct.pack("<I", 8)
    said = ours(data)
    assert (said.width, said.height, said.frames, said.format.mode) == (5, 4, 1, "1")


@pytest.mark.parametrize("sign", [b"", b"Exif\0\0"])
def test_orientation_of_webp_with_and_without_the_sign_of_jpeg(sign):
    plain = saved(picture("RGB", (20, 10)), "WEBP")
    tags = sign + exif(8)
    extended = b"VP8X" + struct.pack("<IB3x", 10, 8) + struct.pack("<I", 19)[:3] + struct.pack("<I", 9)[:3]
    body = b"WEBP" + extended + plain[12:] + b"EXIF" + struct.pack("<I", len(tags)) + tags
    said = ours(b"RIFF" + struct.pack("<I", len(body)) + body)
    assert (said.width, said.height, said.orientation) == (20, 10, 8)


@pytest.mark.parametrize(
    ("sign", "mode", "bits"),
    [("P5 5 4 255\n", "L", 8), ("P5 #c\n5 #d\n4\n65535 ", "I", 16), ("P6 5 4 15 ", "RGB", 4), ("P4 5 4\n", "1", 1)],
)
def test_netpbm(sign, mode, bits):
    said = ours(sign.encode() + bytes(200))
    assert (said.format.mode, said.format.bits, said.width, said.height) == (mode, bits, 5, 4)
    with Image.open(io.BytesIO(sign.encode() + bytes(200))) as image:
        assert image.mode == mode
    assert [one.kind for one in ours(sign.encode()[:4]).faults] == ["truncated"]


@pytest.mark.parametrize(("brand", "name"), [(b"heic", "HEIF"), (b"mif1", "HEIF"), (b"avis", "AVIF")])
def test_heif_by_its_brands(brand, name):
    image = picture("RGBA", (20, 10))
    tags = Image.Exif()
    tags[0x0112] = 6
    try:
        data = saved(image, "AVIF", exif=tags, icc_profile=b"x" * 100)
    except (KeyError, OSError):
        pytest.skip("this Pillow cannot write AVIF")
    length = int.from_bytes(data[:4], "big")
    said = ours(b"\0\0\0\x10ftyp" + brand + bytes(4) + data[length:])
    assert (said.format.name, said.format.mode, said.format.channels, said.format.bits) == (name, "RGBA", 4, 8)
    assert (said.upright, said.orientation, said.icc) == ((10, 20), 6, 100)


def test_raw_files_of_cameras_show_a_reduced_picture_first():
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in ((254, 1), (256, 5), (257, 4)))
    data = b"II*\0\x08\0\0\0" + struct.pack("<H", 3) + entries + bytes(4)
    assert [one.kind for one in ours(data).faults] == ["unsupported"]
