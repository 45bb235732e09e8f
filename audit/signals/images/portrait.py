"""A picture as a report shows it: small, upright, decoded as far as it goes, and encoded anew."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

from audit.errors import FormatError
from audit.records.portraits import PicturePortrait
from audit.signals.images.reading import MOST_PIXELS, Stop, bounded

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE = 160
"""Pixels of the longer side, at most."""

BYTES = 3_600
"""Of one JPEG, so that a dozen fits into an exhibit."""

_FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "TIFF", "BMP", "PPM", "JPEG2000", "AVIF", "QOI")
_TRIES = ((SIDE, 80), (SIDE, 60), (SIDE, 40), (SIDE * 3 // 4, 40), (SIDE // 2, 40), (SIDE // 4, 30))
"""Sides and qualities, until the picture is small enough."""

_JPEG_HEAD, _JPEG_END = b"\xff\xd8\xff", b"\xff\xd9"
_CUT_BYTES = 1 << 26
_SQUARE = 8
_LIGHT, _DARK = 225, 195


def portrait(file: io.FileIO, most: int = MOST_PIXELS) -> PicturePortrait:
    """The first picture of an open file; `FormatError` where there is none of at most `most` pixels to be shown."""
    from PIL import ImageFile

    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        return _encoded(_decoded(file, most), cut=False)
    except (FormatError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - decoders raise anything on hostile bytes
        ImageFile.LOAD_TRUNCATED_IMAGES = True
        return _encoded(_as_far_as_it_goes(file, most), cut=True)


def _decoded(stream: Any, most: int) -> Image:
    """The picture, upright, in RGB, no larger than it is shown."""
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = None
    stream.seek(0)
    with Image.open(stream, formats=_FORMATS) as picture:
        try:
            bounded(*picture.size, most)
        except Stop as stop:
            raise FormatError(stop.fault.what) from None
        picture.draft(None, (2 * SIDE, 2 * SIDE))
        picture.load()
        return _rgb(_small(ImageOps.exif_transpose(picture)))


def _as_far_as_it_goes(file: io.FileIO, most: int) -> Image:
    """What of a broken picture can be decoded. Behind an early end marker, JPEG's decoder leaves all grey."""
    file.seek(0)
    data = file.read(_CUT_BYTES)
    try:
        return _decoded(io.BytesIO(data + _JPEG_END if data.startswith(_JPEG_HEAD) else data), most)
    except (FormatError, MemoryError):
        raise
    except Exception as error:
        raise FormatError(f"nothing of it can be decoded ({type(error).__name__})") from error


def _small(picture: Image) -> Image:
    """No larger than it is shown; what has no colours to mix keeps its pixels until it has."""
    from PIL import Image

    if picture.mode in {"1", "P", "PA"}:
        picture = picture.convert("RGBA" if "transparency" in picture.info or picture.mode == "PA" else "RGB")
    if picture.mode.startswith(("I", "F")):
        picture = _grey(picture)
    picture.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    return picture


def _grey(picture: Image) -> Image:
    """Deep greys from their darkest to their brightest: where black and white are, nothing says."""
    import numpy as np
    from PIL import Image

    values = np.nan_to_num(np.asarray(picture, np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    low, high = float(values.min()), float(values.max())
    return Image.fromarray(((values - low) * (255 / ((high - low) or 1))).astype(np.uint8))


def _rgb(picture: Image) -> Image:
    """In RGB, what is transparent over squares."""
    from PIL import Image

    if not picture.has_transparency_data:
        return picture.convert("RGB")
    ground = Image.new("RGB", picture.size, (_LIGHT,) * 3)
    for left in range(0, picture.width, _SQUARE):
        for top in range(left % (2 * _SQUARE), picture.height, 2 * _SQUARE):
            ground.paste((_DARK,) * 3, (left, top, left + _SQUARE, top + _SQUARE))
    picture = picture.convert("RGBA")
    ground.paste(picture, mask=picture)
    return ground


def _encoded(picture: Image, *, cut: bool) -> PicturePortrait:
    """As a JPEG without metadata, of as many pixels and as much quality as there is room for."""
    for side, quality in _TRIES:
        picture.thumbnail((side, side))
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=quality, optimize=True, exif=b"", icc_profile=b"", comment=b"")
        if len(out.getvalue()) <= BYTES:
            break
    jpeg = base64.b64encode(out.getvalue()).decode()
    return PicturePortrait(jpeg=jpeg, width=picture.width, height=picture.height, cut=cut)
