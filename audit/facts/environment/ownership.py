"""The records of all distributions, held against each other and against the bytes of their files."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from audit.errors import CannotLook, FormatError
from audit.facts.content import FileContent, Wanted, read_files
from audit.facts.environment.installed import Distributions
from audit.facts.environment.interpreter import Probed
from audit.formats.installed.record import ALGORITHMS, LIMIT, Line, parse
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Door
from audit.records.environment import Altered, Bytes, Damaged, Distribution, Ownership, Shared
from audit.records.project import Environment

_BINARY = (".so", ".pyd")
_COMPILED = re.compile(r"\.(?:cpython-|cp)(\d{2,4})[-\w]*\.(?:so|pyd)$")


class Owned(Request[Ownership]):
    """What records of files say together, for the interpreter of the project at `root`."""

    root: str
    environment: Environment

    def collect(self, ctx: Context) -> Ownership:
        """Read every RECORD once. A loop over some hundred thousand lines: it does little."""
        tag = "".join(ctx.get(Probed(root=self.root, environment=self.environment)).version.split(".")[:2])
        first: dict[str, tuple[str, str]] = {}
        clashes: defaultdict[str, list[str]] = defaultdict(list)
        foreign: list[tuple[str, str]] = []
        damaged: list[Damaged] = []
        for one, said in _recorded(ctx, self):
            for line in () if isinstance(said, Damaged) else said:
                path = _place(one, line.path)
                name, digest = first.setdefault(path, (one.name, line.said))
                if digest != line.said and line.said and digest:
                    clashes[path] += [one.name] if clashes[path] else [name, one.name]
                if path.endswith(_BINARY) and (compiled := _COMPILED.search(path)) and compiled[1] != tag:
                    foreign.append((one.name, path))
            damaged += [said] if isinstance(said, Damaged) else []
        shared = (Shared(path=path, owners=tuple(names)) for path, names in sorted(clashes.items()))
        return Ownership(shared=tuple(shared), foreign=tuple(sorted(foreign)), damaged=tuple(damaged), files=len(first))


class OwnedBytes(Request[Bytes]):
    """The bytes of all recorded files, for the interpreter of the project at `root`."""

    root: str
    environment: Environment

    def collect(self, ctx: Context) -> Bytes:
        """Read every file that has a digest, or trust that nothing moved since it was read."""
        wanted: dict[str, Wanted] = {}
        names: dict[str, str] = {}
        for one, said in _recorded(ctx, self):
            for line in () if isinstance(said, Damaged) else said:
                if line.algorithm in ALGORITHMS and line.hex:
                    path = _place(one, line.path)
                    names[path] = one.name
                    wanted[path] = Wanted(algorithm=line.algorithm, hex=line.hex)
        read = read_files(ctx, wanted)
        altered = (_altered(ctx.host, names[path], path, one, wanted[path]) for path, one in read.items())
        return Bytes(
            altered=tuple(one for one in altered if one),
            files=len(read),
            size=sum(content.size for content in read.values()),
        )


def _recorded(ctx: Context, asked: Owned | OwnedBytes) -> Iterator[tuple[Distribution, Sequence[Line] | Damaged]]:
    """Every distribution that has a RECORD, and its lines."""
    installed = ctx.get(Distributions(root=asked.root, environment=asked.environment))
    for one in installed.distributions:
        if one.recorded and one.entry.endswith(".dist-info"):
            yield one, _lines(ctx.host, one)


def _lines(host: Door, one: Distribution) -> Sequence[Line] | Damaged:
    path = f"{one.site}/{one.entry}/RECORD"
    try:
        return tuple(parse(host.read(path, LIMIT), path))
    except (CannotLook, FormatError) as error:
        return Damaged(site=one.site, entry=one.entry, what=error.what)


def _place(one: Distribution, path: str) -> str:
    plain = ".." not in path and not path.startswith("/")
    return f"{one.site}/{path}" if plain else posixpath.normpath(posixpath.join(one.site, path))


def _altered(host: Door, name: str, path: str, content: FileContent, wanted: Wanted) -> Altered | None:
    if content.digest is None:
        gone = host.look(path) is None
        return Altered(distribution=name, path=path, how="absent" if gone else "unread", what=content.problem)
    if content.digest.hex != wanted.hex:
        return Altered(distribution=name, path=path, how="changed")
    return None
