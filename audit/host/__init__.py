"""The only door to the outside: files, processes, git, environment, clock."""

from __future__ import annotations

from audit.host.host import Host

__all__ = ["Host"]
