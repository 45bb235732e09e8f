"""`dvc.lock`: pipelines are up to date with what `dvc.lock` records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from msgspec.structs import replace

from audit.errors import NotApplicable
from audit.facts.dvc_stages import DependencyState, DvcStages, Locked, ParametersState, Stage, Stages, StageState
from audit.records.check import Check, Request
from audit.records.findings import Figure, Finding, Scalar, Summary, Violation
from audit.records.project import Project
from audit.records.repairs import gathered
from audit.records.shell import pathname
from audit.records.words import Severity

_LONGEST = 200
_NAMED = 5
_STALE = frozenset({"command", "dependency", "missing", "new", "parameter", "unlocked", "unrecorded"})


class Lock(Check):
    """`dvc.lock` agrees with `dvc.yaml`, the parameters, the dependencies and the commands.

    Says which stages `dvc repro` would run again, and why: another command, a
    dependency that changed, is new or is not there, a parameter with another value, an
    output or a whole stage without an entry in `dvc.lock`. Templates, `foreach` and
    `matrix` are resolved as DVC does. Of frozen stages DVC compares neither
    dependencies nor parameters, which a note says, as it does of stages that run every
    time. Whether the outputs themselves are what was recorded is for `dvc.hash` to
    say.

    ## Why it matters

    A model beside a `dvc.lock` that does not fit its `dvc.yaml` was made by another
    command, with other parameters or from other data than the repository says. Nobody
    who clones it can make that model again.

    ## Example

    ```yaml
    rules:
      - id: pipeline-up-to-date
        check: dvc.lock
        on: [launch, nightly]
    ```

    ## How to fix

    Run `dvc repro` for the stages that the report names, and commit `dvc.lock`. Where
    the report names no command, something that DVC tracks itself is not as recorded:
    `dvc repro` would record the damage, so bring that back first (`dvc.hash`). If what
    changed cannot change the outputs (a comment in a script), `dvc commit` records it
    without running anything.
    """

    def needs(self, project: Project) -> Mapping[str, Request[Stages]]:
        """The stages, and what they read now."""
        return {"stages": DvcStages(root=project.root)}

    def evaluate(self, stages: Stages) -> Iterator[Finding]:
        """One violation a reason; its subject names what changed and the stage that reads it."""
        if not (stages.states or stages.leftovers or stages.problems):
            raise NotApplicable("no DVC stage runs a command")
        for problem in stages.problems:
            yield Violation(subject=problem.file, kind="unparsed", message=str(problem), unseen=True)
        found = {state.stage.address: list(_judged(state)) for state in stages.states}
        yield from gathered((one for violations in found.values() for one in violations), ("dvc repro ",))
        yield from map(_leftover, stages.leftovers)
        stale = [_called(state.stage) for state in stages.states if _is_stale(found[state.stage.address])]
        yield Figure(name="stages", value=len(stages.states))
        yield Figure(name="stale_stages", value=len(stale))
        yield Summary(text=_told(len(stages.states), stale))


def _is_stale(violations: Iterable[Violation]) -> bool:
    return any(each.kind in _STALE and not each.unseen for each in violations)


def _told(stages: int, stale: list[str]) -> str:
    of = f"{stages:,} stage{'s' if stages != 1 else ''}"
    if not stale:
        return f"{of} as dvc.lock has {'it' if stages == 1 else 'them'}"
    more = f" and {len(stale) - _NAMED:,} more" if len(stale) > _NAMED else ""
    return f"{len(stale):,} of {of} would run again: {', '.join(stale[:_NAMED])}{more}"


def _judged(state: StageState) -> Iterator[Violation]:
    """Where DVC would take damage for a source, the stage must not run: it is said what to mend first."""
    for one in _reasons(state):
        if one.repair and state.sources:
            first = f"; before it runs again, bring back what is not as recorded: {_listed(state.sources)}"
            yield replace(one, repair=None, message=one.message + first)
        else:
            yield one


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
    return f"{', '.join(paths[:_NAMED])}{more}"


def _reasons(state: StageState) -> Iterator[Violation]:
    stage = state.stage
    if stage.always_changed or not (stage.deps or stage.params or stage.outs):
        yield _of_stage(stage, "always", "runs every time: it is declared so, or has nothing to compare", Severity.NOTE)
    if stage.name and stage.locked is None:
        if stage.deps or stage.params or stage.outs:
            yield _of_stage(stage, "unlocked", f"never ran, or dvc.lock lost its entry ({stage.where})")
        return
    if stage.locked and stage.locked.cmd != stage.cmd:
        expected, found = _command(stage.locked.cmd), _command(stage.cmd)
        yield _of_stage(stage, "command", "its command is not the one that ran", expected=expected, found=found)
    inputs = [*_dependencies(state), *_parameters(state)]
    if stage.frozen:
        yield _frozen(stage, inputs)
    else:
        yield from inputs
    yield from _outputs(state)
    yield from _surplus(state)


def _frozen(stage: Stage, inputs: list[Violation]) -> Violation:
    changed = ", ".join(each.subject.partition("#")[0] for each in inputs[:_NAMED])
    message = f"is frozen: DVC does not mind that these are not as they were: {changed}" if inputs else "is frozen"
    return _of_stage(stage, "frozen", message, Severity.NOTE)


def _dependencies(state: StageState) -> Iterator[Violation]:
    for each in state.dependencies:
        yield from _dependency(state.stage, each)


def _dependency(stage: Stage, state: DependencyState) -> Iterator[Violation]:
    dependency, found = state.dependency, state.found
    if found is None:
        yield _of(stage, dependency.path, "elsewhere", "is on another machine, and was not compared", Severity.WARNING)
    elif found.problem:
        yield _of(stage, dependency.path, "unread", f"cannot be compared: {found.problem}", unseen=True)
    elif not found.hex:
        message = f"is not there, and the stage reads it{_tracked(state)}"
        yield _of(stage, dependency.path, "missing", message, mends=not state.off)
    elif dependency.digest is None:
        yield _of(stage, dependency.path, "new", "is new: the stage ran without it")
    elif found.oid != dependency.oid:
        message, oids = f"changed since the stage ran{_tracked(state)}", (dependency.oid, found.oid)
        yield _of(stage, dependency.path, "dependency", message, expected=oids[0], found=oids[1], mends=not state.off)


def _tracked(state: DependencyState) -> str:
    """What DVC tracks is brought back, not recorded anew with all that is made from it."""
    off = _listed(state.off)
    what = "it" if state.off == (state.dependency.path,) else off
    return f"; DVC tracks {what} too, and {what} is not as recorded: bring that back first, see dvc.hash" if off else ""


def _parameters(state: StageState) -> Iterator[Violation]:
    for each in state.parameters:
        parameters = each.parameters
        if each.problem:
            yield _of(state.stage, parameters.path, "unread", f"cannot be compared: {each.problem}", unseen=True)
        elif each.values is None:
            yield _of(state.stage, parameters.path, "missing", "is not there, and the stage reads parameters from it")
        elif parameters.recorded is None:
            yield _of(state.stage, parameters.path, "new", "is new: the stage ran without parameters from it")
        else:
            yield from _values(state.stage, each, each.values, parameters.recorded)


def _values(
    stage: Stage, state: ParametersState, values: Mapping[str, tuple[Any, ...]], recorded: Mapping[str, Any]
) -> Iterator[Violation]:
    """Compare name by name; where the whole file counts, by all names on either side."""
    for name in state.parameters.names or tuple(dict.fromkeys([*values, *recorded])):
        subject, found = f"{state.parameters.path}:{name}", values.get(name, ())
        if len(found) > 1:
            yield _of(stage, subject, "unread", "stands for several values, so that DVC cannot compare it", unseen=True)
        elif not found:
            yield _of(stage, subject, "missing", "has no value", expected=_scalar(recorded.get(name)))
        elif name not in recorded:
            yield _of(stage, subject, "new", "is new: the stage ran without it", found=_scalar(found[0]))
        elif not _equal(found[0], recorded[name]):
            expected, now = _scalar(recorded[name]), _scalar(found[0])
            yield _of(
                stage, subject, "parameter", "has another value than the stage ran with", expected=expected, found=now
            )


def _equal(value: Any, recorded: Any) -> bool:
    """Compare as DVC does: a tuple of a Python file is recorded as a list."""
    return bool(value == recorded or (isinstance(value, tuple) and list(value) == recorded))


def _outputs(state: StageState) -> Iterator[Violation]:
    stage, missing = state.stage, {out.path for out in state.missing}
    for out in stage.outs:
        if out.digest is None and out.version is None:
            yield _of(stage, out.path, "unrecorded", "has no entry in dvc.lock: the stage ran without it")
        elif out.path in missing:
            message = f"is not there{'; dvc.hash says how to get it back' if out.cache else ''}"
            yield _of(stage, out.path, "missing", message, Severity.WARNING, mends=not out.cache)


def _surplus(state: StageState) -> Iterator[Violation]:
    """What dvc.lock lists of the stage though `dvc.yaml` does not any more; DVC does not mind."""
    where = state.stage.locked.where if state.stage.locked else ""
    for path in state.surplus:
        message = f"is in dvc.lock ({where}), but the stage does not declare it any more"
        yield _of(state.stage, path, "leftover", message, Severity.NOTE)


def _leftover(locked: Locked) -> Violation:
    file, _, name = locked.address.rpartition(":")
    message = f"no stage is called {name!r} any more, but dvc.lock still has it ({locked.where})"
    return Violation(subject=f"{file}#stage={name}", kind="leftover", severity=Severity.NOTE, message=message)


def _of_stage(stage: Stage, kind: str, message: str, severity: Severity = Severity.ERROR, **more: Any) -> Violation:
    """Speak of the stage itself."""
    subject = f"{stage.file}#stage={stage.name}" if stage.name else stage.file
    repair = _again(stage) if severity is Severity.ERROR else None
    return Violation(subject=subject, kind=kind, message=message, severity=severity, repair=repair, **more)


def _of(
    stage: Stage, path: str, kind: str, message: str, severity: Severity = Severity.ERROR, **more: Any
) -> Violation:
    """Speak of something that the stage reads or makes; running the stage mends it unless `mends` is false."""
    mends = more.pop("mends", True) and severity is not Severity.NOTE and not more.get("unseen")
    repair = _again(stage) if mends else None
    subject = f"{path}#stage={_called(stage)}"
    return Violation(subject=subject, kind=kind, message=message, severity=severity, repair=repair, **more)


def _again(stage: Stage) -> str:
    return f"dvc repro {pathname(_called(stage))}"


def _called(stage: Stage) -> str:
    """The stage's name for DVC's commands in the project's folder."""
    return stage.name if stage.file == "dvc.yaml" and not stage.name.startswith("-") else stage.address


def _command(cmd: str | tuple[str, ...] | None) -> str:
    return "\n".join((cmd,) if isinstance(cmd, str) else cmd or ())


def _scalar(value: Any) -> Scalar:
    """A value as a report can hold it."""
    if value is None or isinstance(value, bool) or (isinstance(value, int) and abs(value) < 2**53):
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
