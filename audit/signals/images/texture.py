"""What neighbouring pixels have to say: sharpness, noise, and the seams that JPEG leaves between its blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

    Bands = NDArray[np.int16]

BLOCK = 8
"""Pixels of a side of JPEG's blocks (T.81, A.3.1)."""

_BANDS = 4
_ROWS = BLOCK + 2
"""Rows of a band; two of them go to the differences at its edges."""

_WHOLE = 1 << 14
"""Pixels of a picture that is looked at whole."""

_WIDEST = 4096
_FEWEST = 3
_SHARP_SIDE = 512

_TOP = 255
_NOISE = 0.674489750196082 * 6
"""The median of |x| of a normal x is 0.6745 sd, and Immerkaer's mask has the norm 6."""


class Texture(NamedTuple):
    """See `Measures`."""

    sharpness: float
    noise: float
    blockiness: float | None


def bands(picture: Image) -> Bands:
    """Luma of four bands of 10 rows, evenly spread, or of a small or low picture as it is: `[band, row, column]`.

    They begin at multiples of 8 pixels, and hold at most 4096 of each row, from its middle.
    """
    import numpy as np

    wide, high = picture.size
    left = max(0, wide - _WIDEST) // 2 // BLOCK * BLOCK
    right = min(wide, left + _WIDEST)
    if wide * high <= _WHOLE or high <= _BANDS * _ROWS:
        tops, rows, strip = [0], high, picture.crop((left, 0, right, high)) if wide > _WIDEST else picture
    else:
        tops, rows = [(high - _ROWS) * (at + 1) // (_BANDS + 1) // BLOCK * BLOCK for at in range(_BANDS)], _ROWS
        strip = _pasted(picture, (left, right), tops, rows)
    return np.asarray(strip.convert("L")).astype(np.int16).reshape(len(tops), rows, right - left)


def _pasted(picture: Image, sides: tuple[int, int], tops: list[int], rows: int) -> Image:
    """The bands, one below the other."""
    from PIL import Image

    left, right = sides
    strip = Image.new(picture.mode, (right - left, rows * len(tops)))
    for at, top in enumerate(tops):
        strip.paste(picture.crop((left, top, right, top + rows)), (0, rows * at))
    return strip


def texture(picture: Image, native: Bands) -> Texture | None:
    """Of a picture and its bands; None for one of fewer than three pixels a side."""
    if min(picture.size) < _FEWEST:
        return None
    factor = min(picture.size) // _SHARP_SIDE
    across = _second(native)
    noise = _noise(_second_down(across))
    if factor > 1:
        reduced = bands(picture.reduce(factor))
        sharpness = _sharpness(_second(reduced), reduced)
    else:
        sharpness = _sharpness(across, native)
    return Texture(sharpness, noise, _blockiness(native))


def _second(luma: Bands) -> Bands:
    found: Bands = luma[:, :, :-2] + luma[:, :, 2:]
    found -= luma[:, :, 1:-1]
    found -= luma[:, :, 1:-1]
    return found


def _second_down(luma: Bands) -> Bands:
    found: Bands = luma[:, :-2] + luma[:, 2:]
    found -= luma[:, 1:-1]
    found -= luma[:, 1:-1]
    return found


def _sharpness(across: Bands, luma: Bands) -> float:
    """The variance of the Laplacian of four neighbours (Pech-Pacheco et al. 2000)."""
    import numpy as np

    laplacian = (across[:, 1:-1] + _second_down(luma)[:, :, 1:-1]).astype(np.float32).ravel()
    mean = float(laplacian.sum()) / laplacian.size
    return max(0.0, float(laplacian @ laplacian) / laplacian.size - mean * mean)


def _noise(masked: Bands) -> float:
    """The noise's standard deviation.

    By the mask of Immerkaer 1996 ("Fast noise variance estimation", CVIU 64), which leaves nothing of planes and
    edges along the axes; with the median of its absolute values in place of their mean, so that a picture's texture
    counts for less (as Donoho and Johnstone 1994 do with wavelets). No more than 63 can be told.
    """
    import numpy as np

    folded = np.bincount(np.minimum(np.abs(masked[:, :, ::2]), _TOP).ravel(), minlength=_TOP + 1)
    return _median(folded) / _NOISE


def _median(folded: NDArray[np.int64]) -> float:
    """The median of absolute values of whole numbers, each spread evenly over half a level to either side."""
    below = folded.cumsum()
    size = int(below[-1])
    if folded[0] == size:
        return 0.0
    level = int((2 * below).searchsorted(size))
    share = (size / 2 - float(below[level] - folded[level])) / float(folded[level])
    return share / 2 if level == 0 else level - 0.5 + share


def _blockiness(luma: Bands) -> float | None:
    """Mean steps between neighbours along the rows, at the one of eight places where they stand out most.

    What a step is larger than the mean of the steps before and behind it, by column; the largest of the means of each
    eighth column less the median of these means, as a share of the mean step. After Wang, Bovik and Evans 2000.
    None for fewer than four blocks.
    """
    import numpy as np

    width = luma.shape[2]
    if width < 4 * BLOCK:
        return None
    rows = luma.reshape(-1, width)
    steps = np.ones(len(rows), np.float32) @ np.abs((rows[:, 1:] - rows[:, :-1]).astype(np.float32))
    total = float(steps.sum()) / len(steps)
    if not total:
        return 0.0
    excess = steps[1:-1] - (steps[:-2] + steps[2:]) / 2
    ranked = sorted(excess[: len(excess) // BLOCK * BLOCK].reshape(-1, BLOCK).sum(axis=0).tolist())
    middle = (ranked[BLOCK // 2 - 1] + ranked[BLOCK // 2]) / 2
    return float(ranked[-1] - middle) / (len(excess) // BLOCK) / total
