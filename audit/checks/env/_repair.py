"""The command that makes an environment what its lock says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from audit.checks.env._chosen import Wanted
from audit.records.locks import Lock
from audit.records.shell import pathname


class Repair(NamedTuple):
    """A lock, and what was asked of it."""

    lock: Lock
    wanted: Wanted

    def command(self, file: str) -> str:
        """What to run for a pin that stands in this file: what the tool that wrote the lock calls it."""
        known = _COMMANDS.get(self.lock.format)
        return known(self.wanted, pathname(file)) if known else self._pip(file)

    def _pip(self, file: str) -> str:
        return f"{'uv pip sync' if self.lock.command.startswith('uv ') else 'pip-sync'} {pathname(file)}"


def _asked(command: str, extra: str, group: str) -> Callable[[Wanted, str], str]:
    def said(wanted: Wanted, _file: str) -> str:
        extras = (f" {extra} {pathname(one)}" for one in wanted.extras)
        groups = (f" {group} {pathname(one)}" for one in wanted.groups or ())
        return "".join((command, *extras, *groups))

    return said


def _pipenv(wanted: Wanted, _file: str) -> str:
    """Its command names categories as the Pipfile does."""
    named = ["dev-packages" if one == "develop" else one for one in wanted.groups or ()]
    return f"pipenv sync --categories {pathname(' '.join(['packages', *named]))}" if named else "pipenv sync"


_INSTALLS = {True: "conda env update --file", False: "pip install -r"}
"""By whether it is the environment file, or a file of requirements that it includes."""
_COMMANDS: Mapping[str, Callable[[Wanted, str], str]] = {
    "uv.lock": _asked("uv sync", "--extra", "--group"),
    "poetry.lock": _asked("poetry sync", "--extras", "--with"),
    "pdm.lock": _asked("pdm sync", "-G", "-G"),
    "Pipfile.lock": _pipenv,
    "pylock.toml": lambda _, file: f"uv pip sync {file}",
    "environment.yml": lambda _, file: f"{_INSTALLS[file.endswith(('.yml', '.yaml'))]} {file}",
    "conda-lock.yml": lambda _, file: f"conda-lock install {file}",
    "@EXPLICIT": lambda _, file: f"conda install --file {file}",
}
