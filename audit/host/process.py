"""Other programs: started without a shell or a terminal, with bounded time and output."""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import IO, cast

from audit.errors import CannotLook
from audit.records.door import Completed

MAX_OUTPUT = 64 << 20
"""Bytes that a program may say, on standard output and on standard error each."""

_CHUNK = 1 << 16
_TICK_S = 0.2
_BY_HAND = "run it by hand to see why"


class _TooMuchError(Exception):
    """The program says more than `MAX_OUTPUT`; never leaves this module."""


def silent() -> None:
    """Nobody watches."""


def run(  # noqa: PLR0913 - a program has these surroundings
    args: Sequence[str],
    *,
    cwd: str,
    timeout_s: float,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    tick: Callable[[], None] = silent,
) -> Completed:
    """A program to its end, in a session of its own; killed with its children after `timeout_s` seconds.

    `env` is its whole environment; None hands on the audit's own. `tick` is called some
    times a second while it runs; what it raises ends the program.
    """
    process = _start([locate(args[0], env), *args[1:]], cwd, env)
    try:
        out, err = _talk(process, stdin, partial(_left, time.monotonic() + timeout_s, tick))
        return Completed(process.returncode, out, err)
    except TimeoutError:
        raise CannotLook(f"{args[0]} did not answer within {timeout_s:g} s", where=cwd, hint=_BY_HAND) from None
    except _TooMuchError:
        raise CannotLook(f"{args[0]} says more than {MAX_OUTPUT >> 20} MiB", where=cwd, hint=_BY_HAND) from None
    finally:
        _end(process)


def locate(program: str, env: Mapping[str, str] | None = None) -> str:
    """The absolute path of a program.

    Relative entries of PATH are left out: they would name programs of the folder
    that is looked at.
    """
    path = (os.environ if env is None else env).get("PATH", os.defpath)
    folders = [folder for folder in path.split(os.pathsep) if os.path.isabs(folder)]
    found = shutil.which(program, path=os.pathsep.join(folders))
    if found is None or not os.path.isabs(found):
        raise CannotLook(f"{program} is not installed", hint=f"install {program}, or put it on PATH")
    return found


def _start(args: Sequence[str], cwd: str, env: Mapping[str, str] | None) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(  # noqa: S603 - no shell; the program is an absolute path
            args, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
        )
    except (OSError, ValueError) as error:  # ValueError: NUL in an argument
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise CannotLook(f"{args[0]} cannot be started: {reason}", where=cwd, hint=_BY_HAND) from error


def _talk(process: subprocess.Popen[bytes], stdin: bytes, left: Callable[[], float]) -> tuple[bytes, bytes]:
    """Feed and drain the program's pipes until it closes them and ends; `left` says how long to wait at once.

    `Popen.communicate` would keep whatever the program says, without a bound.
    """
    out, err, waiting = bytearray(), bytearray(), bytearray(stdin)
    with selectors.DefaultSelector() as selector:
        for pipe, event, step in (
            (process.stdin, selectors.EVENT_WRITE, partial(_feed, waiting=waiting)),
            (process.stdout, selectors.EVENT_READ, partial(_drain, said=out)),
            (process.stderr, selectors.EVENT_READ, partial(_drain, said=err)),
        ):
            os.set_blocking(cast("IO[bytes]", pipe).fileno(), False)
            selector.register(cast("IO[bytes]", pipe), event, step)
        while selector.get_map():
            for ready, _ in selector.select(left()):
                _advance(selector, ready)
    while process.returncode is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(left())
    return bytes(out), bytes(err)


def _advance(selector: selectors.BaseSelector, ready: selectors.SelectorKey) -> None:
    step: Callable[[int], bool] = ready.data
    if not step(ready.fd):
        selector.unregister(ready.fileobj)
        cast("IO[bytes]", ready.fileobj).close()


def _feed(descriptor: int, waiting: bytearray) -> bool:
    """Whether there is more to write."""
    try:
        del waiting[: os.write(descriptor, waiting[:_CHUNK])]
    except BrokenPipeError:  # the program has heard enough
        waiting.clear()
    return bool(waiting)


def _drain(descriptor: int, said: bytearray) -> bool:
    """Whether there may be more to read."""
    chunk = os.read(descriptor, _CHUNK)
    said += chunk
    if len(said) > MAX_OUTPUT:
        raise _TooMuchError
    return bool(chunk)


def _left(deadline: float, tick: Callable[[], None]) -> float:
    """The seconds until the next tick or the deadline. Raises `TimeoutError` behind it, or what the tick raises."""
    tick()
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return min(left, _TICK_S)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Leave no process behind. The group's number stays ours until its leader has been waited for."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        cast("IO[bytes]", pipe).close()
