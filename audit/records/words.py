"""The closed vocabularies: every word that an outcome, a rule or a dataset can be called."""

from __future__ import annotations

from enum import StrEnum


class Severity(StrEnum):
    """How much a violation weighs."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def weight(self) -> int:
        """3 for an error down to 1 for a note."""
        return {"error": 3, "warning": 2, "note": 1}[self.value]

    def at_most(self, limit: Severity) -> Severity:
        """The lesser of the two: a rule caps what its check says."""
        return min(self, limit, key=lambda severity: severity.weight)


class Outcome(StrEnum):
    """What became of one rule."""

    FAIL = "fail"
    ERROR = "error"
    WARN = "warn"
    PASS = "pass"  # noqa: S105 - an outcome, not a password
    SKIP = "skip"


class Verdict(StrEnum):
    """What an audit says as a whole."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    INCOMPLETE = "incomplete"


class FailOn(StrEnum):
    """The least severity that turns the verdict to `fail`."""

    ERROR = "error"
    WARNING = "warning"
    NEVER = "never"


class Trigger(StrEnum):
    """When rules run."""

    COMMIT = "commit"
    LAUNCH = "launch"
    NIGHTLY = "nightly"


class Kind(StrEnum):
    """What a dataset is made of."""

    TABLE = "table"
    AUDIO = "audio"
    IMAGE = "image"
    ARRAY = "array"
    FILES = "files"


class Role(StrEnum):
    """What a dataset is for."""

    TRAIN = "train"
    VAL = "val"
    TEST = "test"


class Change(StrEnum):
    """How a file came to differ from its record, as far as this machine's state can tell.

    `edited`: size, times or inode moved since it was last seen. `rotted`: all of
    these stayed, the bytes did not. `stale`: the state remembered other bytes than
    the disk holds. `differs`: it was never seen before.
    """

    EDITED = "edited"
    ROTTED = "rotted"
    STALE = "stale"
    DIFFERS = "differs"
