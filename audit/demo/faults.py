"""Faults as they happen: each is done to the project the way it comes about in the field."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from audit.demo.content import ENCODER, RATE_HZ, VOCABULARY, files, params, pointer
from audit.demo.project import commit, push

CLIP = "data/clips/train/yes_train1.wav"
LOST = "data/clips/val/no_val0.wav"


class Fault(NamedTuple):
    """A planted fault: the rule that must find it, the subject it must name, and what was done in words."""

    rule: str
    subject: str
    told: str


def plant(project: Path) -> tuple[Fault, ...]:
    """Do all of it, and say what must be found; nothing else is wrong with it."""
    return tuple(_planted(project, project.parent / "storage"))


def _planted(project: Path, storage: Path) -> Iterator[Fault]:
    yield from _in_data(project, storage)
    yield from _in_a_commit(project)
    (project / "augment.py").write_text("SPEED = 1.1\n", "utf-8")
    yield Fault("git-clean", "augment.py", "a script that was never committed")


def _in_data(project: Path, storage: Path) -> Iterator[Fault]:
    """In the workspace, the cache and the remote; and one that comes with a clone."""
    _flip_a_byte(project / CLIP)
    yield Fault("dvc-hash", CLIP, "one byte of a training clip flipped, its size and time kept")
    cache = project / ".dvc/cache"
    labels = _object(cache, "data/labels.csv")
    _overwrite(labels)
    damaged = labels.relative_to(cache).as_posix()
    yield Fault("dvc-cache", f"cache:{damaged}", "the labels in DVC's cache edited in place")
    lost = _object(storage, LOST)
    lost.unlink()
    absent = lost.relative_to(storage).as_posix()
    yield Fault("dvc-remote", f"remote:storage/{absent}", "a push interrupted: one clip never arrived")
    (project / ENCODER).write_bytes(pointer(files()[ENCODER]))
    yield Fault("lfs-content", ENCODER, "cloned without Git LFS: a pointer in place of the encoder's weights")


def _in_a_commit(project: Path) -> Iterator[Fault]:
    """Two that look harmless there."""
    from git import Repo

    (project / VOCABULARY).write_bytes(b"no\nyes\nup\ndown\n")
    (project / "params.json").write_bytes(params(RATE_HZ // 2))
    with Repo(project) as repo:
        commit(repo, "Tidy up")
    push(project)
    yield Fault("downloads", VOCABULARY, "two words of the downloaded vocabulary swapped")
    yield Fault(
        "dvc-lock", "params.json:features.rate_hz#stage=index", "the sample rate halved, the pipeline not run again"
    )


def _flip_a_byte(file: Path) -> None:
    """In place: DVC's files may be links to its cache, so the link is broken first, as a copy would."""
    before, content = file.stat(), bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.unlink()
    file.write_bytes(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def _object(store: Path, name: str) -> Path:
    """Where a store has the content of one of the project's files (DVC 3's layout)."""
    digest = hashlib.md5(files()[name], usedforsecurity=False).hexdigest()
    return store / "files/md5" / digest[:2] / digest[2:]


def _overwrite(cached: Path) -> None:
    mode = cached.stat().st_mode
    cached.chmod(0o644)
    cached.write_bytes(cached.read_bytes().replace(b",yes", b",no ", 1))
    cached.chmod(mode)
