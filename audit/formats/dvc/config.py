"""DVC's configuration, from all its levels, without the secrets in it."""

from __future__ import annotations

import posixpath

from audit.formats.dvc.output import Tracked
from audit.records.base import Record


class Remote(Record):
    """A remote; `url` without user and query, a path on this machine made absolute.

    `options` are the names of its other settings: their values may be secrets.
    """

    name: str
    url: str
    options: tuple[str, ...] = ()
    where: str = ""


class Cache(Record):
    """The local cache: `folder` is absolute; `types` are the kinds of link that DVC tries in turn."""

    folder: str
    types: tuple[str, ...] = ()

    def object(self, algorithm: str, hex: str, *, is_dir: bool = False) -> str:  # noqa: A002 - a digest's own word
        """Locate an object, absolutely: `files/md5/xx/yy...` since DVC 3, `xx/yy...` for `md5-dos2unix`."""
        prefix = () if algorithm == "md5-dos2unix" else ("files", algorithm)
        return posixpath.join(self.folder, *prefix, hex[:2], hex[2:] + (".dir" if is_dir else ""))

    def of(self, tracked: Tracked) -> str | None:
        """Locate what was recorded, absolutely; None if nothing was."""
        digest = tracked.digest
        return self.object(digest.algorithm, digest.hex, is_dir=tracked.is_dir) if digest else None


class Config(Record):
    """What the audit needs of DVC's settings."""

    cache: Cache
    remote: str | None = None
    remotes: tuple[Remote, ...] = ()
    no_scm: bool = False
    autostage: bool = False
