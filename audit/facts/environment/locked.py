"""The lockfile of a project, with the files that it includes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from msgspec.structs import replace

from audit.errors import CannotLook, NotApplicable
from audit.facts.inside import Inside
from audit.formats.locks import requirements
from audit.formats.locks.forms import reader
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import EntryType
from audit.records.locks import Lock

KNOWN = ("uv.lock", "pylock.toml", "poetry.lock", "pdm.lock", "Pipfile.lock", "conda-lock.yml", "requirements.txt")
"""What lockfiles are called, in the order in which they are looked for: one that locks more comes first."""

FILES = 50
"""Files that may include each other."""


class Locked(Request[Lock]):
    """The lockfile at `path`, relative to the project at `root`; the first that is there of `KNOWN` without a path.

    Raises `NotApplicable` where none was named or is there; `CannotLook` where the named one is not, it cannot be read,
    or is of a form that is not read here; `FormatError` where it is not what its form demands.
    """

    root: str
    path: str | None = None

    def collect(self, ctx: Context) -> Lock:
        """Read it, and what it includes."""
        inside = Inside(ctx.host, ctx.host.resolve(self.root))
        path = self.path or next((name for name in KNOWN if inside.find(name).entry), None)
        if path is None:
            raise NotApplicable("the project has no lockfile of a known name, and the rule names none (`lock:`)")
        return _whole(ctx, inside, path)


def _whole(ctx: Context, inside: Inside, path: str) -> Lock:
    """The file and all that it includes, as one; files that only bound versions ask for nothing."""
    parts = list(_parts(ctx, inside, path))
    first = parts[0]
    return replace(
        first,
        pins=tuple(pin for part in parts for pin in part.pins),
        oddities=tuple(one for part in parts for one in part.oddities),
        indexes=tuple(dict.fromkeys(index for part in parts for index in part.indexes)),
        strict=any(part.strict for part in parts),
        pre=any(part.pre for part in parts),
    )


def _parts(ctx: Context, inside: Inside, path: str) -> Iterator[Lock]:
    waiting, seen = [path], {path}
    for name in waiting:
        part = _read(ctx, inside, name)
        yield part
        beside = PurePosixPath(name).parent
        for include in part.includes:
            other = _tidy(str(beside / include.path), include.where)
            if other not in seen and not include.constraint:
                seen.add(other)
                waiting.append(other)
        if len(seen) > FILES:
            raise CannotLook(f"includes more than {FILES} files", where=path)


def _read(ctx: Context, inside: Inside, path: str) -> Lock:
    form = reader(PurePosixPath(path).name)
    there = inside.find(_tidy(path, path))
    if there.entry is None or there.entry.type is not EntryType.FILE:
        raise CannotLook("is not there, or leads out of the project", where=path, hint="see `lock:` in audit.yaml")
    return form(ctx.host.read(there.path, requirements.LIMIT), path)


def _tidy(path: str, where: str) -> str:
    """The path without `.` and `..`; `CannotLook` for one that leaves the project or is no path in it."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and not parts:
            raise CannotLook("includes a file outside the project", where=where)
        if part == "..":
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    if path.startswith("/") or "://" in path:
        raise CannotLook("includes a file outside the project", where=where)
    return "/".join(parts)
