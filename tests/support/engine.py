"""A graph on the real machine with nothing remembered, and requests that count how often they are collected."""

from collections.abc import Mapping
from typing import Any

from audit.engine.graph import Graph
from audit.engine.meter import Meter
from audit.host import Host
from audit.records.digests import Digest, Seen


class NothingRemembered:
    """A state store that forgets at once."""

    def recall(self, folder: str, algorithm: str) -> Mapping[str, Seen]:
        return {}

    def remember(self, folder: str, seen: Mapping[str, Seen]) -> None:
        return None

    def blake3_of(self, recorded: Digest) -> str | None:
        return None

    def sealed(self, seal: str) -> bool:
        return False

    def seal(self, seal: str) -> None:
        return None

    def learn(self, pairs: Mapping[Digest, str]) -> None:
        return None


def graph(jobs: int = 2, **options: Any) -> Graph:
    return Graph(Host(), NothingRemembered(), Meter(), jobs, **options)
