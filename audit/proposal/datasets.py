"""Datasets and splits, guessed from paths alone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import NamedTuple

from audit.config.datasets import kind_of
from audit.config.model import ELSEWHERE, FOREIGN
from audit.records.words import Kind, Role

MOST_DATASETS = 40
"""Datasets that are proposed; nobody reads through more."""

_ROLES: Mapping[str, Role] = {
    **dict.fromkeys(("train", "training"), Role.TRAIN),
    **dict.fromkeys(("val", "valid", "validation", "dev"), Role.VAL),
    **dict.fromkeys(("test", "testing", "eval"), Role.TEST),
}
_NO_WORD = re.compile(r"[^A-Za-z0-9]+")
_DIGITS = re.compile(r"[0-9]+")
_SIGNS = re.compile(r"[*?\[]")
_SUFFIX = re.compile(r"(\.[A-Za-z0-9]{1,10})?\.(gz|bz2|zst|xz)|\.[A-Za-z0-9]{1,12}")
_LONGEST = 60  # characters of a proposed name


class Dataset(NamedTuple):
    """A dataset as it would stand in `audit.yaml`."""

    name: str
    path: str
    kind: Kind
    role: Role | None
    files: int


class Group(NamedTuple):
    """Files that belong together: below `home`, or `home` itself where that is one file or the shards of one."""

    home: str
    kind: Kind
    role: Role | None


def datasets(files: Iterable[str]) -> list[Dataset]:
    """Files of a kind, gathered by the split that their path names, else by their folder; at most a page of them."""
    every = [path for path in files if sayable(path)]
    groups: defaultdict[Group, list[str]] = defaultdict(list)
    for path in every:
        if (kind := kind_of(path)) is not Kind.FILES:
            home, role = _home(path)
            groups[Group(home, kind, role)].append(path)
    found = [(_narrowed(group, members), members) for group, members in groups.items()]
    paths = [(group, path, files) for group, members in found for path, files in _paths(group, members, every)]
    return list(_named(sorted(paths, key=lambda one: (one[0].home, one[1]))))[:MOST_DATASETS]


def sayable(path: str) -> bool:
    """Whether a path can stand in `audit.yaml`: as text, and as one that stays in the project."""
    text = path.encode("utf-8", "replace").decode() == path
    return text and not re.search(ELSEWHERE, path) and not re.search(FOREIGN, path)


def _home(path: str) -> tuple[str, Role | None]:
    """The folder that names a split; the file if its own name does, or if it lies at the top; else its top folders."""
    parts = path.split("/")
    for depth, part in enumerate(parts[:-1], start=1):
        if part.lower() in _ROLES:
            return "/".join(parts[:depth]), _ROLES[part.lower()]
    words = _NO_WORD.split(parts[-1].lower())
    role = next((_ROLES[word] for word in words if word in _ROLES), None)
    if role or len(parts) == 1:
        return "/".join((*parts[:-1], _DIGITS.sub("*", parts[-1]))), role
    return "/".join(parts[: min(2, len(parts) - 1)]), None


def _narrowed(group: Group, members: list[str]) -> Group:
    """A file that is alone of its kind in its folder stands for itself, unless its folder is a split."""
    return group if group.role or len(members) > 1 else group._replace(home=members[0])


def _paths(group: Group, members: list[str], every: list[str]) -> Iterator[tuple[str, int]]:
    """The paths or globs that take the members and nothing else, each with how many it takes."""
    if kind_of(group.home) is group.kind:  # one file, or shards
        yield (_escaped(members[0]) if len(members) == 1 else _shards(group.home)), len(members)
        return
    below = sum(path.startswith(f"{group.home}/") for path in every)
    suffixes = Counter(_suffix(path) for path in members)
    if len(suffixes) > 1 and below == len(members):
        yield _escaped(group.home), len(members)
        return
    for suffix, files in suffixes.items():
        deep = any("/" in path[len(group.home) + 1 :] for path in members if path.endswith(suffix))
        yield f"{_escaped(group.home)}/{'**/' if deep else ''}*{suffix}", files


def _suffix(path: str) -> str:
    """The last suffix as it is written, one of compression with the one before it."""
    name = path.rpartition("/")[2]
    return next((found[0] for found in _SUFFIX.finditer(name) if found.end() == len(name)), "")


def _escaped(path: str) -> str:
    """A path in which nothing is a sign of a glob."""
    return _SIGNS.sub(lambda sign: f"[{sign[0]}]", path)


def _shards(home: str) -> str:
    """The pattern of shards: their digits were made stars already."""
    return "*".join(_escaped(part) for part in home.split("*"))


def _named(found: list[tuple[Group, str, int]]) -> Iterator[Dataset]:
    """Each by its role if that is the only one, else by its folder, else with its folder's folder, or its suffix."""
    homes = Counter(_stem(group.home, 1) for group in {group for group, _, _ in found})
    roles = Counter(group.role for group, _, _ in found)
    taken: set[str] = set()
    for group, path, files in found:
        alone = group.role is not None and roles[group.role] == 1
        stem = str(group.role) if alone else _stem(group.home, 1 if homes[_stem(group.home, 1)] == 1 else 2)
        suffix = _suffix(path).strip(".").lower()
        name = next(choice for choice in _choices(stem, suffix) if choice not in taken)
        taken.add(name)
        yield Dataset(name, path, group.kind, group.role, files)


def _choices(stem: str, suffix: str) -> Iterator[str]:
    yield stem
    yield f"{stem}-{suffix}" if suffix else stem
    yield from (f"{stem}-{number}" for number in count(2))


def _stem(home: str, depth: int) -> str:
    """The last names of a path as one word."""
    parts = home.split("/")[-depth:]
    parts[-1] = parts[-1].partition(".")[0] if kind_of(parts[-1]) is not Kind.FILES else parts[-1]
    return _NO_WORD.sub("-", "-".join(parts)).strip("-").lower()[:_LONGEST].strip("-") or "data"
