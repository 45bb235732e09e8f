"""Manifests of clips: which file, how long, from where on, and what is said in it.

Sources: NVIDIA NeMo's manifests (JSON Lines with `audio_filepath`, `duration`, `text`, `offset`); other JSON Lines,
CSV and TSV with such keys or headings, Common Voice's among them, whose TSV knows no quotes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    "duration": ("duration", "duration_s", "length_s"),
    "offset": ("offset", "offset_s", "start"),
    "end": ("end", "end_s"),
    "text": ("text", "transcript", "transcription", "sentence"),
    "rate": ("sample_rate", "sampling_rate", "sample_rate_hz"),
}
"""Keys and headings as they are looked for where none are declared, headings in small letters."""

_TIMES = ("duration", "offset", "end", "rate")
_WHAT = 200  # characters of a message

_Number = Annotated[float, msgspec.Meta(ge=-FARTHEST, le=FARTHEST)] | None
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_TYPES: Mapping[str, msgspec.json.Decoder[str | float | None]] = {
    "path": msgspec.json.Decoder(str),
    "text": msgspec.json.Decoder(str | None),
    **{key: msgspec.json.Decoder(_Number) for key in _TIMES},
}


def json_lines(data: bytes, name: str, columns: Mapping[str, str] | None = None) -> tuple[Utterance, ...]:
    """Read JSON Lines; `FormatError` for a line that is no object with a path.

    `columns` gives the keys for those of `USUAL`; one that it leaves out is looked for by the usual names.
    """
    keys = {**USUAL, **{key: (said,) for key, said in (columns or {}).items()}}
    return tuple(_line(keys, row, line, f"{name}:{line}") for line, row in lines(data, name, LIMIT))


def _line(keys: Mapping[str, Sequence[str]], row: str, line: int, where: str) -> Utterance:
    try:
        found = _OBJECT.decode(row)
        said = {key: _value(key, found, names) for key, names in keys.items()}
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise FormatError(f"no line of a manifest: {str(error)[:_WHAT]}", where=where) from None
    if said["path"] is None:
        hint = f"it is looked for as {', '.join(keys['path'])}; declare it if it is called otherwise"
        raise FormatError("no key for the path", where=where, hint=hint)
    return _utterance(said, line)


def _value(key: str, found: Mapping[str, msgspec.Raw], names: Sequence[str]) -> str | float | None:
    raw = next((found[name] for name in names if name in found), None)
    return None if raw is None else _TYPES[key].decode(raw)


def table(
    data: bytes, name: str, columns: Mapping[str, str] | None = None, delimiter: str = ","
) -> tuple[Utterance, ...]:
    """Read CSV, or TSV, with a line of headings.

    `FormatError` without a column for the path, or for a row of another length. `columns` gives the headings for
    the keys of `USUAL`.
    """
    rows = csv_rows(data, name, LIMIT, delimiter)
    line, heads = next(rows, (1, None))
    if heads is None:
        raise FormatError("no line of headings", where=name)
    places, count = _places(heads, columns or {}, f"{name}:{line}"), len(heads)
    return tuple(_row(row, places, line, f"{name}:{line}", count) for line, row in rows)


def _places(heads: Sequence[str], declared: Mapping[str, str], where: str) -> Mapping[str, int]:
    small = [head.lower() for head in heads]
    found = {key: _place(heads if key in declared else small, key, declared, where) for key in USUAL}
    if found["path"] is None:
        hint = f"it is looked for as {', '.join(USUAL['path'])}; declare it if it is called otherwise"
        raise FormatError("no column for the path", where=where, hint=hint)
    return {key: at for key, at in found.items() if at is not None}


def _place(heads: Sequence[str], key: str, declared: Mapping[str, str], where: str) -> int | None:
    called = declared.get(key) or next((each for each in USUAL[key] if each in heads), None)
    if called is None:
        return None
    if called not in heads:
        raise FormatError(f"no column {called[:_WHAT]!r}", where=where)
    if heads.count(called) > 1:
        raise FormatError(f"two columns {called[:_WHAT]!r}", where=where)
    return heads.index(called)


def _row(row: Sequence[str], places: Mapping[str, int], line: int, where: str, count: int) -> Utterance:
    if len(row) != count:
        raise FormatError(f"{len(row)} values, where the heading has {count}", where=where)
    said: dict[str, str | float | None] = {key: row[at] for key, at in places.items()}
    for key in _TIMES:
        text = said.get(key)
        said[key] = number(str(text), key, where) if text else None
    return _utterance(said, line)


def _utterance(said: Mapping[str, str | float | None], line: int) -> Utterance:
    path, text = str(said["path"]), said.get("text")
    offset, end, duration, rate = (_float(said.get(key)) for key in ("offset", "end", "duration", "rate"))
    if duration is None and end is not None:
        offset = offset or 0.0
        duration = end - offset
    return Utterance(
        path=path,
        where=line,
        unsafe=unsafe_reason(path),
        duration_s=duration,
        offset_s=offset,
        text=None if text is None else str(text),
        sample_rate_hz=rate,
    )


def _float(said: str | float | None) -> float | None:
    return said if isinstance(said, float) else None
