"""The files of a folder that DVC tracks, as DVC finds them: `.dvcignore` obeyed, no link to a folder followed."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import NamedTuple

from audit.errors import CannotLook, FormatError
from audit.facts.links import below
from audit.formats.dvc.ignore import FILE, LIMIT, Rules
from audit.records.door import Door, Entry, EntryType


class Blocked(NamedTuple):
    """A folder that could not be read, and why."""

    member: str
    reason: str


class Tree(NamedTuple):
    """What lies below a folder and is not ignored, by its path in it; folders themselves are left out."""

    entries: Mapping[str, Entry]
    blocked: tuple[Blocked, ...] = ()


def rules_of(host: Door, root: str, folder: str) -> Rules:
    """The ignore rules in force in `folder`, a path at or below the repository's root. Raises `FormatError`."""
    rules = _own(host, root, root, Rules())
    if folder != root:
        for name in posixpath.relpath(folder, root).split("/"):
            rules = rules.inside(name)
            rules = _own(host, root, posixpath.join(root, rules.folder), rules)
    return rules


def _own(host: Door, root: str, folder: str, rules: Rules) -> Rules:
    """The rules with the folder's own `.dvcignore` added; it may be a link within the repository at `root`."""
    path = posixpath.join(folder, FILE)
    entry = host.look(path)
    if entry is None or entry.type is EntryType.FOLDER:
        return rules
    target = host.resolve(path) if entry.type is EntryType.LINK else path
    if target != path and below(host.resolve(root), target) is None:
        raise CannotLook("is a link out of the repository", where=path, hint="put the file itself there")
    return rules.read(host.read(target, LIMIT), path)


def tree(host: Door, root: str, folder: str, rules: Rules) -> Tree:
    """All that lies below the folder, by the rules in force there; `root` is that of the repository.

    Walked with a stack, for folders nest deeper than Python recurses.
    """
    entries: dict[str, Entry] = {}
    blocked: list[Blocked] = []
    waiting = [("", rules)]
    while waiting:
        prefix, above = waiting.pop()
        try:
            listed, inner = _listed(host, root, f"{folder}/{prefix}".rstrip("/"), above, is_top=not prefix)
        except (CannotLook, FormatError) as error:
            blocked.append(Blocked(prefix.rstrip("/"), str(error)))
            continue
        for entry in listed:
            if entry.type is EntryType.FOLDER:
                waiting.append((f"{prefix}{entry.name}/", inner.inside(entry.name)))
            else:
                entries[prefix + entry.name] = entry
    return Tree(entries, tuple(sorted(blocked)))


def _listed(host: Door, root: str, path: str, rules: Rules, *, is_top: bool) -> tuple[list[Entry], Rules]:
    """What DVC sees in one folder, and the rules in force in it."""
    found = host.scan(path)
    names = {entry.name for entry in found}
    if FILE in names and not is_top:
        rules = _own(host, root, path, rules)
    if ".dvc" in names and not is_top:
        return [], rules  # another DVC repository, which DVC passes over
    return [entry for entry in found if not rules.leaves_out(entry.name, is_dir=entry.type is EntryType.FOLDER)], rules
