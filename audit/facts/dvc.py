"""What DVC tracks in the audited project: stages, outputs, configuration, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterator

from audit.formats.dvc.config import Config
from audit.formats.dvc.output import Output
from audit.formats.dvc.stage import Stage
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context


class Problem(Record):
    """A DVC file that could not be understood; a rule that needs it cannot look.

    `file` is relative to the audited project; `where` is file:line:column as far as known.
    """

    file: str
    where: str
    what: str
    hint: str = ""

    def __str__(self) -> str:
        step = f" ({self.hint})" if self.hint else ""
        return f"{self.where}: {self.what}{step}"


class Dvc(Record):
    """DVC as the audited folder sees it; `root` is the repository's absolute path, at or above that folder.

    Stages come from the audited folder and all below it, and from the folders
    between it and `root`; of the latter only those that reach into the audited
    folder. `nested` are the DVC repositories below, which DVC itself leaves alone;
    `git_ignored` the DVC files that Git ignores, which DVC does not see. Both are
    relative to the audited project, as are all names here.
    """

    root: str
    config: Config
    stages: tuple[Stage, ...] = ()
    problems: tuple[Problem, ...] = ()
    nested: tuple[str, ...] = ()
    git_ignored: tuple[str, ...] = ()

    @property
    def outputs(self) -> Iterator[Output]:
        """The outputs of all stages."""
        return (out for stage in self.stages for out in stage.outs)


class DvcProject(Request[Dvc | None]):
    """What DVC tracks in the folder `root` (absolute); None where no DVC repository holds it."""

    root: str

    def collect(self, ctx: Context) -> Dvc | None:
        """Walk the work tree as DVC does and read its files."""
        raise NotImplementedError
