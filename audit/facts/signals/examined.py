"""Files examined one by one in programs that can be killed; what was found is remembered while the files stay.

What is remembered of a file is kept as its digests are, under the same rules: it is trusted while device, inode,
size, mtime and ctime stay, if the file had been still for a moment when it was read, and not in a deep audit.
"""

from __future__ import annotations

import signal
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

import msgspec

from audit.errors import CannotLook
from audit.facts.content import GRAIN_S
from audit.facts.dataset_walk import File
from audit.facts.processes.ask import command, ending
from audit.facts.processes.each import SECONDS, SLOWEST, Looked, Paths
from audit.host.reading import processors
from audit.records.context import Context
from audit.records.digests import Seen, Stamp
from audit.records.door import Completed

T = TypeVar("T")

BATCH_FILES = 2500
BATCH_BYTES = 1 << 30
ALONE = 64
"""So few files, and a second process takes longer to start than it saves."""

OPENING = 1 << 14
"""What opening a file costs, in bytes."""

DEATHS = 100
"""So many files on which a program died, and it is not the files' fault."""


class Look(NamedTuple):
    """How to look: a program of `audit.facts.processes`, its question without paths, what it says of a file.

    `version` moves when what the program says of the same bytes does. So many files are looked at `together`, where
    that is quicker: what is said of one must not depend on the others.
    """

    program: str
    question: Paths
    answer: type[Any]
    version: int = 1
    together: int = 1

    @property
    def name(self) -> str:
        """Under which its answers are remembered."""
        asked = sha256(msgspec.json.encode(self.question)).hexdigest()
        return f"{self.program}/{self.version}/{asked[:16]}"


class _Batch(NamedTuple):
    """Files for one process."""

    ctx: Context
    look: Look
    files: tuple[File, ...]
    settled_ns: int


def examine(ctx: Context, files: Sequence[File], look: Look) -> list[Looked[Any]]:
    """What the program says of each file, in their order; what keeps it from a file is that file's `problem`.

    Raises `CannotLook` where the program cannot be had at all.
    """
    held = {} if ctx.deep else _remembered(ctx, files, look)
    ctx.progress.trusted(files=len(held), size=sum(one.stamp.size for one in held.values() if one.stamp))
    rest = list({file.location: file for file in files if file.location not in held}.values())
    ctx.progress.expect(files=len(rest), size=sum(file.stamp.size for file in rest))
    settled_ns = int((ctx.host.now().timestamp() - GRAIN_S) * 1e9)
    batches = [_Batch(ctx, look, part, settled_ns) for part in _parts(rest)]
    for batch, found in zip(batches, ctx.map(_examined, batches), strict=True):
        held.update(zip((file.location for file in batch.files), found, strict=True))
    return [held[file.location] for file in files]


def _remembered(ctx: Context, files: Sequence[File], look: Look) -> dict[str, Looked[Any]]:
    folders: dict[str, Mapping[str, Seen]] = {}
    decoder = msgspec.json.Decoder(look.answer)
    held: dict[str, Looked[Any]] = {}
    for file in files:
        folder, _, name = file.location.rpartition("/")
        if folder not in folders:
            folders[folder] = ctx.digests.recall(folder, look.name)
        seen = folders[folder].get(name)
        if seen and seen.settled and seen.stamp == file.stamp:
            with suppress(msgspec.MsgspecError):  # what another release remembered is looked at again
                held[file.location] = Looked(seen.stamp, decoder.decode(seen.hex))
    return held


def _parts(files: Sequence[File]) -> Iterator[tuple[File, ...]]:
    """In order; about equally much for each processor, and no more than a batch holds."""
    total = sum(file.stamp.size + OPENING for file in files)
    most = min(BATCH_BYTES, total // processors() + 1) if len(files) > ALONE else BATCH_BYTES
    part: list[File] = []
    size = 0
    for file in files:
        if part and (size >= most or len(part) == BATCH_FILES):
            yield tuple(part)
            part, size = [], 0
        part.append(file)
        size += file.stamp.size + OPENING
    if part:
        yield tuple(part)


def _examined(batch: _Batch) -> list[Looked[Any]]:
    found = _found(batch)
    _keep(batch, found)
    blind = sum(1 for one in found if one.problem)
    size = sum(file.stamp.size for file in batch.files)
    batch.ctx.progress.advance(files=len(found) - blind, size=size, what=batch.files[-1].path)
    batch.ctx.progress.unread(files=blind)
    return found


def _found(batch: _Batch) -> list[Looked[Any]]:
    """Ask for all; where the program dies at a file, that file has a problem, and another goes on behind it.

    Where it dies among files that it looks at together, another looks at these one by one.
    """
    found: list[Looked[Any]] = []
    deaths = single = 0
    while len(found) < len(batch.files):
        together = batch.look.together if len(found) >= single else 1
        files = batch.files[len(found) : single if len(found) < single else None]
        some, done = _asked(batch, files, together)
        found += some
        if len(some) == len(files):
            continue
        deaths += 1
        if done.code >= 0 or deaths > DEATHS:  # it ended by itself: no file is to blame
            raise CannotLook(f"{batch.look.program} {ending(done)}")
        if together > 1:
            single = len(found) + together
        else:
            found.append(Looked(problem=_death(done)))
    return found


def _asked(batch: _Batch, files: Sequence[File], together: int) -> tuple[list[Looked[Any]], Completed]:
    """What it said of the first of these files before it ended."""
    paths = tuple(file.location for file in files)
    try:
        asked = msgspec.json.encode(msgspec.structs.replace(batch.look.question, paths=paths, together=together))
    except UnicodeEncodeError:
        raise CannotLook("a path in the dataset is not UTF-8", hint="rename the file or folder") from None
    limit_s = SECONDS * (len(files) + 1) + sum(file.stamp.size for file in files) / SLOWEST
    done = batch.ctx.host.run(command(batch.look.program), cwd="/", timeout_s=limit_s, stdin=asked)
    decoder = msgspec.json.Decoder(Looked[batch.look.answer])  # type: ignore[name-defined]
    whole = done.out.split(b"\n")[:-1]
    return [decoder.decode(line) for line in whole], done


def _death(done: Completed) -> str:
    if done.code == -signal.SIGALRM:
        return "takes too long to be decoded"
    return f"ends the program that decodes it: it {ending(done)}"


def _keep(batch: _Batch, found: Sequence[Looked[Any]]) -> None:
    seen: defaultdict[str, dict[str, Seen]] = defaultdict(dict)
    for file, one in zip(batch.files, found, strict=True):
        if one.stamp is not None:
            folder, _, name = file.location.rpartition("/")
            said = msgspec.json.encode(one.value).decode()
            seen[folder][name] = Seen(one.stamp, batch.look.name, said, settled=_settled(one.stamp, batch.settled_ns))
    for folder, some in seen.items():
        batch.ctx.digests.remember(folder, some)


def _settled(stamp: Stamp, settled_ns: int) -> bool:
    return stamp.mtime_ns < settled_ns and stamp.ctime_ns < settled_ns
