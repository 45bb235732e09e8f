"""The section `data` of `audit.lock`: what each dataset holds, file by file.

    "clips": {
      "blake3": "...",                       the digest of the whole, see `content_digest`
      "bytes": 8192,
      "content": {
        "data/clips/a.wav": {"blake3": "...", "md5": "...", "size": 8192}
      },
      "files": 1
    }

A file that DVC records also has its recorded digest (`md5`, or `md5-dos2unix` of
DVC 2), computed from the same content: the pair tells elsewhere which BLAKE3 goes with
the record. To who reads it there it is declared, not computed: it may contradict what
is found, and then somebody has made two contents with one MD5; it never stands in for
computing a digest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NamedTuple

import msgspec

from audit.errors import FormatError
from audit.formats.lock import FILE
from audit.records.base import Record
from audit.records.digests import Digest

SECTION = "data"
_HINT = "`audit lock data` writes it anew"

_Blake3 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
_Md5 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
_Count = Annotated[int, msgspec.Meta(ge=0)]


class LockedFile(Record, forbid_unknown_fields=False, omit_defaults=True):
    """One file as it was locked; `size` in bytes."""

    blake3: _Blake3
    size: _Count
    md5: _Md5 | None = None
    md5_dos2unix: _Md5 | None = msgspec.field(default=None, name="md5-dos2unix")

    @property
    def recorded(self) -> Digest | None:
        """The digest by which DVC records the content, if it does."""
        if self.md5:
            return Digest(algorithm="md5", hex=self.md5)
        return Digest(algorithm="md5-dos2unix", hex=self.md5_dos2unix) if self.md5_dos2unix else None


class LockedDataset(Record, forbid_unknown_fields=False):
    """One dataset as it was locked."""

    blake3: _Blake3
    bytes: _Count
    files: _Count
    content: dict[str, LockedFile]


class Twins(NamedTuple):
    """Contents that differ and have one MD5, which never happens by accident; `paths` are files that held them."""

    md5: str
    paths: tuple[str, ...]


def lock_dataset(content: Mapping[str, LockedFile]) -> LockedDataset:
    """The dataset of these files."""
    return LockedDataset(
        blake3=content_digest((path, file.blake3) for path, file in content.items()),
        bytes=sum(file.size for file in content.values()),
        files=len(content),
        content=dict(content),
    )


def content_digest(files: Iterable[tuple[str, str]]) -> str:
    r"""The digest of a dataset: BLAKE3 over the lines that `b3sum` prints for its files.

    The lines are sorted by the bytes of the paths. A line is the file's BLAKE3 in hex,
    two spaces, its path relative to the project, and a line feed. A path with a
    backslash, line feed or carriage return has these written `\\`, `\n`, `\r`, and a
    backslash before its line, as b3sum does: so no two datasets share their lines. For
    a folder it can be had by hand:

        find data -type f | LC_ALL=C sort | xargs -d '\n' b3sum | b3sum
    """
    from blake3 import blake3

    total = blake3()
    for path, digest in sorted((path.encode("utf-8", "surrogateescape"), digest) for path, digest in files):
        total.update(_line(path, digest.encode()))
    return str(total.hexdigest())


def _line(path: bytes, digest: bytes) -> bytes:
    said = path.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\r", b"\\r")
    return (b"\\" if said != path else b"") + digest + b"  " + said + b"\n"


def read(section: Any) -> dict[str, LockedDataset]:
    """The datasets of the section, by name. Raises `FormatError` if it makes no sense, or contradicts itself."""
    try:
        datasets = msgspec.convert(section, dict[str, LockedDataset], strict=True)
    except msgspec.ValidationError as error:
        raise FormatError(f"{SECTION}: {error}", where=FILE, hint=_HINT) from None
    for name, dataset in datasets.items():
        if lock_dataset(dataset.content) != dataset:
            raise FormatError(
                f"{SECTION}: the digest, size or count of {name!r} is not that of its files", where=FILE, hint=_HINT
            )
    return datasets


def twins(datasets: Mapping[str, LockedDataset]) -> list[Twins]:
    """Files whose contents differ though they have one MD5, over all datasets, by their MD5."""
    contents: defaultdict[str, set[str]] = defaultdict(set)
    paths: defaultdict[str, set[str]] = defaultdict(set)
    for dataset in datasets.values():
        for path, file in dataset.content.items():
            if file.md5:
                contents[file.md5].add(file.blake3)
                paths[file.md5].add(path)
    return [Twins(md5, tuple(sorted(paths[md5]))) for md5, known in sorted(contents.items()) if len(known) > 1]


def write(datasets: Mapping[str, LockedDataset]) -> dict[str, Any]:
    """The section as plain JSON."""
    section: dict[str, Any] = msgspec.to_builtins(dict(datasets))
    return section
