"""A picture made small: upright, in colour, as far as it can be decoded, and nothing of the file beside its pixels."""

from __future__ import annotations

import base64
import io
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFile, PngImagePlugin

from audit.errors import FormatError
from audit.records.portraits import PicturePortrait
from audit.signals.images import portrait as module
from audit.signals.images.portrait import BYTES, SIDE, portrait
from audit.signals.images.reading import MOST_PIXELS

RED, BLUE = (200, 30, 30), (30, 30, 200)


@pytest.fixture(autouse=True)
def _settings(monkeypatch):
    """What Pillow is told is undone."""
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", False)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", Image.MAX_IMAGE_PIXELS)


def halves(mode="RGB", size=(400, 300)):
    """Red on top, blue below."""
    picture = Image.new("RGB", size, RED)
    picture.paste(BLUE, (0, size[1] // 2, *size))
    return picture.convert(mode)


def noise(size=(400, 300)):
    return Image.fromarray(np.random.default_rng(0).integers(0, 256, (*size[::-1], 3), dtype=np.uint8))


def encoded(picture, form, **options):
    out = io.BytesIO()
    picture.save(out, form, **options)
    return out.getvalue()


def drawn(data, most=MOST_PIXELS):
    with io.FileIO(os.memfd_create("picture"), "r+") as file:
        file.write(data)
        return portrait(file, most)


def opened(some):
    picture = Image.open(io.BytesIO(base64.b64decode(some.jpeg)))
    assert (picture.format, picture.mode, picture.size) == ("JPEG", "RGB", (some.width, some.height))
    return picture


def near(one, other):
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) < 30


@pytest.mark.parametrize(
    ("form", "mode"),
    [
        ("JPEG", "RGB"),
        ("JPEG", "CMYK"),
        ("PNG", "RGB"),
        ("PNG", "RGBA"),
        ("PNG", "P"),
        ("GIF", "P"),
        ("WEBP", "RGB"),
        ("TIFF", "RGB"),
        ("TIFF", "LAB"),
        ("BMP", "RGB"),
        ("PPM", "RGB"),
        ("JPEG2000", "RGB"),
    ],
)
def test_pictures_of_every_kind_are_small_and_in_their_colours(form, mode):
    picture = Image.new("LAB", (400, 300), (100, 160, 150)) if mode == "LAB" else halves(mode)
    some = drawn(encoded(picture, form))
    assert (some.width, some.height, some.cut) == (SIDE, 120, False)
    if mode != "LAB":
        assert near(opened(some).getpixel((80, 20)), RED)
        assert near(opened(some).getpixel((80, 100)), BLUE)


@pytest.mark.parametrize("mode", ["L", "1", "I;16", "I", "F"])
def test_grey_of_any_depth_is_seen(mode):
    values = np.tile(np.arange(300, dtype=np.float32) * 13, (300, 1))
    picture = Image.fromarray(values.astype(np.uint16)) if mode == "I;16" else Image.fromarray(values).convert(mode)
    some = drawn(encoded(picture, "TIFF"))
    left, right = (opened(some).getpixel((x, 50))[0] for x in (2, some.width - 2))
    assert right > left + 50


def test_a_picture_that_lies_on_its_side_stands_upright():
    exif = Image.Exif()
    exif[274] = 6
    some = drawn(encoded(halves(), "JPEG", exif=exif))
    assert (some.width, some.height) == (120, SIDE)
    assert near(opened(some).getpixel((110, 80)), RED)


def test_what_is_transparent_shows_squares():
    picture = halves("RGBA", (160, 160))
    picture.paste((0, 0, 0, 0), (0, 0, 160, 80))
    some = opened(drawn(encoded(picture, "PNG")))
    assert near(some.getpixel((4, 4)), (module._DARK,) * 3)
    assert near(some.getpixel((12, 4)), (module._LIGHT,) * 3)
    assert near(some.getpixel((80, 120)), BLUE)


def test_nothing_of_the_file_is_passed_on_but_pixels():
    exif = Image.Exif()
    exif[0x010E] = "SECRET description"
    text = PngImagePlugin.PngInfo()
    text.add_text("comment", "SECRET text")
    jpeg = encoded(halves(), "JPEG", exif=exif, comment=b"SECRET comment", icc_profile=b"SECRET profile" * 20)
    for data in (jpeg + b"SECRET behind", encoded(halves(), "PNG", pnginfo=text, exif=exif)):
        assert b"SECRET" in data
        assert b"SECRET" not in base64.b64decode(drawn(data).jpeg)


@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_a_cut_picture_is_shown_as_far_as_it_goes(form):
    data = encoded(noise(), form)
    some = drawn(data[: len(data) // 2])
    assert some.cut
    rows = np.asarray(opened(some), float).std(axis=(1, 2))
    assert rows[:45].min() > 10 > rows[-45:].max()


def test_the_rest_of_a_cut_photograph_is_grey():
    data = encoded(noise(), "JPEG")
    assert near(opened(drawn(data[: len(data) // 2])).getpixel((80, 110)), (128, 128, 128))


@pytest.mark.parametrize("size", [(400, 300), (3000, 2), (1, 1), (2, 3000), (40, 30)])
def test_it_is_small_whatever_it_shows(size):
    some = drawn(encoded(noise(size), "PNG"))
    assert max(some.width, some.height) <= min(SIDE, max(size))
    assert len(base64.b64decode(some.jpeg)) <= BYTES


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_a_bomb_is_not_decoded_whole_or_cut(form):
    data = encoded(halves(), form)
    for some in (data, data[: len(data) // 2]):
        with pytest.raises(FormatError, match="declares 400 x 300 = 120,000 pixels"):
            drawn(some, 399 * 300)
    assert drawn(data, 400 * 300)


@pytest.mark.parametrize("data", [b"", b"junk", b"\xff\xd8\xff" + b"junk" * 100, encoded(halves(), "PNG")[:40]])
def test_where_there_is_nothing_to_show_it_says_so(data):
    with pytest.raises(FormatError, match="nothing of it can be decoded"):
        drawn(data)


def test_the_same_picture_gives_the_same_bytes_after_a_broken_one():
    data = encoded(noise(), "JPEG")
    first = drawn(data)
    drawn(data[: len(data) // 2])
    assert drawn(data) == first


FILES = tuple(encoded(noise((40, 30)), form) for form in ("JPEG", "PNG", "GIF", "WEBP", "TIFF", "BMP"))


@given(st.sampled_from(FILES), st.lists(st.tuples(st.integers(0, 1 << 14), st.integers(0, 255)), max_size=20))
@settings(max_examples=100, deadline=None)
def test_any_bytes_give_a_small_picture_or_none(data, changes):
    hostile = bytearray(data)
    for at, value in changes:
        hostile[at % len(hostile)] = value
    try:
        some = drawn(bytes(hostile))
    except (FormatError, MemoryError):
        return
    assert isinstance(some, PicturePortrait)
    assert opened(some).width <= SIDE
