"""`audit.lock`: writing down what is, and comparing what is with what was written down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from audit.catalog import load_section, sections
from audit.config.load import load_config
from audit.engine.graph import Graph
from audit.engine.meter import Meter
from audit.engine.plan import plan
from audit.errors import AuditError, CannotLook, UsageError
from audit.facts.lock import LockFile
from audit.formats import lock
from audit.formats.lock_data import SECTION
from audit.host import Host, publishing
from audit.host.reading import processors
from audit.records.base import Record
from audit.records.report import Selection
from audit.records.section import Section
from audit.records.words import Trigger
from audit.state.state import State

ENVIRONMENT = "environment"
_DEPTH = 4  # the keys that lead to a file: `data`, its dataset, `content`, its path


class How(Record):
    """How to look: `deep` trusts no remembered digest; `jobs` are the workers, None for one a processor."""

    deep: bool = False
    jobs: int | None = None


class Looked(NamedTuple):
    """The lock as it was and the sections as they are, what they leave out and why, and warnings."""

    recorded: Mapping[str, Any] | None
    found: Mapping[str, Any]
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]


class Difference(NamedTuple):
    """A place of the lock, as the keys that lead to it; `expected` or `found` is None where there is nothing."""

    place: tuple[str, ...]
    expected: Any
    found: Any


def look(root: Path, names: Sequence[str], how: How, watch: Callable[[Meter], None] = lambda _: None) -> Looked:
    """The sections of these names, all if there are none. Raises `UsageError` for an unknown name."""
    chosen = {name: load_section(name) for name in names or sections()}
    project = msgspec.structs.replace(plan(load_config(root), Trigger.LAUNCH, Selection()), rules=())
    meter = Meter()
    watch(meter)
    with closing(Host()) as host, closing(State.open(str(root))) as state:
        graph = Graph(host, state, meter, how.jobs or processors(), deep=how.deep)
        try:
            asked = {name: section(project=project) for name, section in chosen.items()}
            return _look(graph, asked, state, recorded=graph.get(LockFile(root=project.root)), named=bool(names))
        except KeyboardInterrupt:
            graph.stop()
            raise
        finally:
            graph.close()


def _look(
    graph: Graph, asked: Mapping[str, Section], state: State, *, recorded: Mapping[str, Any] | None, named: bool
) -> Looked:
    due = [name for name, request in asked.items() if named or name in (recorded or {}) or request.is_due()]
    for name in due:
        graph.start(asked[name])
    found = {name: graph.get(request) for name, request in asked.items() if name in due}
    left_out = tuple(f"{name}: {said}" for name, request in asked.items() for said in request.left_out())
    return Looked(recorded, found, left_out, tuple(state.warnings))


def write(root: Path, found: Mapping[str, Any]) -> bool:
    """Put the sections into the lock and leave the others be. Returns whether that changed the file."""
    file = root / lock.FILE
    try:
        before = Host().read(str(file), lock.LIMIT) if file.exists() or file.is_symlink() else b""
        after = lock.render({**(lock.parse(before) if before else {}), **found})
        if after != before:
            publishing.write(file, after)
    except OSError as error:
        raise AuditError(f"cannot be written: {(error.strerror or str(error)).lower()}", where=lock.FILE) from error
    return after != before


def to_compare(root: Path, names: Sequence[str]) -> tuple[str, ...]:
    """The sections to compare: those named, else all that the lock has. Raises if there is none, or one is unknown."""
    file = root / lock.FILE
    if not file.exists() and not file.is_symlink():
        raise UsageError(f"no {lock.FILE} in {root}", hint="`audit lock` writes it")
    recorded = lock.parse(Host().read(str(file), lock.LIMIT))
    later = sorted(recorded.keys() - set(sections()))
    if later and not names:
        raise CannotLook(
            f"has a section that this audit does not know: {later[0]!r}", where=lock.FILE, hint="name those to compare"
        )
    if not recorded and not names:
        raise CannotLook("has no section to compare", where=lock.FILE, hint="`audit lock` writes all")
    return tuple(names) or tuple(sorted(recorded))


def differences(looked: Looked) -> list[Difference]:
    """Where the lock says otherwise than what is, in the order of the lock."""
    recorded = looked.recorded or {}
    found = [
        one for name, found in sorted(looked.found.items()) for one in differing((name,), recorded.get(name), found)
    ]
    told = {one.place[:2] for one in found if _file(one)}
    return [one for one in found if (one.place[:2] not in told or _file(one)) and not _follows(one)]


def _follows(one: Difference) -> bool:
    """Whether it only says that something else differs: the digests of a fingerprint."""
    return one.place[0] == ENVIRONMENT and one.place[-1] == "digest"


def of_file(one: Difference) -> str:
    """What became of a file of a dataset, in words; empty if the place is another."""
    path = _file(one)
    if path is None:
        return ""
    if one.found is None:
        return f"{path}: missing"
    if one.expected is None:
        return f"{path}: extra"
    if "size" in one.expected and "size" in one.found:
        return f"{path}: changed ({one.expected['size']:,} -> {one.found['size']:,} bytes)"
    if "blake3" in one.expected or "blake3" in one.found:
        return f"{path}: changed (of the size as before)"
    return f"{path}: as before, but DVC records another digest for it"


def _file(one: Difference) -> str | None:
    """The path of the file that a difference is about, if it is about one; sizes and digests of wholes follow from it.

    Fields of a lock that somebody wrote by hand need not be what they should be.
    """
    is_file = len(one.place) == _DEPTH and (one.place[0], one.place[2]) == (SECTION, "content")
    sides = [side for side in (one.expected, one.found) if side is not None]
    plain = all(isinstance(side, Mapping) and isinstance(side.get("size", 0), int) for side in sides)
    return one.place[3] if is_file and plain else None


def differing(place: tuple[str, ...], expected: Any, found: Any) -> Iterator[Difference]:
    """Go down as long as both sides are objects; of two that hold no others, show only the members that differ."""
    if expected == found:
        return
    if not (isinstance(expected, Mapping) and isinstance(found, Mapping)):
        yield Difference(place, expected, found)
        return
    names = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
    if any(isinstance(side.get(name), Mapping) for side in (expected, found) for name in names):
        for name in names:
            yield from differing((*place, name), expected.get(name), found.get(name))
        return
    yield Difference(place, *({name: side[name] for name in names if name in side} for side in (expected, found)))
