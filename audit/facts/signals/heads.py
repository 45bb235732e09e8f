"""The heads of files, one after the other: a few bytes of each are read here, nothing is decoded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from audit.errors import Cancelled, CannotLook
from audit.facts.dataset_walk import File
from audit.formats.pieces import Read
from audit.records.context import Context
from audit.records.door import Door
from audit.records.obstacle import Obstacle

T = TypeVar("T")

HEAD = 4096
"""Bytes that are read of each file; most headers end before."""

BATCH = 500

Look = Callable[[File, bytes, int, Read], T]
"""What makes of a file, its head, its size and what hands out more of it whatever is wanted."""


def heads(ctx: Context, files: Sequence[File], look: Look[T], batch: int = BATCH) -> list[T | Obstacle]:
    """What `look` says of each file, in their order; an obstacle for one that cannot be read.

    After each `batch` of files it is told how far this is.
    """
    ctx.progress.expect(files=len(files), size=sum(min(HEAD, file.stamp.size) for file in files))
    return [one for start in range(0, len(files), batch) for one in _batch(ctx, files[start : start + batch], look)]


def _batch(ctx: Context, files: Sequence[File], look: Look[T]) -> list[T | Obstacle]:
    if ctx.cancelled():
        raise Cancelled("interrupted while headers were read")
    said = [_said(ctx.host, file, look) for file in files]
    sizes = [min(HEAD, file.stamp.size) for file, one in zip(files, said, strict=True) if not isinstance(one, Obstacle)]
    ctx.progress.advance(files=len(sizes), size=sum(sizes), what=files[-1].path)
    ctx.progress.unread(files=len(files) - len(sizes))
    return said


def _said(host: Door, file: File, look: Look[T]) -> T | Obstacle:
    try:
        head, size = host.peek(file.location, HEAD)
        return look(file, head, size, partial(_piece, host, file.location))
    except CannotLook as error:
        return Obstacle(file.path, error.what, error.hint)


def _piece(host: Door, location: str, offset: int, size: int) -> bytes:
    return host.peek(location, size, offset).data
