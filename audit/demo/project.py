"""Makes the demonstration's project: files, then Git and DVC through their own means, then a push to a remote beside it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from audit.demo.content import ENCODER, files, pointer
from audit.errors import CannotLook, MissingExtra, UsageError

if TYPE_CHECKING:
    from git import Repo


def make(folder: Path) -> Path:
    """The project, clean and fully recorded, in `folder`/project. Raises `UsageError` if the folder holds anything."""
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty", hint="name a folder that is not there yet")
    if find_spec("dvc") is None:
        raise MissingExtra("dvc", "DVC, which the demonstration's project is made with,")
    project = folder / "project"
    for name, content in files().items():
        file = project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    _record(project, folder / "storage")
    return project


def _record(project: Path, storage: Path) -> None:
    from git import Repo

    storage.mkdir()
    with Repo.init(project, initial_branch="main") as repo:
        with repo.config_writer() as settings:
            settings.set_value("user", "name", "demo")
            settings.set_value("user", "email", "demo@localhost")
        for words in (
            ("init",),
            ("config", "core.analytics", "false"),
            ("remote", "add", "-d", "storage", str(storage.resolve())),
            ("add", "data/clips", "data/labels.csv"),
            ("repro",),
            ("push",),
        ):
            dvc(project, *words)
        commit(repo, "Record the project")


def dvc(project: Path, *words: str) -> None:
    """DVC's own command, quiet; a stage's `python` is this interpreter."""
    home = str(Path(sys.executable).parent)
    env = os.environ | {"DVC_NO_ANALYTICS": "1", "PATH": os.pathsep.join((home, os.environ.get("PATH", os.defpath)))}
    line = [sys.executable, "-m", "dvc", words[0], "-q", *words[1:]]
    done = subprocess.run(line, cwd=project, env=env, capture_output=True, text=True, check=False)  # noqa: S603 - words of our own
    if done.returncode:
        raise CannotLook(f"`dvc {' '.join(words)}` failed: {done.stderr.strip()[-500:]}", where=str(project))


def commit(repo: Repo, message: str) -> None:
    """Commit everything that Git does not ignore; the encoder by its pointer, as Git LFS does."""
    names = [*repo.untracked_files, *(item.a_path for item in repo.index.diff(None))]
    repo.index.add([name for name in names if name and name != ENCODER])
    _add_pointer(repo)
    repo.index.commit(message)


def _add_pointer(repo: Repo) -> None:
    from git.index.typ import IndexEntry
    from git.objects import Blob
    from gitdb import IStream

    text = pointer(files()[ENCODER])
    stored = repo.odb.store(IStream("blob", len(text), io.BytesIO(text)))
    repo.index.add([IndexEntry.from_blob(Blob(repo, stored.binsha, 0o100644, ENCODER))])
