"""Annotation files of a project: found by their paths or globs, and read one by one, bounded in size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from audit.errors import Cancelled, CannotLook, FormatError
from audit.facts.dataset import Expansion
from audit.facts.dataset_walk import File
from audit.formats.annotations.values import unpacked
from audit.formats.glob import has_signs
from audit.formats.manifest.listing import tidy, unsafe_reason
from audit.records.context import Context
from audit.records.obstacle import Obstacle

T = TypeVar("T")

PACKED = ".gz"


class Found(NamedTuple):
    """The annotation files in the order of their paths, and what could not be looked at."""

    files: tuple[File, ...]
    obstacles: tuple[Obstacle, ...]


def find(ctx: Context, root: str, paths: Sequence[str], suffixes: Iterable[str]) -> Found:
    """The files that the paths or globs take; of a folder, those with one of the suffixes.

    Raises `CannotLook` for a path that leads out of the project, and for one that takes no file.
    """
    files: dict[str, File] = {}
    obstacles: dict[str, Obstacle] = {}
    for said in paths:
        path = tidy(said)
        if reason := unsafe_reason(path):
            raise CannotLook(f"{reason}; it was not opened", where=said, hint="write it relative to audit.yaml")
        found = ctx.get(Expansion(root=root, path=path))
        taken = [each for each in found.files if _meant(each.path, path, suffixes)]
        if not taken and not found.obstacles:
            raise CannotLook("there is no annotation file", where=said, hint="mend the path in audit.yaml, or get it")
        files.update((each.path, each) for each in taken)
        obstacles.update((each.path, each) for each in found.obstacles)
    return Found(tuple(files[path] for path in sorted(files)), tuple(obstacles[path] for path in sorted(obstacles)))


def _meant(path: str, asked: str, suffixes: Iterable[str]) -> bool:
    return path == asked or has_signs(asked) or suffix(path) in suffixes


def suffix(path: str) -> str:
    """The suffix in small letters, that of compression aside."""
    name = path.rpartition("/")[2].lower().removesuffix(PACKED)
    return name[name.rfind(".") :] if "." in name else ""


def read(ctx: Context, file: File, limit: int) -> bytes:
    """The content, unpacked; `CannotLook` or `FormatError` for more than `limit` bytes."""
    if ctx.cancelled():
        raise Cancelled("interrupted while annotations were read")
    ctx.progress.expect(files=1, size=file.stamp.size)
    try:
        data = ctx.host.read(file.location, limit)
    except CannotLook:
        ctx.progress.unread(files=1)
        raise
    ctx.progress.advance(files=1, size=len(data), what=file.path)
    return unpacked(data, file.path, limit) if file.path.lower().endswith(PACKED) else data


def tried(file: File, work: Callable[[], T]) -> T | Obstacle:
    """What `work` makes of the file, or what keeps it from it."""
    try:
        return work()
    except Cancelled:
        raise
    except FormatError as error:
        line = error.where.removeprefix(file.path).removeprefix(":").strip()
        place = f"line {line}: " if line.isdigit() else f"{line}: " if line else ""
        return Obstacle(file.path, f"{place}{error.what}", error.hint)
    except CannotLook as error:
        return Obstacle(file.path, error.what, error.hint)
