"""The measures of pictures: on pictures of which they are known, and of every mode and size."""

import io
import math
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from audit.errors import FormatError
from audit.signals.images.content import measure
from audit.signals.images.decode import decode
from audit.signals.images.jpeg_quality import quality
from audit.signals.images.texture import bands

RNG = np.random.default_rng(5)


def grey(values):
    return Image.fromarray(np.clip(np.round(values), 0, 255).astype(np.uint8))


def stored(picture, form="JPEG", **options):
    out = io.BytesIO()
    picture.save(out, form, **options)
    found = Image.open(out)
    found.load()
    return found


def ramp(size=512, sd=0.0, seed=0):
    across = np.linspace(60, 180, size)
    return grey(np.add.outer(across, across) / 2 + np.random.default_rng(seed).normal(0, sd, (size, size)))


@pytest.mark.parametrize("sd", [2, 5, 10, 20])
def test_noise_is_its_deviation_and_sees_through_planes_and_edges(sd):
    assert measure(ramp(sd=sd)).noise == pytest.approx(sd, rel=0.04)
    half = np.random.default_rng(1).normal(0, sd, (256, 256)) + 60
    half[:, 128:] += 100
    assert measure(grey(half)).noise == pytest.approx(sd, rel=0.05)


def test_brightness_contrast_and_colours():
    pixels = np.zeros((256, 256, 3), np.uint8)
    pixels[:, :128] = (200, 100, 50)
    pixels[:, 128:] = (100, 100, 100)
    one = measure(Image.fromarray(pixels))
    luma = 0.299 * 200 + 0.587 * 100 + 0.114 * 50
    assert one.brightness == pytest.approx((luma + 100) / 2, abs=0.01)
    assert one.contrast == pytest.approx((luma - 100) / 2, abs=0.01)
    assert (one.red, one.green, one.blue, one.saturation) == (150, 100, 75, 75)
    assert (one.entropy, one.commonest) == (1, 0.5)


def test_sharpness_is_the_variance_of_the_laplacian():
    values = RNG.integers(0, 256, (60, 80)).astype(np.int64)
    inner = values[1:-1, 1:-1]
    laplacian = values[:-2, 1:-1] + values[2:, 1:-1] + values[1:-1, :-2] + values[1:-1, 2:] - 4 * inner
    assert measure(grey(values)).sharpness == pytest.approx(laplacian.var(), rel=1e-5)
    assert measure(ramp()).sharpness < 1
    assert measure(ramp(sd=10)).sharpness == pytest.approx(20 * 100, rel=0.05)


def test_sharpness_of_large_pictures_does_not_grow_with_their_size():
    small = grey(np.repeat(np.repeat(RNG.integers(0, 256, (64, 64)), 8, 0), 8, 1))
    large = small.resize((4096, 4096), Image.Resampling.NEAREST)
    assert measure(large).sharpness == pytest.approx(measure(small).sharpness, rel=0.3)
    assert measure(small.resize((1000, 1000), Image.Resampling.BICUBIC)).sharpness < measure(small).sharpness / 3


@pytest.mark.parametrize("known", [1, 10, 30, 49, 50, 51, 75, 90, 95, 99])
def test_quality_is_that_at_which_it_was_written(known):
    assert measure(stored(ramp(64), quality=known)).quality == known
    assert measure(stored(stored(ramp(64), quality=known).convert("RGB"), "PNG")).quality is None


def test_quality_of_what_is_no_table():
    assert quality((1, 2, 3)) is None
    assert quality([1] * 64) == 100
    assert quality([65535] * 64) == 1


def test_blocks_show_in_a_png_wherever_the_grid_lies():
    photograph = grey(RNG.normal(0, 6, (256, 256)) + np.asarray(ramp(256)))
    good, poor = (stored(photograph, quality=value).convert("L") for value in (98, 40))
    assert measure(photograph).blockiness < 0.05
    assert measure(poor).blockiness > 5 * measure(good).blockiness
    moved = poor.crop((3, 5, 256, 256))
    assert measure(moved).blockiness == pytest.approx(measure(poor).blockiness, rel=0.2)


def test_blank_is_blank_in_every_channel():
    one = measure(Image.new("RGB", (300, 200), (10, 200, 30)))
    assert (one.constant, one.flat) == (True, 1)
    assert (one.red, one.green, one.blue, one.noise, one.sharpness, one.entropy) == (10, 200, 30, 0, 0, 0)
    pixels = np.full((200, 300, 3), 128, np.uint8)
    pixels[77, 200, 2] = 129
    one = measure(Image.fromarray(pixels))
    assert (one.constant, one.flat) == (False, 1)


