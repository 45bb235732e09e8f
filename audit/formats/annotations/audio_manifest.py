"""Manifests of clips: which file, how long, from where on, and what is said in it.

Sources: NVIDIA NeMo's manifests (JSON Lines with `audio_filepath`, `duration`, `text`, `offset`); CSV with such
headings; Kaldi's data preparation (https://kaldi-asr.org/doc/data_prep.html) on `wav.scp` and `segments`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import msgspec

from audit.errors import FormatError
from audit.formats.annotations.values import FARTHEST, csv_rows, lines, number
from audit.formats.manifest.listing import unsafe_reason
from audit.records.labels import Utterance

LIMIT = 2**29
"""Bytes of one file: some two million lines of text."""

USUAL: Mapping[str, tuple[str, ...]] = {
    "path": ("audio_filepath", "audio_path", "audio", "path", "filename", "file_name", "file", "wav_filename", "wav"),
    "duration_s": ("duration", "duration_s", "length_s"),
    "offset_s": ("offset", "offset_s", "start"),
    "text": ("text", "transcript", "transcription", "sentence"),
}
"""Names of the columns of CSV, as they are looked for, in small letters."""

_WHAT = 200  # characters of a message
_SHOWN = 40
_SEGMENT = 4
_ARCHIVED = re.compile(r".+\.ark:[0-9]+(\[.*\])?")


_Seconds = Annotated[float, msgspec.Meta(ge=-FARTHEST, le=FARTHEST)]


class _Line(msgspec.Struct, frozen=True, gc=False):
    audio_filepath: str
    duration: _Seconds | None = None
    offset: _Seconds | None = None
    text: str | None = None


def json_lines(data: bytes, name: str) -> tuple[Utterance, ...]:
    """Read JSON Lines as NeMo's; `FormatError` for a line that is no object with an `audio_filepath`."""
    decoder = msgspec.json.Decoder(_Line)
    return tuple(_line(decoder, row, line, f"{name}:{line}") for line, row in lines(data, name, LIMIT))


def _line(decoder: msgspec.json.Decoder[_Line], row: str, line: int, where: str) -> Utterance:
    try:
        said = decoder.decode(row)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise FormatError(f"no line of a manifest: {str(error)[:_WHAT]}", where=where) from None
    path = said.audio_filepath
    return Utterance(
        path=path,
        where=line,
        unsafe=unsafe_reason(path),
        duration_s=said.duration,
        offset_s=said.offset,
        text=said.text,
    )


def table(data: bytes, name: str) -> tuple[Utterance, ...]:
    """Read CSV with a line of headings; `FormatError` without a column for the path, or for a row of another length."""
    rows = csv_rows(data, name, LIMIT)
    line, heads = next(rows, (1, None))
    if heads is None:
        raise FormatError("no line of headings", where=name)
    columns, count = _columns([each.lower() for each in heads], f"{name}:{line}"), len(heads)
    return tuple(_row(row, columns, line, f"{name}:{line}", count) for line, row in rows)


def _columns(heads: Sequence[str], where: str) -> Mapping[str, int]:
    found = {key: next((each for each in usual if each in heads), None) for key, usual in USUAL.items()}
    if found["path"] is None:
        hint = f"it is looked for as {', '.join(USUAL['path'])}"
        raise FormatError("no column for the path", where=where, hint=hint)
    called = [each for each in found.values() if each is not None]
    if twice := next((each for each in called if heads.count(each) > 1), None):
        raise FormatError(f"two columns {twice!r}", where=where)
    return {key: heads.index(each) for key, each in found.items() if each is not None}


def _row(row: Sequence[str], columns: Mapping[str, int], line: int, where: str, count: int) -> Utterance:
    if len(row) != count:
        raise FormatError(f"{len(row)} values, where the heading has {count}", where=where)
    said = {key: row[at] for key, at in columns.items()}
    times = {key: number(said[key], key, where) for key in ("duration_s", "offset_s") if said.get(key)}
    path = said["path"]
    return Utterance(path=path, where=line, unsafe=unsafe_reason(path), text=said.get("text"), **times)


def kaldi_scp(data: bytes, name: str) -> Mapping[str, Utterance]:
    """Read `wav.scp`: `<recording> <path>` a line, by recording. A command to run, or a place in an archive, is unsafe.

    `FormatError` for a line without a path, or a recording that stands twice.
    """
    found: dict[str, Utterance] = {}
    for line, key, rest in _keyed(data, name):
        if key in found:
            raise FormatError(f"{key[:_SHOWN]!r} stands twice", where=f"{name}:{line}")
        found[key] = Utterance(path=rest, where=line, unsafe=_unsafe(rest))
    return found


def kaldi_segments(data: bytes, name: str, recordings: Mapping[str, Utterance]) -> tuple[Utterance, ...]:
    """Read `segments`: `<utterance> <recording> <start> <end>` a line, in seconds; an end of -1 is the clip's own.

    `FormatError` for a line that is none, or of a recording that `wav.scp` does not name.
    """
    rows = ((line, [key, *rest.split()]) for line, key, rest in _keyed(data, name))
    return tuple(_segment(said, recordings, line, f"{name}:{line}") for line, said in rows)


def _segment(said: Sequence[str], recordings: Mapping[str, Utterance], line: int, where: str) -> Utterance:
    if len(said) != _SEGMENT:
        raise FormatError("not '<utterance> <recording> <start> <end>'", where=where)
    if said[1] not in recordings:
        raise FormatError(f"the recording {said[1][:_SHOWN]!r} is not in wav.scp", where=where)
    start, end = number(said[2], "the start", where), number(said[3], "the end", where)
    clip, duration = recordings[said[1]], None if end == -1 else end - start
    return Utterance(path=clip.path, where=line, unsafe=clip.unsafe, offset_s=start, duration_s=duration)


def _keyed(data: bytes, name: str) -> Iterator[tuple[int, str, str]]:
    for line, row in lines(data, name, LIMIT):
        key, *rest = row.split(maxsplit=1)
        if not rest:
            raise FormatError("a key alone", where=f"{name}:{line}")
        yield line, key, rest[0]


def _unsafe(path: str) -> str:
    if path.endswith("|"):
        return "is a command"
    return "is a place in an archive" if _ARCHIVED.fullmatch(path) else unsafe_reason(path)
