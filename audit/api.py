"""What Python users call: `audit.run` does what `audit run` does, `audit.gate` raises unless the verdict is `pass`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from audit.config.load import Config, load_config, project_root
from audit.engine.audit import Terms, audit
from audit.engine.graph import Graph
from audit.engine.meter import Meter
from audit.engine.plan import plan
from audit.errors import AuditFailed, CannotLook, UsageError
from audit.frames import with_frames
from audit.host import Host
from audit.publish import Published, publish, send
from audit.records import report as records
from audit.records.base import Record
from audit.records.project import Project
from audit.records.text import nearest
from audit.records.words import FailOn, Trigger, Verdict
from audit.state.state import State

Word = TypeVar("Word", bound=StrEnum)


ATTACHED_BYTES = 50 << 20
"""The most that the attachments of one report take together."""


class Settings(Record):
    """What a call may choose; everything left out follows from `audit.yaml` and the trigger."""

    on: Trigger = Trigger.LAUNCH
    selection: records.Selection = records.Selection()
    fail_on: FailOn | None = None
    deep: bool | None = None
    jobs: int | None = None
    as_of: date | None = None
    profile: bool | None = None
    command: tuple[str, ...] = ()


class Report(records.Report):
    """A finished audit, as Python users hold it."""

    def to_html(self) -> str:
        """The page for people, whole in one file."""
        from audit.sinks import html

        return html.render(self).decode()


class Finished(NamedTuple):
    """A held audit: its report, warnings, the traces of faults of our own, and what goes beside the report."""

    report: records.Report
    warnings: tuple[str, ...]
    traces: tuple[str, ...]
    attachments: Mapping[str, bytes] = MappingProxyType({})


def run(  # noqa: PLR0913 - these are the options of `audit run`
    project: str | os.PathLike[str] = ".",
    *,
    on: str = "launch",
    select: str | Sequence[str] = (),
    skip: str | Sequence[str] = (),
    fail_on: str | None = None,
    deep: bool | None = None,
    jobs: int | None = None,
    as_of: date | None = None,
    profile: bool | None = None,
    frames: Mapping[str, Any] | None = None,
    output: str | os.PathLike[str] | None = None,
    mlflow: str = "off",
) -> Report:
    """Audit the project and return its report; the report's folder is written as by `audit run`.

    `profile` has every rule that can write a profile for people to look at do so, or none; left out, the rules decide.

    `frames` are DataFrames of pandas or polars by the names of datasets: tables in memory that are looked at in
    place of those on disk, or beside them.

    Raises `ConfigError` if `audit.yaml` is wrong; what could not be looked at is in the report.
    """
    if as_of is not None and not isinstance(as_of, date):
        raise UsageError(f"as_of is a datetime.date, not {as_of!r}")
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs is at least 1, not {jobs}")
    settings = Settings(
        on=_word(Trigger, on),
        selection=records.Selection(select=_words(select), skip=_words(skip)),
        fail_on=_word(FailOn, fail_on) if fail_on else None,
        deep=deep,
        jobs=jobs,
        as_of=as_of,
        profile=profile,
    )
    root = project_root(project)
    finished = hold(root, settings, frames=frames)
    report = finished.report
    if settings.on is not Trigger.COMMIT or output is not None:
        deliver(report, root, output, mlflow, finished.attachments)
    return Report(body=report.body, envelope=report.envelope)


def gate(project: str | os.PathLike[str] = ".", **options: object) -> Report:
    """`run`, and raise `AuditFailed` with the report attached unless the verdict is `pass`."""
    report = run(project, **options)  # type: ignore[arg-type]
    if report.verdict is not Verdict.PASS or report.envelope.interrupted:
        raise AuditFailed(f"the audit's verdict is {report.verdict}: {_why(report)}", report)
    return report


def _why(report: Report) -> str:
    """What keeps the verdict from being `pass`, in a few words."""
    weighs = {"fail", "error"} | ({"warn"} if report.body.fail_on is FailOn.WARNING else set())
    bad = ", ".join(one.rule for one in report.results if one.outcome in weighs)
    if bad or report.envelope.interrupted:
        return bad or "interrupted"
    return "only a part of the rules was selected" if report.body.selection else "nothing was audited"


def hold(
    root: Path,
    settings: Settings,
    watch: Callable[[Meter], None] = lambda _: None,
    *,
    frames: Mapping[str, Any] | None = None,
) -> Finished:
    """Read the rules, plan, collect and judge. `watch` is handed the meter before anything is read."""
    config = load_config(root)
    with closing(Host()) as host:
        if frames:
            config = with_frames(config, frames, host.scratch())
        return _held(host, config, settings, watch)


def _held(host: Host, config: Config, settings: Settings, watch: Callable[[Meter], None]) -> Finished:
    project = plan(config, settings.on, settings.selection, profile=settings.profile, command=settings.command)
    meter = Meter()
    watch(meter)
    with (
        closing(State.open(str(config.root))) as state,
        closing(Graph(host, state, meter, settings.jobs or cores(), deep=_deep(settings))) as graph,
    ):
        report, traces, files = audit(graph, config, project, _terms(config, settings, host))
        attachments, lost = _attachments(host, files)
    return Finished(report, (*report.envelope.warnings, *state.warnings, *lost), traces, attachments)


def _attachments(host: Host, files: Mapping[str, str]) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The content of the attachments, before the scratch folder goes; and a word on each that is not kept."""
    kept: dict[str, bytes] = {}
    lost = []
    for name, path in files.items():
        try:
            kept[name] = host.read(path, ATTACHED_BYTES - sum(map(len, kept.values())))
        except CannotLook as error:
            lost.append(f"{name} is not kept: {error.what}")
    return kept, tuple(lost)


def planned(root: Path, settings: Settings) -> tuple[Config, Project]:
    """What would run, without looking at anything."""
    config = load_config(root)
    return config, plan(config, settings.on, settings.selection)


def deliver(
    report: records.Report,
    root: Path,
    output: str | os.PathLike[str] | None,
    mlflow: str,
    attachments: Mapping[str, bytes] = MappingProxyType({}),
) -> Published:
    """Local files first, then MLflow."""
    published = publish(report, root, Path(output) if output is not None else None, attachments)
    later = send(report, published.folder, mlflow=mlflow, root=root)
    return Published(published.folder, (*published.warnings, *later))


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _word(kind: type[Word], said: str) -> Word:
    """The word of a closed vocabulary. Raises `UsageError` with the nearest right one."""
    try:
        return kind(said)
    except ValueError:
        hint = nearest(said, [str(one) for one in kind])
        raise UsageError(f"{said!r} is none of {', '.join(kind)}", hint=hint) from None


def _words(said: str | Sequence[str]) -> tuple[str, ...]:
    """One word, or several."""
    return (said,) if isinstance(said, str) else tuple(said)


def _deep(settings: Settings) -> bool:
    return settings.on is Trigger.NIGHTLY if settings.deep is None else settings.deep


def _terms(config: Config, settings: Settings, host: Host) -> Terms:
    today: datetime = host.now().astimezone(UTC)
    return Terms(
        fail_on=settings.fail_on or config.fail_on,
        selection=settings.selection,
        as_of=settings.as_of or today.date(),
    )
