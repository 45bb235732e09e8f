"""Git plumbing that runs nothing of the repository's.

A repository can name programs in many places: its configuration, its attributes,
its hooks, its submodules. Four walls stand between them and us, each enough for
most of it:

1. Only commands that need none of these programs are let through (`PLUMBING`).
   `status`, `diff`, `log` are not among them: they run filters, `textconv` and
   submodules' own commands.
2. What could still be run is overridden on the command line, which outranks
   every configuration file (`_OFF`).
3. No transport is allowed, so that nothing is fetched on the side (a partial
   clone does, for a missing object): `GIT_ALLOW_PROTOCOL` outranks `protocol.*`.
4. `hash-object`, the one command that may apply filters, gets each driver that
   any configuration file defines overridden by none.

The user's and the system's configuration are read, as the user's own Git reads
them: `safe.directory`, `core.excludesFile` and `core.autocrlf` live there, and
they belong to the auditor's own environment, which is trusted. Variables that
name a repository (`GIT_DIR`, `GIT_INDEX_FILE`, ...) are not handed on: inside a
hook they would point elsewhere than the folder that is asked about.

Sources: git-config(1), git(1) "Environment Variables", gitattributes(5).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping

from audit.errors import CannotLook
from audit.host import process
from audit.records.door import Completed

PLUMBING = frozenset(
    {
        "cat-file",
        "check-attr",
        "check-ignore",
        "config",
        "for-each-ref",
        "hash-object",
        "ls-files",
        "ls-remote",
        "ls-tree",
        "rev-list",
        "rev-parse",
        "symbolic-ref",
        "version",
    }
)
"""The commands that may be asked. What a project says (names, revisions) goes in behind `--` or by standard input."""

_CONVERTING = frozenset({"--filters", "--textconv"})

_OFF = {
    "core.alternateRefsCommand": "true",  # a command that says nothing; an empty one would run the path it is given
    "core.askPass": "",
    "core.editor": "false",
    "core.fsmonitor": "false",
    "core.gitProxy": "",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.sshCommand": "false",
    "core.untrackedCache": "false",
    "credential.helper": "",
    "diff.external": "",
    "gc.auto": "0",
    "gpg.program": "false",
    "gpg.ssh.program": "false",
    "gpg.x509.program": "false",
    "log.showSignature": "false",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
    "uploadpack.packObjectsHook": "",
}

_QUIET = {
    "GIT_ASKPASS": "",
    "GIT_EDITOR": "false",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "SSH_ASKPASS_REQUIRE": "never",
}

_KEPT = re.compile(
    r"GIT_CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|GIT_CEILING_DIRECTORIES|GIT_DISCOVERY_ACROSS_FILESYSTEM"
)
_KEPT_FOR_REMOTES = re.compile(rf"{_KEPT.pattern}|GIT_SSH(_COMMAND|_VARIANT)?|GIT_(HTTP|SSL|PROXY_SSL)_\w+")
_DRIVER = re.compile(r"(filter\..*)\.[^.]+", re.DOTALL)
_NOWHERE = f"{os.devnull}/.git"


def git(
    folder: str,
    *args: str,
    timeout_s: float = 60,
    stdin: bytes = b"",
    tick: Callable[[], None] = process.silent,
) -> Completed:
    """One plumbing command in a folder; its exit code is the caller's to judge. `tick` watches as in `process.run`."""
    if args[0] not in PLUMBING or not _CONVERTING.isdisjoint(args):
        raise ValueError(f"git {' '.join(args)} is not known to run nothing of the repository's")
    if args[0] == "ls-remote":
        return _ask(args, timeout_s, tick)
    settings = _OFF | (_no_drivers(folder) if args[0] == "hash-object" and "--no-filters" not in args else {})
    environment = _environment(_KEPT) | {"GIT_ALLOW_PROTOCOL": ""}
    words = _words(settings, args)
    return process.run(words, cwd=folder, timeout_s=timeout_s, env=environment, stdin=stdin, tick=tick)


def _ask(args: Iterable[str], timeout_s: float, tick: Callable[[], None]) -> Completed:
    """Ask a remote for its references from outside every repository.

    So the only configuration at work is the user's own, with its credentials and
    proxies. Only https and ssh: `ext::` runs a command, a local path runs Git in a
    folder that the project names.
    """
    ours = {"core.askPass", "core.sshCommand", "core.gitProxy", "credential.helper"}
    settings = {name: value for name, value in _OFF.items() if name not in ours}
    environment = _environment(_KEPT_FOR_REMOTES) | {"GIT_ALLOW_PROTOCOL": "https:ssh", "GIT_DIR": _NOWHERE}
    return process.run(_words(settings, args), cwd="/", timeout_s=timeout_s, env=environment, tick=tick)


def _words(settings: Mapping[str, str], args: Iterable[str]) -> list[str]:
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    return ["git", "--no-pager", *options, *args]


def _environment(kept: re.Pattern[str]) -> dict[str, str]:
    mine = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or kept.fullmatch(name)}
    return mine | _QUIET


def _no_drivers(folder: str) -> dict[str, str]:
    """Settings that leave every filter driver without a command, wherever it is defined.

    Git runs neither `clean` nor `process` if they are empty (`apply_filter` in convert.c).
    """
    listed = git(folder, "config", "--list", "-z", "--name-only")
    if listed.code:
        raise CannotLook("Git cannot read its configuration", where=folder, hint="run `git config --list`")
    names = listed.out.decode("utf-8", "surrogateescape").split("\0")
    drivers = sorted({found[1] for name in names if (found := _DRIVER.fullmatch(name))})
    if any("=" in driver for driver in drivers):  # `-c` would split the name at the first of them
        raise CannotLook("a filter driver's name has an equals sign", where=folder, hint="rename the driver")
    off = {"clean": "", "smudge": "", "process": "", "required": "false"}
    return {f"{driver}.{key}": value for driver in drivers for key, value in off.items()}
