"""Pictures decoded whole: sound ones of every mode pass, what is cut or damaged is told as what it is."""

import contextlib
import io
import os
import random
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFile

from audit.errors import FormatError
from audit.signals.images import pillow
from audit.signals.images.decode import decode
from audit.signals.images.pillow import strict
from audit.signals.images.reading import MOST_PIXELS

SHIPPED = Path(sklearn.datasets.__file__).parent / "images"
HEAD = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(autouse=True)
def _strict(monkeypatch):
    """A project that tolerates cut pictures changes nothing; what Pillow is told is undone."""
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", Image.MAX_IMAGE_PIXELS)
    strict()


def noise(mode="RGB", size=(64, 64), seed=0):
    shape = (size[1], size[0], 4)
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8), "RGBA").convert(mode)


def encoded(picture, form, **options):
    out = io.BytesIO()
    picture.save(out, form, **options)
    return out.getvalue()


def looked(data, most=MOST_PIXELS):
    descriptor = os.memfd_create("picture")
    with io.FileIO(descriptor, "r+") as file:
        file.write(data)
        file.seek(0)
        return decode(file, most)


def faults(data, **options):
    return [fault.kind for fault in looked(data, **options).faults]


def chunk(tag, data):
    return struct.pack(">I", len(data)) + tag + data + struct.pack(">I", zlib.crc32(tag + data))


