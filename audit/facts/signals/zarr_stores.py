"""Zarr stores among the files of a dataset: each is a folder, and one thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from audit.errors import CannotLook, FormatError
from audit.facts.dataset import Expansion, Files
from audit.facts.dataset_walk import File
from audit.formats.arrays.zarr import ARRAY, BOTH, GROUP, LONGEST, ZarrArray, array_of_three, array_of_two
from audit.records.array import ArrayFile, ArrayHeader
from audit.records.context import Context
from audit.records.obstacle import Obstacle
from audit.records.signals import Fault

_META = frozenset({ARRAY, GROUP, BOTH, ".zmetadata", ".zattrs"})


class Store(NamedTuple):
    """A store: its folder, its arrays, their chunks by name, and what is wrong or could not be looked at."""

    path: str
    location: str
    size: int
    arrays: tuple[tuple[ZarrArray, Mapping[str, File]], ...]
    faults: tuple[Fault, ...]
    unseen: tuple[Obstacle, ...]

    def file(self) -> ArrayFile:
        """It, as files of arrays are told."""
        tensors = tuple(array.tensor for array, _ in self.arrays)
        pickled = [array.tensor.key for array, _ in self.arrays if array.strange == "pickle"]
        unsafe = tuple(f"holds in {key[:200]!r} pickles: only unpickling could read them" for key in pickled)
        known = "" if self.faults and not tensors else "ZARR"
        header = ArrayHeader(format=known, tensors=tensors, faults=self.faults, unsafe=unsafe)
        return ArrayFile(path=self.path, location=self.location, size=self.size, header=header)


def stores(ctx: Context, root: str, path: str, files: Sequence[File]) -> tuple[list[Store], list[File]]:
    """The stores among the files that `path` takes in the project at `root`, and the files in none of them."""
    literal = path if not any(sign in path for sign in "*?[") else ""
    folders: dict[str, None] = {}
    for file in files:
        top = _top(file.path, literal)
        if top:
            folders[top] = None
    for file in files:
        folder, _, name = file.path.rpartition("/")
        if name in {ARRAY, GROUP, BOTH} and not _within(folder, folders):
            _replace(folders, folder)
    rest = [file for file in files if not _within(file.path, folders)]
    return [_store(ctx, root, folder) for folder in sorted(folders)], rest


def _top(path: str, literal: str) -> str:
    """The topmost folder above a file that is called as stores are, not above the dataset itself."""
    parts = path.split("/")[:-1]
    for depth, part in enumerate(parts, 1):
        folder = "/".join(parts[:depth])
        if part.lower().endswith(".zarr") and (not literal or f"{folder}/".startswith(f"{literal}/")):
            return folder
    return ""


def _within(path: str, folders: Mapping[str, None]) -> bool:
    parts = path.split("/")
    return any("/".join(parts[:depth]) in folders for depth in range(len(parts), 0, -1))


def _replace(folders: dict[str, None], folder: str) -> None:
    """Take a store, and leave out those below it."""
    for one in [one for one in folders if one.startswith(f"{folder}/")]:
        del folders[one]
    folders[folder] = None


def _store(ctx: Context, root: str, folder: str) -> Store:
    """A store with all its files, dot files too, which a pattern leaves out."""
    found: Files = ctx.get(Expansion(root=root, path=folder))
    prefix = f"{folder}/"
    files = {file.path.removeprefix(prefix): file for file in found.files}
    faults: list[Fault] = []
    unseen = list(found.obstacles)
    arrays = _with_chunks(list(_arrays(ctx, files, faults, unseen)), files)
    if not any(name.rpartition("/")[2] in _META for name in files):
        faults.append(Fault(kind="unknown", what="holds no metadata of Zarr (zarr.json, .zarray or .zgroup)"))
    size = sum(file.stamp.size for file in found.files)
    return Store(folder, f"{root}/{folder}", size, arrays, tuple(faults), tuple(unseen))


def _arrays(
    ctx: Context, files: Mapping[str, File], faults: list[Fault], unseen: list[Obstacle]
) -> Iterator[ZarrArray]:
    for name in sorted(files):
        key, _, last = name.rpartition("/")
        if last not in {ARRAY, BOTH}:
            continue
        try:
            text = ctx.host.read(files[name].location, LONGEST)
            array = array_of_two(key, text) if last == ARRAY else array_of_three(key, text)
        except CannotLook as error:
            unseen.append(Obstacle(files[name].path, error.what, error.hint))
        except FormatError as error:
            faults.append(Fault(kind="header", what=f"has metadata {name[:200]!r} that {error.what}"))
        else:
            if array:
                yield array


def _with_chunks(
    arrays: Sequence[ZarrArray], files: Mapping[str, File]
) -> tuple[tuple[ZarrArray, Mapping[str, File]], ...]:
    """Each array with the files of its chunks by their names: those in the nearest folder that is an array's."""
    chunks: dict[str, dict[str, File]] = {array.tensor.key: {} for array in arrays}
    known = {array.tensor.key: array for array in arrays}
    for name, file in files.items():
        key = name
        while key:
            key = key.rpartition("/")[0]
            if key in known:
                if known[key].place(name[len(key) + 1 if key else 0 :]) is not None:
                    chunks[key][name] = file
                break
    return tuple((array, chunks[array.tensor.key]) for array in arrays)
