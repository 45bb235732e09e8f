"""Files of datasets that could not be looked at."""

from __future__ import annotations

from audit.records.base import Record
from audit.records.findings import Violation


class Unseen(Record, gc=False):
    """A file or folder that should have been looked at and could not be; `what` completes the sentence "it ...".

    `gone`: nothing is there, where a link leads.
    """

    path: str
    what: str
    hint: str = ""
    gone: bool = False

    def violation(self) -> Violation:
        """It, as what turns a rule's outcome to `error`; or, where data is recorded and absent, to `fail`."""
        return Violation(
            subject=self.path,
            kind="missing" if self.gone else "unreadable",
            message=f"{self.what}{f' ({self.hint})' if self.hint else ''}",
            unseen=not self.gone,
        )