def png(raw, *, width=4, height=4, tail=b"", end=True):
    """RGB, 8 bits, of these bytes with their filter bytes."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    closing = chunk(b"IEND", b"") if end else b""
    return HEAD + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + tail + closing


ROWS = (b"\0" + bytes(range(12))) * 4
JPEG = encoded(noise(), "JPEG", quality=90)
PNG = encoded(noise(), "PNG")


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
@pytest.mark.parametrize("size", [(64, 64), (1, 1), (33, 17), (5, 300)])
@pytest.mark.parametrize(
    "how", [{}, {"optimize": True}, {"progressive": True}, {"restart_marker_blocks": 3}, {"subsampling": 0}]
)
def test_sound_jpegs_pass(mode, size, how):
    for picture in noise(mode, size), Image.new(mode, size):
        for quality in 20, 90:
            data = encoded(picture, "JPEG", quality=quality, **how)
            found = looked(data)
            assert (found.format, found.frames, found.pixels, found.faults) == ("JPEG", 1, size[0] * size[1], ())


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
@pytest.mark.parametrize("size", [(64, 64), (1, 1), (33, 17)])
def test_sound_pngs_pass(mode, size):
    picture = Image.new("I;16", size, 700) if mode == "I;16" else noise(mode, size)
    found = looked(encoded(picture, "PNG"))
    assert (found.format, found.frames, found.faults) == ("PNG", 1, ())


@pytest.mark.parametrize("name", ["china.jpg", "flower.jpg"])
def test_pictures_that_are_shipped_pass_and_half_of_them_does_not(name):
    data = (SHIPPED / name).read_bytes()
    assert looked(data).faults == ()
    assert faults(data[: len(data) // 2]) == ["truncated"]


def test_an_interlaced_png_passes():
    """Adam7, of 5 x 3 grey pixels, written by hand; the third pass has none."""
    header = struct.pack(">IIBBBBB", 5, 3, 8, 0, 0, 0, 1)
    sides = [(1, 1), (1, 1), (1, 1), (3, 1), (2, 2), (5, 1)]
    raw = b"".join(b"\0" + bytes(columns) for columns, rows in sides for _ in range(rows))
    data = HEAD + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
    assert faults(data) == []


def test_half_a_jpeg_is_truncated_and_tells_how_much_is_there():
    (fault,) = looked(JPEG[: len(JPEG) // 2]).faults
    assert (fault.kind, fault.found) == ("truncated", len(JPEG) // 2)
    assert faults(JPEG[:100]) == faults(JPEG[:3]) == ["truncated"]


def test_half_a_jpeg_with_an_end_marker_is_corrupt_though_pillow_decodes_it():
    data = JPEG[: len(JPEG) // 2] + b"\xff\xd9"
    Image.open(io.BytesIO(data)).load()
    assert faults(data) == ["corrupt"]


def test_fill_bytes_before_a_marker_are_no_data():
    assert faults(JPEG[:-2] + b"\xff" * 40 + JPEG[-2:]) == []


def test_damaged_jpegs_fail_though_pillow_decodes_them():
    start, told = JPEG.index(b"\xff\xda") + 14, 0
    for seed in range(100):
        data = bytearray(JPEG)
        at = random.Random(seed).randrange(start, len(data) - 10)
        data[at] ^= 255
        data[at + 1] ^= 255
        Image.open(io.BytesIO(data)).load()
        told += faults(bytes(data)) == ["corrupt"]
    assert told > 85


def test_a_restart_interval_that_is_missing_is_corrupt():
    data = encoded(noise(), "JPEG", quality=90, restart_marker_blocks=2)
    first = data.index(b"\xff\xd0")
    assert faults(data) == []
    assert faults(data[:first] + data[data.index(b"\xff\xd1", first) :]) == ["corrupt"]


@pytest.mark.parametrize("data", [JPEG[:-2], JPEG[:-1], PNG[:-12], PNG[:-5], PNG[:-1]])
def test_only_the_end_marker_is_missing(data):
    found = looked(data)
    assert [fault.kind for fault in found.faults] == ["end-marker"]
    assert (found.frames, found.pixels) == (1, 4096)


def test_pixels_that_are_missing_are_no_missing_end_marker():
    assert faults(JPEG[:-40]) == ["truncated"]
    assert faults(encoded(noise(), "JPEG", progressive=True)[:-2]) == ["truncated"]
    assert faults(PNG[:-13]) == ["truncated"]


def test_bytes_behind_the_end_are_a_note_and_zeros_are_none():
    assert faults(JPEG + b"more") == faults(PNG + b"more") == ["trailing"]
    assert faults(JPEG + bytes(512)) == []


def test_a_png_whose_data_is_damaged_under_a_right_crc():
    at = PNG.index(b"IDAT")
    size = int.from_bytes(PNG[at - 4 : at], "big")
    body = bytearray(PNG[at + 4 : at + 4 + size])
    body[size // 2] ^= 255
    body[size // 2 + 1] ^= 255
    (fault,) = looked(PNG[: at - 4] + chunk(b"IDAT", bytes(body)) + PNG[at + 8 + size :]).faults
    assert fault.kind == "corrupt"
    assert "data stream is broken" in fault.what


def test_half_a_png_is_truncated():
    assert faults(PNG[: len(PNG) // 2]) == faults(PNG[:20]) == faults(PNG[:8]) == ["truncated"]


@pytest.mark.parametrize("tag", [b"IHDR", b"IDAT", b"tEXt", b"IEND"])
def test_a_crc_that_is_wrong_is_corrupt_in_any_chunk(tag):
    data = bytearray(png(ROWS, tail=chunk(b"tEXt", b"Comment\0sound")))
    at = data.index(tag)
    data[at + 4 + int.from_bytes(data[at - 4 : at], "big")] ^= 1
    (fault,) = looked(bytes(data)).faults
    assert fault.kind == "corrupt"
    assert tag.decode() in fault.what


def test_a_png_with_too_few_or_too_many_pixels_is_corrupt():
    assert faults(png(ROWS)) == []
    (fault,) = looked(png(ROWS[:-13])).faults
    assert (fault.kind, fault.expected, fault.found) == ("corrupt", 52, 39)
    assert faults(png(ROWS + ROWS)) == faults(png(bytes(50_000_000))) == ["corrupt"]


def test_a_png_without_pixels_is_corrupt():
    header = struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0)
    assert faults(HEAD + chunk(b"IHDR", header) + chunk(b"IEND", b"")) == ["corrupt"]
    assert faults(HEAD + chunk(b"IEND", b"")) == ["corrupt"]


@pytest.mark.parametrize("form", ["PNG", "GIF", "WEBP", "TIFF"])
def test_every_frame_is_decoded_and_the_last_one_counts(form):
    others = [noise(seed=seed) for seed in range(1, 5)]
    data = encoded(noise(), form, save_all=True, append_images=others)
    found = looked(data)
    assert (found.frames, found.pixels, found.faults) == (5, 5 * 4096, ())
    assert faults(data[: len(data) * 7 // 8]) != []


def test_more_frames_than_are_decoded_are_no_pass(monkeypatch):
    monkeypatch.setattr(pillow, "MOST_FRAMES", 3)
    others = [noise(seed=seed) for seed in range(1, 5)]
    with pytest.raises(FormatError, match="more than 3 frames"):
        looked(encoded(noise(), "GIF", save_all=True, append_images=others))
    assert looked(encoded(noise(), "GIF", save_all=True, append_images=others[:2])).frames == 3


@pytest.mark.parametrize("form", ["BMP", "PPM", "TIFF", "JPEG2000", "WEBP", "AVIF", "GIF"])
def test_other_formats_pass_whole_and_fail_in_half(form):
    data = encoded(noise(), form)
    assert (looked(data).format, faults(data)) == (form, [])
    assert faults(data[: len(data) // 2])[0] in {"truncated", "corrupt"}


def test_a_gif_without_its_trailer():
    assert faults(encoded(noise("P"), "GIF")[:-1]) == ["end-marker"]


def test_of_several_jpegs_in_one_file_the_first_is_decoded():
    found = looked(encoded(noise(), "MPO", save_all=True, append_images=[noise(seed=1)]))
    assert (found.frames, found.faults) == (1, ())


def test_a_bomb_is_told_and_nothing_is_allocated():
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0))
    (fault,) = looked(HEAD + header + chunk(b"IDAT", b"") + chunk(b"IEND", b"")).faults
    assert (fault.kind, fault.found) == ("bomb", 900_000_000)
    assert fault.what == "declares 30000 x 30000 = 900,000,000 pixels, more than 178,956,970 (max_pixels)"


@pytest.mark.parametrize("form", ["JPEG", "PNG", "GIF", "WEBP", "TIFF", "BMP", "PPM", "JPEG2000", "AVIF"])
def test_the_bound_is_exact(form):
    data = encoded(noise(), form)
    assert faults(data, most=4096) == []
    assert faults(data, most=4095) == ["bomb"]


def test_a_webp_without_loss_is_bounded_before_it_is_opened():
    assert faults(encoded(noise(), "WEBP", lossless=True), most=4095) == ["bomb"]
    animated = encoded(noise(), "WEBP", save_all=True, append_images=[noise(seed=1)])
    assert faults(animated, most=4095) == ["bomb"]


def test_what_is_no_picture():
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 48605698\n".encode()
    assert faults(pointer) == ["pointer"]
    assert faults(b"") == faults(bytes(1_000_000)) == ["empty"]
    assert faults(bytes(1_000_000) + b"x") == faults(b"<html>") == ["unknown"]
    assert faults(b"%!PS-Adobe-3.0 EPSF-3.0\n") == faults(b"\0\0\0\x18ftypheic") == ["unsupported"]


def test_no_message_tells_an_address():
    assert looked(b"\xff\x4f\xff\x51" + bytes(9) + b"x").faults == looked(b"\xff\x4f\xff\x51" + bytes(9) + b"x").faults
    assert "0x" not in looked(b"\xff\x4f\xff\x51" + bytes(9) + b"x").faults[0].what


@given(st.sampled_from([JPEG, PNG, encoded(noise("P"), "GIF"), encoded(noise(), "WEBP")]), st.data())
@settings(max_examples=150, deadline=None)
def test_any_bytes_have_an_answer(data, drawn):
    at = drawn.draw(st.integers(0, len(data)))
    data = data[:at] + drawn.draw(st.binary(max_size=40)) + data[at + drawn.draw(st.integers(0, 40)) :]
    with contextlib.suppress(FormatError):
        looked(data, most=100_000)


@given(st.sampled_from([b"", b"\xff\xd8\xff", HEAD, b"GIF89a", b"RIFF", b"II*\0", b"BM", b"P6 "]), st.binary())
@settings(max_examples=200, deadline=None)
def test_any_bytes_behind_any_sign_have_an_answer(sign, rest):
    looked(sign + rest, most=100_000)
