"""The archives of distributions in a folder, and the SHA-256 of each."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename

from audit.errors import CannotLook
from audit.facts.content import FileContent, Wanted, read_files
from audit.facts.inside import Inside
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Entry, EntryType
from audit.records.locks import Archive


class Wheelhouse(Request[tuple[Archive, ...]]):
    """The wheels and source archives in the folder `path` of the project at `root`, by name.

    Raises `CannotLook` where there is no such folder, or an archive in it cannot be read.
    """

    root: str
    path: str

    def collect(self, ctx: Context) -> tuple[Archive, ...]:
        """Read every archive whose name says what it holds."""
        there = Inside(ctx.host, ctx.host.resolve(self.root)).find(self.path.strip("/"))
        if there.entry is None or there.entry.type is not EntryType.FOLDER:
            raise CannotLook("is no folder of the project", where=self.path, hint="see `wheelhouse:` in audit.yaml")
        entries = [entry for entry in ctx.host.scan(there.path) if _named(entry.name)]
        wanted = {f"{there.path}/{entry.name}": Wanted("sha256", stamp=entry.stamp) for entry in entries}
        return tuple(_archives(entries, list(read_files(ctx, wanted).values())))


def _archives(entries: list[Entry], contents: list[FileContent]) -> Iterator[Archive]:
    for entry, content in zip(entries, contents, strict=True):
        if content.digest is None:
            raise CannotLook(content.problem, where=entry.name)
        name, version = _named(entry.name) or ("", "")
        yield Archive(file=entry.name, name=name, version=version, sha256=content.digest.hex)


def _named(file: str) -> tuple[str, str] | None:
    """The distribution and the version that a file's name tells."""
    try:
        if file.endswith(".whl"):
            name, version, _, _ = parse_wheel_filename(file)
        else:
            name, version = parse_sdist_filename(file)
    except (InvalidWheelFilename, InvalidSdistFilename):
        return None
    return name, str(version)
