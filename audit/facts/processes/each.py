"""Programs that look at files one after the other; each answer is out before the next file is opened.

So who asks knows at which file a program died: decoders can crash on hostile bytes, or never come
back. Where several files are looked at `together`, since numbers of many are reckoned faster at
once, it knows the few among which it died, and asks for these again one by one. One that does not
come back in time is ended by the alarm clock of the system, which waits for no lock of Python's
(setitimer(2); the default action of SIGALRM).
"""

from __future__ import annotations

import io
import os
import resource
import signal
import stat
import sys
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from audit.errors import FormatError
from audit.host.small import FLAGS, irregular, refused, unreadable
from audit.records.base import Record
from audit.records.digests import Stamp

T = TypeVar("T")
Asked = TypeVar("Asked", bound="Paths")

MEMORY = 4 << 30
"""Bytes of address space that such a program may take."""

SECONDS = 60
SLOWEST = 4 << 20
"""A file may take `SECONDS`, and one more for each so many bytes."""


class Paths(Record):
    """What such a program is asked: absolute paths. Its settings are further fields of a subclass.

    The answers for so many files at a time are given `together`.
    """

    paths: tuple[str, ...] = ()
    together: int = 1


class Looked(msgspec.Struct, Generic[T], frozen=True):
    """What became of one file: the stamp under which it was looked at and the value; or the problem ("it ...")."""

    stamp: Stamp | None = None
    value: T | None = None
    problem: str = ""


def answer_each(
    question: type[Asked],
    prepare: Callable[[Asked], Callable[[io.FileIO], Any]],
    finish: Callable[[list[Any]], list[Any]] = list,
) -> None:
    """Be such a program: `prepare` makes of the question what looks at one open file and says its value.

    `finish` makes of what it said of the files that are looked at together the values that are answered.
    A file that is at odds with its format is a value too; what is raised is a problem, and is not remembered.
    """
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0) as out:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        asked = msgspec.json.decode(sys.stdin.buffer.read(), type=question)
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each of its threads takes address space, and no work
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        look = prepare(asked)
        for start in range(0, len(asked.paths), asked.together):
            some = [_opened(path, look) for path in asked.paths[start : start + asked.together]]
            out.write(b"".join(msgspec.json.encode(one) + b"\n" for one in _finished(some, finish)))
        signal.setitimer(signal.ITIMER_REAL, 0)


def _finished(some: list[Looked[Any]], finish: Callable[[list[Any]], list[Any]]) -> list[Looked[Any]]:
    """All of them finished at once; where that fails, each by itself, so that one alone has the problem."""
    try:
        values = iter(finish([one.value for one in some if one.stamp]))
        return [Looked(one.stamp, next(values)) if one.stamp else one for one in some]
    except Exception as error:  # noqa: BLE001 - numbers of hostile files raise anything
        if len(some) > 1:
            return [done for one in some for done in _finished([one], finish)]
        return [Looked(problem=_why(error))]


def _opened(path: str, look: Callable[[io.FileIO], T]) -> Looked[T]:
    try:
        descriptor = os.open(path, FLAGS)
    except (OSError, ValueError) as error:
        return Looked(problem=refused(error, path))
    with io.FileIO(descriptor, "r") as file:
        try:
            return _looked(file, look)
        except OSError as error:
            return Looked(problem=unreadable(error))


def _looked(file: io.FileIO, look: Callable[[io.FileIO], T]) -> Looked[T]:
    before = os.fstat(file.fileno())
    if not stat.S_ISREG(before.st_mode):
        return Looked(problem=irregular(before.st_mode))
    signal.setitimer(signal.ITIMER_REAL, SECONDS + before.st_size / SLOWEST)
    try:
        value = look(file)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001 - decoders raise anything on hostile bytes
        return Looked(problem=_why(error))
    stamp = _stamp(before)
    if _stamp(os.fstat(file.fileno())) != stamp:
        return Looked(problem="changed while it was looked at")
    return Looked(stamp, value)


def _why(error: Exception) -> str:
    """What kept a program from an answer ("it ...")."""
    if isinstance(error, FormatError):
        return str(error)
    if isinstance(error, MemoryError):
        return f"takes more than the {MEMORY >> 30} GiB of memory that looking at it may take"
    return f"cannot be decoded: {type(error).__name__}: {str(error)[:200]}"


def _stamp(seen: os.stat_result) -> Stamp:
    return Stamp(seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
