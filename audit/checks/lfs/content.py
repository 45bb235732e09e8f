"""`lfs.content`: what belongs to Git LFS is content, and the content that was committed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from msgspec.structs import replace

from audit.facts.lfs import Blob, Elsewhere, Lead, Lfs, LfsCovered, LfsFile, LfsFiles, Malformed, Pointer, Stray
from audit.measures.sizes import truncation
from audit.records.check import Check, Covered, Request
from audit.records.door import EntryType
from audit.records.findings import Figure, Finding, Scalar, Summary, Violation
from audit.records.project import Project
from audit.records.shell import lfs_pull, pathspec
from audit.records.words import Severity

_LIMIT = 20
"""Paths in one command; for more a person should choose."""


class Mend(StrEnum):
    """A way to mend a file, by the words of Git's command."""

    PULL = "lfs pull"
    RECORD = "add --renormalize"
    RESTORE = "restore"


class Content(Check):
    """Files of Git LFS hold the content that was committed, not the pointer to it.

    Compares every file that `.gitattributes` sends to Git LFS with the pointer in
    Git's index: first the size, then the SHA-256 of all its bytes. Named are pointers
    that stand in for data, malformed ones (with the markers of a merge conflict, say),
    files that are cut short, changed or missing, and content that was committed to Git
    itself although it belongs to LFS. Pointers are also looked for in all other small
    files of the project, names that begin with a dot left out. Neither git-lfs nor any
    filter is run.

    ## Why it matters

    A clone without git-lfs, an exceeded quota or a downloaded archive leaves text files
    of some 130 bytes in place of models and images. Loaders then fail with errors that
    point elsewhere, or skip the files in silence, and the model trains on less data than
    was recorded.

    ## Example

    ```yaml
    rules:
      - id: lfs-content
        check: lfs.content
        on: [commit, launch, nightly]
    ```

    ## How to fix

    `git lfs pull` fetches content for pointers. `git restore` writes a changed or
    truncated file again; where the change is wanted, `git add` records it. Content that
    was committed by mistake becomes a pointer with `git add --renormalize`. A pointer
    with conflict markers has to be chosen: `git checkout --ours` or `--theirs`.
    """

    def needs(self, project: Project) -> Mapping[str, Request[Lfs]]:
        """The files of Git LFS, read."""
        return {"lfs": LfsFiles(root=project.root)}

    def covers(self, project: Project) -> Request[Covered] | None:
        """The files with a committed pointer."""
        return LfsCovered(root=project.root)

    def evaluate(self, lfs: Lfs) -> Iterator[Finding]:
        """One violation a file: what is first in the way of its content."""
        wrong = _mended([violation for file in lfs.files if (violation := _judged(file))], lfs.files)
        strays = [_standin(stray) for stray in lfs.strays]
        yield from wrong
        yield from strays
        yield from (
            _odd(file) for file in lfs.files if isinstance(file.committed, Pointer) and not file.committed.canonical
        )
        left_out = sum(file.sparse and file.type is None for file in lfs.files)
        yield Figure(name="files", value=len(lfs.files))
        yield Figure(name="sparse_files", value=left_out)
        yield Summary(text=_told(len(lfs.files) - left_out, len(wrong), len(strays)))


def _told(files: int, wrong: int, strays: int) -> str:
    held = f"{files:,} file{'' if files == 1 else 's'} of Git LFS"
    told = f"{wrong:,} of {held} wrong" if wrong else f"{held} with the content that was committed"
    return f"{told}; {strays:,} stray pointer{'' if strays == 1 else 's'}" if strays else told


def _mended(found: Sequence[Violation], files: Sequence[LfsFile]) -> list[Violation]:
    """Each with the one command that mends all that ask for the same; none that could remove what nobody recorded."""
    asking: dict[Mend, list[str]] = {}
    mends = {file.path: mend for file in files if (mend := _mend(file))}
    for each in found:
        if each.subject in mends:
            asking.setdefault(mends[each.subject], []).append(each.subject)
    lines = {mend: _command(mend, paths) for mend, paths in asking.items()}
    return [replace(each, repair=lines.get(mends[each.subject]) if each.subject in mends else None) for each in found]


def _mend(file: LfsFile) -> Mend | None:
    """How to mend a file that is wrong: `git lfs pull` replaces none but the pointer that is committed."""
    if isinstance(file.committed, Blob):
        return None if file.standin else Mend.RECORD
    if not isinstance(file.committed, Pointer) or file.lead is Lead.OUTSIDE or file.type is EntryType.FOLDER:
        return None
    if isinstance(file.standin, Pointer) and file.standin.oid == file.committed.oid:
        return Mend.PULL
    return Mend.RESTORE


