"""The workspace beside DVC's record: what was recorded of each output, what is there, what the cache could give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import compress
from typing import NamedTuple

from audit.errors import CannotLook, NotApplicable
from audit.facts.content import FileContent, Wanted, read_files
from audit.facts.dvc import Dvc, DvcProject, Problem
from audit.facts.dvc_seal import Seals
from audit.facts.dvc_survey import Presence, Site, Survey, Surveyor
from audit.facts.dvc_tree import Blocked
from audit.facts.links import below, typed
from audit.formats.dvc import listing
from audit.formats.dvc.output import Output
from audit.formats.lfs import POINTER_LIMIT, pointer_size
from audit.records.base import Record
from audit.records.check import Covered, Request
from audit.records.context import Context
from audit.records.door import Door, EntryType
from audit.records.shell import pathname


class Kept(StrEnum):
    """What the cache has of a file that is not as recorded."""

    WHOLE = "whole"
    DAMAGED = "damaged"
    ABSENT = "absent"


class Backup(NamedTuple):
    """A member's object in the cache: its path as typed in the project's folder, and what it is worth."""

    path: str
    worth: Kept


class OutputState(Record):
    """One output; members are paths relative to it, "" for an output that is a file.

    `count` is how many files there should be, as far as that is known. A `sealed` one
    is as recorded by its seal (`audit.facts.dvc_seal`), and none of its members are told.

    `recorded` holds a hex digest a member, None where the folder's listing is nowhere.
    Of members that were read, `changed` ones have another digest than the recorded one;
    `absent` ones are recorded and not found, `extra` ones the other way round. `special`
    says what stands where no file does. `hidden` members are there, but `.dvcignore`
    leaves them out. `pointers` are changed members that hold a Git LFS pointer, with the
    size it speaks of (None if it is malformed). `backups` are the objects of all members
    that are not as recorded. `folder_hex` is the MD5 that DVC would give the folder as it
    is now, where it differs. `pullable` says whether there is anywhere to pull it from.
    """

    output: Output
    presence: Presence
    count: int
    sealed: bool = False
    recorded: Mapping[str, str] | None = None
    unsafe: Mapping[str, str] = {}
    found: Mapping[str, FileContent] = {}
    changed: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    extra: frozenset[str] = frozenset()
    special: Mapping[str, Presence] = {}
    hidden: frozenset[str] = frozenset()
    pointers: Mapping[str, int | None] = {}
    backups: Mapping[str, Backup] = {}
    blocked: tuple[Blocked, ...] = ()
    folder_hex: str | None = None
    pullable: bool = True

    @property
    def whole(self) -> bool:
        """Whether everything was read, and is as recorded."""
        return (
            self.recorded is not None
            and not (self.changed or self.absent or self.extra or self.special or self.unsafe or self.blocked)
            and not any(content.problem or content.collides for content in self.found.values())
        )

    @property
    def as_recorded(self) -> bool:
        """Whether it is what was recorded, if only by the folder's own digest or an earlier seal."""
        digest = self.output.digest
        same = self.recorded is None and digest is not None and self.folder_hex == digest.hex
        return self.sealed or self.whole or (same and not (self.special or self.blocked))

    @property
    def target(self) -> str:
        """How DVC's commands call the stage, quoted for a shell."""
        return pathname(self.output.stage)

    def subject(self, member: str) -> str:
        """The member's path relative to the project."""
        return f"{self.output.path}/{member}" if member else self.output.path


class Workspace(Record):
    """All outputs in the order of their paths, the DVC files that could not be read, and what DVC does not see.

    See `Dvc` for `ignored` and `nested`.
    """

    states: tuple[OutputState, ...]
    problems: tuple[Problem, ...] = ()
    ignored: Mapping[str, str] = {}
    nested: tuple[str, ...] = ()


