"""Questions to programs of ours: what can hang or crash in a library runs as a process that can be killed.

A program is a module of this package; a question and its answer are JSON of declared types.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from audit.errors import CannotLook
from audit.records.door import Door

Question = TypeVar("Question")
Answer = TypeVar("Answer")

_LONGEST = 300


def ask(host: Door, program: str, question: msgspec.Struct, answer: type[Answer], timeout_s: float) -> Answer:
    """Ask the module `program`; `CannotLook` if it does not answer within `timeout_s` seconds, or dies."""
    line = [sys.executable, "-P", "-m", f"{__package__}.{program}"]
    try:
        asked = msgspec.json.encode(question)
    except UnicodeEncodeError:
        raise CannotLook("DVC can be asked of no path that is not UTF-8", hint="rename the folder") from None
    try:
        done = host.run(line, cwd="/", timeout_s=timeout_s, stdin=asked)
    except CannotLook as error:
        raise CannotLook(error.what.removeprefix(f"{sys.executable} ")) from error
    try:
        return msgspec.json.decode(done.out, type=answer)
    except msgspec.DecodeError:
        last = done.err.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise CannotLook(f"{program} ended with exit code {done.code}: {last[:_LONGEST]}") from None


def answer(question: type[Question], reply: Callable[[Question], Iterable[Any]]) -> None:
    """Be such a program: answer the one question with all that `reply` gives.

    Whatever a library prints goes to standard error.
    """
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        asked = msgspec.json.decode(sys.stdin.buffer.read(), type=question)
        out.write(msgspec.json.encode(list(reply(asked))))
