"""The report as JSON: what programs read, laid out so that people can read it too."""

from __future__ import annotations

import json
import re

import msgspec

from audit.records.report import Report, canonical

_UNSEEN = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Control and direction characters that JSON may hold as they are, and that a terminal obeys."""


def render(report: Report) -> bytes:
    """Canonical JSON with line breaks and an indent, ending in a line break; UTF-8."""
    text = msgspec.json.format(canonical(report), indent=2).decode()
    return f"{_UNSEEN.sub(_escape, text)}\n".encode()


def _escape(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]
