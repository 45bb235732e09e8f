"""Asks DVC's own remotes which objects they lack: JSON on standard input, JSON on standard output.

Run as a program, so that a remote that hangs can be killed. Every remote that DVC
supports, with its credentials, is reached through DVC's own classes
(`dvc.data_cloud`, `dvc_objects.db.ObjectDB.oids_exist`, which lists a remote by
prefixes where that takes fewer requests than asking for each object).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import msgspec

STARTS_PROGRAMS = ("configpath", "credentialpath")
"""Settings of a remote that name a file which may name a program to run (`credential_process`)."""


class Ask(msgspec.Struct, frozen=True):
    """Which objects to ask a remote for: names as they stand in the store, a folder's with `.dir`, by algorithm."""

    remote: str
    objects: dict[str, tuple[str, ...]]


class Question(msgspec.Struct, frozen=True):
    """The DVC repository's root and what to ask its remotes; the remote "" is the default one."""

    root: str
    asks: tuple[Ask, ...]


class Answer(msgspec.Struct, frozen=True):
    """What a remote lacks, by algorithm; or why it could not be asked."""

    remote: str
    missing: dict[str, tuple[str, ...]] = {}
    error: str | None = None


def main() -> None:
    """Answer one question; whatever a library prints goes to standard error."""
    question = msgspec.json.decode(sys.stdin.buffer.read(), type=Question)
    with redirect_stdout(sys.stderr):
        answers = list(_answers(question))
    sys.stdout.buffer.write(msgspec.json.encode(answers))


def _answers(question: Question) -> Iterator[Answer]:
    with repository(question.root) as repo:
        for ask in question.asks:
            try:
                yield Answer(ask.remote, dict(_missing(repo, ask)))
            except Exception as error:  # noqa: BLE001 - a collector's boundary, in its own process: libraries raise anything
                yield Answer(ask.remote, error=told(error))


@contextmanager
def repository(root: str) -> Iterator[Any]:
    from dvc.repo import Repo

    repo = Repo(root)
    try:
        yield repo
    finally:
        repo.close()


def _missing(repo: Any, ask: Ask) -> Iterator[tuple[str, tuple[str, ...]]]:
    name = ask.remote or repo.config["core"].get("remote", "")
    starts_nothing(repo, name)
    remote = repo.cloud.get_remote(name or None, "audit")
    if remote.worktree or getattr(remote.fs, "version_aware", False):
        raise ValueError("a cloud-versioned remote: its objects have no names of their own to ask for")
    _answers_at_all(remote)
    for algorithm, objects in sorted(ask.objects.items()):
        store = remote.odb if algorithm == "md5" else remote.legacy_odb
        there = set(store.oids_exist(objects))
        yield algorithm, tuple(sorted(set(objects) - there))


def starts_nothing(repo: Any, name: str) -> None:
    """A setting that comes with the project must not choose a program to run."""
    settings = repo.config["remote"].get(name, {})
    root = Path(repo.root_dir).resolve()
    for setting in STARTS_PROGRAMS:
        places = [Path(base, settings[setting]).resolve() for base in (root, repo.dvc_dir, Path.cwd()) if settings.get(setting)]
        if any(place.is_relative_to(root) for place in places):
            raise ValueError(f"its {setting} lies inside the project, and such a file can start a program")


def _answers_at_all(remote: Any) -> None:
    """A store that is not there must not look like one that lacks everything."""
    if remote.fs.protocol == "local" and not remote.fs.exists(remote.path):
        raise FileNotFoundError(f"there is no folder {remote.path}")


def told(error: BaseException) -> str:
    """The innermost reason: DVC wraps what the store said."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = " ".join(str(error).split()) or type(error).__name__
    return text if text.startswith(type(error).__name__) else f"{type(error).__name__}: {text}"


if __name__ == "__main__":
    main()
