"""Imports: where DVC took something from, what pins it, and what has become of the source since."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from audit.errors import CannotLook, NotApplicable
from audit.facts import dvc_served
from audit.facts.dvc import Dvc, Problem
from audit.facts.dvc_deps import Found, Sought, find
from audit.facts.dvc_workspace import known
from audit.facts.git_source import GitSource, Kept, is_commit, kept, now
from audit.facts.processes.dvc_import import State
from audit.formats.dvc.output import Dependency
from audit.formats.dvc.stage import Stage
from audit.formats.urls import public_text
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Door

__all__ = ["DvcImports", "Import", "Imports", "Kept", "Origin", "State"]

ASKED = frozenset({"azure", "gs", "http", "https", "s3"})
"""Schemes of sources that are asked through DVC; files of this machine and Git repositories are looked at anyway."""

_KNOWN = ", ".join(sorted(ASKED))
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_NO_ETAG = re.compile(r"\d{20,}", re.ASCII)
"""What DVC records of a server without ETags: a number made of the URL and the size (`fsspec.spec.checksum`)."""


class Origin(NamedTuple):
    """Where something came from, as it may be shown.

    `path` is that of the file or folder, or its URL. In a Git repository it is
    relative, `repository` the URL, and `rev` the revision asked for, None for HEAD.
    """

    path: str
    repository: str | None = None
    rev: str | None = None
    is_database: bool = False

    def __str__(self) -> str:
        if self.is_database:
            return "a database"
        return f"{self.path} of {self.repository}" if self.repository else self.path


class Import(NamedTuple):
    """One import: its output, the stage that imports it, and where that is declared.

    `pin` is what fixes it: a commit, or what a store said of the content; "" if
    nothing does. `is_weak` says that it is made of the name and the size alone.
    `state` is what has become of the source, None if that was not asked, or if
    `problem` says why nobody can tell. Of a repository `now` is the commit that the
    revision stands for, None if it is not there any more, `is_tag` whether a tag says
    so, and `kept` whether the pinned commit is still there.
    """

    output: str
    stage: str
    where: str
    origin: Origin
    pin: str = ""
    is_weak: bool = False
    state: State | None = None
    problem: str = ""
    now: str | None = None
    is_tag: bool = False
    kept: Kept = Kept.UNKNOWN


class Imports(Record):
    """All imports in the order of their outputs; `asked` says whether their sources were to be asked."""

    imports: tuple[Import, ...]
    asked: bool
    problems: tuple[Problem, ...] = ()


class DvcImports(Request[Imports]):
    """The imports of the DVC project in the folder `root` (absolute).

    With `ask`, their sources are asked; each server has `timeout_s` seconds to answer
    for all that came from it.
    """

    root: str
    ask: bool = True
    timeout_s: int = 60

    def collect(self, ctx: Context) -> Imports:
        """Read the pins, then ask the sources of what is pinned."""
        dvc = known(ctx, self.root)
        stages = [stage for stage in dvc.stages if stage.imported and not stage.name]
        found = {stage.address: _recorded(stage) for stage in stages}
        if self.ask:
            pinned = [stage for stage in stages if found[stage.address].pin]
            found |= {one.stage: one for one in self._asked(ctx, dvc, pinned, found)}
        imports = sorted(found.values(), key=lambda one: (one.output, one.stage))
        return Imports(imports=tuple(imports), asked=self.ask, problems=dvc.problems)

    def _asked(self, ctx: Context, dvc: Dvc, stages: list[Stage], found: Mapping[str, Import]) -> Iterator[Import]:
        """Git repositories by Git, files of this machine by reading them, servers through DVC."""
        local, served = [], []
        for stage in stages:
            source, one = stage.deps[0], found[stage.address]
            scheme = _scheme(source)
            if source.repository:
                ctx.progress.advance(what=one.origin.repository or "")
                yield _of_repository(ctx, self, source, one)
            elif scheme in ASKED:
                served.append(stage)
            elif scheme or source.location is None:
                yield one._replace(problem=f"it has the scheme {scheme!r}; only {_KNOWN} are asked")
            else:
                local.append(stage)
        yield from _of_files(ctx, dvc, self.root, local, found)
        for each in dvc_served.ask_all(ctx, dvc.root, self.root, served, self.timeout_s):
            yield found[each.name]._replace(state=each.state, problem=each.error or "")


def _recorded(stage: Stage) -> Import:
    source, output = stage.deps[0], stage.outs[0]
    repository = source.repository
    origin = Origin(
        path=source.path,
        repository=repository.url if repository else None,
        rev=repository.rev if repository else None,
        is_database=source.database is not None,
    )
    return Import(output.path, stage.address, source.where, origin, _pin(source), _is_weak(source))


def _pin(source: Dependency) -> str:
    """What fixes the content: a rev_lock only if it is a commit, since a branch's name would fix nothing."""
    if source.repository:
        lock = source.repository.rev_lock or ""
        return lock if is_commit(lock) else ""
    if source.location is not None and not _scheme(source):
        return source.oid
    if source.files is not None:
        versions = [member.version and member.version.version_id for member in source.files]
        return source.oid if all(versions) else ""
    version = source.version
    marks = (version.version_id, version.etag, version.checksum) if version else ()
    return source.oid or next((mark for mark in marks if mark), "")


