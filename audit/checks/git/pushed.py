"""`git.pushed`: others can fetch the commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

from msgspec import Meta

from audit.facts.git_remotes import GitPublished, Published
from audit.records.check import Check, Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.shell import pathname, word
from audit.records.words import Severity


class Pushed(Check):
    """The commit that is checked out is on a remote branch, so others can fetch it.

    The same is asked of the commit recorded for each submodule. What counts is what
    the remotes' branches were when they were last fetched or pushed; nothing leaves
    the machine. With `ask`, the remotes themselves must say so, tags included: over
    https, ssh, or a path. A remote that does not answer within 20 s, or whose
    newer commits are not here to compare with, makes the outcome `error`, as does a
    shallow clone that ends before the answer.

    ## Why it matters

    A run is recorded by its commit. If that exists on one disk only, the record
    points at nothing for everybody else, and for everybody once the disk is gone.

    ## Example

    ```yaml
    rules:
      - id: commit-is-public
        check: git.pushed
        with:
          ask: true
        on: [launch]
    ```

    ## How to fix

    Push the branch: `git push origin HEAD`. In a detached HEAD, give the commit a
    branch first: `git push origin HEAD:refs/heads/NAME`. For a submodule, push from
    within its folder.
    """

    ask: Annotated[bool, Meta(description="Ask the remotes, instead of trusting what was last fetched.")] = False

    def needs(self, project: Project) -> Mapping[str, Request[tuple[Published, ...]]]:
        """Where the commits stand."""
        return {"published": GitPublished(folder=project.root, ask=self.ask)}

    def evaluate(self, published: tuple[Published, ...]) -> Iterator[Finding]:
        """At most one violation for the repository and each of its submodules."""
        own, *submodules = published
        found = [*self._judged(own), *(each for submodule in submodules for each in self._judged(submodule))]
        yield from found
        yield Figure(name="unpushed_commits", value=own.ahead or 0)
        yield Figure(name="submodules", value=len(submodules))
        where = "not known to be on a remote" if any(each.subject == "." for each in found) else "on a remote"
        yield Summary(text=f"commit {own.commit[:12] if own.commit else 'none'}: {where}")

    def _judged(self, one: Published) -> Iterator[Violation]:
        if one.commit is None:
            yield _nothing(one)
        elif one.ahead is None:
            yield _violation(one, "unknown", "the commit recorded for the submodule is not in its clone", unseen=True)
        elif not one.remotes:
            yield _violation(one, "no-remote", "there is no remote to push to")
        elif self.ask:
            yield from _answered(one)
        elif one.ahead:
            yield _unpushed(one)


def _nothing(one: Published) -> Violation:
    if one.path:
        message = "the submodule is not checked out, so its commit was not looked for"
        return Violation(subject=one.path, kind="not-looked", message=message, severity=Severity.NOTE)
    return _violation(one, "no-commit", "nothing is committed yet")


def _unpushed(one: Published) -> Violation:
    if one.shallow:
        message = "the clone is shallow: what there is of it leads from no remote branch to the commit"
        return _violation(one, "shallow", message, repair="git fetch --unshallow", unseen=True)
    commits = "commit is" if one.ahead == 1 else "commits are"
    return _violation(one, "unpushed", f"{one.ahead} {commits} on no remote branch", repair=_push(one))


def _answered(one: Published) -> Iterator[Violation]:
    if any(answer.has for answer in one.answers):
        return
    problems = [answer for answer in one.answers if answer.problem]
    for answer in problems:
        message = f"the remote {answer.remote} cannot tell: {answer.problem}"
        yield _violation(one, "unanswered", message, repair=f"git fetch -- {word(answer.remote)}", unseen=True)
    if not problems:
        yield _violation(one, "unpushed", "no remote has the commit on a branch or tag", repair=_push(one))


def _push(one: Published) -> str:
    remote = "origin" if "origin" in one.remotes else one.remotes[0]
    place = f"-C {pathname(one.path)} " if one.path else ""
    refs = f"refs/heads/{one.branch}" if one.branch else "HEAD:refs/heads/NAME"
    return f"git {place}push -- {word(remote)} {word(refs)}"


def _violation(
    one: Published, kind: str, message: str, *, repair: str | None = None, unseen: bool = False
) -> Violation:
    return Violation(
        subject=one.path or ".", kind=kind, message=message, found=one.commit, repair=repair, unseen=unseen
    )
