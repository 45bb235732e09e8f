"""Headers of clips, from bytes as a file would hold them."""

from audit.formats.audio import header as formats
from audit.records.audio import Header

HEAD = 4096


def read(data: bytes, size: int | None = None) -> Header:
    """The header of these bytes; `size` is that of the file, where more follows that nobody reads."""
    return formats.header(data[:HEAD], len(data) if size is None else size, lambda at, count: data[at : at + count])


def told(data: bytes, size: int | None = None) -> tuple:
    """Container, subtype, rate, channels, bits and frames."""
    found = read(data, size)
    form = found.format
    return form.container, form.subtype, form.sample_rate_hz, form.channels, form.bits, found.frames


def faults(data: bytes, size: int | None = None) -> list[str]:
    """The kind of each fault."""
    return [fault.kind for fault in read(data, size).faults]
