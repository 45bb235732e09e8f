"""The text of a proposed `audit.yaml`, with comments that say what each part is for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from audit.config.datasets import kind_of
from audit.proposal.datasets import Dataset, sayable
from audit.proposal.tree import Tree
from audit.records.report import printable
from audit.records.words import Kind

_PACKS = {Kind.TABLE: "tabular", Kind.AUDIO: "speech", Kind.IMAGE: "vision", Kind.ARRAY: "arrays"}
_TAKEN = frozenset({"null", "true", "false", ".inf", ".nan"})
"""Plain words that YAML 1.2 does not read as text."""


class Sight(NamedTuple):
    """A project as it was seen. `unrecorded` names the datasets that no record covers whole."""

    name: str
    tree: Tree
    datasets: Sequence[Dataset]
    unrecorded: Collection[str] = ()


def text(sight: Sight) -> str:
    """The whole file."""
    return "\n".join((*_head(sight), *_dataset_lines(sight), *_rule_lines(sight))) + "\n"


def told(sight: Sight) -> str:
    """One line on what was found."""
    some = [f"{one.name} ({one.files:,} {one.kind} file{'s' if one.files != 1 else ''})" for one in sight.datasets[:6]]
    more = [f"{len(sight.datasets) - 6} more"] if len(sight.datasets) > 6 else []  # noqa: PLR2004 - what fits a line
    kept = [word for word, there in zip(("DVC", "Git", "Git LFS"), sight.tree[2:5], strict=True) if there]
    return f"written for {', '.join(some + more) or 'a project in which no data was found'}{_under(kept)}"


def _under(kept: Sequence[str]) -> str:
    return f", under {' and '.join(kept)}" if kept else ""


def _head(sight: Sight) -> list[str]:
    packs = ["core", *sorted({_PACKS[one.kind] for one in sight.datasets if one.kind in _PACKS})]
    return [
        "# What must be true before a training run starts. `audit rules` shows what would run,",
        "# `audit run` runs it, `audit explain CHECK` tells about a check.",
        "version: 1",
        *([f"name: {quoted(printable(sight.name))}"] if sight.name else []),
        "",
        "# Rules that come with audit. A rule below with the same id changes theirs.",
        f"extends: [{', '.join(packs)}]",
    ]


def _dataset_lines(sight: Sight) -> list[str]:
    if not sight.datasets:
        return [
            "",
            "# No data was found by its name. Declare it here:",
            "# datasets:",
            "#   train: {path: data/train.parquet, role: train}",
        ]
    return ["", *_about_data(sight), "datasets:", *(f"  {quoted(one.name)}: {_entry(one)}" for one in sight.datasets)]


def _about_data(sight: Sight) -> Iterator[str]:
    yield "# The data, found by its names: mend what was guessed wrong. Roles are train, val and test."
    if sight.tree.cut:
        yield f"# The project is large: only {len(sight.tree.files):,} files were looked at."
    if any(not sayable(path) for path in sight.tree.files):
        yield "# Files whose names are not UTF-8, or have a backslash in them, are left out."


def _entry(one: Dataset) -> str:
    kind = "" if kind_of(one.path) is one.kind else f", kind: {one.kind}"
    role = f", role: {one.role}" if one.role else ""
    return f"{{path: {quoted(one.path)}{kind}{role}}}"


def _rule_lines(sight: Sight) -> list[str]:
    rules = [*_manifest_rules(sight), *_lock_rules(sight)]
    if not rules:
        return ["", "# Rules of this project alone: `audit checks` lists what they can check.", "rules: []"]
    return ["", "# Rules of this project alone.", "rules:", *rules]


def _manifest_rules(sight: Sight) -> Iterator[str]:
    for number, manifest in enumerate(filter(sayable, sight.tree.manifests), start=1):
        yield f"  - id: manifest{f'-{number}' if number > 1 else ''}"
        yield "    check: files.manifest"
        yield f"    with: {{manifest: {quoted(manifest)}}}"
        yield "    on: [commit, launch, nightly]"
        yield "    why: These files came with a list of their digests."


def _lock_rules(sight: Sight) -> Iterator[str]:
    """One rule for all datasets if nothing else records any, else one for each that is left."""
    alone = [one.name for one in sight.datasets if one.name in sight.unrecorded]
    every = len(alone) == len(sight.datasets)
    for name in alone[:1] if every else alone:
        yield "  - id: data-lock" if every else f"  - id: data-lock-{name}"
        yield "    check: data.lock"
        if not every:
            yield f"    with: {{dataset: {quoted(name)}}}"
        yield "    on: [commit, launch, nightly]"
        yield "    why: Nothing else records this data; `audit lock data` does, in audit.lock."


def quoted(word: str) -> str:
    """As it is where YAML takes it for a plain word, else in double quotes, what is not printable as an escape."""
    if re.fullmatch(r"[A-Za-z_./][A-Za-z0-9_./*-]*", word) and word.lower() not in _TAKEN:
        return word
    return '"' + "".join(map(_letter, word)) + '"'


def _letter(letter: str) -> str:
    if letter in '"\\':
        return f"\\{letter}"
    return letter if letter.isprintable() and ord(letter) < 0x10000 else f"\\U{ord(letter):08x}"  # noqa: PLR2004 - what older readers of YAML take as it is
