"""DVC's settings as they hold for a repository, read from all the files that DVC reads.

Source: `dvc/dirs.py`, and the `platformdirs` library that it asks.
"""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Iterator

from audit.errors import CannotLook
from audit.formats.dvc import config, ini
from audit.formats.dvc.config import Config, Level
from audit.records.door import Door


def read(host: Door, root: str) -> Config:
    """The settings of the repository at `root`. Raises `FormatError`, or `CannotLook` for a file that is barred."""
    return config.parse(_levels(host, root), root, _home(host))


def _levels(host: Door, root: str) -> Iterator[Level]:
    """The files that are there, least important first; those of the repository are named relative to it."""
    own = posixpath.join(root, ".dvc")
    files = {
        posixpath.join(_system(host), "config"): "",
        posixpath.join(_user(host), "config"): "",
        posixpath.join(own, "config"): ".dvc/config",
        posixpath.join(own, "config.local"): ".dvc/config.local",
    }
    for path, name in files.items():
        target = host.resolve(path)
        if host.look(target):
            yield Level(folder=posixpath.dirname(path), name=name or path, data=host.read(target, ini.LIMIT))


def _system(host: Door) -> str:
    if own := host.variable("DVC_SYSTEM_CONFIG_DIR"):
        return own
    if sys.platform == "darwin":
        return "/Library/Application Support/dvc"
    folders = [each for each in (host.variable("XDG_CONFIG_DIRS") or "").split(":") if each.strip()]
    return posixpath.join(folders[0] if folders else "/etc/xdg", "dvc")


def _user(host: Door) -> str:
    if own := host.variable("DVC_GLOBAL_CONFIG_DIR"):
        return own
    if sys.platform == "darwin":
        return posixpath.join(_home(host), "Library/Application Support/dvc")
    xdg = (host.variable("XDG_CONFIG_HOME") or "").strip()
    return posixpath.join(xdg or posixpath.join(_home(host), ".config"), "dvc")


def _home(host: Door) -> str:
    """What HOME says; a service may have none, and then the user's entry in the password file counts, as to DVC."""
    home = host.variable("HOME") or posixpath.expanduser("~")
    if posixpath.isabs(home):
        return home
    raise CannotLook("the home folder is unknown", hint="set HOME: DVC reads settings from there")
