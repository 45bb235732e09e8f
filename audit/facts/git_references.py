"""The references of a Git repository elsewhere: asked over a network, or read from a folder of this machine."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from audit.errors import CannotLook
from audit.facts.git import ask, refusal
from audit.formats import git as listing
from audit.records.door import Door

ASK_TIMEOUT_S = 20
"""Seconds that one repository has for its answer."""

HEAD = "HEAD"
PEELED = "^{}"
"""What an annotated tag's name ends in where it stands for the commit, as `git ls-remote` has it."""

OBJECT_NAME = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)
"""A whole name of an object, SHA-1 or SHA-256."""

_ON_A_NETWORK = re.compile(r"(?!file://)[^/]+:")
"""A scheme, `host:path` as ssh has it, or `ext::command`, which the door refuses; all else is a path."""

_FORM = "--format=%(refname) %(objectname) %(*objectname)"


def folder_of(url: str, base: str) -> str | None:
    """The folder that a URL means, taken from the folder `base` where it is relative; None if it is on a network."""
    if _ON_A_NETWORK.match(url):
        return None
    return posixpath.join(base, unquote(url.removeprefix("file://")) if url.startswith("file://") else url)


def over_network(host: Door, url: str, *, head: bool = False, timeout_s: float = ASK_TIMEOUT_S) -> dict[str, str]:
    """Branches and tags by their full names, an annotated tag's commit as `NAME^{}`; with `head`, HEAD as well."""
    wanted = ("--", url, HEAD, "refs/heads/*", "refs/tags/*") if head else ("--heads", "--tags", "--", url)
    done = host.git("/", "ls-remote", *wanted, timeout_s=timeout_s)
    if done.code:
        raise refusal(url, "ls-remote", done)
    lines = (line.partition("\t") for line in listing.text(done.out).splitlines())
    return {name: oid for oid, _, name in lines if OBJECT_NAME.fullmatch(oid) and _is_wanted(name)}


def in_folder(host: Door, folder: str, *, head: bool = False) -> dict[str, str]:
    """Do the same for the repository that holds a folder; `NotApplicable` where none does."""
    place = host.resolve(folder)
    if host.look(place) is None:
        raise CannotLook(f"there is no folder {place}", where=folder)
    listed = listing.text(ask(host, folder, "for-each-ref", _FORM, "refs/heads", "refs/tags")).splitlines()
    found = {name: oid for line in listed for name, oid in _of_line(line)}
    if head:
        done = host.git(folder, "rev-parse", "--verify", "--quiet", HEAD)
        found |= {} if done.code else {HEAD: listing.text(done.out).strip()}
    return found


def _of_line(line: str) -> Iterator[tuple[str, str]]:
    name, oid, commit = line.split(" ")
    yield name, oid
    if commit:
        yield name + PEELED, commit


def _is_wanted(name: str) -> bool:
    """The patterns of `git ls-remote` match the end of a name, `refs/remotes/origin/HEAD` too."""
    return name == HEAD or name.startswith(("refs/heads/", "refs/tags/"))
