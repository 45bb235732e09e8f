"""Questions to programs of ours: what can hang or crash in a library runs as a process that can be killed.

A program is a module of this package; a question and its answer are JSON of declared types.
A program that cannot look says so in its answer, and `ask` raises it again.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from audit.errors import AuditError, CannotLook
from audit.facts.processes.idle import watch
from audit.records.door import Completed, Door

Question = TypeVar("Question")
Answer = TypeVar("Answer")

IDLE_S = 60.0
"""Seconds without a sign of life after which a program gives up."""

_LONGEST = 300
_LIBRARIES = frozenset({"polars", "pyarrow", "pyo3_runtime"})
_EXTRA = frozenset({"fsspec", "numpy", "pandas", "polars", "pyarrow", "scipy"})
_HOME = str(Path(__file__).parents[3])
_START = "import runpy, sys; sys.path.append(sys.argv.pop(1)); runpy.run_module(sys.argv[1], None, '__main__', True)"
"""`-E -P` keep what PYTHONPATH and the working directory name out of a program: it may be the audited project."""


class Refusal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a program cannot look: the three parts of a `CannotLook`. An answer is a list, so that none looks like it."""

    what: str
    where: str = ""
    hint: str = ""


def ask(host: Door, program: str, question: msgspec.Struct, answer: type[Answer], timeout_s: float) -> Answer:
    """Ask the module `program`; `CannotLook` if it cannot look, does not answer within `timeout_s` seconds, or dies."""
    try:
        asked = msgspec.json.encode(question)
    except UnicodeEncodeError:
        raise CannotLook("a path in the question is not UTF-8", hint="rename the file or folder") from None
    try:
        done = host.run(command(program), cwd="/", timeout_s=timeout_s, stdin=asked)
    except CannotLook as error:
        raise CannotLook(error.what.removeprefix(f"{sys.executable} ")) from error
    try:
        said = msgspec.json.decode(done.out, type=answer | Refusal)
    except msgspec.DecodeError:
        raise CannotLook(f"{program} {ending(done)}", hint=_hint(done)) from None
    if isinstance(said, Refusal):
        raise CannotLook(said.what, where=said.where, hint=said.hint)
    return said  # type: ignore[no-any-return]


def command(program: str) -> list[str]:
    """The command line that starts the module `program` of this package."""
    return [sys.executable, "-E", "-P", "-c", _START, _HOME, f"{__package__}.{program}"]


def ending(done: Completed) -> str:
    """How a program ended that did not answer. A negative code is the signal that killed it (Popen.returncode)."""
    if done.code < 0:
        return f"was killed by signal {-done.code} ({signal.strsignal(-done.code) or 'unknown'})"
    last = done.err.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return f"ended with exit code {done.code}: {last[:_LONGEST]}"


def _hint(done: Completed) -> str:
    """Who runs out of memory is killed by the kernel, or under a limit (ulimit) ends itself."""
    ran_out = done.code in {-signal.SIGKILL, -signal.SIGABRT}
    return "perhaps the memory ran out: see the kernel's log, and `ulimit -v`" if ran_out else ""


def answer(
    question: type[Question], reply: Callable[[Question], Iterable[Any]], *, idle_s: float | None = IDLE_S
) -> None:
    """Be such a program: answer the one question with all that `reply` gives, or with the `AuditError` that it raises.

    Whatever a library prints goes to standard error. Where nothing happens for `idle_s`
    seconds, that is the answer; None waits for ever.
    """
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        asked = msgspec.json.decode(sys.stdin.buffer.read(), type=question)
        stop = watch(idle_s, out.fileno(), _still(idle_s)) if idle_s else _nobody
        said = msgspec.json.encode(_replied(asked, reply))
        stop()
        out.write(said)


def _still(idle_s: float) -> bytes:
    refusal = Refusal(f"nothing happened for {idle_s:g} s", hint="is a network or a filesystem hanging?")
    return msgspec.json.encode(refusal)


def _nobody() -> None:
    """Nobody watches."""


def _replied(asked: Question, reply: Callable[[Question], Iterable[Any]]) -> Any:
    try:
        return list(reply(asked))
    except AuditError as error:
        return Refusal(error.what, error.where, error.hint)
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        return Refusal(f"{error.name} is not installed", hint="pip install 'reproaudit[data]'")
    except BaseException as error:
        if not _is_foreign(error):
            raise
        return Refusal(f"{type(error).__name__}: {_first_line(error)}")


def _is_foreign(error: BaseException) -> bool:
    """Whether a library of tables raised it, or memory or a disk did: no fault of ours, and a panic is no Exception."""
    return isinstance(error, OSError | MemoryError) or type(error).__module__.partition(".")[0] in _LIBRARIES


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0][:_LONGEST]