class DvcWorkspace(Request[Workspace]):
    """The outputs of the DVC project in the folder `root` (absolute), read and compared with their record."""

    root: str

    def collect(self, ctx: Context) -> Workspace:
        """Find all files first, then read them in one go, so that the work is spread evenly."""
        dvc = known(ctx, self.root)
        surveyor, seals = Surveyor.of(ctx, dvc, self.root), Seals(ctx)
        sites = ctx.get(DvcSites(root=self.root))
        held = [seals.hold(site) for site in sites]
        rest = list(compress(sites, (not one for one in held)))
        surveys = [surveyor.survey(site) for site in rest]
        contents = read_files(ctx, {path: wish for survey in surveys for path, wish in survey.wanted.items()})
        states = [_state(ctx, dvc, self.root, survey, contents) for survey in surveys]
        for site, state in zip(rest, states, strict=True):
            if state.whole:
                seals.put(site)
        states += [_sealed(site) for site in compress(sites, held)]
        ordered = sorted(states, key=lambda state: (state.output.path, state.output.stage))
        return Workspace(states=tuple(ordered), problems=dvc.problems, ignored=dvc.ignored, nested=dvc.nested)


class DvcSites(Request[tuple[Site, ...]]):
    """Where the outputs of the DVC project in the folder `root` (absolute) are, nothing of them read."""

    root: str

    def collect(self, ctx: Context) -> tuple[Site, ...]:
        """List each output's folder once, for all who need to know."""
        dvc = known(ctx, self.root)
        surveyor = Surveyor.of(ctx, dvc, self.root)
        return tuple(surveyor.find(output) for output in dvc.outputs)


class Covering(Request[Covered]):
    """The files that `DvcWorkspace` compares with what DVC recorded, in the folder `root` (absolute).

    Not whatever lies in an output: DVC passes over what `.dvcignore` names, links to
    folders and repositories of their own.
    """

    root: str

    def collect(self, ctx: Context) -> Covered:
        """The files of outputs with a digest, and nothing where there is no DVC."""
        dvc = ctx.get(DvcProject(root=self.root))
        if dvc is None:
            return Covered()
        surveyor, sites = Surveyor.of(ctx, dvc, self.root), ctx.get(DvcSites(root=self.root))
        recorded = (site for site in sites if site.output.digest or site.output.files)
        return Covered(paths=tuple(sorted({path for site in recorded for path in _paths(surveyor, site, self.root)})))


def _paths(surveyor: Surveyor, site: Site, root: str) -> Iterator[str]:
    """The files of an output, as the project calls them and as they are called where they really are."""
    for home in {site.output.path, below(root, site.place.path) or site.output.path}:
        yield from (f"{home}/{member}" if member else home for member in surveyor.members(site))


def known(ctx: Context, root: str) -> Dvc:
    """The DVC project. Raises `NotApplicable` where there is none."""
    dvc = ctx.get(DvcProject(root=root))
    if dvc is None:
        raise NotApplicable("no DVC repository holds this folder")
    return dvc


def stages_as_recorded(ctx: Context, root: str) -> frozenset[str]:
    """The addresses of stages of which all outputs are as recorded: `dvc commit` puts them into the cache as such."""
    try:
        states = ctx.get(DvcWorkspace(root=root)).states
    except CannotLook:
        return frozenset()
    return frozenset(state.output.stage for state in states) - {
        state.output.stage for state in states if not state.as_recorded
    }


def _sealed(site: Site) -> OutputState:
    count = len(site.tree.entries) if site.tree else 0
    return OutputState(output=site.output, presence=site.place.presence, count=count, sealed=True)


