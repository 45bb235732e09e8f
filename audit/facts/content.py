"""The content of files: digests read now, or trusted because nothing moved since they were read.

Every collector that compares files with a record asks `read_files`, all files at
once. What it answers of a file depends on three things: what was recorded of it,
what the state store remembers (`audit.records.digests.Digests`), and the disk.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import msgspec

from audit.errors import CannotLook
from audit.facts.content_batch import PAIRED, Batch, Done, Task, Watch, read_batch
from audit.facts.content_judged import FileContent, How, Wanted, trusted
from audit.host.helpers import Helpers, available
from audit.host.reading import processors
from audit.records.context import Context
from audit.records.digests import Digest, Digests, Seen, Stamp

__all__ = ["FileContent", "How", "Wanted", "read_files"]

GRAIN_S = 2
"""Seconds within which two changes of a file may leave the same times: FAT keeps them in steps of two."""

BATCH_FILES = 256
BATCH_BYTES = 1 << 24

HELPED = 4000
"""So many small files, and starting processes that read them takes less time than it saves."""


def read_files(ctx: Context, wanted: Mapping[str, Wanted]) -> dict[str, FileContent]:
    """What each file holds, by its absolute path, in the order asked for.

    Whatever keeps a file from being read is its `problem`; nothing is raised for it.
    A link is not followed: who may follow it asks for the resolved path.
    """
    held, tasks = _parted(ctx, wanted)
    ctx.progress.trusted(files=len(held), size=sum(content.size for content in held.values()))
    if not tasks:
        return held
    read = _read(ctx, tasks)
    return {path: held.get(path) or read[path] for path in wanted}


def _parted(ctx: Context, wanted: Mapping[str, Wanted]) -> tuple[dict[str, FileContent], list[Task]]:
    """What can be trusted, and what is to be read. A loop over every file: it does little."""
    held: dict[str, FileContent] = {}
    tasks: list[Task] = []
    deep, memory = ctx.deep, _Memory(ctx.digests)
    for path, wish in wanted.items():
        stamp, before = wish.stamp or _stamp(ctx, path), memory.of(path, wish.algorithm)
        if before is None or deep or before.stamp != stamp or not before.settled:
            tasks.append(Task(path, wish, stamp.size if stamp else 0, before))
        else:
            held[path] = trusted(wish, before)
    return held, tasks


class _Memory:
    """What is remembered, folder by folder."""

    def __init__(self, digests: Digests) -> None:
        self._digests = digests
        self._folders: dict[tuple[str, str], Mapping[str, Seen]] = {}

    def of(self, path: str, algorithm: str) -> Seen | None:
        """What was seen of the file at the path."""
        folder, _, name = path.rpartition("/")
        seen = self._folders.get((folder, algorithm))
        if seen is None:
            seen = self._folders[folder, algorithm] = self._digests.recall(folder, algorithm)
        return seen.get(name)


def _stamp(ctx: Context, path: str) -> Stamp | None:
    """What the disk says of it; whatever keeps it from being looked at is found again, and told, when it is opened."""
    try:
        entry = ctx.host.look(path)
    except CannotLook:
        return None
    return entry.stamp if entry else None


def _read(ctx: Context, tasks: Sequence[Task]) -> dict[str, FileContent]:
    ctx.progress.expect(files=len(tasks), size=sum(task.size for task in tasks))
    with _helpers(tasks) as helpers:
        batches = _batches(ctx, tasks, helpers)
        results = ctx.map(read_batch, batches)
    found: dict[str, FileContent] = {}
    for batch, dones in zip(batches, results, strict=True):
        if not batch.watch.taken:  # it was read by another process
            batch.watch.take(batch.tasks, dones)
        found.update((task.path, done.content) for task, done in zip(batch.tasks, dones, strict=True))
    return found


def _helpers(tasks: Sequence[Task]) -> AbstractContextManager[Helpers | None]:
    """Processes, where there are so many small files that starting them pays."""
    small = sum(1 for task in tasks if task.size < PAIRED)
    if small < HELPED or processors() == 1 or not available():
        return nullcontext()
    try:
        return Helpers(min(processors(), small // BATCH_FILES + 1))
    except OSError:  # no process more; threads read as well, only slower
        return nullcontext()


def _batches(ctx: Context, tasks: Sequence[Task], helpers: Helpers | None) -> list[Batch]:
    """The largest files first, so that no worker is left with one at the end; small ones by algorithm."""
    small: defaultdict[str, list[Task]] = defaultdict(list)
    others: list[Task] = []
    for task in tasks:
        (small[task.wish.algorithm] if task.size < PAIRED else others).append(task)
    large = list(_parts([_paired(ctx.digests, task) for task in others]))
    few = len(large) < processors()
    settled_ns = int((ctx.host.now().timestamp() - GRAIN_S) * 1e9)

    def batch(part: Sequence[Task], **how: Any) -> Batch:
        return Batch(part, Watch(ctx, partial(_keep, ctx.digests)), settled_ns, **how)

    return [batch(part, ahead=few) for part in large] + [
        batch(each[start : start + BATCH_FILES], small=True, helpers=helpers)
        for each in small.values()
        for start in range(0, len(each), BATCH_FILES)
    ]


def _paired(digests: Digests, task: Task) -> Task:
    """With the BLAKE3 that goes with its record, if it is known."""
    wish = task.wish
    if not wish.hex or wish.algorithm == "blake3":
        return task
    known = digests.blake3_of(Digest(algorithm=wish.algorithm, hex=wish.hex))
    return msgspec.structs.replace(task, blake3=known) if known else task


def _parts(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    part: list[Task] = []
    size = 0
    for task in sorted(tasks, key=lambda task: -task.size):
        if part and (len(part) == BATCH_FILES or size + task.size > BATCH_BYTES):
            yield part
            part, size = [], 0
        part.append(task)
        size += task.size
    if part:
        yield part


def _keep(digests: Digests, tasks: Sequence[Task], dones: Sequence[Done]) -> None:
    """Remember what a batch read as soon as it is done, so that an interrupted audit has not read in vain."""
    seen: defaultdict[str, dict[str, Seen]] = defaultdict(dict)
    pairs: dict[Digest, str] = {}
    for task, done in zip(tasks, dones, strict=True):
        folder, _, name = task.path.rpartition("/")
        if done.seen:
            seen[folder][name] = done.seen
        blake3 = done.content.blake3
        if blake3 and blake3 != task.blake3 and done.content.digest:
            pairs[done.content.digest] = blake3
    for folder, files in seen.items():
        digests.remember(folder, files)
    if pairs:
        digests.learn(pairs)
