"""What headers of pictures have in common: formats that files share, and sides that make a picture."""

from __future__ import annotations

from functools import lru_cache

from audit.errors import FormatError
from audit.records.image import PictureFormat


@lru_cache(256)
def known(name: str, mode: str, channels: int, bits: int) -> PictureFormat:
    """The one record of this format."""
    return PictureFormat(name=name, mode=mode, channels=channels, bits=bits)


def sized(width: int, height: int) -> tuple[int, int]:
    """Both sides, if there is a pixel. Raises `FormatError`."""
    if width < 1 or height < 1:
        raise FormatError(f"declares {width} x {height} pixels")
    return width, height
