"""Digests of what stages depend on: files, and folders as DVC digests them.

Much of it is another stage's output, or was added to DVC: what `DvcWorkspace` reads
anyway is taken from there, so that nothing is read twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from audit.errors import CannotLook, FormatError
from audit.facts.content import FileContent, Wanted, read_files
from audit.facts.dvc import Dvc
from audit.facts.dvc_tree import rules_of, tree
from audit.facts.dvc_workspace import DvcWorkspace, OutputState
from audit.facts.links import Lead, Links, Target, below
from audit.formats.dvc import ignore
from audit.formats.dvc.listing import folder_md5
from audit.formats.dvc.output import oid
from audit.records.context import Context
from audit.records.door import EntryType


class Sought(NamedTuple):
    """A file or folder to digest: its absolute path, the algorithm, and the digest that is hoped for."""

    location: str
    algorithm: str
    hex: str


class Found(NamedTuple):
    """What was found there: `hex` is empty if nothing is, or if `problem` says why it was not read."""

    hex: str = ""
    is_dir: bool = False
    problem: str = ""

    @property
    def oid(self) -> str:
        """The digest as DVC spells it."""
        return oid(self.hex, is_dir=self.is_dir) if self.hex else ""


class _Survey(NamedTuple):
    """The files behind what is sought, by member ("" for a file) and path without links."""

    sought: Sought
    files: Mapping[str, str] = MappingProxyType({})
    wanted: Mapping[str, Wanted] = MappingProxyType({})
    is_dir: bool = False
    problem: str = ""


def find(
    ctx: Context, dvc: Dvc, root: str, sought: Iterable[Sought], homes: tuple[str, ...] = ()
) -> dict[Sought, Found]:
    """Digest all that is sought; `homes` are more folders, without links, that links may lead into."""
    every = sorted(set(sought))
    states = _outputs(ctx, dvc, root, every)
    found = {each: known for each in every if (known := _as_output(states.get(each.location), each))}
    links = Links(ctx.host, (root, dvc.root, *homes), ctx.host.resolve(dvc.config.cache.folder))
    surveys = [_survey(ctx, dvc, links, each) for each in every if each not in found]
    for algorithm in sorted({survey.sought.algorithm for survey in surveys}):
        these = [survey for survey in surveys if survey.sought.algorithm == algorithm]
        contents = read_files(ctx, {path: wish for survey in these for path, wish in survey.wanted.items()})
        found |= {survey.sought: _found(survey, contents) for survey in these}
    return found


def _outputs(ctx: Context, dvc: Dvc, root: str, sought: Iterable[Sought]) -> dict[str, OutputState]:
    """The outputs that are sought too, as they were read already."""
    locations = {output.location for output in dvc.outputs}
    if not any(each.location in locations for each in sought):
        return {}
    try:
        workspace = ctx.get(DvcWorkspace(root=root))
    except CannotLook:
        return {}
    return {state.output.location: state for state in workspace.states if state.output.location}


def _as_output(state: OutputState | None, sought: Sought) -> Found | None:
    """What an output was found to be; None if it is to be looked at anew."""
    if state is None or state.special or state.blocked or not state.found:
        return None
    digests = {member: content.digest for member, content in state.found.items()}
    hexes = {
        member: digest.hex for member, digest in digests.items() if digest and digest.algorithm == sought.algorithm
    }
    if len(hexes) != len(digests):
        return None
    return Found(hexes[""]) if "" in hexes else Found(folder_md5(hexes), is_dir=True)


def _survey(ctx: Context, dvc: Dvc, links: Links, sought: Sought) -> _Survey:
    try:
        target = _end(ctx, links, sought.location)
        if target.lead is Lead.OUTSIDE or _behind_a_link(dvc, links, sought.location):
            return _Survey(sought, problem="a link there leads out of the project, and was not followed")
        if target.entry is None:
            return _Survey(sought)
        if target.entry.type is EntryType.FOLDER:
            return _folder(ctx, dvc, links, sought, target.path)
        wish = Wanted(sought.algorithm, sought.hex, target.entry.stamp)
        return _Survey(sought, {"": target.path}, {target.path: wish})
    except (CannotLook, FormatError) as error:
        return _Survey(sought, problem=str(error))


def _behind_a_link(dvc: Dvc, links: Links, path: str) -> bool:
    """Whether what is declared inside the repository stands in a folder that leads out of it."""
    return below(dvc.root, path) is not None and links.leads_out(path)


def _end(ctx: Context, links: Links, path: str) -> Target:
    entry = ctx.host.look(path)
    if entry and entry.type is EntryType.LINK:
        return links.at(path)
    return Target(Lead.INSIDE if entry else Lead.NOWHERE, path, entry)


def _folder(ctx: Context, dvc: Dvc, links: Links, sought: Sought, path: str) -> _Survey:
    """All files of a folder that DVC sees; it passes over links to folders."""
    inside = below(dvc.root, path) is not None
    found = tree(ctx.host, dvc.root, path, rules_of(ctx.host, dvc.root, path if inside else dvc.root))
    files: dict[str, str] = {}
    wanted: dict[str, Wanted] = {}
    for member, entry in sorted(found.entries.items()):
        target = _end(ctx, links, f"{path}/{member}") if entry.type is EntryType.LINK else None
        if target and target.kind is EntryType.FOLDER:
            continue
        if target and target.entry is None:
            return _Survey(sought, is_dir=True, problem=f"holds the link {member!r} to nothing, or out of the project")
        files[member] = target.path if target else f"{path}/{member}"
        wanted[files[member]] = Wanted(sought.algorithm, "", ((target and target.entry) or entry).stamp)
    problem = found.blocked[0].reason if found.blocked else ""
    if any(member.rpartition("/")[2] == ignore.FILE for member in found.entries):
        problem = f"holds a {ignore.FILE}, and DVC digests no such folder"
    return _Survey(sought, files, wanted, is_dir=True, problem=problem)


def _found(survey: _Survey, contents: Mapping[str, FileContent]) -> Found:
    if survey.problem or not (survey.files or survey.is_dir):
        return Found(is_dir=survey.is_dir, problem=survey.problem)
    hexes = {}
    for member, path in survey.files.items():
        content = contents[path]
        if content.digest is None:
            return Found(is_dir=survey.is_dir, problem=f"{member}: {content.problem}" if member else content.problem)
        hexes[member] = content.digest.hex
    return Found(folder_md5(hexes), is_dir=True) if survey.is_dir else Found(hexes[""])
