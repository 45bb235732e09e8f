"""Whole audits of a folder, state store and all, as `audit run` holds them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from audit.api import Settings, hold
from audit.records.report import Report, ReportedViolation, Result


def audited(root: Path, *rules: dict[str, Any], datasets: dict[str, Any] | None = None, **settings: Any) -> Report:
    """The report on the folder under these rules; a rule without `id` is called by its check."""
    said = [{"id": rule["check"], "on": ["commit", "launch", "nightly"], **rule} for rule in rules]
    content = {"version": 1, "name": "p", "datasets": datasets or {}, "rules": said}
    (root / "audit.yaml").write_bytes(msgspec.json.encode(content))
    return hold(root.resolve(), Settings(**settings)).report


def only(report: Report) -> Result:
    """The report's one result."""
    (result,) = report.results
    return result


def kinds(violations: Sequence[ReportedViolation]) -> list[tuple[str, str]]:
    """Subject and kind of each violation."""
    return [(one.subject, one.kind) for one in violations]
