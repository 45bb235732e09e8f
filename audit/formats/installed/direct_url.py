"""`direct_url.json`: where a distribution came from instead of an index.

Source: PEP 610, and "Recording the Direct URL Origin of installed distributions" of the packaging authority.
"""

from __future__ import annotations

import msgspec

from audit.errors import FormatError
from audit.formats.urls import public
from audit.records.environment import Origin

LIMIT = 64 << 10


class _Vcs(msgspec.Struct):
    vcs: str = ""
    commit_id: str = ""
    requested_revision: str = ""


class _Archive(msgspec.Struct):
    hash: str = ""
    hashes: dict[str, str] = {}


class _Folder(msgspec.Struct):
    editable: bool = False


class _Said(msgspec.Struct):
    url: str
    vcs_info: _Vcs = msgspec.field(default_factory=_Vcs)
    archive_info: _Archive = msgspec.field(default_factory=_Archive)
    dir_info: _Folder = msgspec.field(default_factory=_Folder)
    subdirectory: str = ""


def parse(data: bytes, name: str) -> Origin:
    """Read a file called `name`; `FormatError` for another form."""
    try:
        said = msgspec.json.decode(data, type=_Said)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"is no direct_url.json: {error}", where=name) from None
    hashes = {f"{algorithm}:{digest}" for algorithm, digest in said.archive_info.hashes.items()}
    if said.archive_info.hash:
        hashes.add(said.archive_info.hash.replace("=", ":", 1))
    return Origin(
        url=public(said.url),
        vcs=said.vcs_info.vcs,
        commit=said.vcs_info.commit_id,
        asked=said.vcs_info.requested_revision,
        subdirectory=said.subdirectory,
        editable=said.dir_info.editable,
        hashes=tuple(sorted(hashes)),
    )
