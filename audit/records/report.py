"""The report, version 1: a deterministic body, and an envelope of circumstances.

The contract is in docs/report.md; fields are added within a version, never renamed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from audit.records.base import Record
from audit.records.findings import Exhibit, Scalar
from audit.records.words import Change, FailOn, Outcome, Severity, Trigger, Verdict

SCHEMA = "reproaudit/report/1"


class ReportedViolation(Record):
    """A violation with its stable key; `waived` is the reason of the waiver that covers it."""

    subject: str
    kind: str
    severity: Severity
    message: str
    expected: Scalar
    found: Scalar
    key: str
    repair: str | None = None
    waived: str | None = None
    unseen: bool = False


class Result(Record):
    """What became of one rule of the plan."""

    rule: str
    check: str
    severity: Severity
    outcome: Outcome
    summary: str
    why: str = ""
    reason: str | None = None
    repair: str | None = None
    figures: dict[str, int | float | str] = {}
    violations: tuple[ReportedViolation, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()


class Selection(Record):
    """The rules chosen by hand; empty means all."""

    select: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.select or self.skip)


class WaiverState(Record):
    """A waiver as the report counts it: `active`, `expired` or `unused`."""

    rule: str
    subject: str
    kind: str | None
    reason: str
    author: str
    expires: str
    state: str
    covers: int


class Body(Record):
    """Same facts, same rules, same `as_of`: the same bytes."""

    project: str
    trigger: Trigger
    as_of: str
    rules_digest: str
    fail_on: FailOn
    selection: Selection
    verdict: Verdict
    counts: dict[str, int]
    results: tuple[Result, ...]
    waivers: tuple[WaiverState, ...] = ()


class Coverage(Record):
    """What was looked at, in files and bytes."""

    files_read: int = 0
    bytes_read: int = 0
    files_trusted: int = 0
    bytes_trusted: int = 0
    files_unread: int = 0


class Envelope(Record):
    """When, where, how long, and what this machine's state knows of the changes."""

    started: str
    duration_s: float
    host: str
    tool_version: str
    body_digest: str
    coverage: Coverage
    environment: dict[str, str]
    changes: dict[str, Change] = {}
    interrupted: bool = False
    warnings: tuple[str, ...] = ()


class Report(Record):
    """A finished audit."""

    body: Body
    envelope: Envelope
    schema: str = SCHEMA

    @property
    def verdict(self) -> Verdict:
        """`pass`, `fail` or `incomplete`."""
        return self.body.verdict

    @property
    def results(self) -> tuple[Result, ...]:
        """One result a rule, in plan order."""
        return self.body.results

    def to_json(self) -> bytes:
        """The report as canonical JSON."""
        return canonical(self)


def canonical(value: Any) -> bytes:
    """JSON with sorted keys, no spaces and UTF-8; lone surrogates become escapes."""
    return msgspec.json.encode(printable(msgspec.to_builtins(value)), order="deterministic")


def printable(value: Any) -> Any:
    r"""The value with undecodable bytes of file names (lone surrogates) spelled `\xNN`."""
    if isinstance(value, str):
        return value if value.isascii() else _decodable(value).decode("utf-8", "backslashreplace")
    if isinstance(value, Mapping):
        return {printable(name): printable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [printable(item) for item in value]
    return value


def _decodable(text: str) -> bytes:
    """The text's bytes; a surrogate that no file name gives, as an escape in JSON can, is spelled out."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


def digest(body: Body) -> str:
    """SHA-256 of the canonical body."""
    return hashlib.sha256(canonical(body)).hexdigest()
