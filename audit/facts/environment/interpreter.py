"""What the project's interpreter says of itself."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import PurePath

import msgspec

from audit.errors import CannotLook
from audit.facts.environment.python import Python
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Completed
from audit.records.environment import Interpreter
from audit.records.project import Environment

TIMEOUT_S = 20.0
_LONGEST = 300
_KEPT = ("HOME", "USERPROFILE", "SYSTEMROOT", "LD_LIBRARY_PATH", "PYTHONNOUSERSITE", "PYTHONUSERBASE")
"""Variables without which it would not start, or would look elsewhere for the user's own folder."""


class _Said(msgspec.Struct, frozen=True):
    """The answer of the script."""

    version: str
    implementation: str
    prefix: str
    base_prefix: str
    sites: tuple[str, ...]
    user_site: str | None
    markers: dict[str, str]
    libc: str = ""


class Probed(Request[Interpreter]):
    """The interpreter of the project at `root`, asked. Raises what `Python` does, and where it does not answer."""

    root: str
    environment: Environment

    def collect(self, ctx: Context) -> Interpreter:
        """Run the script in an empty folder, with nothing of the audit's own environment but what it cannot lack."""
        found = ctx.get(Python(root=self.root, environment=self.environment))
        script = str(files(__package__).joinpath("probe.py"))
        env = {name: value for name in _KEPT if (value := ctx.host.variable(name)) is not None}
        line = [found.path, "-I", "-S", "-B", script]
        said = _read(found.path, ctx.host.run(line, cwd="/", timeout_s=TIMEOUT_S, env=env | {"PATH": "/usr/bin:/bin"}))
        user = None if ctx.host.variable("PYTHONNOUSERSITE") else said.user_site
        named = _listed(ctx.host.variable("PYTHONPATH"))
        return Interpreter(
            path=found.path,
            how=found.how,
            version=said.version,
            implementation=said.implementation,
            prefix=said.prefix,
            base_prefix=said.base_prefix,
            sites=tuple(dict.fromkeys((*named, *([user] if user else ()), *said.sites))),
            markers=said.markers,
            user_site=user,
            libc=said.libc,
        )


def _read(path: str, done: Completed) -> _Said:
    try:
        return msgspec.json.decode(done.out, type=_Said)
    except msgspec.DecodeError:
        last = done.err.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise CannotLook(f"does not answer: exit code {done.code} {last[:_LONGEST]}", where=path) from None


def _listed(variable: str | None) -> list[str]:
    """The absolute folders of PYTHONPATH; a relative one depends on where a training is started."""
    return [entry for entry in (variable or "").split(os.pathsep) if PurePath(entry).is_absolute()]
