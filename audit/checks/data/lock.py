"""`data.lock`: a dataset's content equals `audit.lock`."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from audit.facts.dataset_lock import DatasetStanding, Found, LockCovering, LockedFile, Standing
from audit.records.check import Check, Covered, Request
from audit.records.dataset import DatasetName
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.words import Severity

_RECORDS_IT = "`audit lock data` records it"
_EXTRA = f"there, but not locked; if it belongs to the data, {_RECORDS_IT}"


class DataLock(Check):
    """The files of a dataset are those that `audit.lock` records.

    Compares the BLAKE3 of every file of the dataset with the one that `audit lock data`
    wrote down, and names each file that is changed, missing, extra, renamed or
    unreadable, or that the dataset's path does not match any more. A digest that was
    computed before is trusted while the file's device, inode, size, mtime and ctime stay;
    `--deep` (and `--on nightly`) reads every byte again. Files that DVC, Git and the audit
    keep beside data (`.dvc`, `.gitignore` and the like) are no data. The pairs of MD5 and
    BLAKE3 that the lock declares prove nothing here but a collision: two contents with
    one MD5.

    ## Why it matters

    Data that is kept in no version control changes without a trace. `audit.lock` is
    small enough for Git and pins every byte, so that the model of a commit can be told
    to come from the data of that commit.

    ## Example

    ```yaml
    datasets:
      clips: {path: "data/clips/**/*.wav"}
    rules:
      - id: clips-as-locked
        check: data.lock
        with: {dataset: clips}
    ```

    Without `with`, the rule holds for every declared dataset.

    ## How to fix

    Bring the recorded data back from where you keep it. If the change is wanted, run
    `audit lock data`, look at the difference in Git, and commit `audit.lock`. Two
    contents with one MD5 (`collision`) are no accident: find out who made them.
    """

    dataset: DatasetName

    def needs(self, project: Project) -> Mapping[str, Request[Standing]]:
        """The dataset as it is, beside the lock."""
        return {"standing": DatasetStanding(root=project.root, dataset=project.dataset(self.dataset))}

    def covers(self, project: Project) -> Request[Covered] | None:
        """The dataset, if the lock has it."""
        return LockCovering(root=project.root, dataset=self.dataset)

    def evaluate(self, standing: Standing) -> Iterator[Finding]:
        """One violation a file, its kind saying what became of it."""
        if standing.recorded is None:
            yield _unrecorded(standing)
            yield Summary(text=f"{standing.name}: not recorded yet")
            return
        compared = _compared(standing, standing.recorded)
        yield from _differing(standing, standing.recorded, compared)
        yield from _unread(standing)
        yield from _collisions(standing, standing.recorded)
        yield Figure(name="files", value=len(standing.recorded))
        yield Figure(name="bytes", value=sum(file.size for file in standing.recorded.values()))
        yield Figure(name="declared_pairs", value=sum(file.recorded is not None for file in standing.recorded.values()))
        yield Summary(text=_summary(standing, standing.recorded, compared))


class _Compared(NamedTuple):
    """The paths of each way to differ; the last two map recorded paths to those where their content is now."""

    changed: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    unmatched: tuple[str, ...]
    renamed: Mapping[str, str]
    respelled: Mapping[str, str]


def _compared(standing: Standing, recorded: Mapping[str, LockedFile]) -> _Compared:
    found = standing.found
    changed = (
        path for path, file in found.items() if path in recorded and file.blake3 not in {"", recorded[path].blake3}
    )
    gone = recorded.keys() - found.keys() - set(standing.unmatched)
    missing = {path for path in gone if not _barred(path, standing)}
    extra = found.keys() - recorded.keys()
    moved = _moved({path: recorded[path].blake3 for path in missing}, {path: found[path].blake3 for path in extra})
    respelled = {was: now for was, now in moved.items() if _composed(was) == _composed(now)}
    return _Compared(
        changed=tuple(sorted(changed)),
        missing=tuple(sorted(missing - moved.keys())),
        extra=tuple(sorted(extra - set(moved.values()))),
        unmatched=standing.unmatched,
        renamed={was: now for was, now in moved.items() if was not in respelled},
        respelled=respelled,
    )


def _barred(path: str, standing: Standing) -> bool:
    """Whether the path lies where nobody could look."""
    barred = {place.path for place in standing.obstacles if not place.gone}
    while barred and path:
        if path in barred:
            return True
        path = path.rpartition("/")[0]
    return "" in barred


def _moved(missing: Mapping[str, str], extra: Mapping[str, str]) -> dict[str, str]:
    """From paths that are gone to new ones with the same content, where it is the only one of both."""
    gone, come = _by_content(missing), _by_content(extra)
    return {
        was[0]: come[digest][0] for digest, was in sorted(gone.items()) if len(was) == len(come.get(digest, ())) == 1
    }


def _by_content(files: Mapping[str, str]) -> dict[str, list[str]]:
    paths: defaultdict[str, list[str]] = defaultdict(list)
    for path, digest in files.items():
        paths[digest].append(path)
    return paths


def _composed(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def _unrecorded(standing: Standing) -> Violation:
    why = f"audit.lock does not have the dataset {standing.name!r}" if standing.locked else "there is no audit.lock"
    return Violation(subject=standing.path, kind="unrecorded", message=why, repair="audit lock data")


def _differing(standing: Standing, recorded: Mapping[str, LockedFile], compared: _Compared) -> Iterator[Violation]:
    found = standing.found
    for path in compared.changed:
        yield _changed(path, recorded[path], found[path])
    for path in compared.missing:
        message = "locked, but not there; bring it back"
        message += f", or if it is meant to be gone, {_RECORDS_IT}" if found else ""  # an empty dataset is not locked
        yield Violation(subject=path, kind="missing", message=message, expected=f"blake3:{recorded[path].blake3}")
    for path in compared.unmatched:
        message = f"locked, but the dataset's path no longer matches it; mend that of {standing.name!r} in audit.yaml"
        yield Violation(subject=path, kind="unmatched", message=message, expected=standing.path)
    for path in compared.extra:
        is_now = f"blake3:{found[path].blake3}" if found[path].blake3 else None
        yield Violation(subject=path, kind="extra", message=_EXTRA, found=is_now)
    for was, now in sorted(compared.renamed.items()):
        message = f"its content is now in {now}; if it is meant to be, {_RECORDS_IT}"
        yield Violation(subject=was, kind="renamed", message=message, expected=was, found=now)
    yield from _respelled(standing, compared.respelled)


def _changed(path: str, recorded: LockedFile, found: Found) -> Violation:
    sizes = (
        f"{_counted(recorded.size, 'byte')}, now {found.size:,}"
        if recorded.size != found.size
        else f"{_counted(found.size, 'byte')} as before"
    )
    return Violation(
        subject=path,
        kind="changed",
        message=f"its content is not what was locked ({sizes}); if it is meant to be, {_RECORDS_IT}",
        expected=f"blake3:{recorded.blake3}",
        found=f"blake3:{found.blake3}",
        change=found.change,
    )


def _respelled(standing: Standing, respelled: Mapping[str, str]) -> Iterator[Violation]:
    """Names that are one name after NFC: the files are right, but a loader that goes by bytes would not find them."""
    for was, now in sorted(respelled.items()):
        yield Violation(
            subject=now,
            kind="normalisation",
            severity=Severity.WARNING,
            message="matches after NFC; its name differs from the locked one in bytes",
            expected=was.encode("unicode_escape").decode(),
            found=now.encode("unicode_escape").decode(),
        )
    if respelled:
        count = f"{len(respelled):,} file{'s match' if len(respelled) > 1 else ' matches'}"
        yield Violation(
            subject=standing.path,
            kind="names",
            message=f"the digest of the dataset differs: {count} after NFC; byte names differ",
            expected=f"blake3:{standing.recorded_digest}",
            found=f"blake3:{standing.digest}" if standing.digest else None,
        )


def _unread(standing: Standing) -> Iterator[Violation]:
    for place in standing.obstacles:
        if not place.gone:
            message = f"{place.what} ({place.hint})" if place.hint else place.what
            yield Violation(subject=place.path or standing.path, kind="unreadable", message=message, unseen=True)
        elif place.path not in (standing.recorded or {}):
            yield Violation(subject=place.path, kind="extra", message=f"{place.what}, and not locked")
    for path, file in sorted(standing.found.items()):
        if file.problem:
            yield Violation(subject=path, kind="unreadable", message=file.problem, unseen=True)


def _collisions(standing: Standing, recorded: Mapping[str, LockedFile]) -> Iterator[Violation]:
    for md5, paths in standing.twins:
        here = [path for path in paths if path in recorded]
        if here:
            others = f" (also {', '.join(path for path in paths if path != here[0])})" if len(paths) > 1 else ""
            message = f"different contents have one MD5{others}: it proves nothing any more"
            yield Violation(subject=here[0], kind="collision", message=message, found=f"md5:{md5}")


def _summary(standing: Standing, recorded: Mapping[str, LockedFile], compared: _Compared) -> str:
    files = f"{standing.name}: {_counted(len(recorded), 'file')}"
    if not any(compared):
        return f"{files} as locked"
    renamed = len(compared.renamed) + len(compared.respelled)
    told = f"{len(compared.changed):,} changed, {len(compared.missing):,} missing, {len(compared.extra):,} extra"
    told += f", {renamed:,} renamed" if renamed else ""
    told += f", {len(compared.unmatched):,} no longer matched" if compared.unmatched else ""
    return f"{files} locked; {told}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
