"""`.dvcignore`: what DVC leaves out of the work tree, folder by folder.

As in DVC, the patterns of a folder are rewritten to start at the repository's root
and added to those of the folders above; the last that matches decides, and what is
in a folder that is left out stays out. A line that DVC cannot compile makes the
whole file wrong there and here.

Source: `dvc/ignore.py` and `dvc/pathspec_math.py` of DVC 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from audit.errors import FormatError
from audit.formats.dvc import wildcard

FILE = ".dvcignore"
LIMIT = 2**20
"""Bytes of one `.dvcignore`."""
MAX_PATTERNS = 10_000
"""Patterns in force in one folder."""

_ALWAYS = frozenset({".git"})
_ALWAYS_FOLDERS = frozenset({".git", ".hg", ".dvc"})


class _Pattern(NamedTuple):
    """A pattern of the root: a regular expression, whether it leaves out or takes back, and if folders only."""

    expression: str
    ignored: bool
    only_folders: bool


class _Group(NamedTuple):
    """Neighbouring patterns that say the same of what they match."""

    matches: re.Pattern[str]
    ignored: bool
    only_folders: bool


class Rules:
    """The patterns in force in one folder; `folder` is relative to the repository's root, "" for itself.

    `lost` says whether that folder or one above it is left out, and so everything in it.
    """

    __slots__ = ("_groups", "_patterns", "folder", "lost")

    def __init__(
        self,
        folder: str = "",
        *,
        patterns: tuple[_Pattern, ...] = (),
        groups: tuple[_Group, ...] = (),  # the patterns compiled, those that decide first at the front
        lost: bool = False,
    ) -> None:
        self.folder = folder
        self._patterns = patterns
        self._groups = groups
        self.lost = lost

    def inside(self, name: str) -> Rules:
        """Return the rules of a folder in this one, its own `.dvcignore` not yet read."""
        lost = self.leaves_out(name, is_dir=True)
        return Rules(self._path(name), patterns=self._patterns, groups=self._groups, lost=lost)

    def read(self, data: bytes, name: str) -> Rules:
        """Add this folder's own `.dvcignore`, unless that is itself left out; `FormatError` at `name:line`."""
        if self.leaves_out(FILE, is_dir=False):
            return self
        patterns = (*self._patterns, *_patterns(data, name, self.folder))
        if len(patterns) > MAX_PATTERNS:
            raise FormatError(f"more than {MAX_PATTERNS} patterns in force", where=name)
        rules = Rules(self.folder, patterns=patterns, groups=_groups(patterns))
        parts = self.folder.split("/") if self.folder else []
        rules.lost = any(rules._decide("/".join(parts[:at]), is_dir=True) for at in range(1, len(parts) + 1))
        return rules

    def leaves_out(self, name: str, *, is_dir: bool) -> bool:
        """Whether DVC leaves out the entry of that name in this folder."""
        if self.lost or not self._groups:
            return self.lost or name in (_ALWAYS_FOLDERS if is_dir else _ALWAYS)
        return self._decide(self._path(name), is_dir=is_dir)

    def _path(self, name: str) -> str:
        return f"{self.folder}/{name}" if self.folder else name

    def _decide(self, path: str, *, is_dir: bool) -> bool:
        for matches, ignored, only_folders in self._groups:
            if only_folders and not is_dir:
                continue
            if matches.match(path) or (is_dir and matches.match(path + "/")):
                return ignored
        return path.rpartition("/")[2] in (_ALWAYS_FOLDERS if is_dir else _ALWAYS)


def _patterns(data: bytes, name: str, folder: str) -> Iterator[_Pattern]:
    for number, line in enumerate(re.split("\r\n|\r|\n", _text(data, name)), start=1):
        rule = line.strip()
        if not rule or rule.startswith("#"):
            continue
        try:
            pattern = _pattern(rule) and _pattern(_rebased(rule, folder))  # DVC compiles it in both forms
        except ValueError as error:
            raise FormatError(f"{rule!r} is no pattern: {error}", where=f"{name}:{number}") from None
        if pattern:
            yield pattern


def _text(data: bytes, name: str) -> str:
    if len(data) > LIMIT:
        raise FormatError(f"larger than {LIMIT} bytes", where=name)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 at byte {error.start}", where=name, hint="save the file as UTF-8") from None


def _rebased(rule: str, folder: str) -> str:
    """Rewrite a pattern of a folder as one of the root, letter by letter as DVC does (`change_rule`)."""
    if not folder:
        return rule
    sign, rule = ("!", rule[1:]) if rule.startswith("!") else ("", rule)
    anchored = "/" in rule[:-1] and not rule.startswith("**/")
    rule = rule.removeprefix("/") if anchored else rule.removeprefix("**/")
    rule = rule.removeprefix("\\")
    rule = f"{sign}/{folder}/{rule}" if anchored else f"{sign}/{folder}/**/{rule}"
    return rule.removeprefix("/")


def _pattern(line: str) -> _Pattern | None:
    rule = line if line.endswith("\\ ") else line.rstrip()
    if not rule or rule == "/" or rule.startswith("#"):
        return None
    expression = wildcard.regex(rule.removeprefix("!"))
    return _Pattern(expression, not rule.startswith("!"), line.endswith("/")) if expression else None


def _groups(patterns: tuple[_Pattern, ...]) -> tuple[_Group, ...]:
    groups = [
        _Group(re.compile("|".join(f"(?:{each.expression})" for each in group)), ignored, only_folders)
        for (ignored, only_folders), group in groupby(patterns, key=lambda each: each[1:])
    ]
    return tuple(reversed(groups))
