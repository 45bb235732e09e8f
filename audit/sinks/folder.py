"""The report's files: the page for people and the JSON for programs."""

from __future__ import annotations

from audit.records.report import Report


def files(report: Report) -> dict[str, bytes]:
    """What a report folder holds, by file name."""
    from audit.sinks import html, json

    return {"report.html": html.render(report), "report.json": json.render(report)}


def name(report: Report) -> str:
    """The folder's name: UTC time and trigger, so that a listing is in order."""
    time = report.envelope.started.replace("-", "").replace(":", "")
    return f"{time}-{report.body.trigger}"
