"""Which rules look at leakage: those of the plan that find their subject, and why the others do not."""

from __future__ import annotations

from typing import Any

from audit.errors import AuditError, NotApplicable
from audit.records.base import Record
from audit.records.check import Check, Request
from audit.records.context import Context
from audit.records.findings import Violation


class Attempt(Record):
    """A rule of the plan, the name of its check, and what it asks for; `idle` is why it does not run, if it does not.

    `muted` marks a rule whose findings weigh no more than a note.
    """

    rule: str
    check: str
    asks: Check | None = None
    needs: tuple[tuple[str, Request[Any]], ...] = ()
    idle: str = ""
    muted: bool = False

    def __hash__(self) -> int:
        """By its name: a check may hold lists and mappings, which have no hash."""
        return hash(self.rule)


class Looked(Record):
    """A rule, its check, and why it covers nothing; "" if it looked."""

    rule: str
    check: str
    reason: str = ""


class Watch(Record):
    """What became of the rules of the plan that look for leakage."""

    rules: tuple[Looked, ...]


class Leakage(Request[Watch]):
    """What the rules of `attempts` find to judge."""

    attempts: tuple[Attempt, ...]

    def collect(self, ctx: Context) -> Watch:
        """Try each rule: only one that judges something covers anything."""
        looked = (Looked(rule=one.rule, check=one.check, reason=_reason(ctx, one)) for one in self.attempts)
        return Watch(rules=tuple(looked))


def _reason(ctx: Context, attempt: Attempt) -> str:
    if attempt.asks is None:
        return attempt.idle or "it does not run"
    if attempt.muted:
        return "its findings weigh no more than a note"
    try:
        facts = {name: ctx.get(request) for name, request in attempt.needs}
        found = [one for one in attempt.asks.evaluate(**facts) if isinstance(one, Violation) and one.unseen]
    except NotApplicable as nothing:
        return f"it has nothing to judge: {nothing.what}"
    except AuditError as error:
        return f"it could not look: {error.what}"
    return f"it could not look at all: {found[0].message}" if found else ""
