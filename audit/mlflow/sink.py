"""The MLflow sink: a written report becomes one run in experiment `audit/<project>`.

MLflow is not imported here: it takes seconds, prints, and can hang. A process of its
own does the talking, with bounded time; what becomes of it costs at most one warning.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import msgspec

from audit.errors import AuditError, CannotLook
from audit.host import process
from audit.mlflow import redact
from audit.mlflow.destination import Destination, destination
from audit.mlflow.entry import entry
from audit.mlflow.job import Answer, Job
from audit.records.report import Report
from audit.records.text import plain

FILES = ("report.html", "report.json")
_SENDER = Path(__file__).with_name("__main__.py")
_GRACE_S = 0.5
_MAX_REASON = 300


def send(report: Report, folder: str, *, target: str, project_root: str) -> str | None:
    """Log the report that was written to `folder`. Returns a warning, or None; never raises for MLflow's sake.

    `target` is `auto`, `off` or a tracking URI. A report is logged once to one place,
    however often it is sent there.
    """
    place = None
    try:
        place = destination(target, project_root)
        if place is None:
            return None
        reason = _deliver(_job(report, Path(folder), place), project_root).reason
    except (AuditError, OSError, ValueError) as error:
        reason = str(error)
    return _warning(reason, place.shown if place else redact.url(target), folder) if reason else None


def _job(report: Report, folder: Path, place: Destination) -> Job:
    """The sender's own limit ends a little before the one by which it is killed, so that it can answer."""
    deadline = time.monotonic() + place.limit_s - _GRACE_S
    names = (*FILES, *(one.name for result in report.results for one in result.attachments))
    files = tuple(str(folder.resolve() / name) for name in names if (folder / name).is_file())
    entered = entry(report, folder.resolve().name)
    return Job(entry=entered, files=files, destination=place, deadline=deadline)


def _deliver(job: Job, root: str) -> Answer:
    limit_s = job.destination.limit_s
    command = [sys.executable, "-E", "-P", str(_SENDER), *_search_path(root)]
    try:
        done = process.run(command, cwd=job.destination.folder, timeout_s=limit_s, stdin=msgspec.json.encode(job))
        return msgspec.json.decode(done.out, type=Answer)
    except CannotLook:
        if time.monotonic() < job.deadline:
            raise
        return Answer(reason=f"not done within {limit_s:g} s")
    except msgspec.DecodeError:
        said = done.err.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise CannotLook(f"the sender ended with code {done.code}: {said}") from None


def _search_path(root: str) -> list[str]:
    """Where the sender finds audit and mlflow besides its own site folders: never in the audited project.

    `-E -P` keep PYTHONPATH and the working directory out; what they named outside of
    the project (as environment modules on a cluster do) is handed on.
    """
    home = str(Path(__file__).parents[2])
    inside = Path(root).resolve()
    folders = [Path(path).resolve() for path in sys.path if Path(path).is_absolute()]
    return [*(str(folder) for folder in folders if not folder.is_relative_to(inside)), home]


def _warning(reason: str, where: str, folder: str) -> str:
    text = plain(" ".join(reason.split()))
    short = text if len(text) <= _MAX_REASON else f"{text[:_MAX_REASON]}…"
    return f"MLflow not reached: {where}: {short}; the report is complete in {folder} (--mlflow off leaves it out)"
