"""Asks, through DVC's own library, whether the sources of imports are what they were when they were recorded."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from functools import partial
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import msgspec

from audit.facts.processes.ask import answer
from audit.facts.processes.dvc_settings import NotAsked, check, repository, settings, starts_nothing, told

_JOBS = 8
_GONE = frozenset({404, 410})
"""What HTTP says of something that is not there; 401, 403 and 500 say nothing of that (RFC 9110, section 15)."""


class State(StrEnum):
    """What has become of a source."""

    SAME = "same"
    BEHIND = "behind"
    """It has moved on, and still holds what was imported."""
    CHANGED = "changed"
    """Something else stands in its place."""
    GONE = "gone"


class Source(msgspec.Struct, frozen=True):
    """The source of one import: a name to answer under, and the dependency as its `.dvc` file has it."""

    name: str
    entry: dict[str, Any]


class Question(msgspec.Struct, frozen=True):
    """The DVC repository's root, and the sources to ask."""

    root: str
    sources: tuple[Source, ...]


class Answer(msgspec.Struct, frozen=True):
    """What has become of a source, or why it could not be asked."""

    name: str
    state: State | None = None
    error: str | None = None


def _answers(question: Question) -> Iterator[Answer]:
    config = settings(question.root)
    with ThreadPoolExecutor(_JOBS) as pool:
        yield from pool.map(partial(_answer, config, question.root), question.sources)


def _answer(config: Any, root: str, source: Source) -> Answer:
    try:
        return Answer(source.name, _state(_dependency(config, root, source.entry)))
    except Exception as error:  # noqa: BLE001 - a collector's boundary, in its own process: libraries raise anything
        return Answer(source.name, error=told(error))


def _dependency(config: Any, root: str, entry: dict[str, Any]) -> Any:
    """DVC's own idea of the source, once its settings are known to start nothing."""
    from dvc.dependency import Dependency, loadd_from

    url = urlsplit(entry["path"])
    if url.scheme == "remote":
        starts_nothing(config, root, url.netloc)
    chosen = entry.get("fs_config") or {}
    check(chosen, root, chosen)
    (dependency,) = loadd_from(SimpleNamespace(repo=repository(config), wdir="/"), [dict(entry)])
    if type(dependency) is not Dependency:
        raise NotAsked(f"a {type(dependency).__name__} where a URL was expected")
    return dependency


def _state(dependency: Any) -> State:
    if dependency.fs.version_aware:
        return _versions(dependency)
    if dependency.fs.protocol in {"http", "https"} and not _is_served(dependency):
        return State.GONE
    words = set(dependency.workspace_status().values())
    if not words:
        return State.SAME
    return State.GONE if "deleted" in words else State.CHANGED


def _is_served(dependency: Any) -> bool:
    """DVC takes every answer but a good one for "deleted", that of a broken server too."""
    try:
        dependency.fs.info(dependency.fs_path)
    except FileNotFoundError as error:
        status, reason = (getattr(error.__cause__, name, None) for name in ("status", "message"))
        if status in _GONE:
            return False
        if status is None:
            raise
        raise NotAsked(f"the server answers {status} {reason}") from None
    return True


def _versions(dependency: Any) -> State:
    """Where every version is kept, it counts whether those that were imported are still there."""
    fs, path = dependency.fs, dependency.fs_path
    members = [(fs.join(path, each["relpath"]), each["version_id"]) for each in dependency.files or ()]
    named = members or [(path, dependency.meta.version_id)]
    if not all(fs.exists([fs.version_path(*each) for each in named])):
        return State.GONE
    try:
        return State.BEHIND if dependency.workspace_status() else State.SAME
    except FileNotFoundError:  # its latest version says that it was deleted
        return State.BEHIND


if __name__ == "__main__":
    answer(Question, _answers, idle_s=None)  # the rule says how long to wait
