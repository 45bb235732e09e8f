"""A first `audit.yaml` for a project: what its folders and names tell of its datasets, splits and records."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from audit.config.datasets import kind_of
from audit.host import Host
from audit.records.door import EntryType
from audit.records.words import Kind, Role

MOST_FILES = 200_000
"""Files that are looked at by name; a larger project is judged by its first ones."""

_NOT_DATA = frozenset({"node_modules", "__pycache__", "site-packages", "reports", "mlruns", "build", "dist", "venv", "env", "docs"})
_ROLES = {"train": Role.TRAIN, "training": Role.TRAIN, "val": Role.VAL, "valid": Role.VAL, "validation": Role.VAL, "dev": Role.VAL}
_ROLES |= {"test": Role.TEST, "testing": Role.TEST, "eval": Role.TEST}
_WORDS = re.compile(r"[^A-Za-z0-9]+")
_MANIFEST = re.compile(r"(?i)^((md5|sha1|sha256|sha512|b3)sums?(\.txt)?|checksums?\.(md5|sha1|sha256|sha512|b3)|.+\.(md5|sha1|sha256|sha512|b3)sums?)$")


class Dataset(NamedTuple):
    """A dataset as it would stand in `audit.yaml`."""

    name: str
    path: str
    kind: Kind
    role: Role | None
    files: int


class Sight(NamedTuple):
    """What was seen of a project."""

    datasets: tuple[Dataset, ...]
    manifests: tuple[str, ...]
    dvc: bool
    git: bool
    lfs: bool


def look(host: Host, root: str) -> Sight:
    """Look at names alone; nothing is read but `.gitattributes`."""
    files = sorted(_files(host, root))
    names = {entry.name for entry in host.scan(root)}
    return Sight(
        datasets=tuple(_datasets(files)),
        manifests=tuple(path for path in files if _MANIFEST.match(path.rpartition("/")[2]) or path.endswith("bagit.txt")),
        dvc=".dvc" in names or any(path.endswith((".dvc", "dvc.yaml")) for path in files),
        git=".git" in names,
        lfs=".gitattributes" in names and b"filter=lfs" in host.read(f"{root}/.gitattributes", 2**20),
    )


def _files(host: Host, root: str) -> Iterator[str]:
    """The project's files, breadth first, so that a cut falls into the depths; names with a dot in front left out."""
    folders, count = [""], 0
    for folder in folders:
        for entry in host.scan(f"{root}/{folder}" if folder else root):
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name.startswith(".") or entry.name in _NOT_DATA:
                continue
            if entry.type is EntryType.FOLDER:
                folders.append(path)
            elif entry.type is EntryType.FILE:
                yield path
                count += 1
        if count >= MOST_FILES:
            return


def _datasets(files: Iterable[str]) -> Iterator[Dataset]:
    """Files of a kind, gathered by the split that their path names, else by their top folder."""
    groups: defaultdict[tuple[str, Kind, Role | None], list[str]] = defaultdict(list)
    for path in files:
        kind = kind_of(path)
        if kind is not Kind.FILES:
            home, role = _home(path)
            groups[(home, kind, role)].append(path)
    used: Counter[str] = Counter()
    for (home, kind, role), members in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1])):
        name = _name(home, kind, role, groups)
        used[name] += 1
        yield Dataset(f"{name}-{used[name]}" if used[name] > 1 else name, _pattern(home, members), kind, role, len(members))


def _home(path: str) -> tuple[str, Role | None]:
    """Where a file belongs: the folder that names a split, itself if its own name does, else its top two folders."""
    parts = path.split("/")
    for depth, part in enumerate(parts[:-1], start=1):
        if part.lower() in _ROLES:
            return "/".join(parts[:depth]), _ROLES[part.lower()]
    words = _WORDS.split(parts[-1].partition(".")[0].lower())
    role = next((_ROLES[word] for word in words if word in _ROLES), None)
    if role or len(parts) == 1:
        return path, role
    return "/".join(parts[: min(2, len(parts) - 1)]), None


def _pattern(home: str, members: list[str]) -> str:
    if members == [home]:
        return home
    suffixes = Counter(PurePosixPath(path).suffix for path in members)
    suffix = next(iter(suffixes)) if len(suffixes) == 1 else ""
    deep = any("/" in path[len(home) + 1 :] for path in members)
    return f"{home}/{'**/' if deep else ''}*{suffix}" if suffix else home


