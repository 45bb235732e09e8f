"""`dvc.lock`: what each stage of a `dvc.yaml` was last run with, and what came of it.

Source: https://doc.dvc.org/user-guide/project-structure/dvcyaml-files#dvclock-file,
`dvc/schema.py`; version 1.0 (DVC 1 and early 2) has the stages at the top.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from audit.errors import FormatError
from audit.formats import yaml
from audit.formats.dvc import schema
from audit.formats.dvc.schema import Entry, LockEntry, LockFile
from audit.formats.dvc.stage import Locked


class LockedStage(NamedTuple):
    """A stage's entry, and where it stands; deps and outs by their paths."""

    where: str
    cmd: str | tuple[str, ...]
    deps: Mapping[str, Entry]
    params: Mapping[str, Mapping[str, Any]]
    outs: Mapping[str, Entry]

    def record(self, address: str) -> Locked:
        """The entry as the stage of that address carries it."""
        deps, outs, params = tuple(self.deps), tuple(self.outs), tuple(self.params)
        return Locked(address=address, where=self.where, cmd=self.cmd, deps=deps, outs=outs, params=params)


def parse(data: bytes, name: str) -> dict[str, LockedStage]:
    """Read the entries by the names of their stages; `FormatError` at `name:line:column`."""
    document = yaml.load(data, name, schema=yaml.RUAMEL)
    value = document.value or {}
    if isinstance(value, dict) and "schema" not in value:
        return dict(_entries(document, name, (), schema.fit(document, name, (), dict[str, Any], value)))
    file = schema.fit(document, name, (), LockFile, value)
    return dict(_entries(document, name, ("stages",), file.stages or {}))


def _entries(
    document: yaml.Document, name: str, path: tuple[str, ...], stages: Mapping[str, Any]
) -> Iterator[tuple[str, LockedStage]]:
    for stage, value in stages.items():
        at = (*path, stage)
        entry = schema.fit(document, name, at, LockEntry, value)
        where = schema.where(document.marks, name, at)
        yield (
            stage,
            LockedStage(where, entry.cmd, _by_path(entry.deps, where), entry.params or {}, _by_path(entry.outs, where)),
        )


def _by_path(entries: tuple[Entry, ...], where: str) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for entry in entries:
        if entry.path is None:
            raise FormatError("an entry without a path", where=where)
        found[entry.path] = entry
    return found
