"""The commands that bring an output back as it was recorded."""

from __future__ import annotations

from audit.facts.dvc_workspace import Kept, OutputState
from audit.records.shell import pathname

_DROPPED = 20


def is_source(state: OutputState) -> bool:
    """Whether no stage makes it: what a `.dvc` file alone records."""
    return state.output.stage.endswith(".dvc")


def get(state: OutputState, before: str = "") -> str | None:
    """The command that brings the recorded content back, from the cache only if that holds it whole."""
    if not state.output.cache:
        return f"{before}dvc repro {state.target}"
    worth = {backup.worth for backup in state.backups.values()}
    if worth == {Kept.WHOLE}:
        return f"{before}dvc checkout --force {state.target}"
    if state.pullable:
        return f"{_drop_damaged(state)}{before}dvc pull --force {state.target}"
    return None if is_source(state) else f"{_drop_damaged(state)}{before}dvc repro {state.target}"


def get_anew(state: OutputState) -> str | None:
    """The same for what is there: DVC looks at content only where a time or a size moved, and damage moves neither."""
    place = pathname(state.output.path)
    return get(state, f"find {place} -type f -exec touch {{}} + && " if state.output.is_dir else f"touch {place} && ")


def _drop_damaged(state: OutputState) -> str:
    """A damaged object would be checked out again: it goes first, the remote's takes its place."""
    damaged = sorted(pathname(backup.path) for backup in state.backups.values() if backup.worth is Kept.DAMAGED)
    return f"rm -f {' '.join(damaged[:_DROPPED])} && " if damaged else ""
