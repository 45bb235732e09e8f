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
    """What it is about: a POSIX path relative to the project, with `#column`, `#line=N` or `#package=name` where
    needed, or `env:`, `cache:`, `remote:NAME/`, `gpu:`.
    """

    kind: str
    """A short word that the check always uses for this way to differ: `changed`, `missing`, `rate`."""

    severity: Severity
    """How much it weighs: the lesser of what the check says and what the rule allows."""

    message: str
    """What is wrong, for people."""

    expected: Scalar
    """What was declared or recorded, if it is one value."""

    found: Scalar
    """What is there instead."""

    key: str
    """Its identity from night to night: the first 16 hex digits of SHA-256 over rule, check, subject and kind, with
    NUL between them. Never over measured values.
    """

    repair: str | None = None
    """A command that repairs it and spreads no damage, where one exists."""

    waived: str | None = None
    """The reason of the waiver that covers it; a waived violation decides nothing and is always counted."""

    unseen: bool = False
    """Whether it marks what should have been looked at and could not be; the outcome is then `error`."""


class Attached(Record):
    """A file that lies beside `report.json`, for people to look at."""

    name: str
    """Its name in the report's folder."""

    title: str
    """What it shows."""

    media: str
    """Its media type."""


class Result(Record):
    """What became of one rule of the plan."""

    rule: str
    """The rule's id, with the dataset in brackets where one rule covers several: `drift[val]`."""

    check: str
    """The check that it runs, as `family.name`."""

    severity: Severity
    """The most that a violation of this rule can weigh."""

    outcome: Outcome
    """`fail` if an unwaived violation weighs `error`, else `warn` if one weighs `warning`, else `pass`; `skip` where
    its subject does not exist by nature; `error` where it should have looked and could not.
    """

    summary: str
    """One sentence on what was looked at and how it stands."""

    why: str = ""
    """Why the project has this rule, in the words of its rule file."""

    reason: str | None = None
    """Why it was skipped or could not look."""

    repair: str | None = None
    """What to do so that it can look."""

    figures: dict[str, int | float | str] = {}
    """Measured numbers by name, the unit in the name; finite, rounded to 12 significant digits. A text stands where
    there is no number.
    """

    violations: tuple[ReportedViolation, ...] = ()
    """What it found, sorted by subject, kind and message."""

    exhibits: tuple[Exhibit, ...] = ()
    """Evidence that can be drawn, at most 64 KiB each, and 2 MB in all results together."""

    attachments: tuple[Attached, ...] = ()
    """Files that a rule wrote to be looked at; they hold dates and the like, so their content is not in the body."""


class Selection(Record):
    """The rules chosen by hand; empty means all."""

    select: tuple[str, ...] = ()
    """Rules, checks or families that alone were to run."""

    skip: tuple[str, ...] = ()
    """Rules, checks or families that were left out."""

    def __bool__(self) -> bool:
        return bool(self.select or self.skip)


class WaiverState(Record):
    """A waiver as the report counts it: `active`, `expired` or `unused`."""

    rule: str
    """The rule whose violations it waives."""

    subject: str
    """The subject that it waives, literally, or a pattern after `glob:`."""

    kind: str | None
    """The only kind that it waives, if it says one."""

    reason: str
    """Why the exception is made."""

    author: str
    """Who made it."""

    expires: str
    """The last day on which it holds, as YYYY-MM-DD."""

    state: str
    """`active`; `expired`, and so without effect; or `unused`, covering nothing."""

    covers: int
    """How many violations it covers; none once it has expired."""


class Body(Record):
    """Same facts, same rules, same `as_of`: the same bytes."""

    project: str
    """The project's name, from its rule file."""

    trigger: Trigger
    """What made the rules run."""

    as_of: str
    """The UTC day by which waivers are judged, as YYYY-MM-DD."""

    rules_digest: str
    """SHA-256 over everything in the rule files that can change a verdict, packs merged."""

    fail_on: FailOn
    """The least severity that turns the verdict to `fail`."""

    selection: Selection
    """What was chosen by hand; any choice makes the verdict `incomplete`."""

    verdict: Verdict
    """`incomplete` if any outcome is `error`, nothing ran, or only a part was selected; else `fail` if an unwaived
    violation weighs at least `fail_on`; else `pass`.
    """

    counts: dict[str, int]
    """Rules by outcome, and under `waived` the waived violations."""

    results: tuple[Result, ...]
    """One result a rule, in the order of the plan."""

    waivers: tuple[WaiverState, ...] = ()
    """Every waiver of the rule file, whether it covers something or not."""


class Coverage(Record):
    """What was looked at, in files and bytes."""

    files_read: int = 0
    """Files whose bytes were read."""

    bytes_read: int = 0
    """Bytes read from disk."""

    files_trusted: int = 0
    """Files whose digest was taken from state, since nothing about them had moved."""

    bytes_trusted: int = 0
    """Bytes of those files."""

    files_unread: int = 0
    """Files that were to be looked at and were not."""


class Envelope(Record):
    """When, where, how long, and what this machine's state knows of the changes."""

    started: str
    """When the audit began: UTC, ISO 8601."""

    duration_s: float
    """How long it took, in seconds."""

    host: str
    """The machine it ran on."""

    tool_version: str
    """The version of audit."""

    body_digest: str
    """SHA-256 of the canonical body, in hex."""

    coverage: Coverage
    """What was looked at."""

    environment: dict[str, str]
    """The interpreter of the environment that was audited, and how it was found."""

    changes: dict[str, Change] = {}
    """How files came to differ, by the key of their violation: `edited`, `rotted`, `stale` or `differs`."""

    interrupted: bool = False
    """Whether it was broken off; what was not judged by then is `error`."""

    warnings: tuple[str, ...] = ()
    """What went wrong beside the audit itself."""


class Report(Record):
    """A finished audit."""

    body: Body
    """The deterministic part."""

    envelope: Envelope
    """The circumstances."""

    schema: str = SCHEMA
    """The name and version of this contract."""

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
