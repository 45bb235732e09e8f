"""Headers of pictures of every mode and format that Pillow can write, and of those that libraries ship, as it says."""

import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from PIL import Image, ImageCms, TiffImagePlugin
from support.picture_headers import opened, ours, picture, pillows, real, saved, told

from audit.formats.images.tiff_modes import Samples, format_of

GREYS = ("1", "L", "LA", "La", "I", "I;16", "I;16B", "F")
MODES = (*GREYS, "P", "PA", "RGB", "RGBA", "RGBa", "RGBX", "CMYK", "YCbCr", "LAB", "HSV")
WRITTEN = [
    *((form, {}) for form in ("BMP", "GIF", "JPEG", "JPEG2000", "PNG", "PPM", "QOI", "TIFF", "WEBP")),
    ("AVIF", {"speed": 10}),
    ("WEBP", {"lossless": True}),
    ("JPEG2000", {"no_jp2": True}),
    ("TIFF", {"big_tiff": True}),
    *(("TIFF", {"compression": name}) for name in ("tiff_lzw", "tiff_deflate", "jpeg", "group4", "packbits")),
]
PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


@contextmanager
def silent():
    """libtiff speaks its mind on the standard error of the process."""
    sys.stderr.flush()
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


def files(form, options):
    """What Pillow makes of pictures of all modes; of those that the format cannot hold, nothing."""
    for mode in MODES:
        for size, turned, icc in (((1, 1), 0, None), ((23, 17), 6, None), ((300, 200), 3, PROFILE), ((9, 70), 5, None)):
            tags = Image.Exif()
            tags[0x0112] = turned
            more = options | ({"exif": tags} if turned else {}) | ({"icc_profile": icc} if icc else {})
            with suppress(OSError, ValueError, KeyError, RuntimeError):
                yield saved(picture(mode, size), form, **more)


@pytest.mark.parametrize(("form", "options"), WRITTEN)
def test_every_mode_and_format(form, options):
    if form.upper() not in Image.SAVE and not Image.init():
        pytest.skip(f"this Pillow cannot write {form}")
    count = 0
    with silent():
        for data in files(form, options):
            with suppress(Image.UnidentifiedImageError):  # Pillow does not read all that it writes
                said = pillows(data)
                assert told(data) == told(data, 64 if form != "PPM" else 4096) == said
                count += 1
    if not count:
        pytest.skip(f"this Pillow cannot write {form}")
    assert count >= 4


@pytest.mark.parametrize("form", ["GIF", "WEBP", "TIFF", "AVIF"])
def test_frames_and_pages(form):
    some = [picture("RGB", (40, 30)).rotate(90 * turn) for turn in range(5)]
    try:
        data = saved(some[0], form, save_all=True, append_images=some[1:])
    except (KeyError, OSError):
        pytest.skip(f"this Pillow cannot write {form}")
    assert told(data) == pillows(data)
    assert told(data).frames == 5


@pytest.mark.parametrize("suffixes", [(".gif",), (".tif", ".tiff"), (".bmp",), (".webp",), (".pgm", ".ppm", ".pbm")])
def test_real_pictures(suffixes):
    paths = real(*suffixes, most=60)
    if not paths:
        pytest.skip(f"no picture {suffixes[0]} is installed")
    for path in paths:
        data = path.read_bytes()
        with suppress(Image.UnidentifiedImageError):  # some are TIFF of a kind that Pillow does not read
            assert told(data) == pillows(data), path


def test_every_colour_of_tiff_that_pillow_knows():
    for (order, colour, number, _, bits, extra), (mode, _) in TiffImagePlugin.OPEN_INFO.items():
        said = format_of(
            Samples(
                colour=colour,
                count=len(bits),
                bits=bits,
                number=number[0],
                extra=extra,
                packed=False,
                big_endian=order == b"MM",
            )
        )
        assert (said.mode, said.channels, said.bits) == (mode, len(bits), bits[0])


@pytest.mark.parametrize("palette", [[(0, 0, 0), (255, 255, 255)], [(9, 9, 9), (1, 2, 3)], "ramp", "noise"])
@pytest.mark.parametrize("form", ["GIF", "BMP", "PNG"])
def test_a_palette_is_not_grey_unless_each_index_is_its_own_brightness(palette, form):
    image = picture("P", (20, 20))
    if palette == "ramp":
        image.putpalette([value for index in range(256) for value in (index,) * 3])
    elif palette != "noise":
        image = Image.new("P", (20, 20), 1)
        image.putpalette([value for colour in palette for value in colour])
    data = saved(image, form)
    assert told(data)[:3] == opened(data)


def test_of_no_format_that_is_read(tmp_path):
    for form in ("ICO", "DDS", "EPS"):
        picture("RGB", (16, 16)).save(tmp_path / "a", form)
        assert [one.kind for one in ours((tmp_path / "a").read_bytes()).faults] == ["unsupported"]
    assert [one.kind for one in ours(Path(__file__).read_bytes()).faults] == ["unknown"]
