"""Asks, through DVC's own library, whether the sources of imports are what they were: JSON in, JSON out.

Run as a program, so that a source that hangs can be killed. `dvc.dependency` compares
what a source says of itself now (an etag, a version, a checksum) with what was recorded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import Any

import msgspec

from audit.facts.processes.dvc_remote import repository, starts_nothing, told


class Question(msgspec.Struct, frozen=True):
    """The DVC repository's root, and the absolute paths of the `.dvc` files whose sources to ask."""

    root: str
    files: tuple[str, ...]


class Answer(msgspec.Struct, frozen=True):
    """What DVC says of a source: "" if it is as recorded, else its own word; or why it could not be asked."""

    file: str
    state: str = ""
    error: str | None = None


def main() -> None:
    """Answer one question; whatever a library prints goes to standard error."""
    question = msgspec.json.decode(sys.stdin.buffer.read(), type=Question)
    with redirect_stdout(sys.stderr):
        answers = list(_answers(question))
    sys.stdout.buffer.write(msgspec.json.encode(answers))


def _answers(question: Question) -> Iterator[Answer]:
    with repository(question.root) as repo:
        for remote in repo.config["remote"]:
            starts_nothing(repo, remote)
        for file in question.files:
            try:
                yield Answer(file, _state(repo, file))
            except Exception as error:  # noqa: BLE001 - a collector's boundary, in its own process: libraries raise anything
                yield Answer(file, error=told(error))


def _state(repo: Any, file: str) -> str:
    (stage,) = repo.stage.load_file(file)
    (dependency,) = stage.deps
    return ", ".join(sorted(dependency.workspace_status().values()))


if __name__ == "__main__":
    main()
