"""Decodes pictures, which may be built to crash or to flood a decoder, and says what they look like.

A picture's header may claim more pixels than there is memory: one beyond 100 megapixels is not
decoded, and the process as a whole may take 4 GiB.
"""

from __future__ import annotations

import base64
import io
import os
import resource
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.facts.processes.ask import answer
from audit.records.base import Record

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 100_000_000
MOST_BYTES = 1 << 28
MEMORY = 4 << 30
_DRAFT = 128


class Pictures(Record):
    """Absolute paths of pictures."""

    paths: tuple[str, ...]


class Look(Record):
    """What a picture looks like: the BLAKE3 of its bytes, its hash, its thumbnail (base64); or why it is not known.

    `hash` is empty for a picture that is too plain to be told apart.
    """

    digest: str = ""
    hash: str = ""
    thumb: str = ""
    problem: str = ""


def _answers(question: Pictures) -> Iterator[Look]:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        yield from pool.map(_looked, question.paths)


def _looked(path: str) -> Look:
    from blake3 import blake3

    try:
        data = _bytes(path)
        return _look(data, blake3(data).hexdigest())
    except Exception as error:  # noqa: BLE001 - decoders raise anything on hostile bytes
        return Look(problem=f"cannot be decoded: {type(error).__name__}: {str(error)[:200]}")


def _bytes(path: str) -> bytes:
    with Path(path).open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES >> 20} MiB")
    return data


def _look(data: bytes, digest: str) -> Look:
    import numpy as np
    from PIL import Image

    from audit.measures import perceptual

    with Image.open(io.BytesIO(data)) as picture:
        if picture.width * picture.height > MOST_PIXELS:
            raise ValueError(f"{picture.width} x {picture.height} pixels, more than are decoded")
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
    answer(Pictures, _answers)
