"""A dataset: a named part of the project's data."""

from __future__ import annotations

from typing import Annotated

import msgspec

from audit.records.base import Record
from audit.records.table import Reading, Source
from audit.records.words import Kind, Role

DatasetName = Annotated[
    str, msgspec.Meta(description="The name of a dataset of `audit.yaml`.", extra={"refers_to": "dataset"})
]
"""A field of a check with this type names a dataset of `audit.yaml`."""


class Dataset(Record):
    """A path, glob or URL with a kind and perhaps a role.

    `where` takes the rows of a table whose columns have one of the values. `profile` says
    whether `audit lock` writes down what a table looks like (None: if it has a role), and
    `profile_values` that values may stand there; `reading` how the text of a table is to be
    read, where that is not to be found out.
    """

    name: str
    path: str
    kind: Kind
    role: Role | None = None
    where: tuple[tuple[str, tuple[str | int | float | bool, ...]], ...] = ()
    optional: bool = False
    reading: Reading = Reading()
    frame: Source | None = None
    """What Python handed over in place of the file; never from `audit.yaml`."""
    profile: bool | None = None
    profile_values: bool = False
