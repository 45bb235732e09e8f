"""`dvc.imports`: what was brought in from elsewhere is pinned, and its source is what it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from shlex import quote
from typing import Annotated

from msgspec import Meta

from audit.errors import NotApplicable
from audit.facts.dvc_imports import DvcImports, Import
from audit.facts.dvc_imports import Imports as ImportsFact
from audit.records.check import Check, Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.words import Severity


class Imports(Check):
    """Imports are pinned, and unchanged at their source.

    An import from a Git repository (`dvc import`) must record the commit it came from
    (`rev_lock`), one from a URL (`dvc import-url`) an etag, a version or a digest. With
    `ask`, each source is asked what it says of itself now: Git repositories for the
    commits of their branches and tags, everything else through DVC's own library. That
    a branch has moved on is a note, since the import stays where it is pinned; that the
    file behind a URL has changed is a warning, and that it is gone an error.

    ## Why it matters

    An import without a pin is whatever the source holds on the day of the next clone.
    A source that was overwritten cannot give the recorded data to anybody any more.

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
    state, leave the `.dvc` file alone and make sure that a remote of your own has the
    data: `dvc push FILE.dvc`.
    """

    ask: Annotated[bool, Meta(description="Ask the sources; otherwise only the pins are judged.")] = True
    timeout_s: Annotated[int, Meta(ge=1, le=86400, description="Seconds that the sources have to answer.")] = 60

    def needs(self, project: Project) -> Mapping[str, Request[ImportsFact]]:
        """The imports, and what their sources say."""
        return {"found": DvcImports(root=project.root, ask=self.ask, timeout_s=self.timeout_s)}

    def evaluate(self, found: ImportsFact) -> Iterator[Finding]:
        """One violation an import that is not pinned, changed, gone, or could not be asked about."""
        for problem in found.problems:
            yield Violation(subject=problem.file, kind="unparsed", message=str(problem), unseen=True)
        if not found.imports and not found.problems:
            raise NotApplicable("nothing is imported")
        for one in found.imports:
            yield from _judged(one)
        yield Figure(name="imports", value=len(found.imports))
        asked = sum(one.state is not None for one in found.imports)
        yield Summary(text=f"{len(found.imports):,} import{'s' if len(found.imports) != 1 else ''}, {asked:,} asked at the source")


def _judged(one: Import) -> Iterator[Violation]:
    if not one.pin:
        yield _violation(one, "unpinned", Severity.ERROR, f"nothing pins it to a state of {one.source}")
    if one.problem is not None:
        yield Violation(subject=one.output, kind="unreachable", message=f"{one.source}: {one.problem}", unseen=True)
    elif one.state == "deleted":
        yield Violation(subject=one.output, kind="gone", message=f"{one.source} is not there any more")
    elif one.state and one.is_repository and one.pin:
        yield _violation(one, "behind", Severity.NOTE, f"{one.source} has moved on; the import stays at {one.pin[:12]}")
    elif one.state and one.pin:
        yield _violation(one, "changed", Severity.WARNING, f"{one.source} is not what was imported ({one.state})")


def _violation(one: Import, kind: str, severity: Severity, message: str) -> Violation:
    return Violation(
        subject=one.output, kind=kind, severity=severity, message=message, repair=f"dvc update {quote(one.stage)}"
    )
