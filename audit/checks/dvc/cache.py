"""`dvc.cache`: what the cache would check out is what its names say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Annotated

import msgspec

from audit.facts.dvc_cache import CacheContents, DvcCache, Needed, Object, Scope
from audit.records.check import Check, Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.repairs import gathered
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
    would only spread it. If the workspace is as recorded, `dvc commit` puts a whole
    object into the cache; if not, `dvc fetch` brings it, if the remote has it. Where no
    remote has it, restore it from a backup, or add the data again from its source.
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
        damaged = [found for found in cache.objects if found.content.digest and not found.whole]
        there = {found.path for found in cache.objects}
        holders = {one.path: one for one in reversed(cache.needed)}
        missing = [one for path, one in sorted(holders.items()) if path not in there]
        found = [
            *(_damaged(cache, each, holders.get(each.path)) for each in damaged),
            *(_missing(cache, one) for one in missing),
            *_unlisted(cache, {one.of for one in missing}),
        ]
        yield from gathered(gathered(found, ("dvc fetch ",), plain=True), ("dvc commit ",))
        for each in cache.objects:
            if each.content.problem:
                yield _unseen(f"cache:{each.path}", "unreadable", each.content.problem)
        yield Figure(name="objects", value=len(cache.objects))
        yield Summary(text=_told(cache, len(damaged), len(missing)))


def _unlisted(cache: CacheContents, missing: AbstractSet[str]) -> Iterator[Violation]:
    for folder in cache.unlisted:
        if folder.output not in missing:
            yield _unseen(folder.output, "unlisted", folder.reason, _fetch(cache, folder.stage))


def _unseen(subject: str, kind: str, message: str, repair: str | None = None) -> Violation:
    return Violation(subject=subject, kind=kind, message=message, repair=repair, unseen=True)


def _damaged(cache: CacheContents, found: Object, holder: Needed | None) -> Violation:
    what = f"; it stands for {holder.of}" if holder else ""
    drop = f"rm -f {pathname(f'{cache.folder}/{found.path}')}"
    anew = _anew(cache, holder) if holder else None
    return Violation(
        subject=f"cache:{found.path}",
        kind="damaged",
        message=f"its content is not what its name says{what}; do not check out before it is replaced",
        expected=found.hex,
        found=found.content.digest.hex if found.content.digest else None,
        repair=f"{drop} && {anew}" if anew else drop,
        change=found.content.change,
    )


def _missing(cache: CacheContents, one: Needed) -> Violation:
    return Violation(
        subject=f"cache:{one.path}",
        kind="missing",
        message=f"not in the cache; it stands for {one.of}{_elsewhere(cache, one)}",
        expected=one.hex,
        repair=_anew(cache, one),
    )


def _elsewhere(cache: CacheContents, one: Needed) -> str:
    if _is_committable(cache, one):
        return ", which is in the workspace as recorded"
    return "; the remote may have it" if cache.has_remote else "; no remote is set"


def _is_committable(cache: CacheContents, one: Needed) -> bool:
    return one.algorithm == "md5" and one.stage in cache.committable


def _anew(cache: CacheContents, one: Needed) -> str | None:
    """Take it from the workspace only if that is as recorded; without `--force` DVC refuses what is not."""
    return f"dvc commit {pathname(one.stage)}" if _is_committable(cache, one) else _fetch(cache, one.stage)


def _fetch(cache: CacheContents, stage: str) -> str | None:
    """A try: what the remote has is for `dvc.remote` to say."""
    return f"dvc fetch {pathname(stage)}" if cache.has_remote else None


def _told(cache: CacheContents, damaged: int, missing: int) -> str:
    total = f"{len(cache.objects):,} object{'s' if len(cache.objects) != 1 else ''}"
    if damaged or missing:
        return f"of {total} {damaged:,} damaged, {missing:,} needed ones missing"
    return f"{total} hold what their names say"
