"""Where an audit is logged: a tracking server, or a store of its own in the project's `.audit` folder."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

from audit.errors import CannotLook, MissingExtra, UsageError
from audit.host.publishing import private_folder
from audit.mlflow import redact
from audit.records.base import Record

REMOTE_S = 10.0
"""The longest that a server may cost an audit, the start of MLflow included, in seconds."""

LOCAL_S = 60.0
"""The same for a file on this machine: a store's first start makes some fifty tables."""

DATABASE = "mlflow.db"
ARTIFACTS = "artifacts"
_LOCAL = re.compile(r"(?:sqlite:|file:|\.{0,2}/)")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|\.{0,2}/|databricks$|uc$", re.IGNORECASE)


class Destination(Record):
    """A tracking URI as MLflow takes it, and the folder that a relative one is relative to.

    `embedded` marks the store that we make, keep and move with the project.
    """

    uri: str
    folder: str
    embedded: bool = False

    @property
    def limit_s(self) -> float:
        """The most that sending may cost, in seconds."""
        return LOCAL_S if self.embedded or _LOCAL.match(self.uri) else REMOTE_S

    @property
    def shown(self) -> str:
        """What may be said of it."""
        return self.folder if self.embedded else redact.url(self.uri)


def understood(target: str) -> None:
    """Raise `UsageError` unless the target is `auto`, `off` or a URI; a typing error would become a folder."""
    if target not in {"auto", "off"} and not _SCHEME.match(target):
        raise UsageError(f"{target!r} is no MLflow tracking URI", hint="auto, off, or for instance http://host:5000")


def destination(target: str, root: str) -> Destination | None:
    """Where the target leads for the project at `root`; None where nothing is to be logged.

    Relative URIs are relative to the project, so that a cron job's audits go where
    a person's do. Raises `MissingExtra` if a URI is given and mlflow is not installed.
    """
    understood(target)
    if target == "off" or (target == "auto" and not installed()):
        return None
    if not installed():
        raise MissingExtra("mlflow", "mlflow")
    uri = os.environ.get("MLFLOW_TRACKING_URI", "") if target == "auto" else target
    return Destination(uri=uri, folder=root) if uri else _embedded(Path(root))


def installed() -> bool:
    """Whether the mlflow library can be imported; it is not, for that takes seconds."""
    spec = importlib.util.find_spec("mlflow")
    return spec is not None and spec.origin is not None  # a folder that merely has the name has no origin


def _embedded(root: Path) -> Destination:
    folder = root / ".audit" / "mlflow"
    if not folder.resolve().is_relative_to(root.resolve()):
        raise CannotLook("a link leads out of the project", where=str(folder), hint="remove the link")
    private_folder(root / ".audit")
    folder.mkdir(exist_ok=True)
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink():  # what is written there would land in another file
            raise CannotLook("a link stands in the store", where=str(entry), hint="remove the link")
    return Destination(uri=f"sqlite:///{DATABASE}", folder=str(folder), embedded=True)
