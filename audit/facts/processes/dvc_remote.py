"""Asks DVC's own remotes which objects they lack.

Every remote that DVC supports, with its credentials, is reached through DVC's own
classes (`dvc.data_cloud`, `dvc_objects.db.ObjectDB.oids_exist`, which lists a remote
by prefixes where that takes fewer requests than asking for each object).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from audit.facts.processes.ask import answer
from audit.facts.processes.dvc_settings import NotAsked, repository, settings, starts_nothing, told

_WEB = ("http", "https")


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


def _answers(question: Question) -> Iterator[Answer]:
    config = settings(question.root)
    for ask in question.asks:
        try:
            yield Answer(ask.remote, dict(_missing(config, question.root, ask)))
        except Exception as error:  # noqa: BLE001 - a collector's boundary, in its own process: libraries raise anything
            yield Answer(ask.remote, error=told(error))


def _missing(config: Any, root: str, ask: Ask) -> Iterator[tuple[str, tuple[str, ...]]]:
    from dvc.data_cloud import DataCloud

    name = ask.remote or config["core"].get("remote", "")
    starts_nothing(config, root, name)
    remote = DataCloud(repository(config)).get_remote(name or None, "audit")
    if remote.worktree or getattr(remote.fs, "version_aware", False):
        raise NotAsked("a cloud-versioned remote: its objects have no names of their own to ask for")
    _answers_at_all(remote)
    for algorithm, objects in sorted(ask.objects.items()):
        store = remote.odb if algorithm == "md5" else remote.legacy_odb
        missing = sorted(set(objects) - set(store.oids_exist(objects)))
        if missing and remote.fs.protocol in _WEB:
            # for the library a file is not there if the server refuses, or is none; asked strictly, it raises
            store.fs.fs.exists(store.oid_to_path(missing[0]), strict=True)
        yield algorithm, tuple(missing)


def _answers_at_all(remote: Any) -> None:
    """A store that is not there must not look like one that lacks everything."""
    if remote.fs.protocol == "local" and not remote.fs.exists(remote.path):
        raise NotAsked(f"there is no folder {remote.path}")


if __name__ == "__main__":
    answer(Question, _answers, idle_s=None)  # the rule says how long to wait
