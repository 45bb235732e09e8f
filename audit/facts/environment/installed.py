"""What is installed for the project's interpreter: the records that installers left, read and never imported.

Source: "Recording installed projects" of the Python packaging authority (PEP 376, PEP 627) for `*.dist-info`,
setuptools' documentation for `*.egg-info` and `*.egg-link`, the module `site` for `.pth` files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from audit.errors import CannotLook, FormatError
from audit.facts.environment.interpreter import Probed
from audit.formats.installed import conda_meta, direct_url, metadata
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Door, Entry, EntryType
from audit.records.environment import Damaged, Distribution, Installed, Origin
from audit.records.project import Environment

FOLDERS = 200
"""Folders that are looked in, those that `.pth` files add among them."""
HEAD = 16 << 10
PTH_LIMIT = 1 << 20
SMALL = 4096

_METADATA = {".dist-info": "METADATA", ".egg-info": "PKG-INFO"}


class _Pth(NamedTuple):
    """What a `.pth` file says: folders to add, and whether a line of it is run."""

    folders: tuple[str, ...]
    runs: bool


class Distributions(Request[Installed]):
    """What is installed for the interpreter of the project at `root`. Raises what `Probed` does."""

    root: str
    environment: Environment

    def collect(self, ctx: Context) -> Installed:
        """Look through the folders in their order, then through conda's."""
        python = ctx.get(Probed(root=self.root, environment=self.environment))
        found: list[Distribution | Damaged] = []
        hooks: list[str] = []
        added: list[str] = []
        waiting = list(python.sites)
        for site in waiting:
            for name, said in _pths(ctx.host, site):
                hooks += [str(PurePath(site, name))] if said.runs else []
                fresh = [folder for folder in said.folders if folder not in waiting]
                added += fresh
                waiting += fresh[: FOLDERS - len(waiting)]
            found += _site(ctx.host, site)
        found += _conda(ctx.host, python.prefix)
        return Installed(
            distributions=tuple(one for one in found if isinstance(one, Distribution)),
            damaged=tuple(one for one in found if isinstance(one, Damaged)),
            hooks=tuple(hooks),
            added=tuple(added),
        )


def _entries(host: Door, folder: str) -> Sequence[Entry]:
    there = host.look(host.resolve(folder))
    return host.scan(folder) if there and there.type is EntryType.FOLDER else ()


def _pths(host: Door, site: str) -> Iterator[tuple[str, _Pth]]:
    for entry in _entries(host, site):
        if entry.name.endswith(".pth") and entry.type is EntryType.FILE and not entry.name.startswith("."):
            yield entry.name, _pth(host, site, entry.name)


def _pth(host: Door, site: str, name: str) -> _Pth:
    """Its lines, as the module `site` understands them; an unreadable one counts as one that runs something."""
    try:
        text = host.read(str(PurePath(site, name)), PTH_LIMIT).decode("utf-8", "surrogateescape")
    except CannotLook:
        return _Pth((), runs=True)
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    runs = [line for line in lines if line.startswith(("import ", "import\t"))]
    places = [str(PurePath(site, line)) for line in lines if line not in runs and "\0" not in line]
    return _Pth(tuple(place for place in places if _entries(host, place)), bool(runs))


def _site(host: Door, site: str) -> Iterator[Distribution | Damaged]:
    for entry in _entries(host, site):
        stem, dot, suffix = entry.name.rpartition(".")
        if stem and f"{dot}{suffix}" in _METADATA:
            yield _read(host, site, entry)


def _read(host: Door, site: str, entry: Entry) -> Distribution | Damaged:
    folder = str(PurePath(site, entry.name))
    whole = entry.type is not EntryType.FILE
    try:
        said = _metadata(host, str(PurePath(folder, _METADATA[PurePath(entry.name).suffix])) if whole else folder)
        origin = _origin(host, folder) if whole else None
    except (CannotLook, FormatError) as error:
        return Damaged(site=site, entry=entry.name, what=error.what)
    return Distribution(
        name=said.name,
        version=said.version,
        site=site,
        entry=entry.name,
        requires=said.requires,
        requires_python=said.requires_python,
        installer=_text(host, folder, "INSTALLER") if whole else "",
        origin=origin,
        recorded=whole and host.look(str(PurePath(folder, "RECORD"))) is not None,
    )


def _metadata(host: Door, path: str) -> metadata.Metadata:
    """Of most files the head is enough; the headers end at the first empty line."""
    head, size = host.peek(path, HEAD)
    if b"\n\n" not in head and b"\r\n\r\n" not in head and size > HEAD:
        head = host.peek(path, metadata.LIMIT).data
    return metadata.parse(head, path)


def _origin(host: Door, folder: str) -> Origin | None:
    path = str(PurePath(folder, "direct_url.json"))
    return direct_url.parse(host.read(path, direct_url.LIMIT), path) if host.look(path) else None


def _text(host: Door, folder: str, name: str) -> str:
    path = str(PurePath(folder, name))
    return host.peek(path, SMALL).data.decode("utf-8", "replace").strip() if host.look(path) else ""


def _conda(host: Door, prefix: str) -> Iterator[Distribution | Damaged]:
    folder = str(PurePath(prefix, "conda-meta"))
    for entry in _entries(host, folder):
        if entry.name.endswith(".json"):
            name = f"conda-meta/{entry.name}"
            try:
                said = conda_meta.parse(host.read(str(PurePath(folder, entry.name)), conda_meta.LIMIT), name)
            except (CannotLook, FormatError) as error:
                yield Damaged(site=prefix, entry=name, what=error.what)
                continue
            yield Distribution(
                name=said.name,
                version=said.version,
                site=prefix,
                entry=name,
                installer="conda",
                build=said.build,
                channel=said.channel,
            )
