"""The report's files: the page for people and the JSON for programs."""

from __future__ import annotations

from collections.abc import Mapping

from audit.records.report import Report


def files(report: Report, attachments: Mapping[str, bytes]) -> dict[str, bytes]:
    """What a report folder holds, by file name; the page links the attachments."""
    from audit.sinks import html, json

    own = {"report.html": html.render(report, attachments.keys()), "report.json": json.render(report)}
    return {**attachments, **own}


def name(report: Report) -> str:
    """The folder's name: UTC time and trigger, so that a listing is in order."""
    time = report.envelope.started.replace("-", "").replace(":", "")
    return f"{time}-{report.body.trigger}"
