"""The environment that a project runs in: its interpreter, and what is installed for it."""

from __future__ import annotations

from collections.abc import Mapping

from audit.records.base import Record


class Found(Record):
    """An interpreter and how it was found: `path` is absolute, with links as they are; `how` completes "found ..."."""

    path: str
    how: str


class Interpreter(Record):
    """What an interpreter says of itself.

    `markers` are the environment of PEP 508. `sites` are the folders in which distributions are looked for, in the
    order in which Python does, the user's own first where it takes part. `prefix` is the environment's folder,
    `base_prefix` that of the Python it was made from. `libc` is the C library and its version, where it has one.
    """

    path: str
    how: str
    version: str
    implementation: str
    prefix: str
    base_prefix: str
    sites: tuple[str, ...]
    markers: Mapping[str, str]
    user_site: str | None = None
    libc: str = ""


class Origin(Record):
    """Where a distribution came from instead of an index (PEP 610, `direct_url.json`).

    `url` is without user part and query; `commit` is the one that version control gave, `hashes` those of an archive.
    """

    url: str
    vcs: str = ""
    commit: str = ""
    asked: str = ""
    subdirectory: str = ""
    editable: bool = False
    hashes: tuple[str, ...] = ()


class Distribution(Record):
    """What is installed under one name: a record on one of the folders that Python looks in.

    `name` and `version` are as its METADATA says, `requires` its `Requires-Dist` lines. `site` is the folder, `entry`
    the name of its record there (`numpy-2.1.0.dist-info`, `foo.egg-link`, `conda-meta/numpy-2.1.0-h0_0.json`).
    `recorded`: it has a RECORD. `build` and `channel` are conda's.
    """

    name: str
    version: str
    site: str
    entry: str
    requires: tuple[str, ...] = ()
    requires_python: str = ""
    installer: str = ""
    origin: Origin | None = None
    recorded: bool = True
    build: str = ""
    channel: str = ""


class Damaged(Record):
    """A record of a distribution that cannot be read; `what` completes "it ..."."""

    site: str
    entry: str
    what: str


class Installed(Record):
    """All that is installed, in the order of the folders, then of names: of two with one name the first is imported.

    `hooks` are `.pth` files with a line that is run at each start, `added` the folders that `.pth` files add.
    """

    distributions: tuple[Distribution, ...] = ()
    damaged: tuple[Damaged, ...] = ()
    hooks: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


class Shared(Record):
    """A file that the records of several distributions name with different content; `path` is absolute."""

    path: str
    owners: tuple[str, ...]


class Ownership(Record):
    """What the records of all distributions say of files, taken together; no file is opened but the records.

    `foreign` are compiled files for another Python, as (distribution, path). `files` counts the lines.
    """

    shared: tuple[Shared, ...] = ()
    foreign: tuple[tuple[str, str], ...] = ()
    damaged: tuple[Damaged, ...] = ()
    files: int = 0


class Altered(Record):
    """A file of a distribution that is not as its record says: `changed`, `absent`, or it cannot be `read`."""

    distribution: str
    path: str
    how: str
    what: str = ""


class Bytes(Record):
    """All files with a recorded digest, read and compared."""

    altered: tuple[Altered, ...] = ()
    files: int = 0
    size: int = 0
