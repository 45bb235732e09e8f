"""The talk with MLflow; runs in the sender's process alone, which may import it.

`MlflowClient` is used directly: the fluent API keeps global state and adds the user,
the host's paths and the Git state to every run.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice
from typing import Any, TypeVar

from audit.errors import CannotLook
from audit.mlflow import store
from audit.mlflow.entry import Entry
from audit.mlflow.job import Job

T = TypeVar("T")

MAX_METRICS = 1000
MAX_TAGS = 100
"""In one request, by MLflow's REST API (`Log Batch`)."""

_DEFAULT_ROOT = "_MLFLOW_SERVER_ARTIFACT_ROOT"
"""Where the default experiment keeps its files; else MLflow writes the folder's path into SQL, quotes and all."""

_HEAVY = ("matplotlib", "numpy", "pandas", "pyarrow", "scipy", "sklearn")
_SETTINGS = {
    "DO_NOT_TRACK": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ENABLE_ASYNC_LOGGING": "false",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0",  # what fails is told at once
    "GIT_PYTHON_REFRESH": "quiet",
}


@contextmanager
def client(job: Job) -> Iterator[Any]:
    """A client of the destination; a server gets all the time that is left for each of its answers."""
    os.environ.update(_SETTINGS, MLFLOW_TRACKING_URI=job.destination.uri)
    if job.destination.embedded:
        os.environ[_DEFAULT_ROOT] = store.artifacts()
    with _light_imports():
        mlflow = _mlflow()
    os.environ["MLFLOW_HTTP_REQUEST_TIMEOUT"] = str(max(1, int(job.deadline - time.monotonic())))
    with store.ready(mlflow) if job.destination.embedded else nullcontext():
        yield mlflow.MlflowClient(job.destination.uri)


@contextmanager
def _light_imports() -> Iterator[None]:
    """Imports as if the libraries that mlflow-skinny does without were not there.

    MLflow asks for each as it starts, and goes on if there is none: a quarter of its
    start is saved, more from a cold disk. They can be imported again afterwards.
    """
    absent = [name for name in _HEAVY if name not in sys.modules]
    hidden: dict[str, Any] = dict.fromkeys(absent)  # None is how Python spells "cannot be imported"
    sys.modules.update(hidden)
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


def _mlflow() -> Any:
    try:
        import mlflow
    except ModuleNotFoundError as error:
        raise CannotLook(f"{error.name} cannot be imported", hint="pip install 'reproaudit[mlflow]'") from error
    return mlflow


def log(client: Any, job: Job) -> str:
    """The run that holds the audit: found complete, completed, or made. Returns its id."""
    entry = job.entry
    run = _run(client, _experiment(client, job), entry)
    if run.info.status == "RUNNING":
        _fill(client, run.info.run_id, entry)
        for file in job.files:
            client.log_artifact(run.info.run_id, file)
        client.set_terminated(run.info.run_id, status=entry.status, end_time=entry.end_ms)
    return str(run.info.run_id)


def _experiment(client: Any, job: Job) -> str:
    """The experiment's id; another audit may be making it at this moment."""
    from mlflow.exceptions import MlflowException

    name = job.entry.experiment
    found = client.get_experiment_by_name(name)
    if found is None:
        try:
            client.create_experiment(name, artifact_location=_location(job))
        except MlflowException:
            if client.get_experiment_by_name(name) is None:
                raise
        found = client.get_experiment_by_name(name)
    if found.lifecycle_stage == "deleted":
        restore = f"mlflow experiments restore --experiment-id {found.experiment_id}"
        raise CannotLook(f"experiment {name!r} was deleted", hint=f"bring it back: {restore}")
    if job.destination.embedded and found.artifact_location != _location(job):
        store.move(found.experiment_id, store.artifacts())
    return str(found.experiment_id)


def _location(job: Job) -> str | None:
    return store.artifacts() if job.destination.embedded else None


def _run(client: Any, experiment: str, entry: Entry) -> Any:
    """The run of this very audit if an earlier attempt got so far, else a new one."""
    found = client.search_runs([experiment], filter_string=f"tags.`audit.id` = '{entry.id}'", max_results=1)
    if found:
        return found[0]
    tags = {"audit.id": entry.id}
    return client.create_run(experiment, start_time=entry.start_ms, run_name=entry.name, tags=tags)


def _fill(client: Any, run: str, entry: Entry) -> None:
    """Saying the same again changes nothing: parameters and tags are equal, and so are points of a metric."""
    from mlflow.entities import Metric, Param, RunTag

    params = [Param(name, value) for name, value in entry.params.items()]
    client.log_batch(run, params=params, synchronous=True)
    for tags in batches([RunTag(name, value) for name, value in entry.tags.items()], MAX_TAGS):
        client.log_batch(run, tags=tags, synchronous=True)
    metrics = [Metric(name, value, entry.start_ms, 0) for name, value in entry.metrics.items()]
    for some in batches(metrics, MAX_METRICS):
        client.log_batch(run, metrics=some, synchronous=True)


def batches(items: Iterable[T], size: int) -> Iterator[Sequence[T]]:
    """The items in their order, `size` at a time."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
