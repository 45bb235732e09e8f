"""The store that an audit keeps for itself: SQLite and a folder of artifacts, in the sender's working directory."""

from __future__ import annotations

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from audit.errors import CannotLook
from audit.mlflow.destination import ARTIFACTS, DATABASE

_DRAFT = Path(f"{DATABASE}.new")
_LOCK = Path(f"{DATABASE}.lock")
_VERSION = Path(f"{DATABASE}.version")

_FOREIGN = (
    "SELECT name FROM sqlite_master WHERE type = 'view' OR sql LIKE 'CREATE VIRTUAL%'"
    " OR (type = 'trigger' AND tbl_name <> 'secrets')"
)
"""What MLflow does not make. A database that came with the project could redirect what is written by a trigger.

MLflow has one on a table that an audit never writes to (`mlflow/store/db_migrations`).
"""


_ANEW = "move it away, and a new one is made"


def artifacts() -> str:
    """Where the runs' files go, as a URL."""
    return Path(ARTIFACTS).absolute().as_uri()


@contextmanager
def ready(mlflow: Any) -> Iterator[None]:
    """A database that this version of MLflow can use, and that nobody replaces meanwhile.

    MLflow's migrations do not survive being killed half way, so they are applied to a
    draft, and it is renamed: whenever this ends, the database is as before or complete.
    """
    with _LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _check()
        if not (Path(DATABASE).exists() and _VERSION.exists() and _VERSION.read_text() == mlflow.__version__):
            _migrate(mlflow)
            _VERSION.write_text(mlflow.__version__)
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield


def _check() -> None:
    """Ask SQLite itself: MLflow would try again for more than a minute."""
    if Path(DATABASE).exists():
        try:
            with closing(sqlite3.connect(DATABASE)) as database:
                foreign = database.execute(_FOREIGN).fetchall()
        except sqlite3.DatabaseError as error:
            raise CannotLook(f"{DATABASE}: {error}", hint=_ANEW) from error
        if foreign:
            raise CannotLook(f"{DATABASE}: MLflow did not make {foreign[0][0]!r} in it", hint=_ANEW)


def _migrate(mlflow: Any) -> None:
    _DRAFT.unlink(missing_ok=True)
    if Path(DATABASE).exists():
        from mlflow.db import upgrade

        with closing(sqlite3.connect(DATABASE)) as old, closing(sqlite3.connect(_DRAFT)) as new:
            old.backup(new)
        upgrade.callback(f"sqlite:///{_DRAFT}")
    mlflow.MlflowClient(f"sqlite:///{_DRAFT}").search_experiments(max_results=1)
    _DRAFT.replace(DATABASE)


def move(experiment: str, location: str) -> None:
    """Let an experiment follow a project that was moved: MLflow keeps absolute paths, and has no call to change them.

    The columns are those of `mlflow.store.tracking.dbmodels.models`, SqlExperiment and SqlRun.
    """
    with closing(sqlite3.connect(DATABASE, timeout=20)) as database, database:
        database.execute("UPDATE experiments SET artifact_location = ? WHERE experiment_id = ?", (location, experiment))
        database.execute(
            "UPDATE runs SET artifact_uri = ? || '/' || run_uuid || '/artifacts' WHERE experiment_id = ?",
            (location, experiment),
        )
