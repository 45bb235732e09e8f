"""From bytes to text that may be YAML: size, encoding and characters.

Source: YAML 1.2.2, sections 5.1 (character set) and 5.2 (encodings).
"""

from __future__ import annotations

import re

from audit.errors import FormatError

LIMIT = 8 * 2**20
"""Bytes of one file."""

# What is not in c-printable, and NEL, LS and PS besides: those end a line in YAML 1.1
# and for libyaml, but not in YAML 1.2, so a file that has them raw reads in two ways.
_REFUSED = re.compile("[^\t\n\r -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")


def checked(data: bytes | str, name: str, limit: int = LIMIT) -> str:
    """Decode a file and refuse what cannot be YAML; `FormatError` names the place."""
    if len(data) > limit:
        raise FormatError(f"larger than {limit} bytes", where=name)
    text = (data if isinstance(data, str) else _decoded(data, name)).removeprefix("\ufeff")
    if bad := _REFUSED.search(text):
        raise FormatError(
            f"the character U+{ord(bad.group()):04X} may not stand in YAML as it is",
            where=_place(text[: bad.start()], name),
            hint="write it as an escape in double quotes",
        )
    return text


def _decoded(data: bytes, name: str) -> str:
    if data.startswith(_WIDE):
        raise FormatError("UTF-16 or UTF-32 text", where=name, hint="save the file as UTF-8")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        raise FormatError("not UTF-8", where=_place(before, name), hint="save the file as UTF-8") from None


def _place(before: str, name: str) -> str:
    """Name the place right after a text."""
    lines = before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return f"{name}:{len(lines)}:{len(lines[-1]) + 1}"
