"""Imports: where DVC took something from, what pins it, and whether the source is still what it was."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import NamedTuple

import msgspec

from audit.errors import CannotLook, MissingExtra, NotApplicable
from audit.facts.dvc import Problem
from audit.facts.dvc_workspace import known
from audit.facts.git_remotes import tips
from audit.facts.processes.dvc_import import Answer, Question
from audit.formats.dvc.output import Dependency
from audit.formats.dvc.stage import Stage
from audit.formats.urls import public_text
from audit.records.base import Record
from audit.records.check import Request
from audit.records.context import Context

ASKED = frozenset({"s3", "gs", "gcs", "az", "azure", "https", "http", "remote", "file", ""})
"""Schemes of sources that may be asked; `remote` is a DVC remote, "" a path."""

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)


class Import(NamedTuple):
    """One import. `pin` is what fixes it, "" if nothing does.

    `state` is what the source says of itself now: "" if it is as it was, None if it was
    not asked; `problem` is why it could not be.
    """

    output: str
    stage: str
    where: str
    source: str
    is_repository: bool
    pin: str
    state: str | None = None
    problem: str | None = None


class Imports(Record):
    """All imports in the order of their outputs."""

    imports: tuple[Import, ...]
    problems: tuple[Problem, ...] = ()


class DvcImports(Request[Imports]):
    """The imports of the DVC project in the folder `root` (absolute); `ask` asks their sources, each within `timeout_s`."""

    root: str
    ask: bool = True
    timeout_s: int = 60

    def collect(self, ctx: Context) -> Imports:
        """Read the pins, then ask Git repositories by Git and the rest through DVC."""
        dvc = known(ctx, self.root)
        stages = sorted((stage for stage in dvc.stages if _is_import(stage)), key=lambda stage: stage.outs[0].path)
        found = {stage.address: _pinned(stage) for stage in stages}
        if self.ask:
            found |= {stage.address: _repository(ctx, self.root, found[stage.address]) for stage in stages if stage.deps[0].repository}
            plain = [stage for stage in stages if not stage.deps[0].repository]
            found |= _asked(ctx, dvc.root, self, {stage: found[stage.address] for stage in plain})
        return Imports(imports=tuple(found[stage.address] for stage in stages), problems=dvc.problems)


def _is_import(stage: Stage) -> bool:
    return stage.imported and stage.file.endswith(".dvc") and not stage.deps[0].database and not stage.deps[0].dataset


def _pinned(stage: Stage) -> Import:
    source, output = stage.deps[0], stage.outs[0]
    repository = source.repository
    told = f"{source.declared} of {repository.url}" if repository else source.path
    return Import(output.path, stage.address, source.where, told, repository is not None, _pin(source))


def _pin(source: Dependency) -> str:
    """The commit of a repository; else what the store says of the file's content."""
    if source.repository:
        return source.repository.rev_lock or ""
    version = source.version
    marks = (version.version_id, version.etag, version.checksum) if version else ()
    return source.oid or next((mark for mark in marks if mark), "") or ("listed files" if source.files else "")


def _repository(ctx: Context, root: str, one: Import) -> Import:
    """Whether the pinned commit is still what a branch or tag of the source stands on."""
    url = one.source.partition(" of ")[2]
    ctx.progress.advance(what=url)
    try:
        there = tips(ctx.host, root, url)
    except (CannotLook, NotApplicable) as error:
        return one._replace(problem=public_text(str(error)))
    return one._replace(state="" if one.pin in there else "moved")


def _asked(ctx: Context, root: str, request: DvcImports, stages: Mapping[Stage, Import]) -> dict[str, Import]:
    """Ask DVC for all at once; where that fails, it fails for all."""
    allowed = [stage for stage in stages if _scheme(stage) in ASKED]
    others = {stage.address: one._replace(problem=f"the scheme {_scheme(stage)!r} is not asked") for stage, one in stages.items() if stage not in allowed}
    if not allowed:
        return others
    if find_spec("dvc") is None:
        raise MissingExtra("dvc", "DVC, which the sources of imports are asked through,")
    files = {posixpath.join(request.root, stage.file): stage for stage in allowed}
    try:
        answers = _answers(ctx, Question(root, tuple(files)), request.timeout_s)
    except CannotLook as error:
        return others | {stage.address: stages[stage]._replace(problem=public_text(error.what)) for stage in allowed}
    return others | {files[one.file].address: _answered(stages[files[one.file]], one) for one in answers}


def _answered(one: Import, answer: Answer) -> Import:
    if answer.error is not None:
        return one._replace(problem=public_text(answer.error))
    return one._replace(state=answer.state)


def _scheme(stage: Stage) -> str:
    found = _SCHEME.match(stage.deps[0].declared)
    return found[1].lower() if found else ""


def _answers(ctx: Context, question: Question, timeout_s: int) -> Iterable[Answer]:
    line = [sys.executable, "-P", "-m", "audit.facts.processes.dvc_import"]
    done = ctx.host.run(line, cwd="/", timeout_s=timeout_s, stdin=msgspec.json.encode(question))
    try:
        return msgspec.json.decode(done.out, type=tuple[Answer, ...])
    except msgspec.DecodeError:
        last = done.err.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise CannotLook(f"DVC could not be asked (exit code {done.code}): {last[:300]}") from None
