"""What is recorded of an output, member by member: from its listing in the cache, or from its DVC file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from audit.errors import CannotLook, FormatError
from audit.facts.dvc import Dvc
from audit.formats.dvc import listing
from audit.formats.dvc.output import Output
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context


class Recorded(Record):
    """Members with their hex digest, "" for an output that is a file; None, and why, if the listing cannot be had.

    `unsafe` are listed paths that must not be opened, each with the reason.
    """

    members: Mapping[str, str] | None = None
    unsafe: Mapping[str, str] = {}
    problem: str | None = None


class DvcListing(Request[Recorded]):
    """The listing at `path` in the cache (absolute), whose content has the MD5 `hex` if it is whole."""

    path: str
    hex: str

    def collect(self, ctx: Context) -> Recorded:
        """Read it, and believe it only if its own digest is right."""
        if ctx.host.look(self.path) is None:
            return Recorded(problem="its listing is not in the cache")
        try:
            data = ctx.host.read(self.path, listing.LIMIT)
            if hashlib.md5(data, usedforsecurity=False).hexdigest() != self.hex:
                return Recorded(problem="its listing in the cache is damaged")
            return _members(listing.parse(data, self.path))
        except (CannotLook, FormatError) as error:
            return Recorded(problem=f"its listing in the cache cannot be read: {error.what}")


def recorded_members(ctx: Context, dvc: Dvc, output: Output) -> Recorded:
    """What is recorded of the output."""
    if output.files is not None:
        lines = (listing.Line(path=member.path, hex=member.hex or "") for member in output.files)
        return _members(listing.of(lines))
    if output.digest is None:
        return Recorded(problem="nothing is recorded of it")
    if not output.is_dir:
        return Recorded(members={"": output.digest.hex})
    path = dvc.config.cache.object(output.digest.algorithm, output.digest.hex, is_dir=True)
    return ctx.get(DvcListing(path=path, hex=output.digest.hex))


def _members(found: listing.Listing) -> Recorded:
    return Recorded(
        members={line.path: line.hex for line in found.lines}, unsafe={bad.path: bad.reason for bad in found.unsafe}
    )
