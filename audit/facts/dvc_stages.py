"""The stages of DVC's pipelines beside what they were last run with: dependencies, parameters, outputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from audit.errors import CannotLook, FormatError
from audit.facts.dvc import Dvc, Problem
from audit.facts.dvc_deps import Found, Sought, find
from audit.facts.dvc_upstream import Upstream
from audit.facts.dvc_workspace import known
from audit.formats.dvc import params
from audit.formats.dvc.output import Dependency, Output
from audit.formats.dvc.place import inside
from audit.formats.dvc.stage import Locked, Parameters, Stage
from audit.formats.urls import public
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import EntryType

__all__ = ["DependencyState", "DvcStages", "Locked", "ParametersState", "Stage", "StageState", "Stages"]


class DependencyState(Record):
    """A dependency as it is now; `found` is None where it lies on another machine, and is not looked at.

    `off` are the outputs in it, or around it, that are not as DVC recorded them.
    """

    dependency: Dependency
    found: Found | None
    off: tuple[str, ...] = ()


class ParametersState(Record):
    """The parameters that a stage reads from one file, as they are now.

    `values` holds what each name stands for: nothing, one value, or several where the
    name has wildcards. It is None if the file is not there, or if `problem` says why
    it cannot be read.
    """

    parameters: Parameters
    values: Mapping[str, tuple[Any, ...]] | None = None
    problem: str = ""


class StageState(Record):
    """One stage; `missing` are its outputs that are not there.

    `sources` are the outputs that it is made from, directly or through other stages,
    that no command makes (or one of a frozen stage), and that are not as recorded: if
    the stage ran, DVC would record them as they are.
    `surplus` is what `dvc.lock` lists of it though `dvc.yaml` does not any more, as it may be shown.
    """

    stage: Stage
    dependencies: tuple[DependencyState, ...] = ()
    parameters: tuple[ParametersState, ...] = ()
    missing: tuple[Output, ...] = ()
    sources: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()


class Stages(Record):
    """All stages that run a command, the entries of locks that belong to none, and files that could not be read."""

    states: tuple[StageState, ...]
    leftovers: tuple[Locked, ...] = ()
    problems: tuple[Problem, ...] = ()


class DvcStages(Request[Stages]):
    """The stages of the DVC project in the folder `root` (absolute), and what they read."""

    root: str

    def collect(self, ctx: Context) -> Stages:
        """Read all dependencies in one go; a file that many stages read is read once."""
        dvc = known(ctx, self.root)
        stages = [stage for stage in dvc.stages if stage.cmd is not None]
        found = find(ctx, dvc, self.root, {sought for stage in stages for sought in _sought(stage)})
        files, upstream = _Files(ctx, dvc), Upstream.of(ctx, dvc, self.root)
        return Stages(
            states=tuple(_state(ctx, stage, found, files, upstream) for stage in stages),
            leftovers=dvc.leftovers,
            problems=dvc.problems,
        )


def _sought(stage: Stage) -> Iterator[Sought]:
    """What to digest, and how; dependencies elsewhere are for DVC alone to ask for."""
    for dependency in stage.deps:
        if dependency.location is not None:
            yield _as_sought(dependency, dependency.location)


def _as_sought(dependency: Dependency, location: str) -> Sought:
    digest = dependency.digest
    return Sought(location, digest.algorithm if digest else "md5", digest.hex if digest else "")


def _state(ctx: Context, stage: Stage, found: Mapping[Sought, Found], files: _Files, upstream: Upstream) -> StageState:
    return StageState(
        stage=stage,
        dependencies=tuple(
            DependencyState(
                dependency=each,
                found=found[_as_sought(each, each.location)] if each.location is not None else None,
                off=upstream.off(each),
            )
            for each in stage.deps
        ),
        parameters=tuple(files.state(each) for each in stage.params),
        missing=tuple(out for out in stage.outs if out.location and ctx.host.look(out.location) is None),
        sources=upstream.sources(stage),
        surplus=tuple(sorted(map(public, _surplus(stage)))),
    )


def _surplus(stage: Stage) -> set[str]:
    if stage.locked is None:
        return set()
    declared = {each.declared for each in (*stage.deps, *stage.outs)} | {each.declared for each in stage.params}
    return {*stage.locked.deps, *stage.locked.params, *stage.locked.outs} - declared


class _Files:
    """Parameter files, each read once."""

    def __init__(self, ctx: Context, dvc: Dvc) -> None:
        self.ctx = ctx
        self.dvc = dvc
        self.read: dict[str, tuple[Any, str]] = {}

    def state(self, parameters: Parameters) -> ParametersState:
        """The parameters' values now."""
        if parameters.location not in self.read:
            self.read[parameters.location] = self._content(parameters)
        content, problem = self.read[parameters.location]
        if content is None:
            return ParametersState(parameters=parameters, problem=problem)
        return ParametersState(parameters=parameters, values=_values(content, parameters.names))

    def _content(self, parameters: Parameters) -> tuple[Any, str]:
        host = self.ctx.host
        try:
            target = host.resolve(parameters.location)
            entry = host.look(target)
            if entry is None:
                return None, ""
            if not inside(target, host.resolve(self.dvc.root)):
                return None, "is outside the repository, and was not read"
            if entry.type is not EntryType.FILE:
                return None, "is no file"
            return params.parse(host.read(target, params.LIMIT), parameters.path), ""
        except (CannotLook, FormatError) as error:
            return None, str(error)


def _values(content: Any, names: Iterable[str]) -> dict[str, tuple[Any, ...]]:
    """The values by name; of a file that is read as a whole, by the names at its top."""
    if named := {name: tuple(params.lookup(content, name)) for name in names}:
        return named
    return {str(name): (value,) for name, value in content.items()} if isinstance(content, dict) else {}
