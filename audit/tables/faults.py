"""What the table libraries raise, in words a person can act on."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from audit.errors import AuditError, CannotLook

_LONGEST = 200
_OURS = ("polars", "pyarrow", "pyo3_runtime", "_lzma")


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Turn what a library raises over the file `name` into `CannotLook`."""
    try:
        yield
    except AuditError:
        raise
    except BaseException as error:
        if not isinstance(error, OSError | ValueError | MemoryError | EOFError) and not foreign(error):
            raise
        raise refusal(error, name) from None


def foreign(error: BaseException) -> bool:
    """Whether a table library raised it; a panic of one in Rust is no `Exception`."""
    return type(error).__module__.partition(".")[0] in _OURS


def refusal(error: BaseException, name: str) -> CannotLook:
    """The reason in one bounded line."""
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return CannotLook("the scratch folder is full", where=name, hint="let TMPDIR name a folder with more room")
    if type(error).__name__ == "DuplicateError":
        return CannotLook(_line(error), where=name, hint="give each column a name of its own")
    return CannotLook(f"cannot be read as a table: {_line(error)}", where=name, hint="get the file again, or mend it")


def _line(error: BaseException) -> str:
    said = str(error).strip().partition("\n")[0][:_LONGEST] or type(error).__name__
    return said[0].lower() + said[1:]
