"""The files of a dataset: found from its path or glob, nothing of them read."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import NamedTuple, TypeVar

from audit.errors import CannotLook, FormatError, NotApplicable
from audit.facts import dvc_config
from audit.facts.dataset_walk import File, walk
from audit.facts.dvc import find_root
from audit.facts.links import Links
from audit.formats.glob import Pattern, has_signs
from audit.formats.urls import public
from audit.records.check import Request
from audit.records.context import Context
from audit.records.dataset import Dataset
from audit.records.obstacle import Obstacle

_PATH = itemgetter(0)


class Files(NamedTuple):
    """The files of a dataset, sorted by the bytes of their paths, and what could not be looked at.

    A rule that must know the whole dataset cannot pass while there are obstacles.
    """

    files: tuple[File, ...]
    obstacles: tuple[Obstacle, ...] = ()


class DatasetFiles(Request[Files]):
    """The files of `dataset` in the project at `root` (absolute, without links); at least one, or an obstacle.

    Raises `CannotLook` where nothing matches, or `NotApplicable` if the dataset is optional.
    """

    root: str
    dataset: Dataset

    def collect(self, ctx: Context) -> Files:
        """The files that its path or glob takes."""
        found = ctx.get(Expansion(root=self.root, path=self.dataset.path))
        if not found.files and not found.obstacles:
            raise nothing(ctx, self.root, self.dataset)
        return found


class Expansion(Request[Files]):
    """What a path or glob in the project at `root` takes; perhaps nothing.

    A path takes a file, or a folder with everything below it. A glob takes the files
    that it matches, and what lies below folders that it matches, but no name that
    begins with a dot unless the pattern says the dot. What DVC, Git and the audit
    themselves keep beside data is no data (`dataset_walk.RECORDS`).

    Links are followed within the project and its DVC repository, and to objects of its
    DVC cache; others are obstacles, as are folders that cannot be read, fifos, sockets and devices.
    """

    root: str
    path: str

    def collect(self, ctx: Context) -> Files:
        """Walk as far as the pattern reaches."""
        if "://" in self.path:
            raise CannotLook(
                "only checks of tables read remote datasets",
                where=public(self.path),
                hint="get a copy into the project",
            )
        try:
            pattern = Pattern(self.path)
        except FormatError as error:
            raise CannotLook(error.what, where=error.where, hint=error.hint) from None
        files, obstacles = walk(ctx, self.root, pattern, _links(ctx, self.root), hidden=not has_signs(self.path))
        return Files(tuple(_sorted(files)), tuple(_sorted(obstacles)))


def nothing(ctx: Context, root: str, dataset: Dataset) -> CannotLook | NotApplicable:
    """Why there is no file in the dataset, as an exception to raise."""
    if dataset.optional:
        return NotApplicable(f"the optional dataset {dataset.name!r} is not there: {dataset.path}")
    if "[" in dataset.path and ctx.host.look(f"{root}/{dataset.path}"):
        return CannotLook(
            f"the dataset {dataset.name!r} matches no file: {dataset.path}",
            hint="a name with [ in it is written with [[]",
        )
    return CannotLook(
        f"the dataset {dataset.name!r} matches no file: {dataset.path}",
        hint="get the data, mend its path in audit.yaml, or say `optional: true`",
    )


_Found = TypeVar("_Found", File, Obstacle)


def _sorted(found: Iterable[_Found]) -> list[_Found]:
    """Sorted by the bytes of their paths; those of text sort as its characters do, which is faster to ask."""
    found = sorted(found, key=_PATH)
    return found if all(map(str.isascii, map(_PATH, found))) else sorted(found, key=_bytes)


def _bytes(found: File | Obstacle) -> bytes:
    return found.path.encode("utf-8", "surrogateescape")


def _links(ctx: Context, root: str) -> Links:
    """Who follows links; DVC's folders are known where its settings can be read."""
    resolve = ctx.host.resolve
    try:
        repository = find_root(ctx.host, root)
        cache = dvc_config.read(ctx.host, repository).cache.folder if repository else None
    except (CannotLook, FormatError):
        return Links(ctx.host, (root,))
    homes = (root, resolve(repository)) if repository else (root,)
    return Links(ctx.host, homes, cache=resolve(cache) if cache else None)
