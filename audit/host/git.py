"""Git plumbing that runs nothing of the repository's."""

from __future__ import annotations

import os

from audit.host import process
from audit.records.door import Completed

_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "credential.helper": "",
    "diff.external": "",
    "gc.auto": "0",
}


def git(folder: str, *args: str, timeout_s: float = 60, stdin: bytes = b"") -> Completed:
    """One command of git in a folder."""
    settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
    words = ["git", "--no-optional-locks", "--no-pager", *settings, *args]
    return process.run(words, cwd=folder, timeout_s=timeout_s, env=_environment(), stdin=stdin)


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "", "GIT_ASKPASS": ""}
