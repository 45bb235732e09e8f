"""Which tools keep data beside a Git repository: those that it is set up for."""

from __future__ import annotations

import posixpath

from audit.errors import CannotLook
from audit.facts.dvc import find_root
from audit.facts.git import GitRepository
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context

_LIMIT = 1 << 20


class Keepers(Record):
    """Whether the folder lies in a DVC repository, and whether the top's `.gitattributes` sends files to Git LFS."""

    dvc: bool
    lfs: bool


class GitKeepers(Request[Keepers]):
    """What keeps data for the repository that holds `folder` (absolute). A cheap look at two names."""

    folder: str

    def collect(self, ctx: Context) -> Keepers:
        """Look for DVC's folder within the work tree, and into the attributes."""
        top = ctx.get(GitRepository(folder=self.folder)).top
        root = find_root(ctx.host, ctx.host.resolve(self.folder))
        dvc = root is not None and f"{root}/".startswith(f"{top}/")
        return Keepers(dvc=dvc, lfs=b"filter=lfs" in _attributes(ctx, top))


def _attributes(ctx: Context, top: str) -> bytes:
    try:
        return ctx.host.read(posixpath.join(top, ".gitattributes"), _LIMIT)
    except CannotLook:
        return b""
