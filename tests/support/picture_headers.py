"""Headers of pictures: ours, Pillow's, and files to ask both about."""

from __future__ import annotations

import io
import os
import sysconfig
import warnings
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from audit.formats.images.header import header
from audit.records.image import PictureHeader

ORIENTATION = 0x0112
HEAD = 4096


def ours(data: bytes, head: int = HEAD) -> PictureHeader:
    """What our parser says; it is handed the head, and the rest where it asks for it."""
    return header(data[:head], len(data), lambda at, size: data[at : at + size])


class Told(NamedTuple):
    """What can be compared."""

    name: str
    mode: str
    size: tuple[int, int]
    orientation: int
    icc: int
    frames: int


def told(data: bytes, head: int = HEAD) -> Told:
    """What ours tells; raises `AssertionError` where it found a fault."""
    said = ours(data, head)
    assert said.format, said.faults
    sides = (said.width, said.height)
    return Told(said.format.name, said.format.mode, sides, said.orientation, said.icc, said.frames)


def pillows(data: bytes) -> Told:
    """What Pillow tells; raises anything where it cannot."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Image.open(io.BytesIO(data)) as picture:
            name = {"MPO": "JPEG", "DIB": "BMP"}.get(picture.format, picture.format)
            mode, size, frames = picture.mode, picture.size, getattr(picture, "n_frames", 1)
            icc = len(picture.info.get("icc_profile") or b"")
            turned = picture.getexif().get(ORIENTATION, 1)
    if name == "TIFF" and turned >= 5:  # Pillow tells the sides that it has after loading
        size = size[::-1]
    return Told(str(name), mode, size, turned if 1 <= turned <= 8 else 1, icc, frames)


def opened(data: bytes) -> tuple[str, str, tuple[int, int]]:
    """Name, mode and size, of a file whose pixels may be broken."""
    with Image.open(io.BytesIO(data)) as picture:
        return str(picture.format), picture.mode, picture.size


def picture(mode: str, size: tuple[int, int] = (23, 17)) -> Image.Image:
    """A picture of noise."""
    width, height = size
    noise = np.random.default_rng(width * height).integers(0, 256, (height, width, 3), dtype=np.uint8)
    if mode in {"LA", "RGBA"}:
        image = Image.fromarray(noise).convert(mode)
        image.putalpha(Image.fromarray(noise[..., 1]))
        return image
    if mode.startswith("I;16"):
        return Image.fromarray(noise[..., 0].astype(np.uint16) * 257).convert(mode)
    if mode == "LAB":
        return Image.fromarray(noise).convert("RGB").convert("LAB") if _lab() else Image.new("LAB", size)
    return Image.fromarray(noise).convert(mode)


@cache
def _lab() -> bool:
    try:
        Image.new("RGB", (1, 1)).convert("LAB")
    except ValueError:
        return False
    return True


def saved(image: Image.Image, form: str, **options: Any) -> bytes:
    """The file that Pillow makes of it."""
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def exif(turned: int, order: str = "<", *, more: int = 0, kind: int = 3) -> bytes:
    """EXIF that tells an orientation, behind `more` other entries."""
    entries = [(at, 3, 1, 0) for at in range(more)] + [(ORIENTATION, kind, 1, turned)]
    little = order == "<"

    def number(value: int, width: int) -> bytes:
        return value.to_bytes(width, "little" if little else "big")

    wide = {1: 1, 3: 2, 4: 4}
    body = b"".join(
        number(tag, 2) + number(of, 2) + number(count, 4) + number(value, wide[of]).ljust(4, b"\0")
        for tag, of, count, value in entries
    )
    return (b"II*\0" if little else b"MM\0*") + number(8, 4) + number(len(entries), 2) + body + bytes(4)


def real(*suffixes: str, most: int = 150) -> list[Path]:
    """Pictures that libraries and the system ship, of these suffixes; perhaps none."""
    libraries = [find_spec(name) for name in ("skimage", "sklearn", "matplotlib")]
    places = [str(Path(one.origin).parent) for one in libraries if one and one.origin]
    found: list[Path] = []
    for place in (*places, "/usr/share/icons", "/usr/share/pixmaps", sysconfig.get_path("stdlib")):
        for folder, folders, names in os.walk(place):
            folders.sort()
            paths = [Path(folder, name) for name in sorted(names) if name.lower().endswith(suffixes)]
            found += [path for path in paths if path.is_file() and not path.is_symlink()]
            if len(found) > most:
                return found[:most]
    return found
