"""`env.integrity`: what is installed is whole, and is what was installed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from audit.checks.env._requires import Unmet, unmet
from audit.facts.environment.installed import Distributions
from audit.facts.environment.interpreter import Probed
from audit.facts.environment.ownership import Owned, OwnedBytes
from audit.records.check import Check, Request
from audit.records.environment import Altered, Bytes, Damaged, Distribution, Installed, Interpreter, Ownership, Shared
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.words import Severity

_FEW = 3


class Integrity(Check):
    """What is installed is whole: no file edited, no requirement unmet, no two in one place.

    Looks at the records that installers left beside what they installed, as Python would find
    it, and imports nothing. `unmet` and `conflict` are what `pip check` asks: a requirement of
    a distribution that nothing meets, or that another version meets not. `twice` are two
    records of one name in one folder, `shadowed` those in two folders, of which the first is
    imported (a warning). `shared` is a file that several distributions record with different
    content: whichever was installed last wrote it (a warning). `foreign` is compiled for another Python, `python`
    a distribution that does not allow this one.

    With `bytes: true`, which a nightly audit wants, every file with a recorded SHA-256 is read:
    `changed` and `absent` ones are named, one violation for each distribution.

    ## Why it matters

    A line of a library that was edited to look at a bug stays edited. An upgrade that was
    interrupted leaves half of two versions. Nothing of this shows in `pip freeze`, which reads
    names and versions, nor in the lockfile; all of it shows in results.

    ## Example

    ```yaml
    rules:
      - id: environment-whole
        check: env.integrity
      - id: environment-bytes
        check: env.integrity
        with: {bytes: true}
        on: [nightly]
    ```

    ## How to fix

    Install the distribution again: `pip install --force-reinstall --no-deps NAME==VERSION`. For
    two records of one name, uninstall it until nothing is left, then install it once. An
    environment that has come far is made anew from its lock in less time than it is mended.
    """

    bytes: Annotated[bool, Meta(description="Read every recorded file and compare its digest.")] = False

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """The interpreter, what is installed, what its records say of files; and perhaps the bytes."""
        where = {"root": project.root, "environment": project.environment}
        facts: dict[str, type[Request[Any]]] = {"python": Probed, "installed": Distributions, "owned": Owned}
        return {name: fact(**where) for name, fact in (facts | ({"read": OwnedBytes} if self.bytes else {})).items()}

    def evaluate(
        self, python: Interpreter, installed: Installed, owned: Ownership, read: Bytes | None = None
    ) -> Iterator[Finding]:
        """What is wrong with the records, with what they require, and with the files."""
        found = [
            *map(_damaged, (*installed.damaged, *owned.damaged)),
            *_twice(installed.distributions),
            *map(_unmet, unmet(installed.distributions, python.markers)),
            *_unfit(installed.distributions, python.version),
            *_shared(owned.shared),
            *_foreign(owned.foreign, python.version),
            *_altered(read.altered if read else ()),
        ]
        yield from found
        yield Figure(name="distributions", value=len(installed.distributions))
        yield Figure(name="files", value=read.files if read else owned.files)
        if read:
            yield Figure(name="size_bytes", value=read.size)
        yield Summary(text=_told(installed, owned, read, found))


def _package(name: str) -> str:
    return f"env:#package={canonicalize_name(name)}"


def _damaged(one: Damaged) -> Violation:
    message = f"the record of a distribution in {one.site} {one.what}"
    return Violation(subject=f"env:#package={one.entry}", kind="damaged", message=message, unseen=True)


def _twice(found: Sequence[Distribution]) -> Iterator[Violation]:
    """Several under one name; conda and pip keep records of the same installation side by side."""
    by_name: defaultdict[str, list[Distribution]] = defaultdict(list)
    for one in found:
        if not one.entry.startswith("conda-meta/"):
            by_name[canonicalize_name(one.name)].append(one)
    for name, some in sorted(by_name.items()):
        if len(some) > 1:
            yield _double(name, some)


def _double(name: str, some: Sequence[Distribution]) -> Violation:
    together = len({one.site for one in some}) < len(some)
    there = ", ".join(f"{one.version} in {one.site}" for one in some)
    return Violation(
        subject=_package(name),
        kind="twice" if together else "shadowed",
        message=f"is installed {len(some)} times: {there}" + ("" if together else "; the first is imported"),
        severity=Severity.ERROR if together else Severity.WARNING,
        found=", ".join(one.version for one in some),
    )


def _unmet(one: Unmet) -> Violation:
    if one.why:
        message = f"has a requirement that cannot be read: {one.requirement}: {one.why}"
        return Violation(subject=_package(one.of), kind="requirement", message=message, unseen=True)
    there = f"{one.name} {one.found} is installed" if one.found else f"{one.name} is not installed"
    return Violation(
        subject=f"{_package(one.of)}#requires={canonicalize_name(one.name)}",
        kind="conflict" if one.found else "unmet",
        message=f"requires {one.requirement}, and {there}",
        expected=one.requirement,
        found=one.found,
    )


def _unfit(found: Sequence[Distribution], version: str) -> Iterator[Violation]:
    for one in found:
        try:
            fits = SpecifierSet(one.requires_python).contains(version, prereleases=True)
        except InvalidSpecifier:
            continue  # a form of old releases, which pip passes over as well
        if not fits:
            message = f"requires Python {one.requires_python}, and this is {version}"
            yield Violation(subject=_package(one.name), kind="python", message=message, found=version)


def _shared(shared: Sequence[Shared]) -> Iterator[Violation]:
    by_owners: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for one in shared:
        by_owners[tuple(sorted(set(one.owners)))].append(one.path)
    for owners, paths in sorted(by_owners.items()):
        if len(owners) > 1:
            message = f"{_some(paths)} {'is' if len(paths) == 1 else 'are'} also of {', '.join(owners[1:])}"
            yield Violation(subject=_package(owners[0]), kind="shared", message=message, severity=Severity.WARNING)


def _foreign(foreign: Sequence[tuple[str, str]], version: str) -> Iterator[Violation]:
    for name, paths in _grouped(foreign).items():
        message = f"compiled for another Python than {version}: {_some(paths)}"
        yield Violation(subject=_package(name), kind="foreign", message=message, severity=Severity.WARNING)


def _altered(altered: Sequence[Altered]) -> Iterator[Violation]:
    for how in ("changed", "absent", "unread"):
        for name, paths in _grouped([(one.distribution, one.path) for one in altered if one.how == how]).items():
            message = f"not as its record says: {_some(paths)} {how}"
            repair = f"pip install --force-reinstall --no-deps {canonicalize_name(name)}"
            unseen = how == "unread"
            yield Violation(
                subject=_package(name), kind=how, message=message, unseen=unseen, repair=None if unseen else repair
            )


def _grouped(pairs: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    grouped: defaultdict[str, list[str]] = defaultdict(list)
    for name, path in pairs:
        grouped[name].append(path)
    return dict(sorted(grouped.items()))


def _some(paths: Sequence[str]) -> str:
    few = ", ".join(sorted(paths)[:_FEW])
    return few if len(paths) <= _FEW else f"{few} and {len(paths) - _FEW:,} more"


def _told(installed: Installed, owned: Ownership, read: Bytes | None, found: Sequence[Violation]) -> str:
    wrong = len({one.subject for one in found if one.severity is Severity.ERROR})
    held = f"{len(installed.distributions):,} distributions"
    files = f"{read.files:,} files read" if read else f"{owned.files:,} files recorded, none read"
    return f"{wrong:,} faults in {held}; {files}" if wrong else f"{held} whole; {files}"
