"""Real DVC projects, made by the real DVC through its Python interface, whatever the user's own settings are.

Everything is a function over the project's folder:

    root = make(tmp_path / "project")           # a Git and DVC repository, committed
    write(root, {"data/a.txt": "alpha\n"})
    add(root, "data")                            # dvc add
    stage(root, "train", "cp data/a.txt model", deps=["data/a.txt"], outs=["model"])
    repro(root)                                  # dvc repro
    status(root)                                 # what dvc status says
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from support.git_projects import GitProject


@contextlib.contextmanager
def hermetic(root: Path) -> Iterator[None]:
    """DVC's surroundings: the folder as current one, no settings of the user's, no word to anybody."""
    away = root.parent / f".{root.name}-surroundings"
    settings = {
        "DVC_NO_ANALYTICS": "1",
        "DVC_GLOBAL_CONFIG_DIR": str(away / "global"),
        "DVC_SYSTEM_CONFIG_DIR": str(away / "system"),
        "DVC_SITE_CACHE_DIR": str(away / "site"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        with contextlib.chdir(root):
            yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


@contextlib.contextmanager
def repo(root: Path) -> Iterator[Any]:
    """A `dvc.repo.Repo` of the folder, closed afterwards."""
    from dvc.repo import Repo

    with hermetic(root), Repo(str(root)) as opened:
        yield opened


def make(root: Path, *, git: bool = True, config: Mapping[str, str] | None = None) -> Path:
    """A DVC repository in a new folder; with `git`, in a Git repository of its own and committed."""
    project = GitProject.make(root) if git else None
    init(root, git=git)
    for name, value in (config or {}).items():
        configure(root, name, value)
    if project:
        project.commit("Begin")
    return root


def init(root: Path, *, git: bool = True, subdir: bool = False) -> Path:
    """`dvc init` in a folder; `subdir` makes it a DVC repository inside a Git repository of a folder above."""
    from dvc.repo import Repo

    root.mkdir(parents=True, exist_ok=True)
    with hermetic(root):
        Repo.init(str(root), no_scm=not git, subdir=subdir).close()
    return root


def configure(root: Path, name: str, value: str, level: str = "repo") -> None:
    """`dvc config`: `core.remote`, `cache.dir`, `remote.NAME.url`, ..."""
    section, _, rest = name.partition(".")
    with repo(root) as opened, opened.config.edit(level) as config:
        *between, option = rest.split(".")
        place = config[section]
        for part in between:
            place = place.setdefault(part, {})
        place[option] = value


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Files of the work tree, by their paths relative to it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # it may be a read-only link into the cache
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def add(root: Path, *names: str) -> None:
    """`dvc add`."""
    with repo(root) as opened:
        opened.add([str(root / name) for name in names])


def stage(root: Path, name: str, cmd: str, **options: Any) -> None:
    """`dvc stage add`: `deps`, `outs`, `outs_no_cache`, `metrics`, `params`, `wdir`, ... as DVC itself calls them."""
    with repo(root) as opened:
        opened.stage.add(name=name, cmd=cmd, **options)


def repro(root: Path, *targets: str) -> None:
    """`dvc repro`."""
    with repo(root) as opened:
        opened.reproduce(targets=list(targets) or None)


def status(root: Path) -> dict[str, Any]:
    """What `dvc status` says."""
    with repo(root) as opened:
        return dict(opened.status())


def dvc(root: Path, command: str) -> None:
    """Any command of DVC's, for what has no function here."""
    from dvc.cli import main

    with hermetic(root):
        assert main(shlex.split(command)) == 0, command


def paste(root: Path, command: str) -> int:
    """The exit status of a whole command line, run by a shell as a person pastes it."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with hermetic(root):
        return subprocess.run(command, shell=True, env=os.environ | {"PATH": path}, check=False).returncode  # noqa: S602 - as a person pastes it


def md5(content: str | bytes) -> str:
    """The digest that DVC gives a file of that content."""
    return hashlib.md5(content.encode() if isinstance(content, str) else content, usedforsecurity=False).hexdigest()


def object_path(root: Path, digest: str) -> Path:
    """Where DVC 3 keeps an object in the default cache."""
    return root / ".dvc" / "cache" / "files" / "md5" / digest[:2] / digest[2:]
