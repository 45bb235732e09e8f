"""Names and values that every MLflow server takes.

Rules and limits: `mlflow.utils.validation` of MLflow 3, and where older servers are
stricter, theirs. Slashes are allowed there, yet read as a path; none is used here.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable

from audit.records.text import plain

MAX_NAME_BYTES = 240
"""MLflow allows 250 characters; its file store makes a file of each name, and those end at 255 bytes."""

MAX_PARAM = 250
"""Characters in a parameter's value: 6,000 today, 250 on servers before 1.28."""

MAX_TAG = 5000
"""Characters in a tag's value: 8,000 today, 5,000 on servers before 2.16."""

_DATASET = re.compile(r"\[([^\[\]]*)\]")
_FORBIDDEN = re.compile(r"[^\w. -]")


def unique(names: Iterable[str]) -> dict[str, str]:
    """A valid name for each name: the same every night, and no two alike, not even but for case."""
    taken: set[str] = set()
    valid: dict[str, str] = {}
    for name in names:
        short = _cut(clean(name), name)
        if short.casefold() in taken:
            short = _marked(short, name)
        taken.add(short.casefold())
        valid[name] = short
    return valid


def clean(name: str) -> str:
    """The name with what MLflow forbids replaced: `drift[val].psi` becomes `drift.val.psi`, `%` becomes `_`."""
    text = _FORBIDDEN.sub("_", _DATASET.sub(r".\1", unicodedata.normalize("NFC", name)))
    return f"_{text}" if text.startswith(".") or not text else text


def value(text: str, limit: int) -> str:
    """The text without control characters, cut to `limit` characters."""
    text = plain(text)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _cut(text: str, name: str) -> str:
    return text if len(text.encode()) <= MAX_NAME_BYTES else _marked(text, name)


def _marked(text: str, name: str) -> str:
    """Made its own by the digest of what it was made from."""
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{text.encode()[: MAX_NAME_BYTES - 9].decode('utf-8', 'ignore')}-{mark}"
