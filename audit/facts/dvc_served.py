"""Sources of imports that servers hold, asked through DVC's own library what has become of them."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from urllib.parse import urlsplit

import msgspec

from audit.errors import CannotLook, MissingExtra
from audit.facts.processes.ask import ask
from audit.facts.processes.dvc_import import Answer, Question, Source
from audit.formats import yaml
from audit.formats.dvc import dvcfile
from audit.formats.dvc.output import Dependency
from audit.formats.dvc.stage import Stage
from audit.formats.urls import public, public_text
from audit.records.context import Context
from audit.records.door import Door


def ask_all(ctx: Context, repository: str, project: str, stages: Sequence[Stage], timeout_s: float) -> Iterator[Answer]:
    """Answer for each stage under its address, without secrets; `repository` and `project` are absolute folders.

    There is one process a server, so that one that hangs costs no other its answer.
    """
    declared = {stage.address: stage.deps[0].declared for stage in stages}
    if declared and find_spec("dvc") is None:
        raise MissingExtra("dvc", "DVC, which the sources of imports are asked through,")
    servers: defaultdict[str, list[Source]] = defaultdict(list)
    for stage in stages:
        servers[_server(stage.deps[0])].append(_as_declared(ctx.host, project, stage))
    questions = [Question(repository, tuple(sources)) for _, sources in sorted(servers.items())]
    for answers in ctx.map(partial(_answers, ctx.host, timeout_s), questions):
        ctx.progress.advance()
        for each in answers:
            yield msgspec.structs.replace(each, error=each.error and _public(each.error, declared[each.name]))


def _as_declared(host: Door, project: str, stage: Stage) -> Source:
    """The dependency as its file spells it: DVC's settings for it may stand there (`fs_config`)."""
    data = host.read(host.resolve(posixpath.join(project, stage.file)), yaml.LIMIT)
    entries = dvcfile.dependencies(data, stage.file)
    if len(entries) != 1:
        raise CannotLook("changed while it was read", where=stage.file, hint="run the audit again")
    return Source(stage.address, entries[0])


def _server(source: Dependency) -> str:
    try:
        parts = urlsplit(source.path)
    except ValueError:  # as a remote's URL may be that it builds on
        return source.path
    return f"{parts.scheme}://{parts.netloc}"


def _answers(host: Door, timeout_s: float, question: Question) -> tuple[Answer, ...]:
    try:
        return ask(host, "dvc_import", question, tuple[Answer, ...], timeout_s)
    except CannotLook as error:
        return tuple(Answer(source.name, error=error.what) for source in question.sources)


def _public(text: str, url: str) -> str:
    """A message without the secrets of the URL that it may repeat."""
    return public_text(text.replace(url, public(url)))
