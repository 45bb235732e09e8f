"""A dataset as it is, beside `audit.lock`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from audit.facts.content import Wanted, read_files
from audit.facts.dataset import Expansion, Files, nothing
from audit.facts.dataset_walk import File
from audit.facts.inside import Inside
from audit.facts.lock import LockedData, LockFile
from audit.formats.lock_data import LockedFile, Twins, content_digest, twins
from audit.formats.manifest.listing import unsafe_reason
from audit.records.base import Record
from audit.records.check import Covered, Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.door import EntryType
from audit.records.obstacle import Obstacle
from audit.records.words import Change

__all__ = ["DatasetStanding", "Found", "LockCovering", "LockedFile", "Standing", "Twins"]


class Found(NamedTuple):
    """A file as it is: `blake3` is empty if there is a `problem`; `change` is how it came to differ from the lock."""

    size: int
    blake3: str
    change: Change | None = None
    problem: str = ""


class Standing(Record):
    """What is recorded of a dataset, and what is there, both by path relative to the project.

    `recorded` is None if the lock has no such dataset, or there is no lock (`locked`
    tells); then nothing was read. `digest` is that of the whole, None unless all of it
    could be read. `unmatched` are recorded paths that are there, though the dataset's
    path does not take them. `twins` are those in the whole lock, and files that are not as locked
    though their MD5 is.
    """

    name: str
    path: str
    locked: bool = True
    recorded: Mapping[str, LockedFile] | None = None
    recorded_digest: str | None = None
    found: Mapping[str, Found] = {}
    digest: str | None = None
    obstacles: tuple[Obstacle, ...] = ()
    unmatched: tuple[str, ...] = ()
    twins: tuple[Twins, ...] = ()


class DatasetStanding(Request[Standing]):
    """How `dataset` of the project at `root` (absolute) stands to the lock."""

    root: str
    dataset: Dataset

    def collect(self, ctx: Context) -> Standing:
        """Read what the lock records; a dataset of which it records no file must at least be there."""
        data = ctx.get(LockedData(root=self.root))
        locked = data.get(self.dataset.name)
        files = ctx.get(Expansion(root=self.root, path=self.dataset.path))
        if not files.files and not files.obstacles and not (locked and locked.content):
            raise nothing(ctx, self.root, self.dataset)
        if locked is None:
            there = ctx.get(LockFile(root=self.root)) is not None
            return Standing(name=self.dataset.name, path=self.dataset.path, locked=there)
        found = _read(ctx, files, locked.content)
        return Standing(
            name=self.dataset.name,
            path=self.dataset.path,
            recorded=locked.content,
            recorded_digest=locked.blake3,
            found=found,
            digest=_digest(files, found),
            obstacles=files.obstacles,
            unmatched=tuple(_unmatched(ctx, self.root, locked.content.keys() - found.keys(), files.obstacles)),
            twins=(*twins(data), *_twins_now(ctx, files.files, locked.content, found)),
        )


class LockCovering(Request[Covered]):
    """The dataset, if the lock of the project at `root` records it."""

    root: str
    dataset: str

    def collect(self, ctx: Context) -> Covered:
        """Nothing yet where it would be compared with nothing."""
        if self.dataset in ctx.get(LockedData(root=self.root)):
            return Covered(datasets=(self.dataset,))
        return Covered(awaiting=(self.dataset,))


def _unmatched(ctx: Context, root: str, paths: Iterable[str], obstacles: Iterable[Obstacle]) -> Iterator[str]:
    """Files at these paths, which the lock may have from anybody; a name in another normal form is another name."""
    inside, barred = Inside(ctx.host, root), {place.path for place in obstacles}
    for path in sorted(paths):
        if path not in barred and not unsafe_reason(path):
            entry = inside.find(path).entry
            if entry is not None and entry.type is EntryType.FILE:
                yield path


def _read(ctx: Context, files: Files, recorded: Mapping[str, LockedFile]) -> dict[str, Found]:
    """The BLAKE3 of every file; equal places (links to one file) are read once."""
    contents = read_files(
        ctx,
        {
            file.location: Wanted(
                algorithm="blake3",
                hex=recorded[file.path].blake3 if file.path in recorded else "",
                stamp=file.stamp,
            )
            for file in files.files
        },
    )
    return {
        file.path: Found(
            content.size, content.digest.hex if content.digest else "", content.change, content.problem or ""
        )
        for file in files.files
        for content in (contents[file.location],)
    }


def _digest(files: Files, found: Mapping[str, Found]) -> str | None:
    whole = not files.obstacles and all(file.blake3 for file in found.values())
    return content_digest((path, file.blake3) for path, file in found.items()) if whole else None


def _twins_now(
    ctx: Context, files: Iterable[File], recorded: Mapping[str, LockedFile], found: Mapping[str, Found]
) -> list[Twins]:
    """Changed files whose MD5 still is the recorded one: read again with it."""
    suspects = {
        file.path: file.location
        for file in files
        if (was := recorded.get(file.path)) and was.md5 and found[file.path].blake3 not in {"", was.blake3}
    }
    contents = read_files(
        ctx, {place: Wanted(algorithm="md5", hex=recorded[path].md5 or "") for path, place in suspects.items()}
    )
    same = (
        path
        for path, place in suspects.items()
        if (digest := contents[place].digest) and digest.hex == recorded[path].md5
    )
    return [Twins(recorded[path].md5 or "", (path,)) for path in sorted(same)]