def test_a_picture_that_is_flat_in_luma_alone_is_not_flat():
    pixels = np.full((100, 100, 3), 90, np.uint8)
    pixels[:, ::2, 2] = 180
    one = measure(Image.fromarray(pixels))
    assert (one.constant, one.flat) == (False, 0.5)


def test_one_pixel_in_a_million_is_seen():
    pixels = np.zeros((1000, 1000), np.uint8)
    pixels[997, 3] = 255
    one = measure(Image.fromarray(pixels))
    assert (one.constant, one.flat) == (False, 1 - 1e-6)


@given(st.integers(0, 255), st.integers(0, 255), st.floats(0.95, 1), st.integers(16, 400), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_no_flat_picture_escapes_the_glance(level, other, share, side, seed):
    values = np.full(side * side, level, np.uint8)
    values[np.random.default_rng(seed).permutation(side * side)[round(share * side * side) :]] = other
    values = np.sort(values) if seed % 2 else values
    counts = np.bincount(values, minlength=256)
    true = max(counts[at : at + 8].sum() for at in range(249)) / values.size
    found = measure(Image.fromarray(values.reshape(side, side))).flat
    assert found == pytest.approx(true) or (found == 0 and true < 0.97)


MODES = ("1", "L", "LA", "La", "P", "PA", "RGB", "RGBA", "RGBa", "RGBX", "CMYK", "YCbCr", "HSV", "LAB")


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_of_eight_bits_is_measured(mode):
    by_way_of = {"La": "LA", "RGBa": "RGBA", "PA": "P"}.get(mode, "RGB")
    picture = Image.new("RGB", (40, 40), (90, 90, 90)).convert(by_way_of).convert(mode)
    assert measure(picture).brightness == pytest.approx(90, abs=90 if mode == "1" else 3)


def test_deep_grey_is_its_upper_eight_bits():
    values = RNG.integers(0, 65536, (50, 50))
    upper = measure(grey(values >> 8))
    assert measure(Image.fromarray(values.astype(np.uint16))) == upper
    assert measure(Image.fromarray(values.astype(np.int32))) == upper


@pytest.mark.parametrize("values", [np.zeros((9, 9), np.float32), np.full((9, 9), 70000, np.int32)])
def test_numbers_that_are_no_colours_are_not_measured(values):
    with pytest.raises(ValueError, match="not known"):
        measure(Image.fromarray(values))


def test_transparency_is_not_heeded():
    values = RNG.integers(0, 256, (50, 50, 4), dtype=np.uint8)
    assert measure(Image.fromarray(values)) == measure(Image.fromarray(values[:, :, :3]))


def test_upright_size():
    exif = Image.Exif()
    exif[0x0112] = 6
    one = measure(stored(Image.new("RGB", (40, 30)), exif=exif))
    assert (one.width, one.height) == (30, 40)


@given(st.integers(1, 90), st.integers(1, 90), st.sampled_from(["L", "RGB"]))
@settings(max_examples=80, deadline=None)
def test_every_size_is_measured_and_finite(width, height, mode):
    values = RNG.integers(0, 256, (height, width, 3), dtype=np.uint8)
    one = measure(Image.fromarray(values).convert(mode))
    told = [one.brightness, one.contrast, one.saturation, one.entropy, one.commonest, one.sharpness, one.noise]
    assert all(value is None or (math.isfinite(value) and value >= 0) for value in told)
    assert (one.noise is None) == (min(width, height) < 3)


@given(
    st.sampled_from(["JPEG", "PNG", "GIF", "WEBP", "TIFF"]),
    st.integers(0, 99),
    st.integers(0, 2000),
    st.binary(max_size=8),
)
@settings(max_examples=80, deadline=None)
def test_of_damaged_files_there_are_measures_or_a_fault(form, seed, at, damage):
    out = io.BytesIO()
    Image.fromarray(np.random.default_rng(seed).integers(0, 256, (20, 20, 3), dtype=np.uint8)).save(out, form)
    data = bytearray(out.getvalue())
    data[at : at + len(damage)] = damage
    with io.FileIO(os.memfd_create("picture"), "r+") as file:
        file.write(data)
        try:
            found = decode(file, 10_000, measure)
        except FormatError:
            return
    assert found.faults or found.unmeasured or (found.measures and found.frames)


def test_bands_of_wide_and_tall_pictures_are_bounded():
    assert bands(Image.new("L", (100_000, 1))).shape == (1, 1, 4096)
    assert bands(Image.new("L", (1, 100_000))).shape == (4, 10, 1)
    assert bands(Image.new("RGB", (9000, 9000))).shape == (4, 10, 4096)
