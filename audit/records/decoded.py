"""Pictures: what came out when they were decoded whole."""

from __future__ import annotations

from audit.records.base import Record
from audit.records.image_content import Measures
from audit.records.obstacle import Obstacle
from audit.records.signals import BLIND, Fault


class Decoded(Record, gc=False):
    """What decoding a file said. `format` is spelled as Pillow does, and empty where no picture was recognised.

    `frames` were decoded, of `pixels` pixels in all; both are 0 where a fault came before. `measures` are those of the
    first frame, where they were asked for; `unmeasured` says why there are none ("it ..."; empty after a fault).
    """

    format: str = ""
    frames: int = 0
    pixels: int = 0
    faults: tuple[Fault, ...] = ()
    measures: Measures | None = None
    unmeasured: str = ""

    @property
    def is_faulty(self) -> bool:
        """Whether something is known to be wrong with it, and not only that nothing here understands it."""
        return not self.unmeasured and any(fault.kind not in BLIND for fault in self.faults)


class DecodedPicture(Record, gc=False):
    """A file of a dataset, decoded. `path` is relative to the project."""

    path: str
    decoded: Decoded


class DecodedPictures(Record):
    """The pictures of a dataset in the order of their paths, and what could not be looked at."""

    pictures: tuple[DecodedPicture, ...]
    unseen: tuple[Obstacle, ...] = ()
