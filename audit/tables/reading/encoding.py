"""Text of any encoding as a stream of UTF-8 without a byte order mark.

Undeclared text is UTF-8 unless a byte order mark says otherwise (Unicode 16, section 23.8);
nothing is guessed from frequencies. Bytes that are not UTF-8 pass, and are found later, value by value.
"""

from __future__ import annotations

import codecs
from typing import IO

from audit.errors import CannotLook

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that one's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UTF8 = "utf-8"


class Utf8:
    """A file of bytes that reads as UTF-8; `lines` counts the line ends that went by."""

    def __init__(self, file: IO[bytes], name: str, declared: str | None = None) -> None:
        self._file, self._name = file, name
        head = file.read(4)
        mark, found = next(((mark, said) for mark, said in _MARKS if head.startswith(mark)), (b"", _UTF8))
        self.encoding = found if mark else _known(declared or _UTF8, name)
        self._decoder = None if self.encoding == _UTF8 else codecs.getincrementaldecoder(self.encoding)()
        self._ahead = self._decoded(head[len(mark) :], last=False)
        self._breaks = self._returns = self._pairs = 0
        self._last = b""
        self.closed = False

    def read(self, size: int) -> bytes:
        """About so many bytes; none at the end. Raises `CannotLook` for bytes that a declared encoding has not."""
        while True:
            chunk = self._file.read(size)
            data, self._ahead = self._ahead + self._decoded(chunk, last=not chunk), b""
            if data or not chunk:
                self._count(data)
                return data

    def close(self) -> None:
        """Close the file below."""
        self._file.close()
        self.closed = True

    @property
    def lines(self) -> int:
        """The lines that went by, whatever ends them; a last one without an end counts."""
        ends = self._breaks + self._returns - self._pairs
        return ends + (self._last not in (b"", b"\n", b"\r"))

    def _decoded(self, data: bytes, *, last: bool) -> bytes:
        if self._decoder is None:
            return data
        try:
            return self._decoder.decode(data, final=last).encode("utf-8", "surrogatepass")
        except UnicodeError:
            raise CannotLook(
                f"is not of the encoding {self.encoding}",
                where=self._name,
                hint="say which it has: `reading: {encoding: ...}`",
            ) from None

    def _count(self, data: bytes) -> None:
        self._breaks += data.count(b"\n")
        returns = data.count(b"\r")
        if returns or self._last == b"\r":
            self._returns += returns
            self._pairs += (self._last + data).count(b"\r\n")
        self._last = data[-1:] or self._last


def _known(declared: str, name: str) -> str:
    try:
        found = codecs.lookup(declared).name
        "".encode(found)  # a codec that is none of text refuses
    except LookupError:
        raise CannotLook(f"no encoding is called {declared!r}", where=name, hint="for example latin-1") from None
    return found
