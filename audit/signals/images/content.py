"""What the pixels of a picture amount to: brightness, colour, sharpness, noise, whether it is blank."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from audit.records.image_content import Measures
from audit.signals.images.jpeg_quality import quality
from audit.signals.images.texture import bands, texture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

_LEVELS = 256
_GLANCE = 32
"""Squares into which a glance divides each side, about."""

_BLANK = 13.0
"""A mean distance of luma from its median beyond which 0.97 of the pixels cannot lie within `_WINDOW` levels.

That from the window's middle would be 4 for 0.97 of them and 255 for the others at most, 11.5 in all; that from the
median is no larger, nor is it for means over squares. The rest is for rounding.
"""

_WINDOW = 8
_DEEP = frozenset({"I;16", "I;16L", "I;16B", "I;16N", "I"})
_DEEPEST = 65535
_TURNED = 5
_ORIENTATION = 0x0112


_LUMA = (0.299, 0.587, 0.114)
"""ITU-R BT.601, as JFIF and Pillow have it."""


class Glance(NamedTuple):
    """The whole picture in squares; see `Measures`. `spread` is the mean distance of luma from its median, if small."""

    brightness: float
    contrast: float
    spread: float
    red: float
    green: float
    blue: float
    saturation: float


def measure(picture: Image) -> Measures:
    """The measures of a picture that is loaded, as a loader sees it that takes no heed of transparency.

    The whole of it is looked at in squares of a 32nd of a side, or single pixels; neighbouring pixels in bands
    (`texture.bands`). Of 16 bits the upper eight are taken. Raises `ValueError` where what a pixel's value means
    as a colour is not known (floating point, more than 16 bits).
    """
    import numpy as np

    turned = picture.getexif().get(_ORIENTATION, 1) >= _TURNED
    width, height = reversed(picture.size) if turned else picture.size
    plain = _plain(picture)
    glance = _glanced(plain.reduce(max(1, math.isqrt(plain.width * plain.height) // _GLANCE)))
    native = bands(plain)
    seen = texture(plain, native)
    fine = np.bincount(native.ravel(), minlength=_LEVELS)
    flat, constant = _flat(plain) if glance.spread < _BLANK else (0.0, False)
    return Measures(
        width=width,
        height=height,
        brightness=_short(glance.brightness),
        contrast=_short(glance.contrast),
        red=_short(glance.red),
        green=_short(glance.green),
        blue=_short(glance.blue),
        saturation=_short(glance.saturation),
        entropy=_short(_entropy(fine)),
        commonest=_short(int(fine.max()) / native.size),
        flat=flat,
        constant=constant,
        sharpness=_short(seen.sharpness) if seen else None,
        noise=_short(seen.noise) if seen else None,
        blockiness=_short(seen.blockiness) if seen and seen.blockiness is not None else None,
        quality=quality((getattr(picture, "quantization", None) or {}).get(0, ())),
    )


def _plain(picture: Image) -> Image:
    """In 8-bit grey or RGB."""
    import numpy as np
    from PIL import Image

    if picture.mode in {"L", "RGB"}:
        return picture
    if picture.mode in {"1", "LA"}:
        return picture.convert("L")
    if picture.mode == "La":
        return picture.convert("LA").convert("L")
    if picture.mode in _DEEP:
        deep = np.asarray(picture)
        if deep.min() >= 0 and deep.max() <= _DEEPEST:
            return Image.fromarray((deep >> 8).astype(np.uint8))
    if picture.mode in {"F", "I"}:
        raise ValueError(f"what its values are as colours is not known (mode {picture.mode})")
    return picture.convert("RGB")


def _glanced(small: Image) -> Glance:
    import numpy as np

    if small.mode == "L":
        luma = np.asarray(small).astype(np.float32).ravel()
        mean = float(luma.sum()) / luma.size
        means, saturation = (mean, mean, mean), 0.0
    else:
        pixels = np.asarray(small).reshape(-1, 3)
        red, green, blue = pixels.T.copy()
        most, least = np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)
        saturation = int((most - least).sum()) / len(pixels)
        levels = pixels.astype(np.float32)
        means = tuple((np.ones(len(pixels), np.float32) @ levels / len(pixels)).tolist())
        luma = levels @ np.asarray(_LUMA, np.float32)
    brightness = float(luma.sum()) / luma.size
    luma -= np.float32(brightness)
    contrast = math.sqrt(float(luma @ luma) / luma.size)
    spread = float(np.abs(luma).sum()) / luma.size
    if spread < 2 * _BLANK:  # that from the median is at least half of it
        spread = float(np.abs(luma - np.partition(luma, luma.size // 2)[luma.size // 2]).sum()) / luma.size
    return Glance(brightness, contrast, spread, means[0], means[1], means[2], saturation)


def _entropy(found: NDArray[np.int64]) -> float:
    """Shannon 1948, in bits."""
    import numpy as np

    some = found[found > 0]
    total = int(some.sum())
    return max(0.0, math.log2(total) - float(some @ np.log2(some)) / total)


def _flat(plain: Image) -> tuple[float, bool]:
    """The largest share of all pixels within `_WINDOW` adjacent levels, and whether all are one colour."""
    found = plain.histogram()
    channels = [found[start : start + _LEVELS] for start in range(0, len(found), _LEVELS)]
    pixels = plain.width * plain.height
    shares = (max(sum(one[at : at + _WINDOW]) for at in range(_LEVELS - _WINDOW + 1)) / pixels for one in channels)
    return min(shares), all(max(one) == pixels for one in channels)


def _short(value: float) -> float:
    return round(value, 4)
