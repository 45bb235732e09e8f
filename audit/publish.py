"""Where a finished report goes: its folder first, then MLflow. Nothing here can change the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from audit.host import publishing
from audit.records.report import Report
from audit.sinks import folder

OWN = "reports"
LATEST = "latest"


class Published(NamedTuple):
    """Where the report is, if it could be written, and what went wrong on the way."""

    folder: Path | None
    warnings: tuple[str, ...]


def publish(
    report: Report, root: Path, output: Path | None, attachments: Mapping[str, bytes] = MappingProxyType({})
) -> Published:
    """Write the report's folder under `output`, or `reports` of the project, and let `latest` point to it.

    `attachments` go beside the report, by their names.
    """
    own = root / OWN
    if output is None and own.is_symlink():
        why = "is a link, and the project could have laid it to lead anywhere"
        return Published(None, (f"the report was not written: {own} {why}; name the folder with --output",))
    output = output or own
    try:
        if output == own:
            publishing.private_folder(own)
        written = publishing.publish(output, folder.name(report), folder.files(report, attachments))
    except OSError as error:
        return Published(None, (f"the report could not be written to {output}: {error.strerror or error}",))
    try:
        publishing.point(output / LATEST, written.name)
    except OSError as error:
        return Published(written, (f"{output / LATEST} does not point to this report: {error.strerror or error}",))
    return Published(written, ())


def send(report: Report, written: Path | None, *, mlflow: str, root: Path) -> tuple[str, ...]:
    """Log the written report to MLflow; at most one warning comes back."""
    if mlflow == "off" or written is None:
        return ()
    from audit.mlflow import sink

    warning = sink.send(report, str(written), target=mlflow, project_root=str(root))
    return (warning,) if warning else ()
