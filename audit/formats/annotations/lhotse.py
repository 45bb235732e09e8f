"""Lhotse's manifests: recordings, and supervisions of them, as JSON Lines.

Source: https://lhotse.readthedocs.io/en/latest/corpus.html, `Recording` and `SupervisionSegment`; `start` and
`duration` are in seconds. A recording with another source than one file cannot be held against a clip.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, TypeVar

import msgspec

from audit.errors import FormatError
from audit.formats.annotations.audio_manifest import LIMIT
from audit.formats.annotations.values import FARTHEST, lines
from audit.formats.manifest.listing import unsafe_reason
from audit.records.labels import Utterance

_WHAT = 200  # characters of a message
_SHOWN = 40

_Seconds = Annotated[float, msgspec.Meta(ge=-FARTHEST, le=FARTHEST)]


class _Source(msgspec.Struct, frozen=True, gc=False):
    type: str
    source: str


class _Recording(msgspec.Struct, frozen=True, gc=False):
    id: str
    sources: Annotated[list[_Source], msgspec.Meta(min_length=1)]
    sampling_rate: _Seconds
    duration: _Seconds


class _Supervision(msgspec.Struct, frozen=True, gc=False):
    id: str
    recording_id: str
    start: _Seconds
    duration: _Seconds
    text: str | None = None


_T = TypeVar("_T", _Recording, _Supervision)


def holds(data: bytes, name: str) -> str:
    """Tell by its first line what a file holds: `recordings`, `supervisions`, or, empty, neither."""
    try:
        keys = msgspec.json.decode(next(lines(data, name, LIMIT), (1, "{}"))[1], type=dict[str, msgspec.Raw]).keys()
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return ""
    if "sources" in keys:
        return "recordings"
    return "supervisions" if "recording_id" in keys else ""


def recordings(data: bytes, name: str) -> Mapping[str, Utterance]:
    """Read recordings, by their ids; `FormatError` for a line that is none, and for an id that stands twice."""
    found: dict[str, Utterance] = {}
    for line, said in _read(data, name, _Recording):
        if said.id in found:
            raise FormatError(f"{said.id[:_SHOWN]!r} stands twice", where=f"{name}:{line}")
        path, unsafe = said.sources[0].source, _unsafe(said.sources)
        found[said.id] = Utterance(
            path=path,
            where=line,
            unsafe=unsafe,
            duration_s=said.duration,
            sample_rate_hz=said.sampling_rate,
            name=said.id,
        )
    return found


def supervisions(data: bytes, name: str, known: Mapping[str, Utterance]) -> tuple[Utterance, ...]:
    """Read supervisions of the recordings that are `known`; `FormatError` for a line that is none, or of another."""
    return tuple(_stretch(said, line, known, name) for line, said in _read(data, name, _Supervision))


def _stretch(said: _Supervision, line: int, known: Mapping[str, Utterance], name: str) -> Utterance:
    clip = known.get(said.recording_id)
    if clip is None:
        raise FormatError(f"the recording {said.recording_id[:_SHOWN]!r} is not listed", where=f"{name}:{line}")
    return Utterance(
        path=clip.path,
        where=line,
        unsafe=clip.unsafe,
        duration_s=said.duration,
        offset_s=said.start,
        text=said.text,
        name=said.id,
    )


def _read(data: bytes, name: str, form: type[_T]) -> list[tuple[int, _T]]:
    decoder = msgspec.json.Decoder(form)
    return [(line, _decoded(decoder, row, f"{name}:{line}")) for line, row in lines(data, name, LIMIT)]


def _decoded(decoder: msgspec.json.Decoder[_T], row: str, where: str) -> _T:
    try:
        return decoder.decode(row)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise FormatError(f"no line of Lhotse's: {str(error)[:_WHAT]}", where=where) from None


def _unsafe(sources: Sequence[_Source]) -> str:
    if len(sources) > 1:
        return "has several sources"
    return unsafe_reason(sources[0].source) if sources[0].type == "file" else f"is a {sources[0].type[:_SHOWN]}"
