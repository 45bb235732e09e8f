"""`files.manifest`: the files that a manifest lists are there, with the content that it lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from audit.facts.manifest import Lead, Listed, ManifestCovered, ManifestFiles, ManifestListing, ManifestState
from audit.measures.sizes import truncation
from audit.records.check import Check, Covered, Request
from audit.records.door import EntryType
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.shell import lfs_pull
from audit.records.words import Severity

_Algorithm = Literal["md5", "sha1", "sha256", "sha512", "blake3"]

_AGAIN = "get it again from where the list came from"
_EXTRA = "there, but not listed; take it away, or have it listed by who made the list"


class Manifest(Check):
    """The files that a manifest lists are there, byte for byte.

    Reads checksum files (`sha256sum`, `md5sum`, `b3sum`, BSD and OpenSSL forms, escaped
    names, `-z`), files of `hashdeep`, and BagIt bags of versions 0.97 and 1.0 with their
    tag files, Payload-Oxum and `fetch.txt`; MD5, SHA-1, SHA-256, SHA-512 and BLAKE3. Each
    file that is changed, missing, cut short, unreadable or a Git LFS pointer is named, and
    so is each line that cannot be understood, each path that leads out of the folder (it
    is not opened), and each payload file of a bag that is not listed. A name that is there
    in another Unicode normal form is a warning, not a missing and an extra file.

    The algorithm of a line is its tag, or `algorithm:`, or the one in the manifest's name,
    or the only one with so many digits. 64 digits may be SHA-256 or BLAKE3: then it has to
    be declared.

    ## Why it matters

    Data that comes as a download, on a disk or from a colleague has no other record than
    the list beside it. `sha256sum --check` is run once, if at all; it passes over lines
    that it does not understand, and says nothing of files that are not listed.

    ## Example

    ```yaml
    rules:
      - id: corpus-as-published
        check: files.manifest
        with: {manifest: corpus/SHA256SUMS, extra: forbid}
      - id: archive-bag
        check: files.manifest
        with: {manifest: archive/2024-delivery}
    ```

    ## How to fix

    Get the named files again from where the manifest came from. If a file was changed on
    purpose, make the manifest anew (`sha256sum` and friends) and commit it with the reason.
    A name in another normal form can be renamed, or the manifest be made anew here.
    """

    manifest: Annotated[
        str,
        msgspec.Meta(
            min_length=1,
            description="The manifest, or the folder of a BagIt bag; a path relative to the project.",
        ),
    ]
    algorithm: Annotated[
        _Algorithm | None,
        msgspec.Meta(description="The algorithm of a checksum file's untagged lines, where its name does not say it."),
    ] = None
    root: Annotated[
        str | None,
        msgspec.Meta(
            description="The folder that listed paths start from, relative to the project; else the manifest's."
        ),
    ] = None
    extra: Annotated[
        Literal["allow", "forbid"],
        msgspec.Meta(description="Whether the folder may hold files that are not listed. A bag's payload never may."),
    ] = "allow"

    def needs(self, project: Project) -> Mapping[str, Request[ManifestState]]:
        """The listed files, read."""
        return {"state": ManifestFiles(listing=self._listing(project), whole=self.extra == "forbid")}

    def covers(self, project: Project) -> Request[Covered] | None:
        """The listed files."""
        return ManifestCovered(listing=self._listing(project))

    def evaluate(self, state: ManifestState) -> Iterator[Finding]:
        """One violation a file and kind, whatever the number of lists that name it."""
        files = _by_path(state.listed)
        complete = self.extra == "forbid" or state.manifest.bag is not None
        found = [_expected_later(state, violation) for lines in files.values() if (violation := _judged(lines))]
        found += _lines(state)
        found += _left_out(state) if complete else []
        found += _bag(state)
        yield from found
        yield from _twins(state)
        yield Figure(name="files", value=len(files))
        yield Figure(name="extra_files", value=len(state.extra) if complete else 0)
        yield Summary(text=_told(state, len(files), found))

    def _listing(self, project: Project) -> ManifestListing:
        return ManifestListing(root=project.root, path=self.manifest, algorithm=self.algorithm, base=self.root)


def _by_path(listed: Iterable[Listed]) -> dict[str, list[Listed]]:
    files: defaultdict[str, list[Listed]] = defaultdict(list)
    for each in listed:
        files[each.path].append(each)
    return dict(files)


def _judged(lines: Sequence[Listed]) -> Violation | None:
    """Judge a file by all lines that list it: the first that says something against it."""
    first = lines[0]
    digests = {(each.source, each.line.algorithm): each.line.hex for each in lines}
    if len(digests) < len(lines):
        message = f"listed more than once, with different digests ({first.source})"
        return Violation(subject=first.path, kind="conflict", message=message)
    return next((violation for each in lines if (violation := _place(each) or _content(each))), None)


def _place(each: Listed) -> Violation | None:
    """Judge what the path leads to."""
    if each.problem:
        return Violation(subject=each.path, kind="unreadable", message=each.problem, unseen=True)
    if each.lead is Lead.OUTSIDE:
        message = "a link that leaves the project; it was not followed"
        return Violation(subject=each.path, kind="outside", message=message, unseen=True)
    if each.type is None:
        message = f"listed in {each.source}, but not there; {_AGAIN}"
        return Violation(subject=each.path, kind="missing", message=message, expected=each.line.hex)
    if each.type is not EntryType.FILE:
        message = f"no file, where {each.source} lists one"
        return Violation(subject=each.path, kind="type", message=message, expected="file", found=str(each.type))
    return None


def _content(each: Listed) -> Violation | None:
    """Judge bytes; a name in another normal form is a matter of its own only where they are right."""
    if each.matches:
        return _renamed(each) if each.other_name else None
    if each.agrees:
        message = (
            f"its {each.line.algorithm} is as listed, but it is not the content known by it: two contents, one digest"
        )
        return Violation(subject=each.path, kind="digest-collision", message=message, expected=each.line.hex)
    if each.pointer[0]:
        return _pointer(each)
    if each.content is None:
        return _sized(each)
    found = each.content.digest
    return Violation(
        subject=each.path,
        kind="changed",
        message=f"its content is not what {each.source} lists ({_bytes(each.size, ',')} now); {_AGAIN}",
        expected=each.line.hex,
        found=found.hex if found else None,
        change=each.content.change,
    )


def _sized(each: Listed) -> Violation:
    expected, found = each.line.size or 0, each.size
    hint = truncation(expected, found)
    message = f"{'cut short' if found < expected else 'longer'}: expected {_bytes(expected)}, found {found}"
    message += f"; {hint}" if hint else ""
    message += f"; {_AGAIN}"
    kind = "truncated" if found < expected else "changed"
    return Violation(subject=each.path, kind=kind, message=message, expected=expected, found=found)


def _pointer(each: Listed) -> Violation:
    size = each.pointer[1]
    message = "malformed Git LFS pointer, not content"
    if size is not None:
        message = f"Git LFS pointer, not content: expected {_bytes(size)}, found {each.size}"
    repair = lfs_pull(each.path)
    return Violation(
        subject=each.path, kind="pointer", message=message, expected=each.line.hex, found=each.size, repair=repair
    )


def _renamed(each: Listed) -> Violation:
    return Violation(
        subject=each.path,
        kind="normalisation",
        severity=Severity.WARNING,
        message="matches after NFC; byte names differ",
        expected=_spelled(each.path),
        found=_spelled(each.other_name or ""),
    )


def _bytes(size: int, form: str = "") -> str:
    return f"{size:{form}} byte{'' if size == 1 else 's'}"


def _spelled(path: str) -> str:
    """A path with everything but ASCII as escapes, so that two normal forms can be told apart."""
    return path.encode("unicode_escape").decode()


def _expected_later(state: ManifestState, violation: Violation) -> Violation:
    """A file that a bag leaves to be fetched is missing for a reason that it tells."""
    if violation.kind != "missing" or violation.subject not in _to_fetch(state):
        return violation
    return msgspec.structs.replace(
        violation, kind="not-fetched", message="listed in fetch.txt, and not fetched yet; fetch it from there"
    )


def _to_fetch(state: ManifestState) -> set[str]:
    bag = state.manifest.bag
    return {state.manifest.subject(path) for path in bag.to_fetch} if bag else set()


def _lines(state: ManifestState) -> list[Violation]:
    """Name the lines that were not understood, and those whose path was not opened."""
    malformed = [
        Violation(subject=f"{source.path}#line={bad.number}", kind="malformed", message=bad.reason)
        for source in state.manifest.sources
        for bad in source.bad
    ]
    unsafe = [
        Violation(
            subject=f"{each.source}#line={each.line.number}",
            kind="unsafe-path",
            message=f"{each.line.path!r} {each.reason}; it was not opened",
        )
        for each in state.unsafe
    ]
    return malformed + unsafe


def _left_out(state: ManifestState) -> list[Violation]:
    """Name what is there and not listed, and folders that could not be searched."""
    extra = [Violation(subject=path, kind="extra", message=_EXTRA) for path in state.extra]
    blocked = [
        Violation(subject=each.path or ".", kind="unreadable", message=each.reason, unseen=True)
        for each in state.blocked
    ]
    return extra + blocked


def _bag(state: ManifestState) -> list[Violation]:
    """Judge what only bags have: completeness of each list, the payload in numbers, files left to be fetched."""
    bag = state.manifest.bag
    if bag is None:
        return []
    found = [
        Violation(subject=path, kind="unlisted", message=f"{source} does not list it, as every payload manifest must")
        for path, source in state.unlisted
    ]
    for name in bag.not_understood:
        message = "its algorithm is not understood, so it was not verified"
        subject = state.manifest.subject(name)
        found.append(Violation(subject=subject, kind="unsupported", message=message, severity=Severity.WARNING))
    complete = all(each.type for each in state.listed if each.path in _to_fetch(state))
    if complete and bag.oxum is not None and bag.oxum != state.payload:
        subject = state.manifest.subject("bag-info.txt")
        message = f"Payload-Oxum says {bag.oxum} (bytes.files), the payload has {state.payload}"
        expected, there = str(bag.oxum), str(state.payload)
        found.append(Violation(subject=subject, kind="oxum", message=message, expected=expected, found=there))
    return found


def _twins(state: ManifestState) -> Iterator[Violation]:
    """Name files that are one name after NFC: on some systems only one of them can exist."""
    for names in state.twins:
        yield Violation(
            subject=names[0],
            kind="collision",
            severity=Severity.WARNING,
            message=f"{len(names)} names in one folder are equal after NFC",
            found=", ".join(_spelled(name.rpartition("/")[2]) for name in names),
        )


def _told(state: ManifestState, files: int, found: Sequence[Violation]) -> str:
    kinds = [violation.kind for violation in found]
    renamed = kinds.count("normalisation")
    wrong = len(kinds) - renamed
    listed = f"{files:,} file{'' if files == 1 else 's'} of {state.manifest.sources[0].path}"
    told = f"{listed}: {_counted(kinds)}" if wrong else f"{listed} as listed"
    matches = "file matches" if renamed == 1 else "files match"
    return f"{told}; {renamed:,} {matches} after NFC; byte names differ" if renamed else told


def _counted(kinds: Sequence[str]) -> str:
    return ", ".join(f"{kinds.count(kind):,} {kind}" for kind in sorted(set(kinds) - {"normalisation"}))
