"""The first of the files that something is wrong with, drawn for the report: clips each by itself, pictures on a sheet.

They are decoded in programs that can be killed; a file that cannot be is left out, or has an empty place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import msgspec

from audit.errors import MissingExtra
from audit.facts.dataset import DatasetFiles
from audit.facts.dataset_walk import File
from audit.facts.processes import audio_portrait, image_portrait
from audit.facts.signals.audio_headers import AudioHeaders
from audit.facts.signals.examined import Look, examine
from audit.records.audio import Clips
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.findings import Exhibit
from audit.records.portraits import ClipPortrait, Offender, PicturePortrait

CLIPS = 6
PICTURES = 12
MOST_PIXELS = 178_956_970
SHEET_BYTES = 60_000
"""An exhibit may have 64 KiB."""

_WORDS = 300


class ClipExhibits(Request[tuple[Exhibit, ...]]):
    """The first of these clips of `dataset` over time: an exhibit of type `clip` each.

    Of offenders that are no files of the dataset nothing is shown. Raises what `AudioHeaders` does, and `MissingExtra`.
    """

    root: str
    dataset: Dataset
    offenders: tuple[Offender, ...]

    def collect(self, ctx: Context) -> tuple[Exhibit, ...]:
        """Decode and draw them."""
        if find_spec("soundfile") is None:
            raise MissingExtra("audio", "soundfile, which decodes clips,")
        shown = _shown(ctx, self.root, self.dataset, self.offenders)[:CLIPS]
        if not shown:
            return ()
        band = _band(ctx.get(AudioHeaders(root=self.root, dataset=self.dataset)))
        question = audio_portrait.Question(libraries=_versions("soundfile", "numpy"))
        looked = examine(ctx, [file for file, _ in shown], Look("audio_portrait", question, ClipPortrait))
        pairs = zip(shown, looked, strict=True)
        return tuple(_clip(file.path, reason, one.value, band) for (file, reason), one in pairs if one.value)


class ContactSheet(Request[tuple[Exhibit, ...]]):
    """The first of these pictures of `dataset`, small, on one sheet: an exhibit of type `pictures`.

    Of offenders that are no files of the dataset nothing is shown. Raises what `DatasetFiles` does, and `MissingExtra`.
    """

    root: str
    dataset: Dataset
    offenders: tuple[Offender, ...]
    max_pixels: int = MOST_PIXELS

    def collect(self, ctx: Context) -> tuple[Exhibit, ...]:
        """Decode those of at most `max_pixels` pixels, and lay them out while there is room."""
        if find_spec("PIL") is None:
            raise MissingExtra("image", "Pillow, which decodes pictures,")
        shown = _shown(ctx, self.root, self.dataset, self.offenders)[:PICTURES]
        if not shown:
            return ()
        question = image_portrait.Question(most_pixels=self.max_pixels, libraries=_versions("pillow", "numpy"))
        looked = examine(ctx, [file for file, _ in shown], Look("image_portrait", question, PicturePortrait))
        pictures = [_picture(file.path, reason, one.value) for (file, reason), one in zip(shown, looked, strict=True)]
        title = "Pictures with something wrong, one of each kind first"
        return (Exhibit(type="pictures", title=title, data={"pictures": list(_while_room(pictures))}),)


def _shown(ctx: Context, root: str, dataset: Dataset, offenders: Sequence[Offender]) -> list[tuple[File, str]]:
    """Those offenders that are files of the dataset, in the order of the offenders, and what is wrong with each."""
    files = {file.path: file for file in ctx.get(DatasetFiles(root=root, dataset=dataset)).files}
    found = ((files.get(one.path), one.reason) for one in offenders)
    return [(file, reason) for file, reason in found if file and _is_text(file.location)]


def _is_text(path: str) -> bool:
    """Whether a program can be asked about it."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _versions(*libraries: str) -> tuple[str, ...]:
    return tuple(f"{library} {_version(library)}" for library in libraries)


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""


def _band(clips: Clips) -> float:
    """What most clips of the dataset can hold: half of their sample rate, in Hz; 0 if none is known."""
    rates = Counter(clip.header.format.sample_rate_hz for clip in clips.clips if clip.header.format)
    return max(rates.items(), key=lambda one: (one[1], one[0]), default=(0, 0))[0] / 2


def _clip(path: str, reason: str, portrait: ClipPortrait, band: float) -> Exhibit:
    """A clip; `band_hz` is the same for most clips of a dataset, so that another sample rate can be seen."""
    data = {
        "path": path,
        "reason": reason,
        "sample_rate_hz": portrait.sample_rate_hz,
        "channels": portrait.channels,
        "seconds": portrait.seconds,
        "whole": portrait.whole,
        "low": list(portrait.low),
        "high": list(portrait.high),
        "peak": portrait.peak,
        "clipped": list(portrait.clipped),
        "spectrogram": portrait.spectrogram,
        "band_hz": max(portrait.sample_rate_hz / 2, band),
    }
    return Exhibit(type="clip", title=path, data=data)


def _picture(path: str, reason: str, portrait: PicturePortrait | None) -> dict[str, Any]:
    said = {"path": _clipped(path), "reason": reason}
    if portrait is None:
        return said
    return {**said, "jpeg": portrait.jpeg, "width": portrait.width, "height": portrait.height, "cut": portrait.cut}


def _clipped(text: str) -> str:
    return text if len(text) <= _WORDS else f"...{text[-_WORDS:]}"


def _while_room(pictures: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    room = SHEET_BYTES
    for one in pictures:
        room -= len(msgspec.json.encode(one)) + 1
        if room < 0:
            return
        yield one
