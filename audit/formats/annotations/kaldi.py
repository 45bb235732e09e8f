"""Kaldi's folders of data: `wav.scp`, and beside it perhaps `segments`, `text`, `utt2dur` and `reco2dur`.

Source: https://kaldi-asr.org/doc/data_prep.html. Each line is a key and what belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from audit.errors import FormatError
from audit.formats.annotations.audio_manifest import LIMIT
from audit.formats.annotations.values import lines, number
from audit.formats.manifest.listing import unsafe_reason
from audit.records.labels import Utterance

RECORDINGS = "wav.scp"
FILES = (RECORDINGS, "segments", "text", "utt2dur", "reco2dur")
"""The files of a folder that are read; all but the first may be absent."""

_SHOWN = 40
_SEGMENT = 3
_ARCHIVED = re.compile(r".+\.ark:[0-9]+(\[.*\])?")


def folder(files: Mapping[str, bytes], name: str) -> Mapping[str, tuple[Utterance, ...]]:
    """Read the files of a folder, by their names: the recordings of `wav.scp`, and the utterances of `segments`.

    Without `segments` each recording is an utterance. `FormatError` for a line that is none, for a key that stands
    twice, and for one that is not among the recordings or utterances.
    """
    places = {each: f"{name}/{each}" for each in files}
    found = {RECORDINGS: scp(files[RECORDINGS], places[RECORDINGS])}
    if "segments" in files:
        found["segments"] = segments(files["segments"], places["segments"], found[RECORDINGS])
    spoken = "segments" if "segments" in files else RECORDINGS
    told = (("reco2dur", RECORDINGS, "duration_s"), ("utt2dur", spoken, "duration_s"), ("text", spoken, "text"))
    for each, of, field in told:
        if each in files:
            said = _keyed(files[each], places[each])
            found[of] = _with(found[of], field, said, places[each])
    return {each: tuple(some.values()) for each, some in found.items()}


def scp(data: bytes, name: str) -> Mapping[str, Utterance]:
    """Read `wav.scp`: `<recording> <path>` a line, by recording. A command to run, or a place in an archive, is unsafe.

    `FormatError` for a line without a path, or a recording that stands twice.
    """
    found = {}
    for key, (line, path) in _keyed(data, name).items():
        if not path:
            raise FormatError("a key alone", where=f"{name}:{line}")
        found[key] = Utterance(path=path, where=line, unsafe=_unsafe(path), name=key)
    return found


def segments(data: bytes, name: str, recordings: Mapping[str, Utterance]) -> Mapping[str, Utterance]:
    """Read `segments`: `<utterance> <recording> <start> <end>` a line, in seconds; an end of -1 is the clip's own.

    `FormatError` for a line that is none, or of a recording that `wav.scp` does not name.
    """
    rows = _keyed(data, name).items()
    return {key: _segment(key, said, line, recordings, f"{name}:{line}") for key, (line, said) in rows}


def _segment(key: str, said: str, line: int, recordings: Mapping[str, Utterance], where: str) -> Utterance:
    parts = said.split()
    if len(parts) != _SEGMENT:
        raise FormatError("not '<utterance> <recording> <start> <end>'", where=where)
    if parts[0] not in recordings:
        raise FormatError(f"the recording {parts[0][:_SHOWN]!r} is not in wav.scp", where=where)
    start, end = number(parts[1], "the start", where), number(parts[2], "the end", where)
    clip, duration = recordings[parts[0]], None if end == -1 else end - start
    return Utterance(path=clip.path, where=line, unsafe=clip.unsafe, offset_s=start, duration_s=duration, name=key)


def _keyed(data: bytes, name: str) -> Mapping[str, tuple[int, str]]:
    """By key, its line and what stands behind it, perhaps nothing."""
    found: dict[str, tuple[int, str]] = {}
    for line, row in lines(data, name, LIMIT):
        key, *rest = row.split(maxsplit=1)
        if key in found:
            raise FormatError(f"{key[:_SHOWN]!r} stands twice", where=f"{name}:{line}")
        found[key] = line, rest[0] if rest else ""
    return found


def _with(
    found: Mapping[str, Utterance], field: str, said: Mapping[str, tuple[int, str]], name: str
) -> Mapping[str, Utterance]:
    """The utterances with what another file says of them, where they do not say it themselves."""
    told = dict(found)
    for key, (line, value) in said.items():
        where = f"{name}:{line}"
        if key not in told:
            raise FormatError(f"{key[:_SHOWN]!r} is no recording or utterance", where=where)
        if getattr(told[key], field) is None:
            read: Any = number(value, "the duration", where) if field == "duration_s" else value
            told[key] = msgspec.structs.replace(told[key], **{field: read})
    return told


def _unsafe(path: str) -> str:
    if path.endswith("|"):
        return "is a command"
    return "is a place in an archive" if _ARCHIVED.fullmatch(path) else unsafe_reason(path)
