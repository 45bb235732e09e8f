"""Fingerprints: what an environment and its devices are, as JSON that is the same wherever the same is there.

    {
      "schema": "reproaudit/fingerprint/1",
      "digest": "...",
      "sections": {"python": {"digest": "...", "fields": {"version": "3.11.2", ...}}, ...}
    }

A digest is the SHA-256 of the fields as canonical JSON (RFC 8785: sorted keys, no spaces; there are no floats), the
one of the whole that of the sections' digests by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec

from audit.errors import FormatError
from audit.records.findings import Scalar

SCHEMA = "reproaudit/fingerprint/1"
LIMIT = 64 << 20
SECTIONS = ("python", "packages", "system", "cuda", "devices", "flags", "code", "data")

Fields = Mapping[str, Scalar]
Sections = Mapping[str, Fields]


class _Part(msgspec.Struct):
    fields: dict[str, str | int | bool | None]


class _Said(msgspec.Struct):
    sections: dict[str, _Part]


def write(sections: Sections) -> dict[str, Any]:
    """The fingerprint of these sections, as plain JSON."""
    parts = {name: {"digest": _digest(fields), "fields": dict(fields)} for name, fields in sections.items()}
    whole = _digest({name: part["digest"] for name, part in parts.items()})
    return {"schema": SCHEMA, "digest": whole, "sections": parts}


def read(value: Any, name: str) -> dict[str, dict[str, Scalar]]:
    """The sections of a fingerprint; `FormatError` for something else."""
    if not isinstance(value, Mapping) or value.get("schema") != SCHEMA:
        raise FormatError(f"is no fingerprint: its schema is not {SCHEMA}", where=name)
    try:
        said = msgspec.convert(value, _Said)
    except msgspec.ValidationError as error:
        raise FormatError(f"is no fingerprint: {error}", where=name) from None
    return {section: dict(part.fields) for section, part in said.sections.items()}


def render(sections: Sections) -> bytes:
    """The fingerprint as a file: sorted, one field a line."""
    return (json.dumps(write(sections), ensure_ascii=False, sort_keys=True, indent=2) + "\n").encode()


def _digest(fields: Mapping[str, Any]) -> str:
    text = json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
