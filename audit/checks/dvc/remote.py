"""`dvc.remote`: a fresh clone could pull everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Annotated

from msgspec import Meta

from audit.facts.dvc_cache import Needed
from audit.facts.dvc_remote import DvcRemotes, Remotes, RemoteState
from audit.records.check import Check, Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.repairs import gathered
from audit.records.shell import pathname, word


class Remote(Check):
    """Every object that the project needs is on its DVC remote.

    Asks each remote, through DVC's own library and with its credentials, for every
    object of every output that is pushed: a file's own, a folder's listing, and each
    file that the listing names. The members come from the local listing: that the
    listing itself is on the remote proves nothing. A remote that cannot be reached, or
    refuses, is an `error` with its reason, within `timeout_s`.

    ## Why it matters

    An interrupted push leaves a folder's listing on the remote and some of its files
    off it. `dvc status --cloud` then says that all is in sync, and months later a
    colleague's clone cannot pull what a paper was trained on.

    ## Example

    ```yaml
    rules:
      - id: pushed
        check: dvc.remote
        with: {timeout_s: 120}
        on: [nightly]
    ```

    ## How to fix

    Run the command that the report names: `dvc push` for the stage, or, where the
    folder's listing is on the remote and `dvc push` therefore sees nothing to do, one
    that adds what the listing names. If the local cache lacks the object too, look for it
    in another clone's cache or add the data again.
    """

    remote: Annotated[str, Meta(description="The one remote to ask; left out, each output's own.")] = ""
    timeout_s: Annotated[int, Meta(ge=1, le=86400, description="Seconds that each remote has to answer.")] = 60

    def needs(self, project: Project) -> Mapping[str, Request[Remotes]]:
        """What the remotes lack."""
        return {"remotes": DvcRemotes(root=project.root, only=self.remote, timeout_s=self.timeout_s)}

    def evaluate(self, remotes: Remotes) -> Iterator[Finding]:
        """One violation an object that is not there; one that could not be asked for is no pass."""
        for problem in remotes.problems:
            yield Violation(subject=problem.file, kind="unparsed", message=str(problem), unseen=True)
        for state in remotes.states:
            plain = not state.uncached
            yield from gathered(_judged(state), (_push(state, ""),), plain=plain)
        yield from gathered(_unlisted(remotes), ("dvc fetch ",), plain=True)
        for name in remotes.homeless:
            yield Violation(
                subject=name,
                kind="no-remote",
                message="no remote is set, so nobody else can get it",
                repair="dvc remote add -d NAME URL",
            )
        yield Figure(name="objects", value=sum(state.asked for state in remotes.states))
        yield Summary(text="; ".join(map(_told, remotes.states)) or "nothing is pushed")


def _unlisted(remotes: Remotes) -> Iterator[Violation]:
    """The listing may be on the remote, unless that is known to lack it."""
    lacking = {one.of for state in remotes.states for one in state.missing}
    for folder in remotes.unlisted:
        yield Violation(
            subject=folder.output,
            kind="unlisted",
            message=f"cannot enumerate its files: {folder.reason}",
            repair=None if folder.output in lacking else f"dvc fetch {pathname(folder.stage)}",
            unseen=True,
        )


def _judged(state: RemoteState) -> Iterator[Violation]:
    if state.error is not None:
        yield Violation(subject=f"remote:{state.name}/", kind="unreachable", message=state.error, unseen=True)
    absent = {one.oid for one in state.missing}
    lost = {one.listing for one in state.missing if one.path in state.uncached and not _is_committable(state, one)}
    for one in state.missing:
        listed = one.algorithm == "md5" and bool(one.listing) and one.listing not in absent
        yield _missing(state, one, listed=listed, lost=lost)


def _missing(state: RemoteState, one: Needed, *, listed: bool, lost: AbstractSet[str]) -> Violation:
    told = f"not on the remote; it stands for {one.of}"
    repair: str | None = _sent(state, one, listed=listed)
    if one.path in state.uncached:
        told = f"not on the remote, nor in the local cache; it stands for {one.of}"
        repair = f"dvc commit {pathname(one.stage)} && {repair}" if _is_committable(state, one) else None
    elif listed and one.listing in lost:
        told += "; the local cache lacks other files of its folder"
        repair = None
    if listed and repair:
        told += "; `dvc push` does not look beyond the listing that is there"
    return Violation(
        subject=f"remote:{state.name}/{one.path}", kind="missing", message=told, expected=one.hex, repair=repair
    )


def _is_committable(state: RemoteState, one: Needed) -> bool:
    return one.algorithm == "md5" and one.stage in state.committable


def _sent(state: RemoteState, one: Needed, *, listed: bool) -> str:
    """The command that sends what the cache has; a listing that promises too much goes first, where that is simple."""
    if not listed:
        return _push(state, one.stage)
    if not state.folder:
        return _send(state.name, one.listing)
    listing = f"{state.folder}/files/md5/{one.listing[:2]}/{one.listing[2:]}"
    return f"rm -f {pathname(listing)} && {_push(state, one.stage)}"


def _push(state: RemoteState, stage: str) -> str:
    return f"dvc push -r {word(state.name)} {pathname(stage) if stage else ''}"


_SEND = (
    "import json; from dvc.repo import Repo; r = Repo(); c = r.cache.local; o = r.cloud.get_remote_odb({remote!r}); "
    "h = [f['md5'] for f in json.load(open(c.oid_to_path({listing!r})))]; o.add([c.oid_to_path(x) for x in h], c.fs, h)"
)


def _send(remote: str, listing: str) -> str:
    """Add what a listing names and the remote lacks; `dvc push` does not look beyond a listing that is there.

    Source: `_indexed_dir_hashes` in `dvc_data/hashfile/status.py`, `ObjectDB.add` in `dvc_objects/db.py`.
    """
    return f"python -c {word(_SEND.format(remote=remote, listing=listing))}"


def _told(state: RemoteState) -> str:
    if state.error is not None:
        return f"{state.name}: not reached"
    objects = f"{state.asked:,} object{'s' if state.asked != 1 else ''}"
    if state.missing:
        return f"{state.name}: {len(state.missing):,} of {objects} missing"
    return f"{state.name} has all {objects}"
