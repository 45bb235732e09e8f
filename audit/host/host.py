"""The door that collectors look through (`audit.records.door.Door`), on the machine itself."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from audit.host import files, git, process
from audit.host.scratch import Scratch
from audit.records.door import Completed, Entry, Peek


class Host:
    """This machine. Its one state is the scratch folder: what is remembered lives in the state store."""

    def __init__(self, tick: Callable[[], None] = process.silent, scratch: Scratch | None = None) -> None:
        self._tick = tick
        self._scratch = scratch or Scratch()

    def watched(self, tick: Callable[[], None]) -> Host:
        """The same door, whose programs are watched by `tick`."""
        return type(self)(tick, self._scratch)

    def scratch(self) -> str:
        """A private folder on a local disk for what is needed while the audit runs; made when first asked for."""
        return self._scratch.folder()

    def close(self) -> None:
        """Remove the scratch folder."""
        self._scratch.close()

    def look(self, path: str) -> Entry | None:
        """What is at the path itself (links not followed); None if nothing."""
        return files.look(path)

    def peek(self, path: str, size: int, offset: int = 0) -> Peek:
        """Up to `size` bytes of a regular file from `offset` on, fewer where it ends before, and how large it is."""
        return files.peek(path, size, offset)

    def scan(self, folder: str) -> list[Entry]:
        """A folder's entries, sorted by name."""
        return files.scan(folder)

    def read(self, path: str, limit: int) -> bytes:
        """A regular file of at most `limit` bytes; a symbolic link is refused, `resolve` it first."""
        return files.read(path, limit)

    def target(self, link: str) -> str:
        """The text of a symbolic link."""
        return files.target(link)

    def resolve(self, path: str) -> str:
        """The path with every link followed, as far as it exists."""
        return files.resolve(path)

    def run(
        self,
        args: Sequence[str],
        *,
        cwd: str,
        timeout_s: float,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
    ) -> Completed:
        """A process without a terminal; killed with its children after `timeout_s`."""
        return process.run(args, cwd=cwd, timeout_s=timeout_s, env=env, stdin=stdin, tick=self._tick)

    def git(self, folder: str, *args: str, timeout_s: float = 60, stdin: bytes = b"") -> Completed:
        """Git plumbing in that folder with everything switched off that could run the project's code."""
        return git.git(folder, *args, timeout_s=timeout_s, stdin=stdin, tick=self._tick)

    def variable(self, name: str) -> str | None:
        """An environment variable of the audit."""
        return os.environ.get(name)

    def now(self) -> datetime:
        """The time, in UTC."""
        return datetime.now(UTC)

    def name(self) -> str:
        """The machine's host name."""
        return socket.gethostname()
