"""An audit as an MLflow run: parameters, metrics and tags."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from datetime import datetime

from audit.mlflow import names
from audit.mlflow.note import note
from audit.records.base import Record
from audit.records.report import Report
from audit.records.words import Verdict

MAX_METRICS = 10_000
MAX_FIGURE_TAGS = 200
"""Of one audit; what is beyond stands in the report that goes with it."""

_MAX_FIGURE_TAG = 500
_MAX_EXPERIMENT = 250

Number = int | float


class Entry(Record):
    """What one run of MLflow holds of one audit. Times are milliseconds since 1970.

    `status` is MLflow's word for how the run ended. Its run list draws a tick for
    FINISHED, so only an audit that passed gets it: FAILED is every other verdict,
    KILLED an audit that was interrupted.
    """

    id: str
    experiment: str
    name: str
    status: str
    start_ms: int
    end_ms: int
    params: dict[str, str]
    metrics: dict[str, float]
    tags: dict[str, str]


def entry(report: Report, folder: str) -> Entry:
    """The run for a report that was written to a folder of that name."""
    start_ms = round(datetime.fromisoformat(report.envelope.started).timestamp() * 1000)
    numbers, words = _sorted_out(report)
    return Entry(
        id=identity(report, folder),
        experiment=f"audit/{names.value(report.body.project, _MAX_EXPERIMENT)}",
        name=f"{report.body.trigger} {report.envelope.started}",
        status=status(report),
        start_ms=start_ms,
        end_ms=start_ms + round(report.envelope.duration_s * 1000),
        params=_params(report),
        metrics={valid: numbers[name] for name, valid in names.unique(numbers).items()},
        tags=_tags(report) | {valid: words[name] for name, valid in names.unique(words).items()},
    )


def identity(report: Report, folder: str) -> str:
    """The same for every attempt to send one audit, and another for every other audit."""
    envelope = report.envelope
    text = f"{envelope.body_digest}\0{envelope.started}\0{envelope.host}\0{folder}"
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def status(report: Report) -> str:
    """MLflow's word for how the audit ended."""
    if report.envelope.interrupted:
        return "KILLED"
    return "FINISHED" if report.verdict is Verdict.PASS else "FAILED"


def _params(report: Report) -> dict[str, str]:
    body = report.body
    params = {
        "trigger": str(body.trigger),
        "fail_on": str(body.fail_on),
        "as_of": body.as_of,
        "rules_digest": body.rules_digest,
        "select": " ".join(body.selection.select),
        "skip": " ".join(body.selection.skip),
        "tool_version": report.envelope.tool_version,
    }
    return {name: names.value(text, names.MAX_PARAM) for name, text in params.items() if text}


def _tags(report: Report) -> dict[str, str]:
    """Tags of ours, and the two of MLflow's own that its pages show. No user, host or path goes out."""
    return {
        "audit.verdict": str(report.verdict),
        "audit.body_digest": report.envelope.body_digest,
        "audit.trigger": str(report.body.trigger),
        "mlflow.source.name": "audit",
        "mlflow.note.content": note(report),
    }


def _sorted_out(report: Report) -> tuple[dict[str, float], dict[str, str]]:
    """Numbers that MLflow can store, and what it cannot, as text.

    MLflow keeps infinity as 1.8e308 and chokes on a second NaN, so neither is sent.
    """
    numbers: dict[str, float] = {}
    words: dict[str, str] = {}
    for name, figure in _figures(report):
        number = _number(figure)
        if number is not None and len(numbers) < MAX_METRICS:
            numbers[name] = number
        elif number is None and len(words) < MAX_FIGURE_TAGS:
            text = figure if isinstance(figure, str) else f"not computable ({figure})"
            words[f"audit.figure.{name}"] = names.value(text, _MAX_FIGURE_TAG)
    return numbers, words


def _number(figure: Number | str) -> float | None:
    try:
        number = math.nan if isinstance(figure, str) else float(figure)
    except OverflowError:  # an int beyond 1.8e308
        return None
    return number if math.isfinite(number) else None


def _figures(report: Report) -> Iterator[tuple[str, Number | str]]:
    coverage = report.envelope.coverage
    yield from ((f"audit.count.{outcome}", count) for outcome, count in sorted(report.body.counts.items()))
    yield from ((f"audit.coverage.{name}", getattr(coverage, name)) for name in coverage.__struct_fields__)
    yield "audit.duration_s", report.envelope.duration_s
    for result in report.results:
        yield from ((f"{result.rule}.{name}", figure) for name, figure in sorted(result.figures.items()))
