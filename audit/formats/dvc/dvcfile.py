"""`.dvc` files: what `dvc add`, `dvc import` and `dvc import-url` write.

Source: https://doc.dvc.org/user-guide/project-structure/dvc-files, `dvc/stage/loader.py`.
"""

from __future__ import annotations

import re
from typing import Any

from audit.errors import FormatError
from audit.formats import yaml
from audit.formats.dvc import schema, tracked
from audit.formats.dvc.output import Database, Dependency, Output, Repository, Role
from audit.formats.dvc.place import Place
from audit.formats.dvc.schema import DepEntry, DvcFile, Marks, OutEntry
from audit.formats.dvc.stage import Stage
from audit.formats.urls import public
from audit.formats.yaml import Mark

_USUAL_MARKS: Marks = {(): Mark(1, 1), ("outs", 0): Mark(2, 3)}


_USUAL = re.compile(
    r"outs:\n- md5: ([0-9a-f]{32}(?:\.dir)?)\n  size: (0|[1-9][0-9]{0,17})\n(?:  nfiles: ([1-9][0-9]{0,8})\n)?"
    r"(?:  hash: (md5)\n)?  path: ([A-Za-z_][\w./+-]*)\n",
    re.ASCII,
)


def parse(data: bytes, place: Place) -> Stage:
    """Read the one stage of a `.dvc` file; `FormatError` at file:line:column if it is none."""
    if usual := _usual(data):
        return _Reader(place, _USUAL_MARKS, usual).stage()
    name = place.name
    document = yaml.load(data, name, schema=yaml.RUAMEL)
    file = schema.fit(document, name, (), DvcFile, document.value or {})
    return _Reader(place, document.marks, file).stage()


def dependencies(data: bytes, name: str) -> list[dict[str, Any]]:
    """Give the dependencies as they are written, for DVC's own library; secrets and all, so never to be shown."""
    value = yaml.parse(data, name, schema=yaml.RUAMEL) or {}
    return [dict(each) for each in value.get("deps") or ()]


def _usual(data: bytes) -> DvcFile | None:
    """Read what `dvc add` writes to the letter; a project can have thousands of these, and YAML takes its time."""
    found = _USUAL.fullmatch(data.decode("latin-1"))
    if not found:
        return None
    md5, size, nfiles, hashed, path = found.groups()
    if not (isinstance(yaml.RUAMEL.plain(md5), str) and isinstance(yaml.RUAMEL.plain(path), str)):
        return None
    out = OutEntry(md5=md5, size=int(size), nfiles=int(nfiles) if nfiles else None, hash=hashed, path=path)
    return DvcFile(outs=(out,))


class _Reader:
    """Turns one file's entries into records."""

    def __init__(self, place: Place, marks: Marks, file: DvcFile) -> None:
        self.place = place
        self.marks = marks
        self.file = file
        self.name = place.name
        self.wdir = place.wdir(file.wdir)

    def stage(self) -> Stage:
        file = self.file
        if not file.outs and not file.cmd:  # DVC takes it for one that tracks nothing, be it emptied by accident
            raise FormatError("records no output", where=self.name, hint="bring it back from Git, or remove it")
        deps = tuple(self.dependency(entry, at) for at, entry in enumerate(file.deps or ()))
        imported = not file.cmd and len(deps) == 1 and len(file.outs or ()) == 1
        return Stage(
            address=self.name,
            file=self.name,
            where=f"{self.name}:1:1",
            wdir=self.wdir,
            cmd=file.cmd,
            deps=deps,
            outs=tuple(self.output(entry, at, imported=imported) for at, entry in enumerate(file.outs or ())),
            frozen=file.frozen or file.locked,
            always_changed=file.always_changed,
            md5=str(file.md5) if file.md5 else None,
        )

    def output(self, entry: OutEntry, at: int, *, imported: bool) -> Output:
        where = schema.where(self.marks, self.name, ("outs", at))
        if entry.path is None:
            raise FormatError("an output without a path", where=where)
        return Output(
            **tracked.fields(self.place.spot(entry.path, self.wdir, where), entry, where),
            stage=self.name,
            role=Role.METRIC if entry.metric else Role.PLOT if entry.plot else Role.DATA,
            cache=entry.cache,
            push=entry.push,
            persist=entry.persist,
            remote=entry.remote,
            frozen=self.file.frozen or self.file.locked,
            imported=imported,
        )

    def dependency(self, entry: DepEntry, at: int) -> Dependency:
        where = schema.where(self.marks, self.name, ("deps", at))
        if entry.db is not None:
            return _database(entry, where)
        if entry.path is None:
            raise FormatError("a dependency without a path", where=where)
        if entry.repo is not None:
            return _elsewhere(entry, entry.path, where)
        if entry.path.startswith("ds:"):
            return tracked.dataset(entry.path, where)
        return Dependency(**tracked.fields(self.place.spot(entry.path, self.wdir, where), entry, where))


def _database(entry: DepEntry, where: str) -> Dependency:
    db = entry.db
    database = Database(connection=db.connection, query=db.query, table=db.table) if db else None
    return Dependency(path="", declared="", location=None, where=where, external=True, database=database)


def _elsewhere(entry: DepEntry, path: str, where: str) -> Dependency:
    """A file of another repository: there is no local path to it."""
    repo = entry.repo
    source = None
    if repo:
        source = Repository(url=public(repo.url), declared=repo.url, rev=repo.rev, rev_lock=repo.rev_lock)
    return Dependency(path=path, declared=path, location=None, where=where, external=True, repository=source)
