"""Datasets of `audit.yaml`: their kinds follow from their suffixes, and their paths stay inside."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from audit.config.model import ELSEWHERE, FOREIGN, DatasetEntry, ReadingEntry
from audit.config.source import Source
from audit.records.dataset import Dataset
from audit.records.table import Reading
from audit.records.words import Kind

SUFFIXES: Mapping[Kind, frozenset[str]] = {
    Kind.TABLE: frozenset({"csv", "tsv", "parquet", "arrow", "feather", "jsonl", "ndjson"}),
    Kind.AUDIO: frozenset({"wav", "flac", "ogg", "opus", "mp3", "m4a", "aac", "aiff", "aif", "aifc", "w64", "rf64"}),
    Kind.IMAGE: frozenset({"png", "jpg", "jpeg", "gif", "bmp", "tif", "tiff", "webp", "ppm", "pgm"}),
    Kind.ARRAY: frozenset({"npy", "npz", "safetensors", "h5", "hdf5", "zarr", "pt", "pth", "tfrecord"}),
}
_PACKED = (".gz", ".bz2", ".zst", ".xz")


def kind_of(path: str) -> Kind:
    """The kind that the path's suffix tells, a suffix of compression aside; `files` if it tells none."""
    name = posixpath.basename(path.rstrip("/")).lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    suffix = posixpath.splitext(name)[1].removeprefix(".")
    return next((kind for kind, suffixes in SUFFIXES.items() if suffix in suffixes), Kind.FILES)


def resolve(source: Source, name: str, entry: DatasetEntry) -> Dataset:
    """The dataset as rules see it. Raises `ConfigError` for a path that leaves the project."""
    kind = entry.kind or kind_of(entry.path)
    if entry.where and kind is not Kind.TABLE:
        raise source.fault(("datasets", name, "where"), f"takes rows of a table; the dataset is of kind {kind}")
    for option in ("profile", "profile_values"):
        if getattr(entry, option) and kind is not Kind.TABLE:
            raise source.fault(("datasets", name, option), f"is about a table; the dataset is of kind {kind}")
    if entry.reading and kind is not Kind.TABLE:
        raise source.fault(("datasets", name, "reading"), f"says how to read a table; the dataset is of kind {kind}")
    return Dataset(
        name=name,
        path=_path(source, ("datasets", name, "path"), entry.path),
        kind=kind,
        role=entry.role,
        where=tuple((column, tuple(entry.where[column])) for column in sorted(entry.where)),
        optional=entry.optional,
        reading=_reading(entry.reading),
        profile=entry.profile,
        profile_values=entry.profile_values,
    )


def _reading(entry: ReadingEntry | None) -> Reading:
    if entry is None:
        return Reading()
    return Reading(
        delimiter=entry.delimiter,
        quote=entry.quote,
        encoding=entry.encoding,
        header=entry.header,
        missing=tuple(entry.missing),
    )


def _path(source: Source, place: tuple[str, ...], said: str) -> str:
    """A URL as it is said; a path without what does not change it (`./`, `//`, a `/` at its end)."""
    if re.search(FOREIGN, said):
        raise source.fault(place, "a URL begins with az, gs, https or s3, and no other follows in it")
    if re.search(ELSEWHERE, said):
        raise source.fault(place, f"{said!r} leaves the project", "write it relative to audit.yaml, with /")
    return said if "://" in said else posixpath.normpath(said)
