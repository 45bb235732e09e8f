"""Commands that mend a work tree: one for all paths alike, and none that could lose work or commit damage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from audit.facts.git_worktree import Difference, Way, Worktree
from audit.records.shell import pathname, pathspec, word

LIMIT = 20
"""Paths in one command; for more a person should choose."""

_RECORDED = {Way.CHANGED, Way.MODE, Way.TYPE, Way.STAGED}
_WRITABLE = {"file", "link"}
_NOTHING = "nothing"


def mending(worktree: Worktree, named: Iterable[str], place: str) -> Mapping[tuple[str, str], str]:
    """The command for each (path, kind) of those `named` in a work tree that lies at `place`, where one is known.

    Paths are as the work tree gives them. What belongs to Git LFS is not committed from
    here: only `lfs.content` knows whether it is content. In a submodule nothing is committed,
    for its HEAD is as a rule on no branch; nor while a merge waits, when Git refuses paths.
    """
    wanted = set(named)
    found = [each for each in worktree.differences if each.path in wanted]
    commands = {
        **_each(_restored(found), _git("restore --", place)),
        **_each(_kinds(found, Way.UNDECIDABLE), _git("status --", place)),
    }
    for flag in ("assume-unchanged", "skip-worktree"):
        command = _git(f"update-index --no-{flag} --", place)
        commands |= _each([(each.path, each.way) for each in found if each.flag == flag], command, word)
    if not place and not worktree.under_way:
        commands |= _record(found, [name for name in worktree.untracked if name in wanted], worktree)
    return commands


def _restored(found: Sequence[Difference]) -> list[tuple[str, str]]:
    """Missing files, staged or not; what a hiding bit marks has its own command."""
    missing = {each.path for each in found if each.way is Way.MISSING and not each.flag}
    return [(each.path, each.way) for each in found if each.path in missing and each.way in {Way.MISSING, Way.STAGED}]


def _kinds(found: Iterable[Difference], way: Way) -> list[tuple[str, str]]:
    return [(each.path, each.way) for each in found if each.way is way and not each.flag]


def _record(found: Sequence[Difference], untracked: Iterable[str], worktree: Worktree) -> dict[tuple[str, str], str]:
    """Add and commit these paths alone, whatever else is staged."""
    kept = worktree.in_lfs | {each.path for each in found if not _recordable(each)}
    keys = [(each.path, str(each.way)) for each in found if each.path not in kept]
    keys += [(name, "untracked") for name in untracked if not name.endswith("/") and name not in kept]
    paths = " ".join(pathspec(path) for path in sorted({path for path, _ in keys}))
    command = f"git add -- {paths} && git commit -m 'Record what changed' -- {paths}"
    return dict.fromkeys(keys, command) if len({path for path, _ in keys}) <= LIMIT else {}


def _recordable(found: Difference) -> bool:
    """Whether `git add` takes it as it is: no pipe or folder, nothing that is gone, nothing that is hidden."""
    if found.flag or found.way not in _RECORDED:
        return False
    return found.found in _WRITABLE if found.way is Way.TYPE else found.found != _NOTHING


def _each(
    keys: Sequence[tuple[str, str]], command: str, quote: Callable[[str], str] = pathspec
) -> dict[tuple[str, str], str]:
    paths = sorted({path for path, _ in keys})
    if len(paths) > LIMIT:
        return {}
    words = " ".join(quote(path) for path in paths)
    return {(path, str(kind)): f"{command} {words}" for path, kind in keys}


def _git(rest: str, place: str) -> str:
    return f"git -C {pathname(place.rstrip('/'))} {rest}" if place else f"git {rest}"
