"""Ids of people, speakers and sessions: what may be done to them before they are compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence

_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
_PUNCTUATION = re.compile(r"[\W_]+")
_JOINTS = re.compile(r"[\s_-]+")
_LETTERS = re.compile(r"[^\W\d_]+")


def _strip_zeros(name: str) -> str:
    return _ZEROS.sub("", name)


def _strip_punctuation(name: str) -> str:
    return _PUNCTUATION.sub("", name)


def _nfkc(name: str) -> str:
    return unicodedata.normalize("NFKC", name)


def _digits(name: str) -> str:
    """The digits alone, where there are any: "Patient 23" and "p23" are then one."""
    return _LETTERS.sub("", name) if any(map(str.isdigit, name)) else name


NORMALISERS: Mapping[str, Callable[[str], str]] = {
    "lower": str.casefold,
    "strip-zeros": _strip_zeros,
    "strip-punctuation": _strip_punctuation,
    "digits": _digits,
    "nfkc": _nfkc,
}
"""What a rule can ask for by name: case, zeros before numbers, all but letters and digits, digits alone, Unicode."""


def normalised(name: str, steps: Sequence[str]) -> str:
    """The id after these steps, in their order. Raises `KeyError` for one that is unknown."""
    for step in steps:
        name = NORMALISERS[step](name)
    return name.strip()


def loosely(name: str) -> str:
    """What ids that a person would take for one have in common: case, zeros and punctuation aside."""
    return normalised(name, ("nfkc", "lower", "strip-zeros", "strip-punctuation"))


def spelling(name: str) -> str:
    """What two spellings of one class have in common: case, spaces, dashes and underscores aside."""
    return _JOINTS.sub("", normalised(name, ("nfkc", "lower")))
