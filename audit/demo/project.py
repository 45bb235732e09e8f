"""Makes the demonstration's project: files, then Git and DVC by their own means, then a push to a remote beside it."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from audit.demo.content import ENCODER, SETTINGS, files, pointer
from audit.errors import AuditError, CannotLook, MissingExtra, UsageError

if TYPE_CHECKING:
    from git import Repo

REMOTE = "remote.git"
"""The bare repository that the project is pushed to."""

_DATE = "2025-01-01T12:00:00 +0000"
"""Of each commit, so that commits of two demonstrations are alike as well."""

_ELSEWHERE = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE")
"""Variables under which Git, as in its hooks, works on another repository than the one it is called in."""


def make(folder: Path) -> Path:
    """The project, clean and fully recorded, in `folder`/project. Raises `UsageError` if the folder holds anything."""
    possible(folder)
    project = folder / "project"
    try:
        for name, content in files().items():
            file = project / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        (folder / "storage").mkdir()
        _store_weights(folder / REMOTE)
    except OSError as error:
        raise AuditError(f"cannot be written: {(error.strerror or str(error)).lower()}", where=str(folder)) from error
    _record(project)
    push(project)
    return project


def push(project: Path) -> None:
    """To the bare repository beside it: named by a relative URL, so the whole can be moved."""
    from git import Repo

    with Repo(project) as repo:
        repo.git.push("--quiet", "origin", "main")


def _store_weights(remote: Path) -> None:
    """The object of Git LFS where `git lfs pull` finds it in a local remote (git-lfs, lfs/gitfilter_clean.go)."""
    content = files()[ENCODER]
    digest = hashlib.sha256(content).hexdigest()
    stored = remote / "lfs/objects" / digest[:2] / digest[2:4] / digest
    stored.parent.mkdir(parents=True)
    stored.write_bytes(content)


def possible(folder: Path) -> None:
    """Raise `UsageError` or `MissingExtra` where the project cannot be made there."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already", hint="name a folder that is not there yet")
    if find_spec("dvc") is None:
        raise MissingExtra("dvc", "DVC, which the demonstration's project is made with,")
    if held := [name for name in _ELSEWHERE if name in os.environ]:
        raise UsageError(f"{held[0]} is set, so Git would work elsewhere", hint=f"unset {' '.join(held)}")


def _record(project: Path) -> None:
    from git import Repo

    with Repo.init(project, initial_branch="main") as repo:
        with repo.config_writer() as settings:
            settings.set_value("user", "name", "demo")
            settings.set_value("user", "email", "demo@localhost")
        with Repo.init(project.parent / REMOTE, bare=True, initial_branch="main"):
            repo.create_remote("origin", f"../{REMOTE}")
        _dvc(project, "init")
        (project / ".dvc/config").write_text(SETTINGS, "utf-8")
        _dvc(project, "add", "data/clips", "data/labels.csv")
        _dvc(project, "repro")
        _dvc(project, "push")
        commit(repo, "Record the project")


def _dvc(project: Path, *words: str) -> None:
    """DVC's own command, quiet; a stage's `python3` is this interpreter."""
    home = str(Path(sys.executable).parent)
    path = os.pathsep.join((home, os.environ.get("PATH", os.defpath)))
    done = subprocess.run(  # noqa: S603 - words of our own
        [sys.executable, "-m", "dvc", words[0], "-q", *words[1:]],
        cwd=project,
        env=os.environ | {"DVC_NO_ANALYTICS": "1", "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CannotLook(f"`dvc {' '.join(words)}` failed: {done.stderr.strip()[-500:]}", where=str(project))


def commit(repo: Repo, message: str) -> None:
    """Commit everything that Git does not ignore; the encoder by its pointer, as Git LFS does."""
    names = [*repo.untracked_files, *(item.a_path for item in repo.index.diff(None))]
    repo.index.add([name for name in names if name and name != ENCODER])
    _add_pointer(repo)
    repo.index.commit(message, author_date=_DATE, commit_date=_DATE)


def _add_pointer(repo: Repo) -> None:
    from git.index.typ import IndexEntry
    from git.objects import Blob
    from gitdb import IStream

    text = pointer(files()[ENCODER])
    stored = repo.odb.store(IStream("blob", len(text), io.BytesIO(text)))
    repo.index.add([IndexEntry.from_blob(Blob(repo, stored.binsha, 0o100644, ENCODER))])
