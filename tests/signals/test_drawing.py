"""Levels as a PNG: what is read back is what was drawn, and brighter is louder."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from audit.signals.drawing import LEVELS, png


def opened(levels):
    data = png(levels)
    with Image.open(io.BytesIO(data)) as picture:
        picture.verify()
    return Image.open(io.BytesIO(data))


@pytest.mark.parametrize("shape", [(1, 1), (96, 300), (3, 7)])
def test_each_level_is_where_it_was_drawn(shape):
    levels = np.random.default_rng(0).integers(0, LEVELS, shape, dtype=np.uint8)
    picture = opened(levels)
    assert (picture.mode, picture.size) == ("P", shape[::-1])
    assert (np.asarray(picture) == levels).all()


def test_each_level_is_brighter_than_the_one_below():
    ramp = opened(np.arange(LEVELS, dtype=np.uint8)[None]).convert("RGB").convert("L")
    brightness = np.asarray(ramp, int)[0]
    assert brightness[0] < 5
    assert brightness[-1] > 240
    assert (np.diff(brightness) > 0).all()
