"""Pictures: what their headers say."""

from __future__ import annotations

from audit.records.base import Record
from audit.records.obstacle import Obstacle
from audit.records.signals import Fault


class PictureFormat(Record, gc=False):
    """How a picture is stored; files of one format share one such record.

    `name` is what the bytes say, whatever the suffix says, spelled as Pillow does (`JPEG`, `PNG`, `GIF`, `WEBP`,
    `TIFF`, `BMP`, `PPM`, ...). `mode` is as stored, spelled as Pillow does (`RGB`, `L`, `P`, `RGBA`, `CMYK`, `1`,
    `LA`, `I;16`, ...). `bits` are those of one channel.
    """

    name: str
    mode: str
    channels: int
    bits: int


class PictureHeader(Record, gc=False):
    """What the header of a file says. Without a `format` there is a fault that says why.

    `width` and `height` are as stored, in pixels. `orientation` is EXIF's, 1 to 8, and 1 where none is said;
    5 to 8 swap the sides. `icc` is the size of the colour profile in bytes, 0 where there is none. `frames` counts
    the pictures of an animation or the pages.
    """

    format: PictureFormat | None = None
    width: int = 0
    height: int = 0
    orientation: int = 1
    icc: int = 0
    frames: int = 1
    faults: tuple[Fault, ...] = ()

    @property
    def upright(self) -> tuple[int, int]:
        """Width and height as people see it."""
        return (self.height, self.width) if self.orientation >= 5 else (self.width, self.height)  # noqa: PLR2004 - EXIF


class Picture(Record, gc=False):
    """A file of a dataset and its header. `path` is relative to the project, `location` absolute; `size` in bytes."""

    path: str
    location: str
    size: int
    header: PictureHeader


class Pictures(Record):
    """The pictures of a dataset in the order of their paths, and what could not be looked at."""

    pictures: tuple[Picture, ...]
    unseen: tuple[Obstacle, ...] = ()
