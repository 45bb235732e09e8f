"""`git.tracked-data`: data is not kept in Git itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from audit.facts.git_blobs import Blob, GitBlobs
from audit.facts.git_keepers import GitKeepers, Keepers
from audit.records.check import Check, Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.shell import pathspec, word

_MIB = 1 << 20
_LIMIT = 20
"""Paths in one command; for more a person should choose."""

_OWN = ("audit.lock", "audit.yaml", "reports/*", ".audit/*")
_RECORDS = {"dvc.lock", "dvc.yaml", ".dvcignore", ".gitattributes", ".gitignore", ".gitmodules"}


class TrackedData(Check):
    """Git tracks no large files, and no files that belong to DVC or Git LFS.

    Looks at every file that is committed or staged, as Git keeps it: a Git LFS
    pointer is small, whatever it stands for. A file is named if it is larger than
    `max_bytes`, or if one of `patterns` says that it is data; `allow` excepts files.
    The records of Git, DVC and the audit itself are no data: `.gitattributes`, `*.dvc`,
    `dvc.lock`, `audit.lock`, `reports/` and the like.

    ## Why it matters

    A file that was once committed to Git is in every clone for ever, and Git
    neither compares nor stores large binary files well. And data that is tracked by
    Git where the team looks for it in DVC is data of which two versions exist.

    ## Example

    ```yaml
    rules:
      - id: data-belongs-to-dvc
        check: git.tracked-data
        with:
          max_bytes: 5000000
          patterns: ["data/*", "*.parquet", "*.wav"]
          allow: ["tests/*", "data/README.md"]
        on: [commit, launch, nightly]
    ```

    ## How to fix

    Take the file out of Git and give it to DVC (after `dvc init`): `git rm --cached
    PATH`, then `dvc add PATH`; or to Git LFS: `git lfs track PATH`, then `git add --renormalize
    PATH`. To take it out of the history as well, which rewrites every later commit,
    see `git filter-repo`.
    """

    max_bytes: Annotated[int, Meta(ge=0, description="The largest blob that Git may keep, in bytes.")] = 10 * _MIB
    patterns: Annotated[
        tuple[str, ...],
        Meta(description="Files that are data whatever their size; shell patterns, in which `*` also crosses folders."),
    ] = ()
    allow: Annotated[
        tuple[str, ...],
        Meta(description="Files that Git may keep all the same; shell patterns as in `patterns`."),
    ] = ()

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """What Git keeps, and what else could keep it."""
        blobs = GitBlobs(folder=project.root, perhaps_pointers=self.patterns)
        return {"blobs": blobs, "keepers": GitKeepers(folder=project.root)}

    def evaluate(self, blobs: tuple[Blob, ...], keepers: Keepers) -> Iterator[Finding]:
        """One violation a file."""
        judged = [blob for blob in blobs if not _matches(self.allow, blob.path) and not _is_record(blob.path)]
        found = [each for blob in judged for each in self._judged(blob)]
        repair = _repair([each.subject for each in found if not each.unseen], keepers)
        advice = "" if keepers.dvc or keepers.lfs else "; give it to DVC (`dvc add`) or Git LFS (`git lfs track`)"
        for each in found:
            mended = replace(each, message=each.message + advice, repair=repair)
            yield each if each.unseen else mended
        sizes = [blob.size for blob in blobs if blob.size is not None]
        yield Figure(name="tracked_files", value=len(blobs))
        yield Figure(name="tracked_bytes", value=sum(sizes))
        yield Figure(name="largest_bytes", value=max(sizes, default=0))
        yield Summary(text=f"{len(blobs)} tracked files: {len(found) or 'none'} of them data or too large")

    def _judged(self, blob: Blob) -> Iterator[Violation]:
        if blob.size is None:
            message = "its blob is not in this clone (a partial one, or damaged), so its size is not known"
            yield Violation(
                subject=blob.path, kind="unknown", message=message, repair="git fetch --refetch", unseen=True
            )
        elif blob.size > self.max_bytes:
            yield _violation(blob, "large", f"Git keeps {blob.size} bytes of it", expected=self.max_bytes)
        elif _matches(self.patterns, blob.path) and not blob.pointer:
            yield _violation(blob, "data", "it is data, and Git itself keeps it", expected=None)


def _violation(blob: Blob, kind: str, message: str, *, expected: int | None) -> Violation:
    return Violation(subject=blob.path, kind=kind, message=message, expected=expected, found=blob.size)


def _repair(paths: Sequence[str], keepers: Keepers) -> str | None:
    """One command, for a tool that the repository is set up for; where that fails, Git tracks the files as before."""
    if not 0 < len(paths) <= _LIMIT:
        return None
    specs = " ".join(map(pathspec, paths))
    if keepers.dvc:  # it takes no file that Git tracks
        undo = f"{{ git reset --quiet -- {specs}; false; }}"
        return f"git rm --quiet --cached -- {specs} && {{ dvc add -- {_words(paths)} || {undo}; }}"
    if keepers.lfs:
        track = f"git lfs track --filename -- {_words(paths)}"
        return f"{track} && git add -- .gitattributes && git add --renormalize -- {specs}"
    return None


def _words(paths: Iterable[str]) -> str:
    return " ".join(map(word, paths))


def _is_record(path: str) -> bool:
    """Whether it records data, settings or an audit, rather than being data."""
    name = path.rpartition("/")[2]
    return name in _RECORDS or name.endswith(".dvc") or _matches(_OWN, path)


def _matches(patterns: Sequence[str], path: str) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in patterns)
