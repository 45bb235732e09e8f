"""What is said of one file's content: from what was recorded, what was remembered, and what was read. Pure."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from audit.records.digests import Digest, Seen, Stamp
from audit.records.words import Change


class How(StrEnum):
    """Where a digest comes from."""

    READ = "read"
    TRUSTED = "trusted"


class Wanted(msgspec.Struct, frozen=True, gc=False):
    """A wish to know a file's digest.

    `hex` is the digest that was recorded, if any was. `stamp` is what a listing of its
    folder just said of the file; without it, the file is looked at once more.
    """

    algorithm: str
    hex: str = ""
    stamp: Stamp | None = None


class FileContent(msgspec.Struct, frozen=True, gc=False):
    """What a file holds. Either `digest` or `problem` is there; a problem completes the sentence "it ...".

    `change` is there if the digest is not the recorded one. `collides` says that it is
    the recorded one, while the file's BLAKE3 is not that of the content which this
    machine knows under this digest: two contents, one digest, and never by accident.
    """

    digest: Digest | None
    size: int = 0
    how: How = How.READ
    blake3: str = ""
    change: Change | None = None
    problem: str = ""
    collides: bool = False


def trusted(wish: Wanted, seen: Seen) -> FileContent:
    """What was seen before, taken for what is there now."""
    changed = None if seen.hex == wish.hex else change(wish, seen, seen.stamp, seen.hex)
    return FileContent(
        Digest(algorithm=seen.algorithm, hex=seen.hex), seen.stamp.size, How.TRUSTED, seen.blake3, changed
    )


def change(wish: Wanted, before: Seen | None, stamp: Stamp, hexed: str) -> Change | None:
    """How a file came to differ from its record (`Change`); None if it does not, or if there is no record.

    A file that holds what it held when it was last seen keeps the word of then. If it
    was as recorded then, it is the record that changed, and the file merely `differs`.
    """
    if wish.hex == hexed or not wish.hex:
        return None
    return since(before, stamp, hexed) or Change.DIFFERS


def since(before: Seen | None, stamp: Stamp, hexed: str) -> Change | None:
    """How a file came to hold something else than when it was last seen; None if it does not, or never was.

    A reader that has no record remembers this, so that one with a record, which comes later, can still tell.
    """
    if before is None:
        return None
    if before.hex == hexed:
        return before.change
    if before.stamp != stamp:
        return Change.EDITED
    return Change.ROTTED if before.settled else Change.STALE
