"""Datasets of `audit.yaml`: their kinds follow from their suffixes."""

from __future__ import annotations

from audit.config.model import DatasetEntry
from audit.config.source import Source
from audit.errors import ConfigError
from audit.records.dataset import Dataset
from audit.records.words import Kind

SUFFIXES: dict[Kind, frozenset[str]] = {
    Kind.TABLE: frozenset(".csv .tsv .parquet .arrow .feather .jsonl .ndjson".split()),
    Kind.AUDIO: frozenset(".wav .flac .ogg .opus .mp3 .m4a .aac .aiff .aif .aifc .w64 .rf64".split()),
    Kind.IMAGE: frozenset(".png .jpg .jpeg .gif .bmp .tif .tiff .webp .ppm .pgm".split()),
    Kind.ARRAY: frozenset(".npy .npz .safetensors .h5 .hdf5 .zarr .pt .pth .tfrecord".split()),
}
_PACKED = (".gz", ".bz2", ".zst", ".xz")
_SCHEMES = frozenset({"s3", "gs", "az", "https"})


def kind_of(path: str) -> Kind:
    """The kind that the path's suffix tells; `files` if it tells none."""
    name = path.rpartition("/")[2].lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    suffix = f".{name.rpartition('.')[2]}" if "." in name else ""
    return next((kind for kind, suffixes in SUFFIXES.items() if suffix in suffixes), Kind.FILES)


def dataset(source: Source, name: str, entry: DatasetEntry) -> Dataset:
    """The dataset as rules see it. Raises `ConfigError` for a path that leaves the project."""
    _inside(source, name, entry.path)
    where = tuple((column, tuple(values)) for column, values in sorted(entry.where.items()))
    kind = entry.kind or kind_of(entry.path)
    if where and kind is not Kind.TABLE:
        raise ConfigError(f"`where` takes rows of a table; {name!r} is of kind {kind}", where=source.where(("datasets", name, "where")))
    return Dataset(name=name, path=entry.path.rstrip("/"), kind=kind, role=entry.role, where=where, optional=entry.optional)


def _inside(source: Source, name: str, path: str) -> None:
    where = source.where(("datasets", name, "path"))
    scheme, colon, _ = path.partition("://")
    if colon and (scheme not in _SCHEMES or "::" in path):
        raise ConfigError(f"a dataset's URL has one of the schemes {', '.join(sorted(_SCHEMES))}", where=where)
    if not colon and (path.startswith(("/", "~")) or "\\" in path or ".." in path.split("/") or "\0" in path):
        raise ConfigError(f"the path {path!r} leaves the project", where=where, hint="write it relative to audit.yaml, with /")
