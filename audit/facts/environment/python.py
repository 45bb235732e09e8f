"""Which interpreter the project runs with: the first that exists of the places where people keep it.

`environment.python` of `audit.yaml`; behind the launch gate the one that the command will run; `.venv` of the project;
`VIRTUAL_ENV`; `CONDA_PREFIX`; the one that the audit itself runs in. Environments that a tool made for itself
(pre-commit, pipx, uv) are nobody's project.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePath

from audit.errors import CannotLook
from audit.facts.environment.command import interpreter_of
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Door, EntryType
from audit.records.environment import Found
from audit.records.project import Environment

_BIN = "Scripts" if sys.platform == "win32" else "bin"
_PYTHON = "python.exe" if sys.platform == "win32" else "python"
_RECEIPTS = ("pipx_metadata.json", "uv-receipt.toml")
"""What pipx and uv leave in an environment that they made for a tool."""
_HOOK = re.compile(r"/repo[^/]+/py_env-[^/]*$")
"""What pre-commit calls an environment that it made for a hook."""


class Python(Request[Found]):
    """The interpreter of the project at `root`. Raises `CannotLook` where there is none, or it may not be run."""

    root: str
    environment: Environment

    def collect(self, ctx: Context) -> Found:
        """Look at each place in turn."""
        found = next(_found(ctx.host, self.root, self.environment), None)
        if found is None:
            raise CannotLook("no interpreter of the project was found", hint="say `environment: {python: PATH}`")
        _commanded(ctx.host, self.environment, found)
        if not self.environment.trusted and _tracked(ctx.host, self.root, found.path):
            hint = "--trust-interpreter runs it nonetheless"
            raise CannotLook("the project's Git tracks it, so it could be anything", where=found.path, hint=hint)
        return found


def _commanded(host: Door, environment: Environment, found: Found) -> None:
    """Raise `CannotLook` where the command runs another interpreter than the one that is audited."""
    runs = interpreter_of(host, environment.command) if environment.command else None
    if runs and _home(host, runs) != _home(host, found.path):
        what = f"{environment.command[0]} runs {runs}, and the rules are about {found.path}"
        raise CannotLook(what, hint="start it with that interpreter, or name the other in `environment: python:`")


def _home(host: Door, path: str) -> tuple[str, str]:
    """The folder that makes an environment of it, and the program itself, whatever they are called."""
    return host.resolve(str(PurePath(path).parent)), host.resolve(path)


def _found(host: Door, root: str, environment: Environment) -> Iterator[Found]:
    if environment.python is not None:
        path = str(Path(root, Path(environment.python).expanduser()))
        if not _runs(host, path):
            raise CannotLook("no such interpreter", where=path, hint="see `environment: python:` in audit.yaml")
        yield Found(path=path, how="named by audit.yaml")
    if environment.command:
        commanded = interpreter_of(host, environment.command)
        if commanded:
            yield Found(path=commanded, how=f"what {environment.command[0]} runs")
    for prefix, how in _prefixes(host, root):
        path = str(PurePath(prefix, _BIN, _PYTHON))
        if _runs(host, path) and not _private(host, prefix):
            yield Found(path=path, how=how)
    if sys.executable and not _private(host, sys.prefix):
        yield Found(path=sys.executable, how="the one that audit runs in")


def _prefixes(host: Door, root: str) -> Iterator[tuple[str, str]]:
    yield str(PurePath(root, ".venv")), "the project's .venv"
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        prefix = host.variable(name)
        if prefix and PurePath(prefix).is_absolute():
            yield prefix, f"in {name}"


def _runs(host: Door, path: str) -> bool:
    entry = host.look(host.resolve(path))
    return entry is not None and entry.type is EntryType.FILE and entry.executable


def _private(host: Door, prefix: str) -> bool:
    """Whether a tool made it for itself."""
    return bool(_HOOK.search(prefix)) or any(host.look(str(PurePath(prefix, name))) for name in _RECEIPTS)


def _tracked(host: Door, root: str, path: str) -> bool:
    """Whether the project's Git has the file, or the link, or a folder's link on the way to it."""
    place = PurePath(path)
    if not place.is_relative_to(root):
        return False
    inside = place.relative_to(root)
    ways = [way.as_posix() for way in (inside, *inside.parents[:-1])]
    try:
        listed = host.git(root, "ls-files", "-z", "--", *ways)
    except CannotLook:
        return False
    return listed.code == 0 and bool(set(listed.out.decode(errors="surrogateescape").split("\0")) & set(ways))
