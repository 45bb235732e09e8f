"""Which interpreter a command line runs: its own first word, or the one that a script names in its first line."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path, PurePath

from audit.errors import CannotLook
from audit.records.door import Door, EntryType

_PYTHON = re.compile(r"(python|pypy)[0-9.]*(\.exe)?$", re.IGNORECASE)
_HEAD = 4096
_WRAPPED = re.compile(rb"^'''exec' (\"?)(?P<path>/[^\"\n]+?)\1 \"\$0\"", re.MULTILINE)
"""What pip writes where a path is too long, or has spaces, for the first line of a script."""


def interpreter_of(host: Door, command: Sequence[str]) -> str | None:
    """The absolute path of the interpreter that runs the command; None if the command does not say."""
    program = _located(host, command[0])
    if program is None:
        return None
    if _PYTHON.search(program):
        return program
    return _named(host, _head(host, program))


def _located(host: Door, word: str) -> str | None:
    folders = [""] if "/" in word else (host.variable("PATH") or os.defpath).split(os.pathsep)
    places = (str(Path(folder, word).absolute()) for folder in folders)
    return next((place for place in places if _executable(host, place)), None)


def _executable(host: Door, path: str) -> bool:
    entry = host.look(host.resolve(path))
    return entry is not None and entry.type is EntryType.FILE and entry.executable


def _head(host: Door, program: str) -> bytes:
    try:
        return host.peek(host.resolve(program), _HEAD).data
    except CannotLook:
        return b""


def _named(host: Door, head: bytes) -> str | None:
    """The interpreter of a script's first line, through `env` too, or of pip's wrapper in the shell."""
    if not head.startswith(b"#!"):
        return None
    wrapped = _WRAPPED.search(head)
    words = [os.fsdecode(wrapped["path"])] if wrapped else os.fsdecode(head[2:].split(b"\n", 1)[0]).split()
    if len(words) > 1 and PurePath(words[0]).name == "env":
        words = [word for word in words[1:] if word != "-S"]
    return _located(host, words[0]) if words and _PYTHON.search(words[0]) else None
