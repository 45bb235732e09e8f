"""The files of a folder that DVC tracks, as DVC finds them: `.dvcignore` obeyed, no link to a folder followed."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from audit.errors import CannotLook, FormatError
from audit.formats.dvc.ignore import FILE, LIMIT, Rules
from audit.records.door import Door, Entry, EntryType


class Leaf(NamedTuple):
    """Something in the folder that is no folder."""

    member: str
    entry: Entry


class Blocked(NamedTuple):
    """A folder that could not be read, and why."""

    member: str
    reason: str


class Tree(NamedTuple):
    """What lies below a folder and is not ignored, in the order of its paths."""

    leaves: tuple[Leaf, ...]
    blocked: tuple[Blocked, ...] = ()


def rules_of(host: Door, root: str, folder: str) -> Rules:
    """The ignore rules in force in `folder`, a path at or below the repository's root. Raises `FormatError`."""
    rules = _own(host, root, Rules())
    if folder != root:
        for name in posixpath.relpath(folder, root).split("/"):
            rules = rules.inside(name)
            rules = _own(host, posixpath.join(root, rules.folder), rules)
    return rules


def _own(host: Door, folder: str, rules: Rules) -> Rules:
    """The rules with the folder's own `.dvcignore` added."""
    path = posixpath.join(folder, FILE)
    entry = host.look(path)
    return rules.read(host.read(path, LIMIT), path) if entry and entry.type is EntryType.FILE else rules


def tree(host: Door, folder: str, rules: Rules) -> Tree:
    """All that lies below the folder."""
    leaves: list[Leaf] = []
    blocked: list[Blocked] = []
    for found in _walk(host, folder, rules):
        (leaves if isinstance(found, Leaf) else blocked).append(found)  # type: ignore[arg-type]
    return Tree(tuple(sorted(leaves, key=lambda leaf: leaf.member)), tuple(sorted(blocked)))


def _walk(host: Door, folder: str, rules: Rules) -> Iterator[Leaf | Blocked]:
    """Walk with a stack of its own: a folder can be nested deeper than Python recurses."""
    waiting = [("", rules)]
    while waiting:
        prefix, rules = waiting.pop()
        path = f"{folder}/{prefix}".rstrip("/")
        try:
            entries = host.scan(path)
            own = next((entry for entry in entries if entry.name == FILE), None)
            rules = _own(host, path, rules) if own and prefix else rules
        except (CannotLook, FormatError) as error:
            yield Blocked(prefix.rstrip("/"), str(error))
            continue
        if prefix and any(entry.name == ".dvc" for entry in entries):
            continue  # another DVC repository, which DVC passes over
        for entry in entries:
            is_dir = entry.type is EntryType.FOLDER
            if rules.leaves_out(entry.name, is_dir=is_dir):
                continue
            if is_dir:
                waiting.append((f"{prefix}{entry.name}/", rules.inside(entry.name)))
            else:
                yield Leaf(prefix + entry.name, entry)