def _command(mend: Mend, paths: Sequence[str]) -> str | None:
    if mend is Mend.PULL:
        return lfs_pull(*paths)
    return f"git {mend} -- {' '.join(map(pathspec, paths))}" if len(paths) <= _LIMIT else None


def _judged(file: LfsFile) -> Violation | None:
    """Judge the commit first, then what the path leads to, and content last."""
    if isinstance(file.committed, Pointer):
        return _place(file) or _content(file, file.committed)
    return _pulled(file, file.standin) if file.standin else _committed(file)


def _committed(file: LfsFile) -> Violation:
    """Judge what is committed in place of a pointer."""
    match file.committed:
        case Malformed(reason):
            return Violation(subject=file.path, kind="malformed", message=f"malformed pointer ({reason}), committed")
        case Blob(size):
            message = f"committed to Git itself ({size:,} bytes), though .gitattributes sends it to Git LFS"
            return Violation(subject=file.path, kind="full-blob", message=message, found=size)
        case Elsewhere(oid):
            message = f"this clone does not hold its blob {oid}"
            return Violation(subject=file.path, kind="unreadable", message=message, unseen=True)
    message = "a merge left it undecided: choose with `git checkout --ours` or `--theirs`, then `git add`"
    return Violation(subject=file.path, kind="unmerged", message=message)


def _place(file: LfsFile) -> Violation | None:
    """Judge what the path leads to."""
    if problem := file.problem or (file.content.problem if file.content else ""):
        return Violation(subject=file.path, kind="unreadable", message=problem, unseen=True)
    if file.lead is Lead.OUTSIDE:
        message = "a link that leaves the project; it was not followed"
        return Violation(subject=file.path, kind="outside", message=message, unseen=True)
    if file.type is None:
        return None if file.sparse else _off(file, "missing", "committed, but not there")
    if file.type is not EntryType.FILE:
        return _off(file, "type", "no file, where a file was committed", found=str(file.type))
    return None


def _content(file: LfsFile, pointer: Pointer) -> Violation | None:
    """Judge bytes: a right digest outweighs what the text looks like."""
    found = file.content.digest.hex if file.content and file.content.digest else None
    if found == pointer.oid and file.content and file.content.collides:
        message = "its SHA-256 is as committed, but it is not the content known by it: two contents, one digest"
        return Violation(subject=file.path, kind="digest-collision", message=message, expected=pointer.oid)
    if found == pointer.oid or file.type is None:
        return None
    if file.standin:
        return _pulled(file, file.standin)
    if found is None and pointer.size is not None:
        return _sized(file, pointer.size)
    message = f"its content is not what was committed ({file.size:,} bytes now)"
    return _off(file, "changed", message, expected=pointer.oid, found=found)


def _sized(file: LfsFile, expected: int) -> Violation:
    """Judge a size alone: nothing has to be read to know that the content is another."""
    short = file.size < expected
    hint = truncation(expected, file.size)
    message = f"{'cut short' if short else 'longer'}: expected {expected} bytes, found {file.size}"
    message += f"; {hint}" if hint else ""
    return _off(file, "truncated" if short else "changed", message, expected=expected, found=file.size)


def _standin(stray: Stray) -> Violation:
    """Judge a pointer in place of content."""
    if isinstance(stray.found, Malformed):
        message = f"malformed pointer ({stray.found.reason})"
        return Violation(subject=stray.path, kind="malformed", message=message, found=stray.size)
    expected = stray.found.size
    told = f"{expected} bytes" if expected is not None else f"content {stray.found.oid}"
    message = f"pointer, not content: expected {told}, found {stray.size}"
    return Violation(subject=stray.path, kind="pointer", message=message, expected=expected, found=stray.size)


def _pulled(file: LfsFile, found: Pointer | Malformed) -> Violation:
    """A pointer where the index says that content belongs."""
    return _standin(Stray(file.path, file.size, found))


def _off(file: LfsFile, kind: str, message: str, expected: Scalar = None, found: Scalar = None) -> Violation:
    """A file of the work tree that is not as committed."""
    return Violation(
        subject=file.path,
        kind=kind,
        message=message,
        expected=expected,
        found=found,
        change=file.content.change if file.content else None,
    )


def _odd(file: LfsFile) -> Violation:
    message = "its committed pointer has another form than git-lfs writes, so Git will show it as changed"
    return Violation(subject=file.path, kind="non-canonical", severity=Severity.NOTE, message=message)
