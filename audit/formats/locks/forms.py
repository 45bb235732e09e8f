"""Which reader reads a lockfile: its name says so, and for YAML and lists what stands in it."""

from __future__ import annotations

import re
from collections.abc import Callable

from audit.errors import CannotLook
from audit.formats import yaml
from audit.formats.locks import conda_lock, environment_yml, pdm, pipfile, poetry, pylock, requirements, uv
from audit.records.locks import Lock

Reader = Callable[[bytes, str], Lock]

_NAMED: dict[str, Reader] = {
    "uv.lock": uv.parse,
    "poetry.lock": poetry.parse,
    "pdm.lock": pdm.parse,
    "Pipfile.lock": pipfile.parse,
}
_PYLOCK = re.compile(r"pylock(\.[^.]+)?\.toml")
_EXPLICIT = re.compile(rb"^@EXPLICIT\s*$", re.MULTILINE)


def reader(name: str) -> Reader:
    """The reader for a file of this name, without folders; `CannotLook` for a form that none reads."""
    if name in _NAMED:
        return _NAMED[name]
    if _PYLOCK.fullmatch(name):
        return pylock.parse
    if name.endswith((".yml", ".yaml")):
        return _of_conda
    if name.endswith((".txt", ".in")):
        return _listed
    if name.startswith("conda-") and name.endswith(".lock"):
        return conda_lock.explicit
    raise CannotLook(*_UNSUPPORTED.get(name, ("lockfiles of this form are not supported",)), where=name, hint=_HINT)


_HINT = "name a lock that is, as `lock: requirements.txt`, or export one"
_UNSUPPORTED = {"pyproject.toml": ("is no lock: it says what is asked for, not what was chosen",)}


def _of_conda(data: bytes, name: str) -> Lock:
    said = yaml.parse(data, name)
    locked = isinstance(said, dict) and "package" in said
    return conda_lock.read(said, name) if locked else environment_yml.read(said, name)


def _listed(data: bytes, name: str) -> Lock:
    return conda_lock.explicit(data, name) if _EXPLICIT.search(data) else requirements.parse(data, name)
