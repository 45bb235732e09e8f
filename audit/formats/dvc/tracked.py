"""From an entry of a DVC file to what was recorded of a file or folder.

Source: `Output.__init__`, `_compute_hash_info_from_meta` and
`_compute_meta_hash_info_from_files` in `dvc/output.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from audit.errors import FormatError
from audit.formats.dvc.listing import folder_md5
from audit.formats.dvc.output import Dependency, Member, Version
from audit.formats.dvc.place import Spot
from audit.formats.dvc.schema import Entry, FileEntry, Meta
from audit.records.digests import Digest

_MD5 = re.compile(r"([0-9a-f]{32})(\.dir)?")
_HASHES = {None: "md5-dos2unix", "md5": "md5"}


class _Hex(NamedTuple):
    hex: str
    is_dir: bool


def fields(spot: Spot, entry: Entry | None, where: str) -> dict[str, Any]:
    """The fields of `output.Tracked`; an entry of None is one that was never recorded."""
    named = {"declared": spot.declared, "path": spot.path, "location": spot.location, "external": spot.external}
    return {**named, "where": where, **(_recorded(entry, where, external=spot.external) if entry else {})}


def dataset(path: str, where: str) -> Dependency:
    """A dependency on an entry of `datasets:`, `ds://name`."""
    name = path.removeprefix("ds:").removeprefix("//").partition("/")[0]
    return Dependency(path=path, declared=path, location=None, where=where, external=True, dataset=name)


def _recorded(entry: Entry, where: str, *, external: bool) -> dict[str, Any]:
    if entry.hash not in _HASHES:
        raise FormatError(f"the hash {entry.hash!r} is unknown", where=where, hint="DVC knows md5 alone")
    algorithm = "md5" if external else _HASHES[entry.hash]
    if entry.files:
        return _folder(entry, entry.files, algorithm, where)
    meta = _with_cloud(entry)
    md5 = _md5(meta, where)
    return {
        "digest": Digest(algorithm=algorithm, hex=md5.hex) if md5 else None,
        "is_dir": bool(meta["nfiles"] is not None or (md5 and md5.is_dir)),
        "size": meta["size"],
        "nfiles": meta["nfiles"],
        "isexec": meta["isexec"],
        "version": _version(meta),
    }


def _folder(entry: Entry, files: tuple[FileEntry, ...], algorithm: str, where: str) -> dict[str, Any]:
    """A cloud-versioned folder: its listing stands in the file itself, and its digest is that of the listing."""
    members = tuple(_member(each, where) for each in files)
    return {
        "digest": Digest(algorithm=algorithm, hex=folder_md5({each.path: each.hex for each in members})),
        "is_dir": True,
        "size": sum(each.size or 0 for each in members),
        "nfiles": len(members),
        "version": _version(_with_cloud(entry)) or next((each.version for each in members if each.version), None),
        "files": members,
    }


def _member(entry: FileEntry, where: str) -> Member:
    meta = _with_cloud(entry)
    md5 = _md5(meta, where)
    return Member(
        path=entry.relpath,
        hex=md5.hex if md5 else None,
        size=meta["size"],
        isexec=meta["isexec"],
        version=_version(meta),
    )


def _with_cloud(entry: Entry | FileEntry) -> Mapping[str, Any]:
    """The entry's facts, those of its first `cloud:` remote laid over them."""
    meta = {name: getattr(entry, name) for name in Meta.__struct_fields__}
    for remote, over in (entry.cloud or {}).items():
        known = {name: value for name in Meta.__struct_fields__ if (value := getattr(over, name)) not in {None, False}}
        return {**meta, **known, "remote": remote}
    return meta


def _md5(meta: Mapping[str, Any], where: str) -> _Hex | None:
    written = meta["md5"]
    if written in {None, ""}:
        return None
    found = _MD5.fullmatch(str(written).lower())
    if not found:
        raise FormatError(f"{str(written)[:64]!r} is no MD5", where=where, hint="dvc commit writes it anew")
    return _Hex(found[1], bool(found[2]))


def _version(meta: Mapping[str, Any]) -> Version | None:
    etag, checksum = (None if meta[name] in {None, ""} else str(meta[name]) for name in ("etag", "checksum"))
    if not (etag or checksum or meta["version_id"]):
        return None
    return Version(remote=meta.get("remote", ""), etag=etag, checksum=checksum, version_id=meta["version_id"])
