"""The report as JSON: what programs read, laid out so that people can read it too."""

from __future__ import annotations

import json
import re

import msgspec

from audit.records.report import Report, canonical
from audit.records.text import plain

_NOT_ASCII = re.compile(r"[^\n -~]")


def render(report: Report) -> bytes:
    """Canonical JSON with line breaks and an indent, ending in a line break; UTF-8.

    Control and direction characters, which JSON may hold as they are and a terminal
    obeys, are written as its escapes.
    """
    text = msgspec.json.format(canonical(report), indent=2).decode()
    return f"{_NOT_ASCII.sub(_safe, text)}\n".encode()


def _safe(found: re.Match[str]) -> str:
    letter = found[0]
    return letter if plain(letter) == letter else json.dumps(letter)[1:-1]
