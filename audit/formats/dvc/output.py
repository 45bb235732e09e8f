"""What DVC tracks: outputs and dependencies as records, whichever file they were read from.

Source: `dvc/output.py`, `dvc/dependency/` and `dvc/schema.py` of DVC 3.
"""

from __future__ import annotations

from enum import StrEnum

from audit.records.base import Record
from audit.records.digests import Digest


class Role(StrEnum):
    """What an output is declared as."""

    DATA = "data"
    METRIC = "metric"
    PLOT = "plot"


class Version(Record):
    """What a cloud storage calls one version of a file.

    `remote` is the DVC remote that holds it; empty for the source of an import.
    """

    remote: str = ""
    etag: str | None = None
    checksum: str | None = None
    version_id: str | None = None


class Member(Record):
    """A file of a cloud-versioned folder, as its DVC file lists it under `files:`.

    `path` is relative to the folder and comes from outside: see `listing.unsafe`.
    """

    path: str
    hex: str | None = None
    size: int | None = None
    isexec: bool = False
    version: Version | None = None


def oid(hexed: str, *, is_dir: bool) -> str:
    """Spell a digest as DVC does."""
    return f"{hexed}.dir" if is_dir else hexed


class Tracked(Record):
    """A file or folder that DVC knows, and what it recorded of it.

    `path` names it for people: POSIX, relative to the audited project (`../` where
    it lies outside), or absolute, or a URL without user and query where it is
    external. `location` is its absolute path on this machine, None for a URL.
    `digest` is None where nothing was recorded yet; its `hex` never carries the
    `.dir` of a folder, `is_dir` says that. `md5-dos2unix` is the legacy MD5 of
    DVC 2, which normalises line ends of text. `declared` is the path as its DVC
    file spells it. `where` is `file:line:column`.
    """

    path: str
    location: str | None
    declared: str
    where: str
    digest: Digest | None = None
    is_dir: bool = False
    size: int | None = None
    nfiles: int | None = None
    isexec: bool = False
    external: bool = False
    version: Version | None = None
    files: tuple[Member, ...] | None = None

    @property
    def oid(self) -> str:
        """The digest as DVC spells it, `.dir` behind that of a folder; empty if nothing was recorded."""
        return oid(self.digest.hex, is_dir=self.is_dir) if self.digest else ""


class Output(Tracked, kw_only=True):
    """An output: what DVC keeps (`cache`), pushes (`push`) and brings back.

    `remote` is the only remote that it goes to, None for the default one. `stage` is
    the address of the stage that makes it, `data.dvc` or `dvc.yaml:train`, relative
    to the audited project. `imported` and `frozen` are that stage's.
    """

    stage: str
    role: Role = Role.DATA
    cache: bool = True
    push: bool = True
    persist: bool = False
    remote: str | None = None
    frozen: bool = False
    imported: bool = False


class Repository(Record):
    """Where `dvc import` took something from; `url` without user and query, `declared` with them: never to be shown."""

    url: str
    declared: str
    rev: str | None = None
    rev_lock: str | None = None


class Database(Record):
    """Where `dvc import-db` took something from."""

    connection: str | None = None
    query: str | None = None
    table: str | None = None


class Dependency(Tracked):
    """What a stage reads; at most one of `repository` and `database` is set, for imports.

    `dataset` is the name of an entry of `datasets:` (`ds://name`).
    """

    repository: Repository | None = None
    database: Database | None = None
    dataset: str | None = None
