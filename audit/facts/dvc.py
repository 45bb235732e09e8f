"""What DVC tracks in the audited project: stages, outputs, configuration, and what could not be read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping

from audit.errors import Cancelled, CannotLook, FormatError
from audit.facts import dvc_config, dvc_ignored
from audit.facts.dvc_files import DVC_FOLDER, LOCK, PIPELINE, SUFFIX, File, Nested, Trouble, Unseen, Walk
from audit.facts.dvc_ignored import GitIgnored
from audit.formats import yaml
from audit.formats.dvc import dvcfile, lockfile, params, pipeline
from audit.formats.dvc.config import Config
from audit.formats.dvc.lockfile import LockedStage
from audit.formats.dvc.output import Output
from audit.formats.dvc.place import Place, inside
from audit.formats.dvc.stage import Locked, Stage
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context
from audit.records.door import Door, EntryType


class Problem(Record):
    """A DVC file that could not be understood; a rule that needs it cannot look.

    `file` is relative to the audited project; `where` is file:line:column as far as known.
    """

    file: str
    where: str
    what: str
    hint: str = ""

    def __str__(self) -> str:
        step = f" ({self.hint})" if self.hint else ""
        return f"{self.where}: {self.what}{step}"


class Dvc(Record):
    """DVC as the audited folder sees it; `root` is the repository's absolute path, at or above that folder.

    Stages come from the audited folder and all below it, and from the folders
    between it and `root`; of the latter only those that reach into the audited
    folder. `leftovers` are entries of a `dvc.lock` that no stage claims; `nested` the
    DVC repositories below, which DVC itself leaves alone; `ignored` the DVC files that
    DVC does not see, by the name of the ignore file that keeps it from them. All names
    are relative to the audited project.
    """

    root: str
    config: Config
    stages: tuple[Stage, ...] = ()
    problems: tuple[Problem, ...] = ()
    leftovers: tuple[Locked, ...] = ()
    nested: tuple[str, ...] = ()
    ignored: Mapping[str, str] = {}

    @property
    def outputs(self) -> Iterator[Output]:
        """The outputs of all stages."""
        return (out for stage in self.stages for out in stage.outs)


class DvcProject(Request[Dvc | None]):
    """What DVC tracks in the folder `root` (absolute); None where no DVC repository holds it."""

    root: str

    def collect(self, ctx: Context) -> Dvc | None:
        """Walk the work tree as DVC does and read its files."""
        root = find_root(ctx.host, self.root)
        if root is None:
            _refuse_orphans(ctx.host, self.root)
            return None
        config = dvc_config.read(ctx.host, root)
        reader = _Reader(ctx, self.root, root, config)
        reader.read()
        return reader.dvc()


def find_root(host: Door, folder: str) -> str | None:
    """The DVC repository that holds a folder: the nearest at or above it with a `.dvc` folder, or a link to one."""
    while True:
        path = posixpath.join(folder, DVC_FOLDER)
        entry = host.look(path)
        if entry and entry.type is EntryType.LINK:
            entry = host.look(host.resolve(path))
        if entry and entry.type is EntryType.FOLDER:
            return folder
        parent = posixpath.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _refuse_orphans(host: Door, folder: str) -> None:
    """Raise `CannotLook` for records without a repository: a copy that leaves out names with a dot makes such."""
    for entry in host.scan(folder):
        if entry.name == LOCK or (entry.name.endswith(SUFFIX) and entry.type is EntryType.FILE):
            what = f"{entry.name!r} is there, but no DVC repository"
            raise CannotLook(what, hint=f"bring {DVC_FOLDER} back, which a copy may have left out, or run `dvc init`")


class _Reader:
    """Gathers what one walk finds."""

    def __init__(self, ctx: Context, project: str, root: str, config: Config) -> None:
        self.ctx = ctx
        self.project = project
        self.root = root
        self.config = config
        self.remotes = config.urls
        self.stages: list[Stage] = []
        self.locations: set[str] = set()
        self.problems: list[Problem] = []
        self.leftovers: list[Locked] = []
        self.nested: list[str] = []
        self.ignored: dict[str, str] = {}

    def read(self) -> None:
        ignored = GitIgnored() if self.config.no_scm else dvc_ignored.ask(self.ctx.host, self.root)
        walk = Walk(self.ctx.host, self.root, ignored, tracked=self.locations.__contains__, alive=self._alive)
        for found in walk.to(self.project):
            match found:
                case File():
                    self._file(found)
                case Trouble(path, error):
                    self._problem(path, error)
                case Nested(path):
                    self.nested.append(self._shown(path))
                case Unseen(path, by):
                    self.ignored[self._shown(path)] = by

    def _alive(self) -> None:
        """Say that the walk goes on, and end it if nobody wants it any more."""
        self.ctx.progress.advance()
        if self.ctx.cancelled():
            raise Cancelled("the audit was interrupted")

    def dvc(self) -> Dvc:
        mine = (stage for stage in self.stages if self._reaches_in(stage))
        return Dvc(
            root=self.root,
            config=self.config,
            stages=tuple(sorted(mine, key=lambda stage: stage.file)),
            problems=tuple(sorted(self.problems, key=lambda problem: (problem.file, problem.where))),
            leftovers=tuple(sorted(self.leftovers, key=lambda locked: locked.address)),
            nested=tuple(sorted(self.nested)),
            ignored=self.ignored,
        )

    def _file(self, file: File) -> None:
        try:
            stages = self._stages(file)
        except (CannotLook, FormatError) as error:
            self._problem(file.path, error)
            return
        self.stages += stages
        self.locations.update(out.location for stage in stages for out in stage.outs if out.location)

    def _stages(self, file: File) -> Iterable[Stage]:
        place = Place(self.project, self.root, file.path, self.remotes)
        data = self.ctx.host.read(file.target, yaml.LIMIT)
        if posixpath.basename(file.path) != PIPELINE:
            return (dvcfile.parse(data, place),)
        lock = self._lock(file)
        found = pipeline.parse(data, place, lock, self._read, self.config.arguments)
        self.leftovers += found.leftovers
        return found.stages

    def _lock(self, file: File) -> dict[str, LockedStage]:
        if file.lock is None:
            return {}
        name = self._shown(posixpath.join(posixpath.dirname(file.path), LOCK))
        return lockfile.parse(self.ctx.host.read(file.lock, yaml.LIMIT), name)

    def _read(self, path: str) -> bytes | None:
        """Read a file of variables; one outside the repository is none of ours to show."""
        host = self.ctx.host
        target = host.resolve(path)
        entry = host.look(target)
        if entry is None:
            return None
        if not inside(target, host.resolve(self.root)):
            raise FormatError(f"{self._shown(path)!r} is outside the repository", hint="keep variables inside it")
        if entry.type is not EntryType.FILE:
            raise FormatError(f"{self._shown(path)!r} is no file")
        return host.read(target, params.LIMIT)

    def _reaches_in(self, stage: Stage) -> bool:
        """Whether a stage is in the audited folder, or makes something there."""
        return not stage.file.startswith("../") or any(
            out.location and (out.location == self.project or inside(out.location, self.project)) for out in stage.outs
        )

    def _problem(self, path: str, error: CannotLook | FormatError) -> None:
        name = self._shown(path)
        self.problems.append(Problem(file=name, where=error.where or name, what=error.what, hint=error.hint))

    def _shown(self, path: str) -> str:
        return posixpath.relpath(path, self.project)
