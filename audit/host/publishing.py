"""Writing results so that a kill at any moment leaves the old state or the new one, never half of either."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_TEMPORARY = ".audit-tmp-"
_ABANDONED_S = 3600


def private_folder(folder: Path) -> None:
    """Make a folder that keeps itself out of git."""
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        write(ignore, b"*\n")


def write(file: Path, content: bytes) -> None:
    """Write a file under a temporary name beside it, make it durable, rename it."""
    handle, temporary = tempfile.mkstemp(prefix=_TEMPORARY, dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def create(file: Path, content: bytes) -> None:
    """Write a file that is not there yet. Raises `FileExistsError` if it is, however late it came."""
    handle, temporary = tempfile.mkstemp(prefix=_TEMPORARY, dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(temporary).chmod(0o644)
        os.link(temporary, file)
    finally:
        Path(temporary).unlink(missing_ok=True)


def publish(parent: Path, name: str, files: Mapping[str, bytes]) -> Path:
    """A new folder with all the files, or none; `name` gets a number if it is taken. Returns the folder.

    A new `parent` is private; what somebody else made is not ours to hide from Git.
    """
    if not parent.exists():
        private_folder(parent)
    _sweep(parent)
    draft = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=parent))
    try:
        for file, content in files.items():
            write(draft / file, content)
        draft.chmod(0o755)
        return _settle(draft, parent, name)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _settle(draft: Path, parent: Path, name: str) -> Path:
    """Renaming a folder onto one that has files in it fails, so that two audits never share one."""
    for number in range(1, 1000):
        final = parent / (name if number == 1 else f"{name}-{number}")
        with suppress(OSError):
            return draft.rename(final)
    return draft.rename(parent / f"{name}-{os.getpid()}")


def point(link: Path, target: str) -> None:
    """Make `link` a symbolic link to `target` beside it, in one step. Raises `OSError` if something else is there."""
    draft = link.with_name(f"{_TEMPORARY}{link.name}-{os.getpid()}")
    draft.unlink(missing_ok=True)
    draft.symlink_to(target)
    try:
        draft.replace(link)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def _sweep(parent: Path) -> None:
    """Remove what audits that were killed left behind, once it is surely nobody's."""
    import time

    for old in parent.glob(f"{_TEMPORARY}*"):
        with suppress(OSError):
            if time.time() - old.lstat().st_mtime > _ABANDONED_S:
                shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()
