"""One pin held against what is installed under its name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from audit.records.environment import Distribution
from audit.records.locks import Pin
from audit.records.words import Severity

COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
"""A whole commit of Git: SHA-1 or SHA-256."""


class Gap(NamedTuple):
    """How an installed distribution departs from its pin; `kind` and `message` are a violation's."""

    kind: str
    message: str
    severity: Severity
    expected: str | None = None
    found: str | None = None


def gaps(pin: Pin, found: Distribution | None) -> Iterator[Gap]:
    """All that is not as pinned."""
    if pin.own:
        yield from _own(pin, found)
        return
    if found is None:
        yield Gap("missing", "is not installed", Severity.ERROR, pin.specifier or None)
        return
    if pin.vcs is not None:
        yield from _commit(pin, found)
    elif pin.url or pin.path:
        yield from _place(pin, found)
    elif not pin.specifier:
        yield Gap("unpinned", "any version will do, so the next machine may have another", Severity.WARNING)
    else:
        yield from _version(pin, found)
    if found.origin and found.origin.editable:
        yield Gap("editable", "is installed editable: its code is whatever lies in its folder", Severity.WARNING)


def _own(pin: Pin, found: Distribution | None) -> Iterator[Gap]:
    """Code of the project: that it is installed as a link is as it should be; the whole may be run in its folder."""
    if found is None and pin.path == ".":
        yield Gap("missing", "the project itself is not installed", Severity.NOTE, pin.specifier or None)
    elif found is None:
        yield Gap("missing", "is not installed", Severity.ERROR, pin.specifier or None)
    elif pin.specifier:
        yield from _version(pin, found)


def _commit(pin: Pin, found: Distribution) -> Iterator[Gap]:
    asked = pin.vcs.ref if pin.vcs else ""
    there = found.origin.commit if found.origin else ""
    if not COMMIT.fullmatch(asked):
        message = f"{asked or 'the default branch'} is no commit, so what is installed tomorrow may be another"
        yield Gap("unpinned", message, Severity.WARNING, None, there or None)
    elif there != asked:
        message = f"installed from commit {there}, not {asked}" if there else f"not installed from commit {asked}"
        yield Gap("commit", message, Severity.ERROR, asked, there or None)


def _place(pin: Pin, found: Distribution) -> Iterator[Gap]:
    if pin.version is not None:
        yield from _version(pin, found)
    elif not pin.hashes:
        message = f"comes from {pin.url or pin.path}: not reproducible elsewhere, no version pinned"
        yield Gap("unpinned", message, Severity.WARNING)
    elif found.origin and found.origin.hashes and not set(pin.hashes) & set(found.origin.hashes):
        yield Gap("hash", "is installed from another archive than the one pinned", Severity.ERROR)


def _version(pin: Pin, found: Distribution) -> Iterator[Gap]:
    """By PEP 440, and the local part apart: it tells builds of one version from each other."""
    try:
        fits = SpecifierSet(pin.specifier).contains(found.version, prereleases=True)
        there, asked = Version(found.version), Version(pin.version) if pin.version else None
    except (InvalidSpecifier, InvalidVersion):
        if pin.version != found.version:
            yield _other(pin, found)
        return
    if asked is None:
        yield from _range(pin, found, fits=fits)
    elif Version(asked.public) != Version(there.public):
        yield _other(pin, found)
    elif asked.local != there.local:
        yield _variant(pin, found, asked, there)


def _range(pin: Pin, found: Distribution, *, fits: bool) -> Iterator[Gap]:
    if not fits:
        yield _other(pin, found)
    else:
        message = f"{pin.specifier} allows more than the {found.version} that is installed"
        yield Gap("unpinned", message, Severity.WARNING, None, found.version)


def _variant(pin: Pin, found: Distribution, asked: Version, there: Version) -> Gap:
    if asked.local is None:
        message = f"build variant not pinned: {found.version} is installed"
        return Gap("variant", message, Severity.NOTE, pin.version, found.version)
    message = f"build variant {there.local or 'none'}, not {asked.local}"
    return Gap("variant", message, Severity.ERROR, pin.version, found.version)


def _other(pin: Pin, found: Distribution) -> Gap:
    asked = pin.version or pin.specifier
    if found.installer == "conda" and _upstream(asked, found.version):
        message = f"{found.version} is installed by conda, which names versions as upstream does; {asked} is asked for"
        return Gap("packager", message, Severity.WARNING, asked, found.version)
    return Gap("version", f"{found.version} is installed, not {asked}", Severity.ERROR, asked, found.version)


def _upstream(asked: str, there: str) -> bool:
    """Whether one only has a further part: 4.9.0 and 4.9.0.80."""
    return asked.startswith(f"{there}.") or there.startswith(f"{asked}.")
