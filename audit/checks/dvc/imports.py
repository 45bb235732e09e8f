"""`dvc.imports`: what was brought in from elsewhere is pinned, and its source is what it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from msgspec import Meta

from audit.errors import NotApplicable
from audit.facts.dvc_imports import DvcImports, Import, Kept, State
from audit.facts.dvc_imports import Imports as Found
from audit.records.check import Check, Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.shell import pathname
from audit.records.words import Severity

_SHORT = 12
_ONLY_A_CLONE = "whether that commit is still there, only a clone can tell"


class Imports(Check):
    """Imports are pinned, and unchanged at their source.

    An import from a Git repository (`dvc import`) must record the commit it came from
    (`rev_lock`), one from a URL or a file (`dvc import-url`) an etag, a version or a
    digest. With `ask`, each source is asked what has become of it: Git repositories
    for their branches and tags, files of this machine by reading them, servers
    (`http`, `https`, `s3`, `gs`, `azure`) through DVC's own library, with its
    credentials.

    That a branch, or a storage with versions, has moved on is a note, since the import
    stays where it is pinned. That a tag was moved, or other content stands behind a
    URL, is a warning. That the source no longer has what was imported is an error. A
    source that cannot be reached, or refuses, makes the outcome `error`, with its
    reason, within `timeout_s`.

    ## Why it matters

    An import without a pin is whatever the source holds on the day of the next clone.
    A source that was overwritten or removed cannot give the recorded data to anybody
    any more. `dvc status` does not tell: it passes over imports from URLs.

    ## Example

    ```yaml
    rules:
      - id: imports-pinned
        check: dvc.imports
        with: {ask: false}
        on: [commit, launch]
    ```

    ## How to fix

    `dvc update FILE.dvc` pins an import to what its source holds now. To keep the old
    state, leave the `.dvc` file alone and see that a remote of your own has the data:
    `dvc push FILE.dvc` (imports from Git repositories are never pushed; `dvc add` the
    files in their place).
    """

    ask: Annotated[bool, Meta(description="Ask the sources; otherwise only the pins are judged.")] = True
    timeout_s: Annotated[
        int, Meta(ge=1, le=86400, description="Seconds that each server has to answer for all that came from it.")
    ] = 60

    def needs(self, project: Project) -> Mapping[str, Request[Found]]:
        """The imports, and what has become of their sources."""
        return {"found": DvcImports(root=project.root, ask=self.ask, timeout_s=self.timeout_s)}

    def evaluate(self, found: Found) -> Iterator[Finding]:
        """At most one violation for the pin and one for the source of each import."""
        if not found.imports and not found.problems:
            raise NotApplicable("nothing is imported")
        for problem in found.problems:
            yield Violation(subject=problem.file, kind="unparsed", message=str(problem), unseen=True)
        for one in found.imports:
            yield from _pinned(one)
            yield from _source(one)
        yield Figure(name="imports", value=len(found.imports))
        yield Summary(text=_told(found))


def _pinned(one: Import) -> Iterator[Violation]:
    if one.origin.is_database:
        message = "comes from a database, and nothing pins what a query answers"
        yield _violation(one, "unpinned", message, severity=Severity.WARNING)
    elif not one.pin:
        what = f"a commit of {one.origin.repository}" if one.origin.repository else f"a state of {one.origin}"
        yield _violation(one, "unpinned", f"nothing pins it to {what} ({one.where})", repair=_update(one))
    elif one.is_weak:
        message = f"its server names no ETag: nothing but the size of {one.origin} pins it"
        yield _violation(one, "weak-pin", message, severity=Severity.WARNING)


def _source(one: Import) -> Iterator[Violation]:
    if one.problem:
        message = f"{one.origin.repository or one.origin} cannot be asked: {one.problem}"
        yield _violation(one, "unreachable", message, unseen=True)
    elif one.state is None:
        return
    elif one.origin.repository:
        yield from _repository(one, one.origin.repository, one.pin[:_SHORT])
    elif one.state is State.GONE:
        yield _violation(one, "gone", f"{one.origin} is not there any more")
    elif one.state is State.CHANGED:
        message = f"{one.origin} is not what was imported"
        yield _violation(one, "changed", message, severity=Severity.WARNING, repair=_update(one))
    elif one.state is State.BEHIND:
        message = f"{one.origin} has moved on; the imported version is still there"
        yield _violation(one, "behind", message, severity=Severity.NOTE)


def _repository(one: Import, url: str, pin: str) -> Iterator[Violation]:
    """First whether the commit can be had, then whether the revision still stands for it."""
    if one.kept is Kept.NO:
        yield _violation(one, "gone", f"{url} does not have commit {pin} any more")
        return
    if one.kept is Kept.LOOSE:
        message = f"no branch or tag of {url} leads to commit {pin} any more: its next clean-up may remove it"
        yield _violation(one, "unreferenced", message, severity=Severity.WARNING)
        return
    rev = one.origin.rev or "HEAD"
    seen = {"expected": one.pin, "found": one.now}
    if one.now is None:
        message = f"{url} has no branch or tag {rev!r} any more; the import stays at {pin}"
        yield _violation(one, "revision", message, severity=Severity.WARNING)
    elif one.state is State.CHANGED:
        message = f"the tag {rev} of {url} was moved: it is {one.now[:_SHORT]} now, and was {pin}"
        yield _violation(one, "changed", message, severity=Severity.WARNING, repair=_update(one), **seen)
    elif one.state is State.BEHIND:
        unsure = f" ({_ONLY_A_CLONE})" if one.kept is Kept.UNKNOWN else ""
        message = f"{rev} of {url} is {one.now[:_SHORT]} now; the import stays at {pin}{unsure}"
        yield _violation(one, "behind", message, severity=Severity.NOTE, **seen)
    elif one.kept is Kept.UNKNOWN:
        message = f"is pinned to commit {pin} of {url}; {_ONLY_A_CLONE}"
        yield _violation(one, "unconfirmed", message, severity=Severity.NOTE)


def _violation(one: Import, kind: str, message: str, **more: Any) -> Violation:
    return Violation(subject=one.output, kind=kind, message=message, **more)


def _update(one: Import) -> str:
    return f"dvc update {pathname(one.stage)}"


def _told(found: Found) -> str:
    imports = found.imports
    if not imports:
        return "no import could be read"
    unpinned = sum(not one.pin for one in imports)
    pins = f"{unpinned:,} not pinned" if unpinned else "pinned" if len(imports) == 1 else "all pinned"
    return f"{len(imports):,} import{'s' if len(imports) != 1 else ''}, {pins}{_sources(found)}"


def _sources(found: Found) -> str:
    """How many of those that are pinned stand how, the good news last."""
    if not found.asked:
        return "; sources not asked"
    words = {State.GONE: "gone", State.CHANGED: "changed", State.BEHIND: "moved on", State.SAME: "unchanged"}
    counts = {word: sum(one.state is state for one in found.imports) for state, word in words.items()}
    counts = {"not reached": sum(bool(one.problem) for one in found.imports)} | counts
    told = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
    return f"; at the source: {told}" if told else ""
