"""Pictures: what their pixels amount to, picture by picture."""

from __future__ import annotations

from audit.records.base import Record
from audit.records.drift import Measured
from audit.records.obstacle import Obstacle


class Measures(Record, gc=False, array_like=True):
    """What the pixels of one picture amount to, all in grey levels from 0 to 255 unless said otherwise.

    `width` and `height` are in pixels and upright, as EXIF's orientation has them. `red`, `green` and `blue` are
    means, `saturation` the mean of the largest less the smallest of the three. `brightness` and `contrast` are mean
    and standard deviation of luma over small squares of the picture. `sharpness` is the variance of the Laplacian,
    `noise` a standard deviation, `blockiness` how much further apart neighbours are across the seams of 8 x 8 blocks,
    as a share of how far apart they are anyway; these are None for pictures too small to have any. `entropy` is that
    of luma in bits, `commonest` the share of the commonest luma. `flat` is the largest share of all pixels within 8
    adjacent levels, in the channel where it is least, and 0 where a glance shows that it does not reach 0.97;
    `constant`: all pixels are of one colour. `quality` is that of JPEG, from 1 to 100, None for other formats.
    """

    width: int
    height: int
    brightness: float
    contrast: float
    red: float
    green: float
    blue: float
    saturation: float
    entropy: float
    commonest: float
    flat: float = 0.0
    constant: bool = False
    sharpness: float | None = None
    noise: float | None = None
    blockiness: float | None = None
    quality: float | None = None


class ContentsApart(Record):
    """A dataset's pictures held against those of others: how each measure is distributed in both.

    `names` and `pictures` are of the others, `unseen` what of them could not be measured, `faulty` those that were
    looked at and cannot be decoded, with what is wrong with them: they take no part.
    """

    drift: Measured
    names: tuple[str, ...]
    pictures: int
    unseen: tuple[Obstacle, ...] = ()
    faulty: tuple[Obstacle, ...] = ()
