"""`dvc.yaml`: stages with their interpolations resolved, and what `dvc.lock` recorded of each.

Source: https://doc.dvc.org/user-guide/project-structure/dvcyaml-files, `dvc/parsing/`
and `dvc/stage/loader.py` of DVC 3.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from audit.errors import FormatError
from audit.formats import yaml
from audit.formats.dvc import assemble, interpolation, loops, schema
from audit.formats.dvc.assemble import Source
from audit.formats.dvc.config import Arguments
from audit.formats.dvc.interpolation import Resolver, Work
from audit.formats.dvc.lockfile import LockedStage
from audit.formats.dvc.place import Place
from audit.formats.dvc.schema import LoopEntry, PipelineFile, StageEntry
from audit.formats.dvc.stage import Locked, Stage
from audit.formats.dvc.variables import Read, Variables, extended, globals_of

T = TypeVar("T")


class Pipeline(NamedTuple):
    """The stages of a `dvc.yaml`, and the entries of its lock that no stage claims."""

    stages: tuple[Stage, ...]
    leftovers: tuple[Locked, ...]


class _Definition(NamedTuple):
    """A stage before its interpolations are resolved: its name, its entry, and the way to that in the file."""

    name: str
    entry: dict[str, Any]
    path: tuple[str, ...]
    variables: Variables


def parse(data: bytes, place: Place, lock: Mapping[str, LockedStage], read: Read, arguments: Arguments) -> Pipeline:
    """Read the stages of a `dvc.yaml`; `FormatError` at file:line:column if anything in it is wrong."""
    reader = _Reader(data, place, read, arguments)
    stages = tuple(reader.stage(definition, lock) for definition in reader.definitions())
    claimed = {stage.name for stage in stages}
    left = (locked.record(f"{place.name}:{name}") for name, locked in lock.items() if name not in claimed)
    return Pipeline(stages, tuple(left))


class _Reader:
    """One `dvc.yaml`."""

    def __init__(self, data: bytes, place: Place, read: Read, arguments: Arguments) -> None:
        self.place = place
        self.read = read
        self.arguments = arguments
        self.name = place.name
        self.work = Work()
        self.document = yaml.load(data, self.name, schema=yaml.RUAMEL)
        self.file = self._fit((), PipelineFile, self.document.value or {})

    def definitions(self) -> Iterator[_Definition]:
        """All stages, loops unrolled."""
        with self._at(("vars",)):
            self._no_expressions(self.file.vars)
            variables = globals_of(self.file.vars or [], self.place.wdir(None), self.read)
        self._top_level(variables)
        for name, entry in (self.file.stages or {}).items():
            path = ("stages", name)
            with self._at(path):
                if loops.JOIN in name:
                    raise FormatError(f"the name of a stage cannot hold {loops.JOIN!r}")
                yield from self._unrolled(name, entry, path, variables)

    def _unrolled(
        self, name: str, entry: dict[str, Any], path: tuple[str, ...], variables: Variables
    ) -> Iterator[_Definition]:
        resolver = Resolver(variables, self.arguments, self.work)
        if "matrix" in entry:
            self._fit(path, StageEntry, entry)
            turns = loops.matrix(entry["matrix"], resolver)
            entry = {key: value for key, value in entry.items() if key != "matrix"}
        elif "foreach" in entry or "do" in entry:
            self._fit(path, LoopEntry, entry)
            turns = loops.foreach(entry["foreach"], resolver)
            entry, path = entry["do"], (*path, "do")
        else:
            self._fit(path, StageEntry, entry)
            turns = [loops.ONCE]
        if turns:  # DVC does not look at a stage that no turn is left of
            interpolation.check(entry)
        for turn in turns:
            yield _Definition(name + turn.suffix, entry, path, variables.with_item(turn.variables))

    def _top_level(self, variables: Variables) -> None:
        """Resolve the other sections: nothing here needs them, but a mistake in them stops DVC."""
        resolver = Resolver(variables, self.arguments, self.work)
        for section in ("params", "metrics", "plots", "artifacts", "datasets"):
            with self._at((section,)):
                interpolation.check(getattr(self.file, section))
                resolver.resolve(getattr(self.file, section), None)

    def stage(self, definition: _Definition, lock: Mapping[str, LockedStage]) -> Stage:
        """Resolve a stage, and add what was recorded of it."""
        with self._at(definition.path):
            entry, wdir = self._resolved(definition)
            source = Source(self.place, wdir, self.document.marks, definition.path)
            return assemble.stage(source, definition.name, entry, lock.get(definition.name))

    def _resolved(self, definition: _Definition) -> tuple[StageEntry, str]:
        variables, written = definition.variables, definition.entry
        self._no_expressions(written.get("vars"))
        first = Resolver(variables, self.arguments, self.work)
        wdir = first.text(written["wdir"], None) if written.get("wdir") else None
        wdir = self.place.wdir(None if wdir is None else interpolation.spelled(wdir, self.arguments))
        local = extended(variables, written.get("vars", []), wdir, self.read)
        resolver = Resolver(local, self.arguments, self.work)
        resolved = {key: resolver.resolve(value, key) for key, value in written.items() if key != "vars"}
        return self._fit(definition.path, StageEntry, resolved), wdir

    def _fit(self, path: tuple[str, ...], shape: type[T], value: Any) -> T:
        return schema.fit(self.document, self.name, path, shape, value)

    def _no_expressions(self, value: Any) -> None:
        if interpolation.has_expression(value):
            raise FormatError("vars cannot be interpolated")

    @contextlib.contextmanager
    def _at(self, path: tuple[str, ...]) -> Iterator[None]:
        """Give errors that do not know their place the one of `path`."""
        try:
            yield
        except FormatError as error:
            where = error.where or schema.where(self.document.marks, self.name, path)
            raise FormatError(error.what, where=where, hint=error.hint) from None