def _state(ctx: Context, dvc: Dvc, root: str, survey: Survey, contents: Mapping[str, FileContent]) -> OutputState:
    found = {member: contents[path] for member, path in survey.files.items()}
    recorded = survey.recorded.members
    said = {} if recorded is None else recorded
    changed = frozenset(member for member, content in found.items() if _contradicts(content, said.get(member)))
    absent = frozenset(said.keys() - found.keys() - survey.special.keys())
    extra = frozenset() if recorded is None else frozenset((found.keys() | survey.special.keys()) - said.keys())
    there = _there_all_the_same(ctx.host, survey, absent)
    folders = {member for member, type_ in there.items() if type_ is EntryType.FOLDER}
    differs = recorded is None or bool(changed or absent or extra)
    return OutputState(
        output=survey.output,
        presence=survey.place.presence,
        count=_count(survey, found),
        recorded=recorded,
        unsafe=survey.recorded.unsafe,
        found=found,
        changed=changed,
        absent=absent - folders,
        extra=extra,
        special={**survey.special, **dict.fromkeys(folders, Presence.FOLDER)},
        hidden=frozenset(there.keys() - folders),
        pointers=_pointers(ctx.host, survey, changed),
        backups=_backups(ctx, dvc, root, survey, sorted(changed | absent | (survey.special.keys() & said.keys()))),
        blocked=survey.blocked,
        folder_hex=_folder_hex(found) if differs and survey.place.presence is Presence.FOLDER else None,
        pullable=bool(survey.output.remote or dvc.config.remote or survey.output.imported),
    )


def _count(survey: Survey, found: Mapping[str, FileContent]) -> int:
    """How many files there should be: if the listing is nowhere, as many as are there, or as the DVC file counts."""
    if survey.recorded.members is not None:
        return len(survey.recorded.members)
    return (survey.output.nfiles or 0) if survey.place.presence is Presence.MISSING else len(found)


def _contradicts(content: FileContent, recorded: str | None) -> bool:
    return recorded is not None and content.digest is not None and content.digest.hex != recorded


def _folder_hex(found: Mapping[str, FileContent]) -> str | None:
    """None while a file could not be read: half a listing has no digest worth showing."""
    hexes = {member: content.digest.hex for member, content in found.items() if content.digest}
    return listing.folder_md5(hexes) if len(hexes) == len(found) else None


def _there_all_the_same(host: Door, survey: Survey, absent: Iterable[str]) -> dict[str, EntryType]:
    """Recorded members that DVC does not see as files, but that are there: ignored ones, and folders."""
    if survey.place.presence is not Presence.FOLDER:
        return {}
    entries = {member: host.look(f"{survey.place.path}/{member}") for member in absent if member not in survey.special}
    return {member: entry.type for member, entry in entries.items() if entry}


def _pointers(host: Door, survey: Survey, changed: Iterable[str]) -> dict[str, int | None]:
    """Changed files that are small enough to be pointers, and are."""
    found: dict[str, int | None] = {}
    for member in changed:
        path = survey.files[member]
        stamp = survey.wanted[path].stamp
        if stamp and stamp.size <= POINTER_LIMIT:
            is_pointer, size = pointer_size(host.read(path, POINTER_LIMIT))
            if is_pointer:
                found[member] = size
    return found


def _backups(ctx: Context, dvc: Dvc, root: str, survey: Survey, off: list[str]) -> dict[str, Backup]:
    """Whether the cache could give back what is off: read now, since a damaged object must not be checked out."""
    digest, members = survey.output.digest, survey.recorded.members or {}
    if not off or digest is None or not survey.output.cache:
        return {}
    paths = {member: dvc.config.cache.object(digest.algorithm, members[member]) for member in off}
    there = [
        member for member, path in paths.items() if (entry := ctx.host.look(path)) and entry.type is EntryType.FILE
    ]
    contents = read_files(ctx, {paths[member]: Wanted(digest.algorithm, members[member]) for member in there})
    return {
        member: Backup(typed(root, path), _worth(contents.get(path), members[member])) for member, path in paths.items()
    }


def _worth(content: FileContent | None, hexed: str) -> Kept:
    if content is None:
        return Kept.ABSENT
    return Kept.WHOLE if content.digest and content.digest.hex == hexed else Kept.DAMAGED
