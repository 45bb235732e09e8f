"""Look at a project, see what records its data already, and propose the `audit.yaml` that fits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from audit.catalog import load_check
from audit.config.load import FILE
from audit.engine.graph import Graph
from audit.engine.meter import Meter
from audit.errors import AuditError, UsageError
from audit.facts.coverage import Claim, Coverage
from audit.host import Host
from audit.proposal import page, tree
from audit.proposal.datasets import Dataset, datasets, sayable
from audit.records import dataset
from audit.records.project import Project
from audit.records.words import Trigger
from audit.state.state import State
from audit.state.store import Store


class Proposal(NamedTuple):
    """A first `audit.yaml`: where it would stand, its text, one line on what it is for, and what to do next."""

    file: Path
    text: str
    told: str
    next: str


def propose(folder: Path, *, anew: bool = False) -> Proposal:
    """Look at a project. Raises `UsageError` if it has an `audit.yaml` already, unless `anew`."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: not a folder", hint="name the folder of the project")
    file = folder / FILE
    if not anew and (file.exists() or file.is_symlink()):
        raise UsageError(f"{file} is there already", hint="never overwritten; `audit init --print` shows a new one")
    root = folder.resolve()
    sight = _seen(root)
    lock = "`audit lock data` records the data, then " if sight.unrecorded else ""
    return Proposal(
        file, page.text(sight), page.told(sight), f"{lock}`audit rules` shows the plan, `audit run` runs it"
    )


def _seen(root: Path) -> page.Sight:
    host = Host()
    seen = tree.look(host, str(root))
    found = datasets(seen.files)
    return page.Sight(root.name, seen, found, _unrecorded(host, root, seen, found))


def _unrecorded(host: Host, root: Path, seen: tree.Tree, found: list[Dataset]) -> frozenset[str]:
    """The datasets with files that nothing recorded covers, as `data.covered` would say; nothing is remembered."""
    declared = tuple(dataset.Dataset(name=one.name, path=one.path, kind=one.kind) for one in found)
    project = Project(root=str(root), name=root.name, trigger=Trigger.LAUNCH, datasets=declared)
    asked = Coverage(root=str(root), datasets=declared, claims=tuple(_claims(project, seen)))
    with closing(State(Store(None))) as nothing:
        graph = Graph(host, nothing, Meter(), 1, deep=False)
        try:
            covers = graph.get(asked)
        except AuditError:
            return frozenset()
        finally:
            graph.close()
    return frozenset(one.name for one in covers.datasets if one.uncovered)


def _claims(project: Project, seen: tree.Tree) -> Iterator[Claim]:
    """What the rules of the core pack, and those for the manifests, say that they cover."""
    rules = [(check, dict[str, str]()) for check, there in (("dvc.hash", seen.dvc), ("lfs.content", seen.lfs)) if there]
    rules += [("files.manifest", {"manifest": path}) for path in seen.manifests if sayable(path)]
    for number, (check, parameters) in enumerate(rules):
        if covers := load_check(check)(**parameters).covers(project):
            yield Claim(f"{check}-{number}", covers)
