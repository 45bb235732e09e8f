"""Reading a batch of files: the work that is spread over threads, or sent to other processes.

Files of `PAIRED` bytes or more are digested twice on their first read, by the
algorithm of their record and by BLAKE3. Which BLAKE3 goes with which digest is a fact
about content, so later reads need BLAKE3 alone, some eight times faster than MD5:
if it is the known one, the recorded digest is proven. If not, the file is read again
with the recorded algorithm, so that both can be shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from audit.errors import Cancelled
from audit.facts.content_judged import FileContent, How, Wanted, change, since
from audit.formats.hashing import DOS2UNIX, maker
from audit.host import small
from audit.host.helpers import Helpers
from audit.host.reading import Reader, Reading
from audit.records.context import Context
from audit.records.digests import Digest, Seen, Stamp

if TYPE_CHECKING:
    from audit.host.small import Answer

PAIRED = small.SMALL
"""Bytes from which on a pair of digests is kept.

Measured, a pair costs the first read of a file of 64 KiB 14 % and saves each later one
70 %; at 8 KiB it would be 21 % and 10 %, for opening a file takes longer than digesting it.
"""

_PLAIN = frozenset({"md5", "sha1", "sha256", "sha512"})
"""The algorithms that helpers know."""

_TELL_S = 0.2


class Task(msgspec.Struct, frozen=True, gc=False):
    """A file to read: its absolute path, what is wanted of it, its size by its stamp, and what is known of it.

    `blake3` is the one that goes with the recorded digest.
    """

    path: str
    wish: Wanted
    size: int = 0
    before: Seen | None = None
    blake3: str = ""


class Done(msgspec.Struct, frozen=True, gc=False):
    """What became of a task, and what is new to remember of it."""

    content: FileContent
    seen: Seen | None = None


class Batch(NamedTuple):
    """Tasks for one worker.

    A file that was touched after `settled_ns` (a time) may change once more without a
    trace. `ahead`: there are so few batches that processors would be idle. `small`:
    all files are below `PAIRED` and digested by the same algorithm, in a process of
    `helpers` if there are any.
    """

    tasks: Sequence[Task]
    watch: Watch
    settled_ns: int
    ahead: bool = False
    small: bool = False
    helpers: Helpers | None = None


class Watch:
    """Through which a batch says how far it is and hands over what it read; in another process, nobody listens."""

    def __init__(
        self, ctx: Context | None = None, keep: Callable[[Sequence[Task], Sequence[Done]], None] | None = None
    ) -> None:
        self.taken = False
        self._ctx, self._keep = ctx, keep
        self._read = self._told = 0
        self._told_at = time.monotonic()

    def __reduce__(self) -> tuple[type[Watch], tuple[()]]:
        return Watch, ()

    def tick(self, size: int) -> None:
        """So many bytes more have been read."""
        self._read += size
        now = time.monotonic()
        if self._ctx and now - self._told_at > _TELL_S:
            if self._ctx.cancelled():
                raise Cancelled("interrupted while it was read")
            self._ctx.progress.advance(size=self._read - self._told)
            self._told, self._told_at = self._read, now

    def take(self, tasks: Sequence[Task], dones: Sequence[Done]) -> None:
        """The batch is done: count it, and keep what it read."""
        if not self._ctx or not self._keep:
            return
        self.taken = True
        blind = sum(1 for done in dones if done.content.problem)
        size = (
            self._read - self._told if self._read else sum(done.content.size for done in dones if done.content.digest)
        )
        self._ctx.progress.advance(files=len(dones) - blind, size=size, what=tasks[-1].path)
        self._ctx.progress.unread(files=blind)
        self._keep(tasks, dones)


def read_batch(batch: Batch) -> list[Done]:
    """Read all files of the batch, one after the other."""
    reader = Reader(batch.watch.tick, ahead=batch.ahead)
    if batch.small:
        answers = _answers(batch)
        batch.watch.tick(sum(answer[2] for answer in answers if isinstance(answer, tuple)))
        dones = [_answered(reader, *each, batch.settled_ns) for each in zip(batch.tasks, answers, strict=True)]
    else:
        dones = [_done(reader, task, batch.settled_ns) for task in batch.tasks]
    batch.watch.take(batch.tasks, dones)
    return dones


def _answers(batch: Batch) -> Sequence[Answer]:
    algorithm, paths = batch.tasks[0].wish.algorithm, [task.path for task in batch.tasks]
    if batch.helpers and algorithm in _PLAIN:
        return batch.helpers.digest(algorithm, paths)
    make = maker(algorithm)
    return [small.digest(path, make) for path in paths]


def _answered(reader: Reader, task: Task, answer: Answer, settled_ns: int) -> Done:
    """One that was not small after all, or was not the same from beginning to end, is read at length."""
    if answer is None:
        return _done(reader, task, settled_ns)
    if isinstance(answer, str):
        return Done(FileContent(None, task.size, problem=answer))
    device, inode, size, mtime_ns, ctime_ns, hexed = answer
    return _judged(task, Stamp(device, inode, size, mtime_ns, ctime_ns), (hexed,), settled_ns)


def _done(reader: Reader, task: Task, settled_ns: int) -> Done:
    """The known BLAKE3 proves the record; where it does not, or none is known, the file is digested as recorded."""
    if task.blake3:
        reading, hexes = _digested(reader, task.path, ("blake3",))
        if reading.stamp and hexes[0] == task.blake3:
            return _judged(task, reading.stamp, (task.wish.hex, task.blake3), settled_ns)
    reading, hexes = _digested(reader, task.path, _algorithms(task))
    if reading.stamp is None:
        return Done(FileContent(None, task.size, problem=reading.problem))
    return _judged(task, reading.stamp, hexes, settled_ns)


def _algorithms(task: Task) -> tuple[str, ...]:
    algorithm = task.wish.algorithm
    return (algorithm, "blake3") if task.size >= PAIRED and algorithm != "blake3" else (algorithm,)


def _digested(reader: Reader, path: str, algorithms: Sequence[str]) -> tuple[Reading, list[str]]:
    hashers = [maker(algorithm)() for algorithm in algorithms]
    reading = reader.read(path, hashers)
    return reading, [hasher.hexdigest() for hasher in hashers]


def _judged(task: Task, stamp: Stamp, hexes: Sequence[str], settled_ns: int) -> Done:
    wish, before, hexed = task.wish, task.before, hexes[0]
    blake3 = hexes[1] if len(hexes) > 1 else ""
    settled = stamp.mtime_ns < settled_ns and stamp.ctime_ns < settled_ns
    changed = None if hexed == wish.hex else change(wish, before, stamp, hexed)
    since_then = changed if wish.hex else since(before, stamp, hexed)
    now = Seen(stamp, wish.algorithm, hexed, blake3, settled, since_then)
    collides = bool(task.blake3) and hexed == wish.hex and task.blake3 != blake3 and wish.algorithm != DOS2UNIX
    digest = Digest(algorithm=wish.algorithm, hex=hexed)
    content = FileContent(digest, stamp.size, How.READ, blake3, changed, collides=collides)
    return Done(content, None if now == before else now)
