"""DVC's local cache: its objects, read and held against their names, and the objects that the project needs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from audit.facts.content import FileContent, Wanted, read_files
from audit.facts.dvc import Dvc, Problem
from audit.facts.dvc_listing import recorded_members
from audit.facts.dvc_workspace import known, stages_as_recorded
from audit.facts.links import typed
from audit.formats.dvc.output import Output
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Door, EntryType

Scope = Literal["all", "referenced"]
_LAYOUTS = (("md5", "files/md5"), ("md5-dos2unix", ""))
_PREFIX = re.compile(r"[0-9a-f]{2}")
_REST = re.compile(r"[0-9a-f]{30}(\.dir)?")


class Needed(NamedTuple):
    """An object that an output needs: which file of which output it holds, and the stage that records it.

    `listing` is the name of the folder's listing that has it, "" if none does.
    """

    path: str
    algorithm: str
    hex: str
    of: str
    stage: str
    listing: str = ""

    @property
    def oid(self) -> str:
        """Its name in a store: the digest, a listing's with `.dir`."""
        return f"{self.hex}.dir" if self.path.endswith(".dir") else self.hex


class Object(NamedTuple):
    """An object of the cache: `path` is relative to the cache folder."""

    path: str
    algorithm: str
    hex: str
    content: FileContent

    @property
    def whole(self) -> bool:
        """Whether its content is what its name says."""
        return self.content.digest is not None and self.content.digest.hex == self.hex


class Unlisted(NamedTuple):
    """A folder whose listing cannot be had from the cache, and why."""

    output: str
    stage: str
    reason: str


class CacheContents(Record):
    """The cache in the order of its objects' paths; `folder` as typed in the project's folder.

    `committable` are the stages whose outputs are in the workspace as recorded, known
    only where the cache lacks something or holds damage.
    """

    folder: str
    objects: tuple[Object, ...]
    needed: tuple[Needed, ...]
    unlisted: tuple[Unlisted, ...]
    has_remote: bool
    committable: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()


class DvcCache(Request[CacheContents]):
    """The cache of the DVC project in the folder `root` (absolute): all of it, or what the project's outputs need."""

    root: str
    scope: Scope = "all"

    def collect(self, ctx: Context) -> CacheContents:
        """List, read all objects in one go."""
        dvc = known(ctx, self.root)
        outputs = [out for out in dvc.outputs if out.cache and out.digest and not out.external]
        wanted = sorted({one for out in outputs for one in needed(ctx, dvc, out)})
        folder = dvc.config.cache.folder
        named = (
            _listed(ctx.host, folder) if self.scope == "all" else {one.path: (one.algorithm, one.hex) for one in wanted}
        )
        objects = _read(ctx, folder, named)
        is_whole = {one.path for one in wanted} <= {found.path for found in objects if found.whole}
        return CacheContents(
            folder=typed(self.root, folder),
            objects=objects,
            needed=tuple(wanted),
            unlisted=tuple(one for out in outputs for one in unlisted(ctx, dvc, out)),
            has_remote=bool(dvc.config.remotes),
            committable=frozenset() if is_whole else stages_as_recorded(ctx, self.root),
            problems=dvc.problems,
        )


def needed(ctx: Context, dvc: Dvc, output: Output) -> Iterator[Needed]:
    """The output's own object, and each member of its listing."""
    digest = output.digest
    if digest is None:
        return
    path = dvc.config.cache.object(digest.algorithm, digest.hex, is_dir=output.is_dir)
    yield Needed(_below(dvc, path), digest.algorithm, digest.hex, output.path, output.stage)
    for member, hexed in (recorded_members(ctx, dvc, output).members or {}).items() if output.is_dir else ():
        path = dvc.config.cache.object(digest.algorithm, hexed)
        of = f"{output.path}/{member}"
        yield Needed(_below(dvc, path), digest.algorithm, hexed, of, output.stage, f"{digest.hex}.dir")


def _below(dvc: Dvc, path: str) -> str:
    return posixpath.relpath(path, dvc.config.cache.folder)


def unlisted(ctx: Context, dvc: Dvc, output: Output) -> Iterator[Unlisted]:
    """The output, if it is a folder whose files nobody knows."""
    recorded = recorded_members(ctx, dvc, output)
    if output.is_dir and recorded.members is None:
        yield Unlisted(output.path, output.stage, recorded.problem or "its listing is not in the cache")


def _listed(host: Door, folder: str) -> dict[str, tuple[str, str]]:
    """Every object that either layout of the cache holds, by its path below the cache folder."""
    return {path: found for algorithm, below in _LAYOUTS for path, found in _objects(host, folder, algorithm, below)}


def _objects(host: Door, folder: str, algorithm: str, below: str) -> Iterator[tuple[str, tuple[str, str]]]:
    home = posixpath.join(folder, below) if below else folder
    if host.look(home) is None:
        return
    for prefix in host.scan(home):
        if prefix.type is EntryType.FOLDER and _PREFIX.fullmatch(prefix.name):
            for entry in host.scan(f"{home}/{prefix.name}"):
                if entry.type is EntryType.FILE and _REST.fullmatch(entry.name):
                    path = posixpath.join(below, prefix.name, entry.name)
                    yield path, (algorithm, prefix.name + entry.name.removesuffix(".dir"))


def _read(ctx: Context, folder: str, named: Mapping[str, tuple[str, str]]) -> tuple[Object, ...]:
    there = {path: f"{folder}/{path}" for path in named if ctx.host.look(f"{folder}/{path}") is not None}
    wanted = {
        full: Wanted(algorithm=_digested_as(path, named[path][0]), hex=named[path][1]) for path, full in there.items()
    }
    contents = read_files(ctx, wanted)
    return tuple(Object(path, *named[path], contents[full]) for path, full in sorted(there.items()))


def _digested_as(path: str, algorithm: str) -> str:
    """A listing is JSON that DVC 2 and 3 digest alike: plain MD5."""
    return "md5" if path.endswith(".dir") else algorithm
