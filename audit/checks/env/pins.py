"""`env.pins`: the lockfile pins everything that it should."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from audit.checks.env._conda import loose
from audit.checks.env._pins import COMMIT
from audit.facts.environment.locked import Locked
from audit.facts.environment.wheelhouse import Wheelhouse
from audit.records.check import Check, Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.locks import Archive, Lock, Manager, Pin
from audit.records.project import Project
from audit.records.words import Severity


class Pins(Check):
    """The lockfile pins everything that it should.

    Reads the lockfile alone. `unpinned` is a line that allows more than one version, `branch`
    one from version control without a whole commit, `place` a URL or a path without a version
    or a hash, `editable` a folder whose code is whatever lies there, `twice` one name with two
    versions under the same marker. `prerelease` is a note. Hashes are all or nothing: where one
    line has some, a line without is `unhashed`; so is any with `hashes: true`.

    All lockfiles of `env.lock` are read. In conda's files `fuzzy` is a single `=` or a range, and
    `unpinned` a name alone: both are warnings, as such a file is there to be solved. Folders of
    the project itself have neither version nor hash, and need none.

    A hash says nothing before an archive is held against it. With `wheelhouse`, a folder of
    wheels and source archives, those with the pinned name and version are read; `hash` where
    none of them has one of the hashes. The summary says how many pins were verified so, none
    without a wheelhouse.

    ## Why it matters

    One line without a version is enough, and the same file installs another environment
    tomorrow. A hash of another artefact, of a wheel with a local build, say, makes the file
    one that nobody can install from.

    ## Example

    ```yaml
    rules:
      - id: all-pinned
        check: env.pins
        with: {lock: requirements.txt, hashes: true}
    ```

    ## How to fix

    Write what you need into `requirements.in`, and compile the lock from it:
    `pip-compile --generate-hashes`. For code from version control name the whole commit.
    """

    lock: Annotated[
        str | None, Meta(description="The lockfile, relative to the project; found by its name if left out.")
    ] = None
    hashes: Annotated[bool, Meta(description="Every line must have a hash.")] = False
    wheelhouse: Annotated[
        str | None, Meta(description="A folder of wheels and source archives to hold the hashes against.")
    ] = None

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """The lock, and perhaps the archives."""
        locked = Locked(root=project.root, path=self.lock)
        if self.wheelhouse is None:
            return {"locked": locked}
        return {"locked": locked, "archives": Wheelhouse(root=project.root, path=self.wheelhouse)}

    def evaluate(self, locked: Lock, archives: Sequence[Archive] | None = None) -> Iterator[Finding]:
        """Each pin by itself, then all together."""
        wanted = self.hashes or locked.strict or any(pin.hashes for pin in locked.pins)
        found = [one for pin in locked.pins for one in _judged(pin, hashed=wanted)]
        held, verified = _verified(locked.pins, archives or ())
        found += [*held, *(() if locked.roots else _twice(locked.pins))]
        yield from found
        for one in locked.oddities:
            yield Violation(subject=one.where, kind="line", message=one.what, unseen=True)
        hashed = sum(bool(pin.hashes) for pin in locked.pins)
        yield Figure(name="pins", value=len(locked.pins))
        yield Figure(name="hashed", value=hashed)
        yield Figure(name="verified", value=verified)
        yield Summary(text=_told(locked, found, hashed, verified))


def _judged(pin: Pin, *, hashed: bool) -> Iterator[Violation]:
    if pin.own:
        return
    yield from _asked_of_conda(pin) if pin.manager is Manager.CONDA else _asked_of_pip(pin)
    if hashed and not pin.hashes and pin.vcs is None and not pin.editable and not pin.folder:
        yield _violation(pin, "unhashed", "has no hash, and hashes are all or nothing")


def _asked_of_conda(pin: Pin) -> Iterator[Violation]:
    yield from (_violation(pin, gap.kind, gap.message, gap.severity) for gap in loose(pin))


def _asked_of_pip(pin: Pin) -> Iterator[Violation]:
    if pin.editable and not (pin.vcs and COMMIT.fullmatch(pin.vcs.ref)):
        place = pin.path or pin.url or (pin.vcs.url if pin.vcs else "")
        yield _violation(pin, "editable", f"{place} is installed as whatever lies there", Severity.WARNING)
    elif pin.vcs is not None:
        if not COMMIT.fullmatch(pin.vcs.ref):
            what = f"{pin.vcs.ref} is no whole commit" if pin.vcs.ref else "no commit is named"
            yield _violation(pin, "branch", f"{what}: {pin.vcs.url} may give other code tomorrow")
    elif pin.url or pin.path:
        if pin.version is None and not pin.hashes:
            message = f"{pin.url or pin.path} is not reproducible elsewhere: no version and no hash"
            yield _violation(pin, "place", message, Severity.WARNING)
    elif pin.version is None:
        message = f"{pin.specifier} allows more than one version" if pin.specifier else "any version will do"
        yield _violation(pin, "unpinned", message)
    if pin.version is not None and _prerelease(pin.version):
        yield _violation(pin, "prerelease", f"{pin.version} is a pre-release", Severity.NOTE)


def _violation(pin: Pin, kind: str, message: str, severity: Severity = Severity.ERROR) -> Violation:
    file, _, line = pin.where.partition("#")
    subject = f"{file}#package={canonicalize_name(pin.name)}" if pin.name else f"{file}#{line}"
    return Violation(subject=subject, kind=kind, message=message, severity=severity, found=pin.specifier or None)


def _prerelease(version: str) -> bool:
    try:
        return Version(version).is_prerelease
    except InvalidVersion:
        return False


def _twice(pins: Sequence[Pin]) -> Iterator[Violation]:
    """One name with two versions where both lines would apply; other markers are other environments."""
    versions: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    last: dict[tuple[str, ...], Pin] = {}
    for pin in pins:
        if pin.name and pin.version:
            groups = (part for group in sorted(pin.groups.items()) for part in group)
            where = (canonicalize_name(pin.name), pin.marker, pin.manager, pin.platform, *groups)
            versions[where].add(pin.version)
            last[where] = pin
    for where, some in versions.items():
        if len(some) > 1:
            yield _violation(last[where], "twice", f"is pinned to {' and to '.join(sorted(some))}")


def _verified(pins: Sequence[Pin], archives: Sequence[Archive]) -> tuple[list[Violation], int]:
    """The pins whose archives have none of their hashes, and how many have one."""
    found: list[Violation] = []
    verified = 0
    for pin in pins:
        there = [one for one in archives if one.name == canonicalize_name(pin.name) and one.version == pin.version]
        if not pin.hashes or not there:
            continue
        if any(f"sha256:{one.sha256}" in pin.hashes for one in there):
            verified += 1
        else:
            message = f"no listed hash matches {', '.join(one.file for one in there)}"
            found.append(_violation(pin, "hash", message))
    return found, verified


def _told(locked: Lock, found: Sequence[Violation], hashed: int, verified: int) -> str:
    wrong = len({one.subject for one in found if one.severity is Severity.ERROR})
    held = f"{len(locked.pins):,} line{'' if len(locked.pins) == 1 else 's'}"
    told = f"{wrong:,} of {held} not pinned" if wrong else f"{held} pinned"
    return f"{told}; hashes present, verified {verified:,} of {hashed:,}" if hashed else told
