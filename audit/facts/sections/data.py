"""The section `data` of `audit.lock`: the content of the declared datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from audit.errors import AuditError, CannotLook, Exit, NotApplicable
from audit.facts.content import FileContent, Wanted, read_files
from audit.facts.dataset import DatasetFiles
from audit.facts.dataset_walk import File
from audit.facts.dvc_digests import DvcDigests
from audit.facts.lock import LockedData
from audit.formats.lock_data import LockedFile, lock_dataset, twins, write
from audit.formats.urls import public
from audit.records.context import Context
from audit.records.digests import Digest
from audit.records.section import Section

_BLAKE3 = Digest(algorithm="blake3", hex="")


class CollisionError(AuditError):
    """Two contents have one MD5: a lock that said so would be believed."""

    exit = Exit.FAIL

    def __init__(self, md5: str, paths: Iterable[str]) -> None:
        super().__init__(
            f"different contents have the MD5 {md5}: {', '.join(paths)}",
            hint="this is no accident: find out who made them; nothing was locked",
        )


class Data(Section):
    """Each dataset's digest, and each of its files' BLAKE3 and size, with the digest by which DVC records it.

    Raises `CannotLook` unless every file could be read, and `CollisionError`.
    """

    def collect(self, ctx: Context) -> Mapping[str, Any]:
        """Read all datasets in one go, so that the work is spread evenly."""
        files = dict(self._files(ctx))
        locked = _locked(ctx, self.project.root, {file.path: file for found in files.values() for file in found})
        datasets = {
            name: lock_dataset({file.path: locked[file.path] for file in found}) for name, found in files.items()
        }
        for md5, paths in twins(datasets):
            raise CollisionError(md5, paths)
        return write(datasets)

    def left_out(self) -> Iterator[str]:
        """Remote datasets."""
        remote = (dataset for dataset in self.project.datasets if "://" in dataset.path)
        return (
            f"{dataset.name} ({public(dataset.path)}): only checks of tables read remote datasets" for dataset in remote
        )

    def _files(self, ctx: Context) -> Iterator[tuple[str, tuple[File, ...]]]:
        """The files of each local dataset that is there."""
        for dataset in self.project.datasets:
            if "://" in dataset.path:
                continue
            try:
                found = ctx.get(DatasetFiles(root=self.project.root, dataset=dataset))
            except NotApplicable:
                continue
            _refuse((place.path, place.what) for place in found.obstacles)
            yield dataset.name, found.files


def _locked(ctx: Context, root: str, files: Mapping[str, File]) -> dict[str, LockedFile]:
    """Each file's entry, by path. One read gives both digests of a large file that DVC records."""
    recorded = ctx.get(DvcDigests(root=root))
    by_dvc = _read(ctx, files, {path: digest for path, digest in recorded.items() if path in files})
    own = _read(
        ctx, files, dict.fromkeys((path for path in files if path not in by_dvc or not by_dvc[path].blake3), _BLAKE3)
    )
    contents = by_dvc | own
    _refuse((path, content.problem) for path, content in contents.items() if content.problem)
    pairs = {
        path: digest
        for path, digest in recorded.items()
        if path in by_dvc and by_dvc[path].digest == digest and (path not in own or _unmoved(ctx, files[path]))
    }
    _no_collision(by_dvc)
    known = _known(ctx, root)
    return {path: _entry(path, content, pairs.get(path), known) for path, content in contents.items()}


def _read(ctx: Context, files: Mapping[str, File], wanted: Mapping[str, Digest]) -> dict[str, FileContent]:
    """The content of files by path; links to one place have it read once."""
    wishes = {
        files[path].location: Wanted(algorithm=digest.algorithm, hex=digest.hex, stamp=files[path].stamp)
        for path, digest in wanted.items()
    }
    contents = read_files(ctx, wishes)
    return {path: contents[files[path].location] for path in wanted}


def _unmoved(ctx: Context, file: File) -> bool:
    """Whether two reads since the file was listed had the same bytes, so that both digests are of one content."""
    entry = ctx.host.look(file.location)
    return entry is not None and entry.stamp == file.stamp


def _no_collision(contents: Mapping[str, FileContent]) -> None:
    for path, content in contents.items():
        if content.collides and content.digest:
            raise CollisionError(content.digest.hex, [path])


def _known(ctx: Context, root: str) -> dict[str, LockedFile]:
    """What the lock says of each path already, in any dataset."""
    datasets = ctx.get(LockedData(root=root))
    return {path: file for dataset in datasets.values() for path, file in dataset.content.items()}


def _entry(path: str, content: FileContent, pair: Digest | None, known: Mapping[str, LockedFile]) -> LockedFile:
    """A pair that was locked elsewhere stays while the content does, though DVC's listing may not be here to say it."""
    blake3 = content.blake3 or (content.digest.hex if content.digest else "")
    before = known.get(path)
    if pair is None and before and before.blake3 == blake3:
        pair = before.recorded
    legacy = pair is not None and pair.algorithm == "md5-dos2unix"
    return LockedFile(
        blake3=blake3,
        size=content.size,
        md5=pair.hex if pair and not legacy else None,
        md5_dos2unix=pair.hex if pair and legacy else None,
    )


def _refuse(problems: Iterable[tuple[str, str]]) -> None:
    """A lock of what could be read alone would be taken for the whole."""
    blind = sorted(problems)
    if blind:
        more = f", and {len(blind) - 1:,} more" if len(blind) > 1 else ""
        raise CannotLook(f"{blind[0][1]}{more}", where=blind[0][0], hint="nothing was locked")
