"""`dvc.cache`: what the cache would check out is what its names say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

import msgspec

from audit.facts.dvc_cache import CacheContents, DvcCache, Needed, Object, Scope
from audit.records.check import Check, Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.shell import pathname


class Cache(Check):
    """Every object in DVC's cache holds what its name says, and none that is needed is missing.

    Reads the objects of the local cache and compares each content's MD5 with the
    object's name. For every cached output the object itself, a folder's listing and
    each file that the listing names must be there.

    ## Why it matters

    DVC takes a read-only object for unchanged. One that was edited through a hard
    link, or damaged on disk, is checked out into the next workspace without a word,
    and compared with that workspace it looks right.

    ## Example

    ```yaml
    rules:
      - id: cache-whole
        check: dvc.cache
        with: {scope: all}
        on: [nightly]
    ```

    ## How to fix

    A damaged object must be removed before anything is checked out: `dvc checkout`
    would only spread it. Then `dvc fetch` brings a whole one from the remote. Where
    no remote has it, restore it from a backup, or add the data again from its source.
    """

    scope: Annotated[
        Scope, msgspec.Meta(description="`all` objects in the cache, or those `referenced` by the project's outputs.")
    ] = "all"

    def needs(self, project: Project) -> Mapping[str, Request[CacheContents]]:
        """The cache, read."""
        return {"cache": DvcCache(root=project.root, scope=self.scope)}

    def evaluate(self, cache: CacheContents) -> Iterator[Finding]:
        """One violation an object that is damaged, missing or unreadable."""
        for problem in cache.problems:
            yield _unseen(problem.file, "unparsed", str(problem))
        holders = {one.path: one for one in reversed(cache.needed)}
        damaged = [found for found in cache.objects if found.content.digest and found.content.digest.hex != found.hex]
        there = {found.path for found in cache.objects}
        missing = [one for path, one in sorted(holders.items()) if path not in there]
        for found in damaged:
            yield _damaged(cache, found, holders.get(found.path))
        for found in cache.objects:
            if found.content.problem:
                yield _unseen(f"cache:{found.path}", "unreadable", found.content.problem)
        for one in missing:
            yield _missing(cache, one)
        for folder in cache.unlisted:
            if not any(one.of == folder.output for one in missing):
                yield _unseen(folder.output, "unlisted", folder.reason, _fetch(cache, folder.stage))
        yield Figure(name="objects", value=len(cache.objects))
        yield Summary(text=_told(cache, len(damaged), len(missing)))


def _unseen(subject: str, kind: str, message: str, repair: str | None = None) -> Violation:
    return Violation(subject=subject, kind=kind, message=message, repair=repair, unseen=True)


def _damaged(cache: CacheContents, found: Object, holder: Needed | None) -> Violation:
    what = f"; it stands for {holder.of}" if holder else ""
    drop = f"rm -f {pathname(f'{cache.folder}/{found.path}')}"
    return Violation(
        subject=f"cache:{found.path}",
        kind="damaged",
        message=f"its content is not what its name says{what}; do not check out before it is replaced",
        expected=found.hex,
        found=found.content.digest.hex if found.content.digest else None,
        repair=f"{drop} && {_fetch(cache, holder.stage)}" if holder and cache.has_remote else drop,
        change=found.content.change,
    )


def _missing(cache: CacheContents, one: Needed) -> Violation:
    return Violation(
        subject=f"cache:{one.path}",
        kind="missing",
        message=f"not in the cache; it stands for {one.of}",
        expected=one.hex,
        repair=_fetch(cache, one.stage),
    )


def _fetch(cache: CacheContents, stage: str) -> str | None:
    """Only the remote can give an object back: what the workspace holds is not known to be right."""
    return f"dvc fetch {pathname(stage)}" if cache.has_remote else None


def _told(cache: CacheContents, damaged: int, missing: int) -> str:
    total = f"{len(cache.objects):,} object{'s' if len(cache.objects) != 1 else ''}"
    if damaged or missing:
        return f"of {total} {damaged:,} damaged, {missing:,} needed ones missing"
    return f"{total} hold what their names say"
