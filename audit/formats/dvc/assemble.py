"""From a stage's resolved entry in `dvc.yaml` and its entry in `dvc.lock` to its record.

Source: `dvc/stage/loader.py`, `load_from_pipeline` in `dvc/output.py` and
`_merge_params` in `dvc/dependency/__init__.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from audit.errors import FormatError
from audit.formats.dvc import schema, tracked
from audit.formats.dvc.lockfile import LockedStage
from audit.formats.dvc.output import Dependency, Output, Role
from audit.formats.dvc.place import Place
from audit.formats.dvc.schema import Entry, Flags, Marks, StageEntry
from audit.formats.dvc.stage import Parameters, Stage
from audit.formats.dvc.variables import DEFAULT_FILE

_ROLES = {"outs": Role.DATA, "metrics": Role.METRIC, "plots": Role.PLOT}

_Declared = tuple[str | Mapping[str, Flags], ...]


class Source(NamedTuple):
    """Where a stage is declared: its file, its working directory, and the way to it in the file."""

    place: Place
    wdir: str
    marks: Marks
    path: tuple[str, ...]

    def where(self, *steps: str | int) -> str:
        """The place of a part of the stage."""
        return schema.where(self.marks, self.place.name, (*self.path, *steps))


def stage(source: Source, name: str, entry: StageEntry, locked: LockedStage | None) -> Stage:
    """Make the record; `FormatError` for a path or a digest that is none."""
    address = f"{source.place.name}:{name}"
    return Stage(
        address=address,
        file=source.place.name,
        where=source.where(),
        wdir=source.wdir,
        name=name,
        cmd=entry.cmd,
        deps=tuple(_dependency(source, path, at, locked) for at, path in enumerate(entry.deps)),
        params=tuple(_parameters(source, path, names, locked) for path, names in _by_file(entry.params).items()),
        outs=tuple(_outputs(source, address, entry, locked)),
        frozen=entry.frozen,
        always_changed=entry.always_changed,
        locked=locked.record(address) if locked else None,
    )


def _dependency(source: Source, path: str, at: int, locked: LockedStage | None) -> Dependency:
    where = source.where("deps", at)
    if path.startswith("ds:"):
        return tracked.dataset(path, where)
    spot = source.place.spot(path, source.wdir, where)
    entry = locked.deps.get(spot.declared) if locked else None
    return Dependency(**{**tracked.fields(spot, entry, locked.where if locked else where), "where": where})


def _parameters(source: Source, path: str, names: tuple[str, ...], locked: LockedStage | None) -> Parameters:
    where = source.where("params")
    spot = source.place.spot(path, source.wdir, where)
    if spot.location is None:
        raise FormatError("parameters that are in no local file", where=where)
    return Parameters(
        path=spot.path,
        location=spot.location,
        declared=spot.declared,
        where=where,
        names=names,
        recorded=locked.params.get(spot.declared) if locked else None,
    )


def _outputs(source: Source, address: str, entry: StageEntry, locked: LockedStage | None) -> Iterator[Output]:
    for key, role in _ROLES.items():
        declared: _Declared = getattr(entry, key)
        for path, (at, flags) in _by_path(declared).items():
            where = source.where(key, at)
            spot = source.place.spot(path, source.wdir, where)
            recorded: Entry | None = locked.outs.get(spot.declared) if locked else None
            fields = tracked.fields(spot, recorded, locked.where if locked else where)
            yield Output(
                **{**fields, "where": where},
                stage=address,
                role=role,
                cache=flags.cache,
                push=flags.push,
                persist=flags.persist,
                remote=flags.remote,
                frozen=entry.frozen,
            )


def _by_path(declared: _Declared) -> dict[str, tuple[int, Flags]]:
    """Outputs by path, each with its place in the list and its flags; of a path that comes twice the last."""
    found: dict[str, tuple[int, Flags]] = {}
    for at, each in enumerate(declared):
        for path, flags in {each: Flags()}.items() if isinstance(each, str) else each.items():
            found[path] = (at, flags)
    return found


def _by_file(params: tuple[str | dict[str, tuple[str, ...] | None], ...]) -> dict[str, tuple[str, ...]]:
    """Parameter names by file; none where the whole file is meant, whatever else is said of it."""
    whole = {path for each in params if isinstance(each, dict) for path, names in each.items() if not names}
    found: dict[str, tuple[str, ...]] = {}
    for each in params:
        for path, names in {DEFAULT_FILE: (each,)}.items() if isinstance(each, str) else each.items():
            if path in whole and isinstance(each, str):
                continue
            found[path] = () if path in whole else found.get(path, ()) + (names or ())
    return found
