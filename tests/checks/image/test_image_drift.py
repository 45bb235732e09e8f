"""Whether a validation set that was made otherwise shows: 500 and 500 pictures cut from photographs.

The pictures of a photograph resemble each other, so each is dealt to either side by itself: which side it is on is
then chance alone, as the tests have it, and none is on both sides.
"""

import io
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets
from PIL import Image

from audit.checks._signal_drift import Allowed, judged_signals
from audit.checks.image.content import Content
from audit.facts.signals.image_content import MEASURES
from audit.records.signal_drift import SignalColumn, SignalPair
from audit.signals.images.content import measure
from audit.tables.pair.signals import measured

skimage = pytest.importorskip("skimage", reason="its photographs are looked at")
SHIPPED = Path(skimage.__file__).parent / "data"
NAMES = (
    *("astronaut.png", "chelsea.png", "coffee.png", "rocket.jpg", "retina.jpg", "hubble_deep_field.jpg"),
    *("motorcycle_left.png", "ihc.png", "camera.png", "coins.png", "moon.png", "brick.png", "grass.png", "gravel.png"),
)
SIDE = 64
MOST = 150
EACH = 500
DEFAULT = Content(dataset="val")
ALLOWED = Allowed(DEFAULT.tolerance, DEFAULT.tolerances, DEFAULT.false_alarms)


@cache
def pictures():
    """About a thousand, none of them overlapping another."""
    shipped = [SHIPPED / name for name in NAMES if (SHIPPED / name).exists()]
    found = []
    for path in (*shipped, *sorted((Path(sklearn.datasets.__file__).parent / "images").glob("*.jpg"))):
        with Image.open(path) as photograph:
            whole = photograph.convert("RGB")
        places = [
            (left, top)
            for top in range(0, whole.height - SIDE + 1, SIDE)
            for left in range(0, whole.width - SIDE + 1, SIDE)
        ]
        step = max(1.0, len(places) / MOST)
        chosen = [places[int(at * step)] for at in range(min(MOST, len(places)))]
        found += [whole.crop((left, top, left + SIDE, top + SIDE)) for left, top in chosen]
    if len(found) < 2 * EACH:
        pytest.skip("this release of scikit-image ships too few photographs")
    return found


@cache
def columns(make):
    """The measures of all of them, each made otherwise by `make`, as columns."""
    rng = np.random.default_rng(11)
    found = [measure(make(one, rng)) for one in pictures()]
    return {
        name: np.array([np.nan if (value := of(one)) is None else value for one in found])
        for name, of in MEASURES.items()
    }


def drifted(make_reference, make_current, seed):
    """The measures that drift where so many are dealt to each side."""
    here, there = columns(make_reference), columns(make_current)
    dealt = np.random.default_rng(seed).permutation(len(pictures()))
    left, right = dealt[:EACH], dealt[EACH : 2 * EACH]
    pairs = tuple(
        SignalColumn(name=name, reference=here[name][left].tobytes(), current=there[name][right].tobytes())
        for name in here
        if not (np.isnan(here[name]).all() and np.isnan(there[name]).all())
    )
    found = judged_signals(measured(SignalPair(columns=pairs)), ALLOWED)
    assert {one.state for one in found} <= {"drift", "pass"}  # so many are enough
    return {one.name for one in found if one.state == "drift"}


def same(picture, rng):
    return picture


@cache
def noisy(sd):
    def noisy(picture, rng):
        values = np.asarray(picture) + rng.normal(0, sd, (SIDE, SIDE, 3))
        return Image.fromarray(np.clip(np.round(values), 0, 255).astype(np.uint8))

    return noisy


@cache
def jpeg(quality, form="JPEG"):
    def jpeg(picture, rng):
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=quality)
        found = Image.open(out)
        found.load()
        return found if form == "JPEG" else Image.fromarray(np.asarray(found))

    return jpeg


def cropped(picture, rng):
    return picture.crop((3, 3, 61, 61))


def cropped_to_size(picture, rng):
    edge = SIDE * 0.05
    return picture.resize((SIDE, SIDE), Image.Resampling.BICUBIC, box=(edge, edge, SIDE - edge, SIDE - edge))


def down_and_up(picture, rng):
    return picture.resize((SIDE * 3 // 4,) * 2, Image.Resampling.BICUBIC).resize((SIDE, SIDE), Image.Resampling.BICUBIC)


def redder(picture, rng):
    red, green, blue = picture.split()
    return Image.merge("RGB", (red.point(lambda level: min(255, level + 12)), green, blue))


def darker(picture, rng):
    return picture.point(lambda level: round(255 * (level / 255) ** 1.6))


@pytest.mark.parametrize(
    ("make_reference", "make_current", "expected"),
    [
        (noisy(5), noisy(5.5), {"noise"}),
        (noisy(10), noisy(11), {"noise", "sharpness"}),
        (jpeg(95), jpeg(75), {"quality", "blockiness", "noise"}),
        (jpeg(95, "PNG"), jpeg(75, "PNG"), {"blockiness", "noise"}),
        (same, cropped, {"width", "height"}),
        (same, cropped_to_size, {"noise"}),
        (same, down_and_up, {"noise", "sharpness"}),
        (same, redder, {"red_green"}),
        (same, darker, {"brightness"}),
    ],
    ids=["noise 5", "noise 10", "jpeg", "jpeg kept as png", "crop", "crop to size", "resize", "cast", "gamma"],
)
def test_what_was_made_otherwise_shows(make_reference, make_current, expected):
    for seed in range(3):
        assert expected <= drifted(make_reference, make_current, seed)


def test_pictures_in_one_format_and_another_are_told():
    assert "quality" in drifted(jpeg(90), jpeg(90, "PNG"), 0)


def test_the_same_pictures_dealt_alarm_no_more_often_than_stated():
    alarms = sum(bool(drifted(same, same, seed)) for seed in range(100))
    assert alarms <= 4  # at one in a hundred, more have a chance of 0.003
