"""What a check yields: violations, figures, exhibits, and one sentence that sums up."""

from __future__ import annotations

import hashlib
from typing import Any

from audit.records.base import Record
from audit.records.words import Change, Severity

Scalar = str | int | float | bool | None


class Violation(Record):
    """Something that is not as it was declared.

    `subject` is a POSIX path relative to the project, with `#column`, `#line=N` or
    `#package=name` where needed, or `env:`, `cache:`, `remote:NAME/`, `gpu:`.
    `kind` is a short fixed word of the check. `change` says how a file came to
    differ; it depends on this machine's state, so it goes into the envelope.
    `unseen` marks what should have been looked at and could not be: it turns the
    rule's outcome into `error`, and the other violations still stand beside it.
    """

    subject: str
    kind: str
    message: str
    severity: Severity = Severity.ERROR
    expected: Scalar = None
    found: Scalar = None
    repair: str | None = None
    change: Change | None = None
    unseen: bool = False


class Figure(Record):
    """A measured number (its unit is in its name) or a short fact worth keeping."""

    name: str
    value: int | float | str


class Exhibit(Record):
    """Evidence that a sink can draw."""

    type: str
    """How to draw it: `table`, `bars`, `bars2`, `columns`, `histogram`, `clip`, `pictures`, `text`; a sink shows the
    data of any other type as text."""

    title: str
    """What it shows, for people."""

    data: Any
    """What to draw, plain and bounded; its form follows from the type."""


class Summary(Record):
    """One sentence on what was looked at and how it stands."""

    text: str


class Attachment(Record):
    """A file that goes beside the report and is linked from it, written to the scratch folder.

    `name` is what to call it, without a folder; the report adds the rule. `media` is its type (RFC 6838).
    It is opened by people, so nothing in it may be the project's to run.
    """

    name: str
    title: str
    media: str
    path: str


class Caution(Record):
    """What went wrong beside what the rule judges: it changes no outcome, and stands in the envelope."""

    text: str


Finding = Violation | Figure | Exhibit | Summary | Attachment | Caution


def key(rule: str, check: str, subject: str, kind: str) -> str:
    """The stable identity of a violation: 16 hex digits, never over measured values."""
    text = f"{rule}\0{check}\0{subject}\0{kind}"
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
