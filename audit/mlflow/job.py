"""What the audit tells the process that talks to MLflow, and what it hears back."""

from __future__ import annotations

from audit.mlflow.destination import Destination
from audit.mlflow.entry import Entry
from audit.records.base import Record


class Job(Record):
    """An entry to log, the files that go with it, and when to give up.

    `deadline` is a reading of `time.monotonic`, which is one clock for all processes.
    """

    entry: Entry
    files: tuple[str, ...]
    destination: Destination
    deadline: float


class Answer(Record):
    """The run that holds the audit, or the reason why there is none."""

    run: str = ""
    reason: str = ""
