"""Lockfiles: what a file says should be installed."""

from __future__ import annotations

from audit.records.base import Record


class Vcs(Record):
    """A place in version control: `kind` (`git`, `hg`, `svn`, `bzr`), the repository, and what was asked of it.

    `ref` is as written; it pins where it is a whole commit. `subdirectory` is where the project lies in it.
    """

    kind: str
    url: str
    ref: str = ""
    subdirectory: str = ""


class Pin(Record):
    """One distribution that a file asks for.

    `name` is as written, and empty where only its place says what it is (`-e .`); `specifier` is PEP 440's, without
    spaces, and empty where any version will do. `url` is where it comes from instead of an index, without user part
    and query; `path` the same on this machine, as written. `marker` is PEP 508's. `where` is its line or entry.
    """

    where: str
    name: str = ""
    specifier: str = ""
    extras: tuple[str, ...] = ()
    marker: str = ""
    url: str = ""
    path: str = ""
    vcs: Vcs | None = None
    editable: bool = False
    hashes: tuple[str, ...] = ()

    @property
    def version(self) -> str | None:
        """The one version it allows, if its specifier is a single `==` without a wildcard."""
        said = self.specifier.removeprefix("===" if self.specifier.startswith("===") else "==")
        return None if said == self.specifier or "," in said or said.endswith(".*") else said


class Oddity(Record):
    """A line or an entry that says nothing that can be judged; `what` completes "it ..."."""

    where: str
    what: str


class Include(Record):
    """Another file that is part of this one: `path` as written; with `constraint` it only bounds versions."""

    where: str
    path: str
    constraint: bool = False


class Lock(Record):
    """What a file says should be installed; the same record for all formats, which is named as its tool does.

    `command` is how its header says that it was made, and `sources` the inputs that the header's command names.
    `indexes` are the index options, without user part and query. `strict`: each pin must have a hash (pip's
    `--require-hashes`); `pre`: pre-releases are allowed.
    """

    format: str
    pins: tuple[Pin, ...] = ()
    includes: tuple[Include, ...] = ()
    oddities: tuple[Oddity, ...] = ()
    indexes: tuple[str, ...] = ()
    command: str = ""
    sources: tuple[str, ...] = ()
    strict: bool = False
    pre: bool = False


class Archive(Record):
    """A wheel or a source archive in a folder: what its name says it holds, and the SHA-256 of its bytes."""

    file: str
    name: str
    version: str
    sha256: str
