"""What a collector may touch while it looks: the protocol that the engine offers to facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from audit.records.check import Request
    from audit.records.digests import Digests
    from audit.records.door import Door

T = TypeVar("T")
Item = TypeVar("Item")


class Progress(Protocol):
    """Where a collector says how far it is; silence for a minute counts as a stall."""

    def expect(self, files: int = 0, size: int = 0) -> None:
        """So many more files and bytes are going to be read."""

    def advance(self, files: int = 0, size: int = 0, what: str = "") -> None:
        """So many files and bytes have been read, the last from `what`."""

    def trusted(self, files: int = 0, size: int = 0) -> None:
        """So many files and bytes were not read, since their remembered digests still hold."""

    def unread(self, files: int = 0) -> None:
        """So many files were not looked at."""


class Context(Protocol):
    """Nothing else reaches a collector."""

    @property
    def host(self) -> Door:
        """The door to files, processes, git, environment variables and the clock."""

    @property
    def digests(self) -> Digests:
        """What this machine has read before."""

    @property
    def progress(self) -> Progress:
        """Where to say how far it is."""

    @property
    def deep(self) -> bool:
        """Read everything; trust no remembered digest."""

    def get(self, request: Request[T]) -> T:
        """Another fact; collected once, failures remembered too."""

    def map(self, work: Callable[[Item], T], items: Iterable[Item]) -> Sequence[T]:
        """`work` over `items` on all workers, results in the order of `items`.

        `work` is a plain function of a module, so that it can be sent to a process.
        """

    def cancelled(self) -> bool:
        """Whether the audit was interrupted or this collector was given up: stop soon."""