def _is_weak(source: Dependency) -> bool:
    checksum = source.version.checksum if source.version else None
    return checksum is not None and _NO_ETAG.fullmatch(checksum) is not None


def _scheme(source: Dependency) -> str:
    """The scheme of what is asked in the end; empty for a path of this machine."""
    declared = _SCHEME.match(source.declared)
    if declared and declared[1].lower() != "remote":
        return declared[1].lower()
    behind = _SCHEME.match(source.path) if source.location is None else None
    return behind[1].lower() if behind else ""


def _of_repository(ctx: Context, request: DvcImports, source: Dependency, one: Import) -> Import:
    """As DVC, take a relative URL from the folder that the commands run in: the project's."""
    if source.repository is None:
        return one
    try:
        there = ctx.get(GitSource(base=request.root, url=source.repository.declared, timeout_s=request.timeout_s))
        commit, is_tag = now(ctx.host, there, source.repository.rev, one.pin)
        left = kept(ctx.host, there, one.pin)
    except (CannotLook, NotApplicable) as error:
        why = f"{error.what} ({error.hint})" if error.hint else error.what
        return one._replace(problem=public_text(why.replace(source.repository.declared, source.repository.url)))
    return one._replace(state=_become(one.pin, commit, left, is_tag=is_tag), now=commit, is_tag=is_tag, kept=left)


def _become(pin: str, commit: str | None, left: Kept, *, is_tag: bool) -> State:
    if left is Kept.NO:
        return State.GONE
    if commit == pin:
        return State.SAME
    return State.CHANGED if is_tag else State.BEHIND


def _of_files(
    ctx: Context, dvc: Dvc, root: str, stages: Iterable[Stage], found: Mapping[str, Import]
) -> Iterator[Import]:
    sought = {stage.address: one for stage in stages for one in _sought(ctx.host, stage.deps[0])}
    homes = tuple(sorted({one.location for one in sought.values()}))
    contents = find(ctx, dvc, root, sought.values(), homes) if sought else {}
    for stage in stages:
        one, there = found[stage.address], contents[sought[stage.address]]
        yield one._replace(problem=there.problem) if there.problem else one._replace(state=_state(stage, there))


def _sought(host: Door, source: Dependency) -> Iterator[Sought]:
    """What lies outside the repository may be reached by links: its path could be any in the first place."""
    if source.location and source.digest:
        location = host.resolve(source.location) if source.external else source.location
        yield Sought(location, source.digest.algorithm, source.digest.hex)


def _state(stage: Stage, there: Found) -> State:
    if not there.hex:
        return State.GONE
    return State.SAME if there.oid == stage.deps[0].oid else State.CHANGED
