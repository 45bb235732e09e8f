"""Decodes pictures, which may be built to crash or to flood a decoder, and says what they look like.

A picture's header may claim more pixels than there is memory: one beyond 100 megapixels is not decoded.
"""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from audit.errors import FormatError
from audit.facts.processes.each import Paths, answer_each
from audit.records.base import Record

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 100_000_000
MOST_BYTES = 1 << 28
_DRAFT = 128


class Look(Record):
    """What a picture looks like: the BLAKE3 of its bytes, its hash, its thumbnail (base64).

    `hash` is empty for a picture that is too plain to be told apart.
    """

    digest: str = ""
    hash: str = ""
    thumb: str = ""


def _prepared(_: Paths) -> Callable[[io.FileIO], Look]:
    from blake3 import blake3

    warnings.simplefilter("ignore")

    def look(file: io.FileIO) -> Look:
        data = file.read(MOST_BYTES + 1) or b""
        if len(data) > MOST_BYTES:
            raise FormatError(f"is larger than the {MOST_BYTES >> 20} MiB that are decoded")
        return _look(data, blake3(data).hexdigest())

    return look


def _look(data: bytes, digest: str) -> Look:
    import numpy as np
    from PIL import Image

    from audit.measures import perceptual

    with Image.open(io.BytesIO(data)) as picture:
        if picture.width * picture.height > MOST_PIXELS:
            raise FormatError(f"has {picture.width} x {picture.height} pixels, more than are decoded")
        picture.draft("RGB", (_DRAFT, _DRAFT))
        grey = _grey(picture)
    small = np.asarray(grey.resize((perceptual.SIDE, perceptual.SIDE), Image.Resampling.BOX), dtype=np.float64)
    if perceptual.flat(small):
        return Look(digest=digest)
    thumb = np.asarray(grey.resize((perceptual.THUMB, perceptual.THUMB), Image.Resampling.BOX).convert("L"))
    return Look(
        digest=digest,
        hash=f"{perceptual.phash(small):016x}",
        thumb=base64.b64encode(thumb.tobytes()).decode("ascii"),
    )


def _grey(picture: Image) -> Image:
    """As people see it: turned by its EXIF orientation, on white where transparent; wide pixels scaled to 0-255."""
    from PIL import Image, ImageOps

    turned: Any = ImageOps.exif_transpose(picture)
    if turned.mode in {"I", "F"} or turned.mode.startswith("I;16"):
        return _scaled(turned)
    if turned.has_transparency_data:
        above = turned.convert("RGBA")
        turned = Image.alpha_composite(Image.new("RGBA", above.size, "white"), above)
    grey: Image.Image = turned.convert("L")
    return grey


def _scaled(picture: Image) -> Image:
    import numpy as np
    from PIL import Image

    values = np.nan_to_num(np.asarray(picture, dtype=np.float64))
    low, high = float(values.min()), float(values.max())
    return Image.fromarray(((values - low) * (255 / ((high - low) or 1))).astype(np.uint8), mode="L")


if __name__ == "__main__":
    answer_each(Paths, _prepared)
