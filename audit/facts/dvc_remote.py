"""What DVC's remotes lack of what the project needs: what a colleague's fresh clone could not pull."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from importlib.util import find_spec

from msgspec.structs import replace

from audit.errors import CannotLook, MissingExtra
from audit.facts.dvc import Dvc, Problem
from audit.facts.dvc_cache import Needed, Unlisted, needed, unlisted
from audit.facts.dvc_workspace import known, stages_as_recorded
from audit.facts.links import typed
from audit.facts.processes.ask import ask
from audit.facts.processes.dvc_remote import Answer, Ask, Question
from audit.formats.dvc.output import Output
from audit.formats.dvc.stage import Stage
from audit.formats.urls import public_text
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context


class RemoteState(Record):
    """One remote: how many objects were asked for, which it lacks, or why it could not be asked.

    `folder` is where it lies if it is a folder on this machine, as typed in the
    project's folder. `uncached` are the paths of missing objects that the local cache
    lacks as well; `committable` are then the stages whose outputs are in the workspace
    as recorded.
    """

    name: str
    asked: int
    missing: tuple[Needed, ...] = ()
    error: str | None = None
    folder: str = ""
    uncached: frozenset[str] = frozenset()
    committable: frozenset[str] = frozenset()


class Remotes(Record):
    """All remotes that outputs go to, in the order of their names; folders whose files nobody knows."""

    states: tuple[RemoteState, ...]
    unlisted: tuple[Unlisted, ...] = ()
    homeless: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


class DvcRemotes(Request[Remotes]):
    """The remotes of the DVC project in the folder `root` (absolute), asked within `timeout_s` seconds.

    `only` is the one remote to ask, "" for each output's own.
    """

    root: str
    only: str = ""
    timeout_s: int = 60

    def collect(self, ctx: Context) -> Remotes:
        """List what each remote must have, and ask DVC which of it is there."""
        dvc = known(ctx, self.root)
        if find_spec("dvc") is None:
            raise MissingExtra("dvc", "DVC, whose remotes are to be asked,")
        default = dvc.config.remote or ""
        wanted: defaultdict[str, set[Needed]] = defaultdict(set)
        outputs = [out for stage in dvc.stages if not _from_repository(stage) for out in stage.outs if _is_pushed(out)]
        for output in outputs:
            wanted[self.only or output.remote or default].update(needed(ctx, dvc, output))
        homeless = tuple(sorted(one.of for one in wanted.pop("", set())))
        return Remotes(
            states=tuple(_at_hand(ctx, dvc, self.root, each) for each in _asked(ctx, dvc.root, wanted, self.timeout_s)),
            unlisted=tuple(one for output in outputs for one in unlisted(ctx, dvc, output)),
            homeless=homeless,
            problems=dvc.problems,
        )


def _from_repository(stage: Stage) -> bool:
    """What `dvc import` took is pulled from where it was taken: `dvc push` leaves it out (`dvc/repo/fetch.py`)."""
    return stage.imported and stage.deps[0].repository is not None


def _is_pushed(output: Output) -> bool:
    return output.cache and output.push and output.digest is not None and not output.external


def _asked(ctx: Context, root: str, wanted: Mapping[str, set[Needed]], timeout_s: int) -> tuple[RemoteState, ...]:
    """One process a remote, so that one that hangs costs no other its answer."""
    return tuple(_ask(ctx, root, name, sorted(objects), timeout_s) for name, objects in sorted(wanted.items()))


def _ask(ctx: Context, root: str, name: str, objects: list[Needed], timeout_s: int) -> RemoteState:
    question = Question(root, (Ask(name, _by_algorithm(objects)),))
    try:
        (answer,) = ask(ctx.host, "dvc_remote", question, tuple[Answer], timeout_s)
    except CannotLook as error:
        return RemoteState(name=name, asked=len(objects), error=public_text(error.what))
    finally:
        ctx.progress.advance()
    if answer.error is not None:
        return RemoteState(name=name, asked=len(objects), error=public_text(answer.error))
    lacking = {(algorithm, oid) for algorithm, oids in answer.missing.items() for oid in oids}
    return RemoteState(
        name=name, asked=len(objects), missing=tuple(one for one in objects if (one.algorithm, one.oid) in lacking)
    )


def _at_hand(ctx: Context, dvc: Dvc, root: str, state: RemoteState) -> RemoteState:
    """What this machine has of that which the remote lacks; the workspace is read only if the cache lacks it too."""
    cache, url = dvc.config.cache.folder, dvc.config.urls.get(state.name.lower(), "")
    uncached = frozenset(one.path for one in state.missing if ctx.host.look(f"{cache}/{one.path}") is None)
    return replace(
        state,
        folder=typed(root, url) if url.startswith("/") else "",
        uncached=uncached,
        committable=stages_as_recorded(ctx, root) if uncached else frozenset(),
    )


def _by_algorithm(objects: Iterable[Needed]) -> dict[str, tuple[str, ...]]:
    grouped: defaultdict[str, set[str]] = defaultdict(set)
    for one in objects:
        grouped[one.algorithm].add(one.oid)
    return {algorithm: tuple(sorted(oids)) for algorithm, oids in sorted(grouped.items())}
