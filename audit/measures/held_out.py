"""Columns that name users, patients or sessions, of which a split by groups leaves no value to both tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_WORDS = (
    "id|ids|uid|uuid|guid|account|client|customer|household|member|participant|patient|person|player|recording|session"
    "|speaker|store|subject|user"
)
_NAMED = re.compile(rf"(?:^|[^a-z])(?:{_WORDS})s?(?:$|[^a-z])")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

FEWEST = 5
"""Values on each side from which on their form alone may say that they are names of groups."""


def named_for_groups(column: str) -> bool:
    """Whether a column is called as one that names groups: `user_id`, `PatientID`, `speaker`."""
    return bool(_NAMED.search(_HUMP.sub("_", column).lower()))


def names_groups(column: str, here: Sequence[str], there: Sequence[str]) -> bool:
    """Whether words, of which no two are equal here and there, name groups that were held out.

    They do if they are made of the same kinds of signs (another spelling has others), and the column's name says so,
    or each of enough of them has a digit and none is shorter or longer than those there.
    """
    if not here or not there or not _signs(here) <= _signs(there):
        return False
    if named_for_groups(column):
        return True
    lengths = [len(word) for word in there]
    enough = min(len(here), len(there)) >= FEWEST
    fits = all(min(lengths) <= len(word) <= max(lengths) for word in here)
    return enough and fits and all(any(map(str.isdigit, word)) for word in (*here, *there))


def _signs(words: Iterable[str]) -> set[str]:
    """Digits as one kind of sign, small letters and capitals of ASCII as one each, any other as itself."""
    return {_sign(letter) for word in words for letter in word}


def _sign(letter: str) -> str:
    if not letter.isascii() or not letter.isalnum():
        return letter
    return "0" if letter.isdigit() else "a" if letter.islower() else "A"
