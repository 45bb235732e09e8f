"""Where the paths in a DVC file lead.

Source: `Output.__init__`, `_parse_path` and `is_in_repo` in `dvc/output.py`, and
`dvc_objects/fs/__init__.py` for the schemes that are no local path.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlparse

from audit.errors import FormatError
from audit.formats.urls import public

_ELSEWHERE = frozenset(
    "azure dvc gdrive git gs hdfs http https memory oss s3 ssh webdav webdavs webhdfs".split()  # noqa: SIM905 - reads better
)


class Spot(NamedTuple):
    """What a declared path means; `declared` as DVC writes it to `dvc.lock`."""

    declared: str
    path: str
    location: str | None
    external: bool


class Place(NamedTuple):
    """Where a DVC file stands: absolute paths of the audited project, the DVC repository, and the file.

    `remotes` are the URLs of DVC's remotes by name, for `remote://name/path`.
    """

    project: str
    root: str
    file: str
    remotes: Mapping[str, str] = {}

    @property
    def name(self) -> str:
        """The file's path relative to the project."""
        return self.shown(self.file)

    def shown(self, location: str) -> str:
        """Name a path for people: relative to the project if it is in the repository, absolute elsewhere."""
        if inside(location, self.project):
            return location[len(self.project.rstrip("/")) + 1 :]
        return posixpath.relpath(location, self.project) if inside(location, self.root) else location

    def wdir(self, declared: str | None) -> str:
        """Find a stage's working directory, absolute."""
        folder = posixpath.dirname(self.file)
        return posixpath.normpath(posixpath.join(folder, declared)) if declared else folder

    def spot(self, declared: str, wdir: str, where: str) -> Spot:
        """Find what a path of a stage means; `FormatError` at `where` if it means nothing."""
        if "\0" in declared or not declared:
            raise FormatError(f"{declared!r} is no path", where=where)
        try:
            parsed = urlparse(declared)
        except ValueError as error:
            raise FormatError(f"{public(declared)!r} is no URL: {error}", where=where) from None
        if parsed.scheme in _ELSEWHERE:
            return Spot(declared, public(declared), None, external=True)
        if parsed.scheme == "remote":
            return self._on_remote(declared, parsed.netloc, parsed.path, where)
        return self._local(declared, wdir)

    def _local(self, declared: str, wdir: str) -> Spot:
        location = posixpath.normpath(posixpath.join(wdir, declared))
        if posixpath.isabs(declared) and inside(location, self.root):
            declared = posixpath.relpath(location, wdir)
        return Spot(declared, self.shown(location), location, external=not inside(location, self.root))

    def _on_remote(self, declared: str, remote: str, path: str, where: str) -> Spot:
        base = self.remotes.get(remote.lower())
        if base is None:
            raise FormatError(f"no remote is called {remote.rpartition('@')[2]!r}", where=where, hint="dvc remote list")
        target = posixpath.join(base, path.lstrip("/"))
        if "://" in base:
            return Spot(declared, target, None, external=True)
        location = posixpath.normpath(target)
        return Spot(declared, location, location, external=True)


def inside(location: str, folder: str) -> bool:
    """Whether a path is in a folder, and not the folder itself; both absolute and normal."""
    return location != folder and location.startswith(folder.rstrip("/") + "/")
