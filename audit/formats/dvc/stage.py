"""Stages as records: what `.dvc` files and `dvc.yaml` declare, and what `dvc.lock` recorded.

Source: `dvc/stage/` of DVC 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from audit.formats.dvc.output import Dependency, Output
from audit.records.base import Record


class Parameters(Record):
    """The parameters that a stage reads from one file.

    `names` is empty where it reads the whole file. `recorded` are the values that
    `dvc.lock` holds, None where it holds none for this file. `path`, `location`,
    `declared` and `where` are as in `output.Tracked`.
    """

    path: str
    location: str
    declared: str
    where: str
    names: tuple[str, ...] = ()
    recorded: Mapping[str, Any] | None = None


class Locked(Record):
    """A stage's entry in `dvc.lock`: `where` it stands, and the paths as written there.

    `address` is that of the stage, `dvc.yaml:train`, relative to the audited project.
    """

    address: str
    where: str
    cmd: str | tuple[str, ...]
    deps: tuple[str, ...] = ()
    outs: tuple[str, ...] = ()
    params: tuple[str, ...] = ()


class Stage(Record):
    """One stage with its interpolations resolved and what was recorded of it filled in.

    `address` is `data.dvc` or `dvc.yaml:train`, relative to the audited project, as
    is `file`; `name` is empty for a `.dvc` file. `wdir` is absolute. `md5` is the
    digest of a `.dvc` file's own stage, as far as it has one.
    """

    address: str
    file: str
    where: str
    wdir: str
    name: str = ""
    cmd: str | tuple[str, ...] | None = None
    deps: tuple[Dependency, ...] = ()
    params: tuple[Parameters, ...] = ()
    outs: tuple[Output, ...] = ()
    frozen: bool = False
    always_changed: bool = False
    md5: str | None = None
    locked: Locked | None = None

    @property
    def imported(self) -> bool:
        """Whether this stage brings something in from elsewhere: no command, one in, one out."""
        return not self.cmd and len(self.deps) == 1 and len(self.outs) == 1 and not self.params
