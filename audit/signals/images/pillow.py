"""Decoding by Pillow, which tolerates nothing here; every frame is bounded before it is loaded."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from audit.errors import FormatError
from audit.records.decoded import Decoded
from audit.records.image_content import Measures
from audit.records.signals import Fault
from audit.signals.images.reading import Stop, Wish, bounded

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_FRAMES = 10_000


def strict() -> None:
    """Have Pillow tolerate nothing, whatever was set before, and leave the number of pixels to us."""
    import warnings

    from PIL import Image, ImageFile

    warnings.simplefilter("ignore")
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    Image.MAX_IMAGE_PIXELS = None


def plain(file: io.FileIO, _size: int, name: str, wish: Wish) -> Decoded:
    """A format whose decoder tells all that can be known."""
    with open(file.fileno(), "rb", closefd=False) as stream:
        stream.seek(0)
        return decoded(stream, name, wish)


def decoded(stream: Any, name: str, wish: Wish, notes: tuple[Fault, ...] = ()) -> Decoded:
    """Decode every frame, each bounded before it is loaded."""
    frames = pixels = 0
    measures, unmeasured = None, ""
    try:
        with _opened(stream, name) as picture:
            for frame in _frames(picture):
                bounded(*frame.size, wish.most)
                frame.load()
                if wish.measure and not frames:
                    measures, unmeasured = _measured(frame, wish.measure)
                frames, pixels = frames + 1, pixels + frame.width * frame.height
    except (Stop, FormatError, MemoryError):
        raise
    except Exception as error:
        raise _told(error, frames) from error
    return Decoded(format=name, frames=frames, pixels=pixels, faults=notes, measures=measures, unmeasured=unmeasured)


def _measured(frame: Image, measure: Callable[[Image], Measures]) -> tuple[Measures | None, str]:
    """The measures, or why there are none, which is no fault of the file."""
    try:
        return measure(frame), ""
    except MemoryError:
        raise
    except ValueError as error:
        return None, str(error)
    except Exception as error:  # noqa: BLE001 - whatever a library cannot do with a sound picture
        return None, f"{type(error).__name__}: {str(error)[:160]}"


def _opened(stream: Any, name: str) -> Image:
    from PIL import Image, UnidentifiedImageError

    try:
        return Image.open(stream, formats=(name,))
    except UnidentifiedImageError:  # its text holds an address
        raise Stop("corrupt", f"begins as {name} does, but its header cannot be read") from None


def _frames(picture: Image) -> Iterator[Image]:
    """Each frame or page; of what is several JPEGs in one file (MPO) the first, which is what loaders see."""
    for index in range(1 if picture.format == "MPO" else MOST_FRAMES + 1):
        try:
            picture.seek(index)
        except EOFError:
            return
        if index == MOST_FRAMES:
            raise FormatError(f"holds more than {MOST_FRAMES:,} frames; the others were not decoded")
        yield picture


def _told(error: Exception, frames: int) -> Exception:
    """What a decoder's exception says of the file; one with a number comes from the disk."""
    if isinstance(error, OSError) and error.errno is not None:
        return error
    place = f"frame {frames + 1} " if frames else ""
    text = f"{place}cannot be decoded: {type(error).__name__}: {str(error)[:160]}"
    return Stop("truncated" if "truncated" in str(error).lower() else "corrupt", text)
