"""The shapes of DVC's own files, as DVC 2 and 3 accept them.

Source: `dvc/schema.py`, `dvc/output.py` and `dvc/dependency/` of DVC 3; the single
fields that only DVC 2 wrote are kept readable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from audit.errors import FormatError
from audit.formats.yaml import Document, Mark
from audit.records.base import Record

T = TypeVar("T")

Marks = Mapping[tuple[str | int, ...], Mark]
Checksum = str | int | None
Count = Annotated[int, msgspec.Meta(ge=0)]

_AT = re.compile(r"(.*?)(?: - at `(?:key in )?(\$.*)`)?", re.DOTALL)
_STEP = re.compile(r"\.([A-Za-z_]\w*)|\[(\d+)\]|(\[\.\.\.\])")


class Meta(Record):
    """What is known of a file or folder, wherever it is written down."""

    md5: Checksum = None
    etag: Checksum = None
    checksum: Checksum = None
    size: Count | None = None
    nfiles: Count | None = None
    isexec: bool = False
    version_id: str | None = None


class FileEntry(Meta):
    """A line of `files:`."""

    relpath: str
    cloud: dict[str, Meta] | None = None


class Entry(Meta):
    """What outputs and dependencies have in common, in `.dvc` files and in `dvc.lock`."""

    path: str | None = None
    hash: str | None = None
    cloud: dict[str, Meta] | None = None
    files: tuple[FileEntry, ...] | None = None
    persist: bool = False
    fs_config: dict[str, Any] | None = None
    dataset: dict[str, Any] | None = None


class OutEntry(Entry):
    """An output of a `.dvc` file."""

    cache: bool = True
    push: bool = True
    remote: str | None = None
    metric: Any = False
    plot: Any = False
    desc: Any = None
    type: Any = None
    labels: Any = None
    meta: Any = None
    live: Any = None  # DVC 2
    checkpoint: Any = None  # DVC 2


class RepoEntry(Record):
    """Where `dvc import` takes from."""

    url: str
    rev: str | None = None
    rev_lock: str | None = None
    config: str | dict[str, Any] | None = None
    remote: str | dict[str, Any] | None = None


class DbEntry(Record):
    """Where `dvc import-db` takes from."""

    query: str | None = None
    connection: str | None = None
    file_format: str | None = None
    table: str | None = None


class DepEntry(Entry):
    """A dependency of a `.dvc` file."""

    repo: RepoEntry | None = None
    db: DbEntry | None = None


class DvcFile(Record):
    """A `.dvc` file."""

    outs: tuple[OutEntry, ...] | None = None
    deps: tuple[DepEntry, ...] | None = None
    md5: Checksum = None
    wdir: str | None = None
    cmd: str | tuple[str, ...] | None = None  # DVC 2, `--single-stage`
    frozen: bool = False
    locked: bool = False  # the old name of `frozen`
    always_changed: bool = False
    desc: str | None = None
    meta: Any = None


class LockFile(Record):
    """A `dvc.lock` since DVC 2.0; before, its stages stood at the top."""

    schema: Literal["2.0"]
    stages: dict[str, Any] | None = None
    datasets: Any = None


class LockEntry(Record):
    """A stage in `dvc.lock`."""

    cmd: str | tuple[str, ...]
    deps: tuple[Entry, ...] = ()
    params: dict[str, dict[str, Any]] | None = None
    outs: tuple[Entry, ...] = ()


class Flags(Record):
    """What may be said of an output in `dvc.yaml`."""

    cache: bool = True
    push: bool = True
    persist: bool = False
    remote: str | None = None
    checkpoint: bool = False  # DVC 2
    desc: str | None = None
    type: str | None = None
    labels: tuple[str, ...] | None = None
    meta: Any = None


class PlotFlags(Flags):
    """The same of a plot."""

    template: str | None = None
    x: str | None = None
    y: str | None = None
    x_label: str | None = None
    y_label: str | None = None
    title: str | None = None
    header: bool | None = None


class StageEntry(Record):
    """A stage in `dvc.yaml`; of the same shape before and after its interpolations are resolved."""

    cmd: str | tuple[str, ...]
    wdir: str | None = None
    deps: tuple[str, ...] = ()
    params: tuple[str | dict[str, tuple[str, ...] | None], ...] = ()
    outs: tuple[str | dict[str, Flags], ...] = ()
    metrics: tuple[str | dict[str, Flags], ...] = ()
    plots: tuple[str | dict[str, PlotFlags], ...] = ()
    frozen: bool = False
    always_changed: bool = False
    desc: str | None = None
    meta: Any = None
    vars: tuple[str | dict[str, Any], ...] = ()
    matrix: dict[str, str | list[Any]] | None = None


class LoopEntry(Record):
    """Many stages in `dvc.yaml` out of one."""

    foreach: dict[Any, Any] | list[Any] | str
    do: StageEntry


class PipelineFile(Record):
    """A `dvc.yaml`; its stages are looked at one by one, by their names."""

    stages: dict[str, dict[str, Any]] | None = None
    vars: list[str | dict[str, Any]] | None = None
    params: list[str] | None = None
    metrics: list[str] | None = None
    plots: list[Any] | dict[str, Any] | None = None
    artifacts: dict[str, Any] | None = None
    datasets: list[Any] | None = None


def fit(document: Document, name: str, path: tuple[Any, ...], shape: type[T], value: Any) -> T:
    """Take what stands at a path of a document as that shape; `FormatError` at `name:line:column` if it is not."""
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        reason, steps = _apart(str(error))
        raise FormatError(reason, where=where(document.marks, name, (*path, *steps))) from None


def where(marks: Marks, name: str, path: tuple[Any, ...]) -> str:
    """Name the place of a path of a document, or of the innermost part of it that is there."""
    while path and path not in marks:
        path = path[:-1]
    mark = marks[path]
    return f"{name}:{mark.line}:{mark.column}"


def _apart(message: str) -> tuple[str, list[str | int]]:
    """Split msgspec's message into what is wrong and the steps to it, as far as it names them."""
    found = _AT.fullmatch(message)
    reason, where = found.groups() if found else (message, None)
    steps: list[str | int] = []
    for key, index, unknown in _STEP.findall(where or ""):
        if unknown:
            break
        steps.append(key or int(index))
    return reason[:1].lower() + reason[1:], steps
