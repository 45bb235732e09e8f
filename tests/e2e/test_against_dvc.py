"""The same files are named changed, missing and added as by the real DVC, whatever becomes of a project.

`dvc data status --granular` and `dvc status` are asked through DVC's own interface. Where
`dvc.hash` says more than they do, it means to; all such differences are in `agreed`:

- A file whose bytes changed while its inode, size and mtime stayed: DVC trusts its own
  state, and does not see it.
- What `.dvcignore` hides is deleted to DVC; it is there, and `ignored`.
- A file or folder that is gone, or of the wrong type, is one violation; DVC also names
  the files that were in the folder, or are in it now, and the folder of a changed file.
- A link to nothing that was never recorded is `extra`; DVC passes over it.
- DVC does not look into folders whose listing is not in the cache, nor at outputs with
  `cache: false`, in `dvc data status`: there, `dvc status` tells of the output.
- Names with a backslash or a drive are `unsafe-path`, and not made here.
- Where an output is a link to nothing, or a folder holds a `.dvcignore`, `dvc status`
  ends with an exception, as both do where an output itself is ignored.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, reject, settings
from support.dvc_projects import hermetic, make, repo
from support.dvc_random import Out, Script, happen, record, scripts
from support.engine import NothingRemembered

from audit.checks.dvc.hash import Hash
from audit.engine.graph import Graph
from audit.engine.meter import Meter
from audit.errors import NotApplicable
from audit.host import Host
from audit.records.digests import Digests
from audit.records.findings import Violation
from audit.records.project import Project
from audit.records.words import Trigger
from audit.state.state import State

EXAMPLES = int(os.environ.get("AUDIT_EXAMPLES", "50"))
WORDS = {
    "changed": "modified",
    "missing": "deleted",
    "ignored": "deleted",
    "dangling": "deleted",
    "type": "deleted",
    "extra": "added",
}
NO_DIFFERENCE = {"legacy-hash", "size", "collision"}


@pytest.fixture(scope="module")
def templates(tmp_path_factory):
    """A DVC repository for each way to link, to copy from; and a user whose state is this test's own."""
    folder = tmp_path_factory.mktemp("templates")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
            patch.setenv(name, str(folder / name))
        for module in ("content", "dvc_seal"):
            patch.setattr(f"audit.facts.{module}.GRAIN_S", 0)  # what was just recorded is trusted while it stays
        yield {link: make(folder / link, config={"cache.type": link}) for link in ("copy", "hardlink", "symlink")}


def ours(root: Path, digests: Digests) -> dict[str, str]:
    """What `dvc.hash` says of each file, in DVC's words; a name in another normal form is a new name to DVC."""
    with hermetic(root), closing(Graph(Host(), digests, Meter(), 2)) as graph:
        needs = Hash().needs(Project(root=str(root), name="p", trigger=Trigger.LAUNCH))
        try:
            found = list(Hash().evaluate(**{name: graph.get(request) for name, request in needs.items()}))
        except NotApplicable:  # all its files are ignored
            found = []
    words: dict[str, str] = {}
    for one in (one for one in found if isinstance(one, Violation) and one.kind not in NO_DIFFERENCE):
        words |= dict(_worded(one))
    return words


def _worded(one: Violation):
    if one.kind == "listing":
        return
    if one.kind == "normalisation":
        yield one.subject, "added"
        home = one.subject.removesuffix(str(one.found).encode().decode("unicode_escape"))
        yield home + str(one.expected).encode().decode("unicode_escape"), "deleted"
        return
    assert one.kind in WORDS, one
    yield one.subject, WORDS[one.kind]


def theirs(root: Path) -> tuple[dict[str, str], dict[str, str] | None]:
    """What DVC says of each file and folder, and of each output; None where it gives up."""
    with repo(root) as opened:
        found = opened.data_status(granular=True, with_renames=False)["uncommitted"]
        try:
            stages = opened.status()
        except (FileNotFoundError, opened_errors()):
            stages = None
    files = {path.rstrip("/"): word for word, paths in found.items() if word != "unknown" for path in paths}
    if stages is None:
        return files, None
    said = [part["changed outs"] for parts in stages.values() for part in parts if "changed outs" in part]
    return files, {out: word for outs in said for out, word in outs.items()}


def opened_errors() -> type[Exception]:
    from dvc_data.hashfile.build import IgnoreInCollectedDirError

    return IgnoreInCollectedDirError


def agreed(root: Path, out: Out, mine: dict[str, str], files: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Both without what they mean to say differently of an output."""
    if out.path in mine:  # as a whole
        files = {path: word for path, word in files.items() if path == out.path}
        if (root / out.path).exists() and files:
            mine = {out.path: files[out.path]}
    elif not isinstance(out.content, bytes):
        files = {path: word for path, word in files.items() if path != out.path}
    dangling = {path for path, word in mine.items() if word == "added" and not (root / path).exists()}
    return {path: word for path, word in mine.items() if path not in dangling}, files


def within(out: str, found: Mapping[str, str]) -> dict[str, str]:
    return {path: said for path, said in found.items() if path == out or path.startswith(f"{out}/")}


def compare(root: Path, script: Script) -> None:
    from dvc.output import OutputIsIgnoredError

    try:
        record(root, script)
    except OutputIsIgnoredError:
        reject()
    with closing(State.open(str(root))) as state:
        assert ours(root, state) == {}
    flipped = happen(root, script)
    with closing(State.open(str(root))) as state:
        found = ours(root, state)
    assert found == ours(root, NothingRemembered())
    try:
        files, outs = theirs(root)
    except OutputIsIgnoredError:
        assert "deleted" in found.values()
        return
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        return
    for out in script.outs:
        mine, said = agreed(root, out, within(out.path, found), within(out.path, files))
        if out.how == "uncached":
            said = mine
        if any(path in within(out.path, dict.fromkeys(flipped, "")) for path in flipped):
            assert said.items() <= mine.items()
            continue
        assert mine == said, f"{found} {files} {outs}"
        if outs is not None and outs.get(out.path) != "not in cache":
            assert bool(mine) == (out.path in outs), f"{found} {files} {outs}"


@settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(scripts())
def test_the_same_files_are_named(templates, script):
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch, "project").resolve()
        shutil.copytree(templates[script.link], root, symlinks=True)
        compare(root, script)
