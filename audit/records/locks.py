"""Lockfiles: what a file says should be installed."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from audit.records.base import Record


class Manager(StrEnum):
    """Who installs a package: the two know different names, versions and records."""

    PIP = "pip"
    CONDA = "conda"


class Vcs(Record):
    """A place in version control: `kind` (`git`, `hg`, `svn`, `bzr`), the repository, and what was asked of it.

    `ref` is as written; it pins where it is a whole commit. `subdirectory` is where the project lies in it.
    """

    kind: str
    url: str
    ref: str = ""
    subdirectory: str = ""


class Need(Record):
    """That a package needs another: an edge of a lock that is a graph.

    `version` is given where the name alone does not say which of several packages is meant, `source` likewise. It
    holds for `extra` or `group` of the package that needs, if one is named, and where `marker` does; `extras` are
    those of the other package.
    """

    name: str
    version: str = ""
    source: str = ""
    marker: str = ""
    extras: tuple[str, ...] = ()
    extra: str = ""
    group: str = ""


class Pin(Record):
    """One distribution that a file asks for.

    `name` is as written, and empty where only its place says what it is (`-e .`); `specifier` is PEP 440's, without
    spaces, and empty where any version will do; with `manager` conda it is conda's, and `build` the build string.
    `url` is where it comes from instead of an index, without user part and query; `path` the same on this machine, as
    written; `folder` tells that it is one. `marker` is PEP 508's. `where` is its line or entry.

    `groups` are those that bring it in, each with a marker of its own; without any it is in all. `platform` is the one
    of conda's platforms (`linux-64`) that it is for. In a lock that is a graph, `needs` are its edges, `forks` the
    markers of the resolutions that it is part of, and `source` tells packages of one name and version apart.
    """

    where: str
    name: str = ""
    specifier: str = ""
    extras: tuple[str, ...] = ()
    marker: str = ""
    url: str = ""
    path: str = ""
    folder: bool = False
    vcs: Vcs | None = None
    editable: bool = False
    hashes: tuple[str, ...] = ()
    manager: Manager = Manager.PIP
    build: str = ""
    platform: str = ""
    groups: Mapping[str, str] = {}
    source: str = ""
    forks: tuple[str, ...] = ()
    needs: tuple[Need, ...] = ()
    virtual: bool = False
    """It is no package: what it needs is installed, and itself is not."""

    @property
    def version(self) -> str | None:
        """The one version it allows, if its specifier is a single `==` without a wildcard."""
        said = self.specifier.removeprefix("===" if self.specifier.startswith("===") else "==")
        return None if said == self.specifier or any(sign in said for sign in ",|*") else said

    @property
    def own(self) -> bool:
        """Whether it is a folder of the project, or the project itself (`.`): its code is what is audited."""
        return self.folder and not self.path.startswith(("..", "/")) and ":" not in self.path


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

    `extras` and `groups` are those that can be chosen, and `extras` None where the file does not list them; `main` is
    the group that always is, `chosen` what is where nobody chooses; in some formats `extras_are_groups`. `python` is
    the specifier that the lock was made for, and `environments` the markers of which one must hold. `roots` are the
    names of the packages from which what applies is reached, in a lock that is a graph. `whole`: what others need is
    listed, too.
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
    extras: tuple[str, ...] | None = None
    groups: tuple[str, ...] = ()
    main: str = ""
    chosen: tuple[str, ...] = ()
    extras_are_groups: bool = False
    python: str = ""
    environments: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    whole: bool = True


class Archive(Record):
    """A wheel or a source archive in a folder: what its name says it holds, and the SHA-256 of its bytes."""

    file: str
    name: str
    version: str
    sha256: str
