"""A section of `audit.lock`: a fact that is worth committing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from audit.records.check import Request
from audit.records.project import Project


class Section(Request[Mapping[str, Any]]):
    """What is, as plain JSON, in a form that is the same on every machine that has the same.

    `audit/facts/sections/<name>.py` defines exactly one subclass, which is thereby the
    section `name` of `audit.lock`. `project` has no rules: what is does not hang on them.
    """

    project: Project

    def is_due(self) -> bool:
        """Whether it is written where no section is named, and the lock has none such yet."""
        return True

    def left_out(self) -> Iterator[str]:
        """What belongs here and is not written down, each with the reason."""
        return iter(())
