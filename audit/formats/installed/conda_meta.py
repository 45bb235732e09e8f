"""`conda-meta/NAME-VERSION-BUILD.json`: what conda installed into an environment.

Source: conda's documentation of package metadata, "conda-meta".
"""

from __future__ import annotations

import msgspec

from audit.errors import FormatError
from audit.formats.urls import public

LIMIT = 16 << 20
"""Bytes of one file: it lists every path of the package."""


class CondaRecord(msgspec.Struct, frozen=True):
    """The fields that an audit needs."""

    name: str
    version: str
    build: str = ""
    channel: str = ""


def parse(data: bytes, name: str) -> CondaRecord:
    """Read a file called `name`; `FormatError` for another form."""
    try:
        said = msgspec.json.decode(data, type=CondaRecord)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"is no record of conda's: {error}", where=name) from None
    return msgspec.structs.replace(said, channel=public(said.channel))
