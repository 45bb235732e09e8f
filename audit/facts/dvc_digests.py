"""By which digest DVC records each file, whatever the file holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.errors import CannotLook, FormatError
from audit.facts.dvc import DvcProject
from audit.facts.dvc_listing import recorded_members
from audit.records.check import Request
from audit.records.context import Context
from audit.records.digests import Digest

ALGORITHMS = frozenset({"md5", "md5-dos2unix"})


class DvcDigests(Request[Mapping[str, Digest]]):
    """The recorded MD5 of the files that DVC tracks in the project at `root` (absolute), by path relative to it.

    Empty where there is no DVC, or where its files cannot be read: this is for those
    who gain by knowing, not for those who must know.
    """

    root: str

    def collect(self, ctx: Context) -> Mapping[str, Digest]:
        """All outputs that are files, and the members of those that are folders."""
        try:
            return dict(self._all(ctx))
        except (CannotLook, FormatError):
            return {}

    def _all(self, ctx: Context) -> Iterator[tuple[str, Digest]]:
        dvc = ctx.get(DvcProject(root=self.root))
        if dvc is None:
            return
        for output in dvc.outputs:
            algorithm = output.digest.algorithm if output.digest else "md5"
            if algorithm in ALGORITHMS:
                for member, hexed in (recorded_members(ctx, dvc, output).members or {}).items():
                    if hexed:
                        yield (
                            f"{output.path}/{member}" if member else output.path,
                            Digest(algorithm=algorithm, hex=hexed),
                        )
