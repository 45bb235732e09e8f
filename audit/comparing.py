"""`audit fingerprint` and `audit compare`: what an environment is, and what several differ in."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from audit.config.load import load_config
from audit.engine.graph import Graph
from audit.engine.meter import Meter
from audit.errors import FormatError, UsageError
from audit.facts.environment.fingerprint import Fingerprint
from audit.facts.gpu.devices import Devices
from audit.formats import fingerprint, lock
from audit.host import Host
from audit.host.reading import processors
from audit.records.findings import Scalar
from audit.records.project import Environment
from audit.state.state import State

Sections = dict[str, dict[str, Scalar]]


def taken(root: Path, *, imports: bool) -> Sections:
    """The fingerprint of the environment of the project at `root`, which may have no audit.yaml."""
    environment = load_config(root).environment if (root / "audit.yaml").exists() else Environment()
    with closing(Host()) as host, closing(State.open(str(root))) as state:
        graph = Graph(host, state, Meter(), processors())
        try:
            graph.start(Devices())  # the driver's library takes as long to load as all else together
            found = graph.get(Fingerprint(root=str(root), environment=environment, imports=imports))
        finally:
            graph.close()
    return {name: dict(fields) for name, fields in found.items()}


def read(path: Path) -> Sections:
    """The fingerprint in a file: one that `audit fingerprint` wrote, or an `audit.lock`.

    Raises `UsageError` where there is no such file, and `FormatError` for a file that holds none.
    """
    if not path.is_file():
        raise UsageError("no such file", hint=f"looked for {path}")
    data = Host().read(str(path.resolve()), fingerprint.LIMIT)
    return fingerprint.read(_fingerprint(data, str(path)), str(path))


def _fingerprint(data: bytes, name: str) -> Any:
    try:
        said = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is no JSON: {str(error)[:200]}", where=name) from None
    if isinstance(said, dict) and said.get("schema") == lock.SCHEMA:
        if "environment" not in said:
            raise FormatError("does not record an environment", where=name, hint="audit lock environment")
        return said["environment"]
    return said
