"""The names of a project's files: nothing is opened, and no link is followed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from audit.errors import CannotLook
from audit.records.door import Door, Entry, EntryType

MOST_FILES = 200_000
"""Files that are looked at by name; a larger project is judged by those nearest to its root."""

_NO_DATA = frozenset(
    {"build", "coverage", "dist", "docs", "env", "htmlcov", "lightning_logs", "mlruns", "node_modules", "outputs"}
    | {"reports", "site", "site-packages", "target", "tests", "third_party", "venv", "wandb", "__pycache__"}
)
"""Folders of code, of what was made from it, and of records of runs."""
_ENVIRONMENTS = frozenset({"pyvenv.cfg", "conda-meta"})
"""What marks the folder of a Python environment, whatever its name."""
_SUMS = "md5|sha1|sha224|sha256|sha384|sha512|b3|blake3"
_MANIFEST = re.compile(rf"(?:({_SUMS})sums?(\.txt)?|checksums?\.({_SUMS})|.+\.({_SUMS})sums?)", re.IGNORECASE)
_BAG = "bagit.txt"
_TRACKED = ".dvc"


class Tree(NamedTuple):
    """Paths relative to the project, sorted, and what keeps records there.

    `files` has the data of `.dvc` files too that is not there now. `manifests` are
    files of checksums, and the folders of BagIt bags. `cut` says that there are more.
    """

    files: tuple[str, ...]
    manifests: tuple[str, ...]
    dvc: bool
    git: bool
    lfs: bool
    cut: bool


def look(host: Door, root: str) -> Tree:
    """Go through the project's folders, those of a dot, of code and of environments left out."""
    top = {entry.name for entry in host.scan(root)}
    found = sorted(_files(host, root))
    names = {path: path.rpartition("/")[2] for path in found}
    attributes = host.read(f"{root}/.gitattributes", 2**20) if _is_file(host, f"{root}/.gitattributes") else b""
    return Tree(
        files=tuple(sorted({path.removesuffix(_TRACKED) for path in found})),
        manifests=tuple(_manifests(names)),
        dvc=".dvc" in top or any(name == "dvc.yaml" or name.endswith(_TRACKED) for name in names.values()),
        git=".git" in top,
        lfs=b"filter=lfs" in attributes,
        cut=len(found) >= MOST_FILES,
    )


def _is_file(host: Door, path: str) -> bool:
    entry = host.look(path)
    return entry is not None and entry.type is EntryType.FILE


def _manifests(names: dict[str, str]) -> Iterator[str]:
    """A bag is named once, by its folder: its own lists of digests are parts of it."""
    bags = [path.rpartition("/")[0] for path, name in names.items() if name == _BAG]
    yield from (bag or "." for bag in bags)
    for path, name in names.items():
        if _MANIFEST.fullmatch(name) and path.rpartition("/")[0] not in bags:
            yield path


def _files(host: Door, root: str) -> Iterator[str]:
    """Breadth first, so that a cut falls into the depths. A folder that cannot be read is passed over."""
    folders, count = [""], 0
    for folder in folders:
        entries = _entries(host, f"{root}/{folder}" if folder else root)
        if folder and _ENVIRONMENTS & {entry.name for entry in entries}:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.type is EntryType.FOLDER and entry.name not in _NO_DATA:
                folders.append(path)
            elif entry.type is EntryType.FILE and count < MOST_FILES:
                count += 1
                yield path


def _entries(host: Door, folder: str) -> list[Entry]:
    try:
        return [entry for entry in host.scan(folder) if not entry.name.startswith(".")]
    except CannotLook:
        return []
