"""Places in a dataset that could not be looked at."""

from __future__ import annotations

from typing import NamedTuple

from audit.records.findings import Violation


class Obstacle(NamedTuple):
    """A place in the dataset that could not be looked at; `gone` if nothing is there: a link to nothing."""

    path: str
    what: str
    hint: str = ""
    gone: bool = False

    def violation(self) -> Violation:
        """It, as what turns a rule's outcome to `error`; or, where data should be and is not, to `fail`."""
        return Violation(
            subject=self.path,
            kind="missing" if self.gone else "unreadable",
            message=f"{self.what} ({self.hint})" if self.hint else self.what,
            unseen=not self.gone,
        )