def _name(home: str, kind: Kind, role: Role | None, groups: Iterable[tuple[str, Kind, Role | None]]) -> str:
    """The role if it is the only one of its kind, else the folder's name."""
    if role and sum(other is role for _, _, other in groups) == 1:
        return str(role)
    stem = _WORDS.sub("-", PurePosixPath(home).name.partition(".")[0]).strip("-").lower() or str(kind)
    return f"{stem}-{kind}" if sum(where == home for where, _, _ in groups) > 1 else stem


def text(name: str, sight: Sight) -> str:
    """The file, with comments that say what each part is for."""
    return "\n".join((*_head(name, sight), *_dataset_lines(sight), *_rule_lines(sight))) + "\n"


def told(sight: Sight) -> str:
    """One line on what was found."""
    datasets = ", ".join(f"{one.name} ({one.files:,} {one.kind})" for one in sight.datasets[:6]) or "no dataset"
    kept = [word for word, there in (("DVC", sight.dvc), ("Git", sight.git), ("Git LFS", sight.lfs)) if there]
    return f"written for {datasets}{'; ' if kept else ''}{', '.join(kept)}"


def _head(name: str, sight: Sight) -> list[str]:
    packs = ["core", *sorted({pack for one in sight.datasets if (pack := _PACKS.get(one.kind))})]
    return [
        "# What must be true before a training run starts. `audit rules` shows what would run,",
        "# `audit run` runs it, `audit explain CHECK` tells about a check.",
        "version: 1",
        f"name: {_quoted(name)}",
        "",
        "# Packs of rules that come with audit. A rule below with the same id changes theirs.",
        f"extends: [{', '.join(packs)}]",
    ]


_PACKS = {Kind.TABLE: "tabular", Kind.AUDIO: "speech", Kind.IMAGE: "vision"}


def _dataset_lines(sight: Sight) -> list[str]:
    if not sight.datasets:
        return ["", "# No data was found by its names. Declare it here:", "# datasets:", "#   train: {path: data/train.parquet, role: train}"]
    lines = ["", "# The data, found by its names; correct what is wrong. Roles are train, val and test.", "datasets:"]
    for one in sight.datasets:
        role = f", role: {one.role}" if one.role else ""
        kind = "" if kind_of(one.path) is one.kind else f", kind: {one.kind}"
        lines.append(f"  {one.name}: {{path: {_quoted(one.path)}{kind}{role}}}")
    return lines


def _rule_lines(sight: Sight) -> list[str]:
    rules = list(_rules(sight))
    lines = ["", "# Rules of this project alone."]
    if not rules:
        return [*lines, "# rules:", "#   - id: downloads-whole", "#     check: files.manifest", "#     with: {manifest: data/SHA256SUMS}"]
    return [*lines, "rules:", *(line for rule in rules for line in rule)]


def _rules(sight: Sight) -> Iterator[list[str]]:
    for number, manifest in enumerate(sight.manifests, start=1):
        folder = manifest.rpartition("/")[0] if manifest.endswith("bagit.txt") else manifest
        yield [
            f"  - id: manifest-{number}" if number > 1 else "  - id: manifest",
            "    check: files.manifest",
            f"    with: {{manifest: {_quoted(folder)}}}",
            "    on: [commit, launch, nightly]",
            "    why: These files came with a list of their digests.",
        ]
    if sight.datasets and not sight.dvc:
        yield [
            "  - id: data-lock",
            "    check: data.lock",
            "    why: Nothing else records this data; `audit lock data` does, into audit.lock.",
        ]


def _quoted(word: str) -> str:
    """As it is where YAML takes it for a plain word, else as a JSON string, which YAML reads too."""
    plain = re.fullmatch(r"[A-Za-z_./][A-Za-z0-9_./-]*(\*[A-Za-z0-9_./*-]*)?", word) and word.lower() not in _TAKEN
    return word if plain else json.dumps(word, ensure_ascii=True)


_TAKEN = frozenset({"null", "true", "false", "yes", "no", "on", "off", ".inf", ".nan", "~", ""})
