"""Faults as they happen: each is done to the project the way it comes about in the field."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from audit.demo.content import ENCODER, VOCABULARY, files, params, pointer
from audit.demo.project import commit

CLIP = "data/clips/train/yes_train1.wav"
LOST = "data/clips/val/no_val0.wav"


class Fault(NamedTuple):
    """A planted fault: the rule that must find it, the subject it must name, and what was done in words."""

    rule: str
    subject: str
    told: str


def plant(project: Path) -> tuple[Fault, ...]:
    """Do all of it, and say what must be found; nothing else is wrong with the project."""
    return tuple(_planted(project, project.parent / "storage"))


def _planted(project: Path, storage: Path) -> Iterator[Fault]:
    _flip_a_byte(project / CLIP)
    yield Fault("dvc-hash", CLIP, "one byte of a training clip flipped, its size and time kept")
    labels = _object(project / ".dvc/cache", "data/labels.csv")
    _overwrite(labels)
    yield Fault("dvc-cache", f"cache:{labels.relative_to(project / '.dvc/cache').as_posix()}", "the cached labels edited in place")
    lost = _object(storage, LOST)
    lost.unlink()
    yield Fault("dvc-remote", f"remote:storage/{lost.relative_to(storage).as_posix()}", "a push interrupted: one clip never arrived")
    (project / ENCODER).write_bytes(pointer(files()[ENCODER]))
    yield Fault("lfs-content", ENCODER, "cloned without Git LFS: a pointer stands for the encoder's weights")
    yield from _committed(project)
    (project / "augment.py").write_text("SPEED = 1.1\n", "utf-8")
    yield Fault("git-clean", "augment.py", "a script that was never committed")


def _committed(project: Path) -> Iterator[Fault]:
    """Two that look harmless in a commit."""
    from git import Repo

    (project / VOCABULARY).write_bytes(b"no\nyes\nup\ndown\n")
    (project / "params.json").write_bytes(params(8_000))
    with Repo(project) as repo:
        commit(repo, "Tidy up")
    yield Fault("downloads", VOCABULARY, "two words of the vocabulary swapped")
    yield Fault("dvc-lock", "dvc.yaml:index", "the sample rate changed, the pipeline not run again")


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
