"""`dvc.hash`: the workspace is what DVC recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from audit.errors import NotApplicable
from audit.facts import droppings
from audit.facts.dvc_restore import get, get_anew, is_source
from audit.facts.dvc_survey import Presence
from audit.facts.dvc_workspace import Covering, DvcWorkspace, OutputState, Workspace
from audit.measures.names import same_after_nfc, twins
from audit.records.check import Check, Covered, Request
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.project import Project
from audit.records.repairs import gathered
from audit.records.words import Severity

_WRONG = {
    Presence.FILE: "a file where a folder was recorded",
    Presence.FOLDER: "a folder where a file was recorded",
    Presence.DANGLING: "a link to nothing",
    Presence.OUTSIDE: "a link that leaves the project and its cache; it was not followed",
    Presence.OTHER: "neither a file nor a folder",
    Presence.IGNORED: "recorded, but .dvcignore leaves it out: DVC refuses to work with it",
}
_KINDS = {Presence.DANGLING: "dangling", Presence.OUTSIDE: "outside", Presence.IGNORED: "ignored"}


class Hash(Check):
    """Every file that DVC tracks is in the workspace as it was recorded.

    Compares the bytes of each output of `.dvc` files and `dvc.lock` with the digest
    recorded there; in a folder, each file that its listing names. Files that are
    changed, missing, extra, unreadable, hidden by `.dvcignore`, of the wrong type, a
    link to nothing or a Git LFS pointer are named one by one. A digest that was
    computed before is trusted while the file's device, inode, size, mtime and ctime
    stay; `--deep` (and `--on nightly`) reads every byte again.

    ## Why it matters

    `dvc status` believes the recorded state of a folder: a file that was damaged on
    its way, edited in place or half written passes unseen, and the training run that
    reads it cannot be repeated. A changed file changes the model.

    ## Example

    ```yaml
    rules:
      - id: data-as-recorded
        check: dvc.hash
        on: [commit, launch, nightly]
    ```

    ## How to fix

    To get the recorded data back, run the command that the report names: it restores
    from the cache only where the cache's own object is whole. If the change is
    wanted, record it with `dvc commit` (or `dvc add`), and commit the `.dvc` file.
    Droppings of a file manager belong in `.dvcignore`.
    """

    def needs(self, project: Project) -> Mapping[str, Request[Workspace]]:
        """What DVC recorded, and what is there."""
        return {"workspace": DvcWorkspace(root=project.root)}

    def covers(self, project: Project) -> Request[Covered] | None:
        """All outputs that have a recorded digest."""
        return Covering(root=project.root)

    def evaluate(self, workspace: Workspace) -> Iterator[Finding]:
        """One violation a file, its kind saying what became of it."""
        found = [*_unseen(workspace), *(one for state in workspace.states for one in _judged(state))]
        if not (found or workspace.states):
            raise NotApplicable("DVC tracks nothing here")
        yield from _shown(found, workspace.states)
        tally = _tally(workspace, [one for one in found if one.severity is Severity.ERROR])
        yield Figure(name="files", value=tally.files)
        yield Figure(name="outputs", value=len(workspace.states))
        yield Summary(text=tally.text)


class Tally(NamedTuple):
    """How many files there are, and what became of them in words."""

    files: int
    text: str


def _unseen(workspace: Workspace) -> Iterator[Violation]:
    """What was not compared: DVC files that cannot be read or that DVC does not see, and other repositories."""
    for problem in workspace.problems:
        yield Violation(subject=problem.file, kind="unparsed", message=str(problem), unseen=True)
    for file, by in sorted(workspace.ignored.items()):
        message = f"{by} names it, so DVC does not see it, and what it records was not compared"
        yield Violation(subject=file, kind="ignored", message=message)
    for folder in workspace.nested if workspace.states else ():
        message = "a DVC repository of its own, which was not looked at: audit it by itself"
        yield Violation(subject=folder, kind="nested", message=message, severity=Severity.NOTE)


def _tally(workspace: Workspace, errors: Sequence[Violation]) -> Tally:
    files = sum(state.count for state in workspace.states)
    changed = sum(len(state.changed) for state in workspace.states)
    missing = sum(
        state.count if state.presence is Presence.MISSING else len(state.absent) for state in workspace.states
    )
    extra = sum(len(state.extra) for state in workspace.states)
    wrong = changed + missing
    counted = f"{files:,} file{'s' if files != 1 else ''}"
    told = f"{changed:,} changed, {missing:,} missing, {extra:,} extra"
    outputs = f"{len(workspace.states):,} output{'s' if len(workspace.states) != 1 else ''}"
    if wrong or extra:
        return Tally(files, f"{wrong:,} of {counted} differ{'s' if wrong == 1 else ''}: {told}, in {outputs}")
    if errors:
        return Tally(files, f"{counted} of {outputs}: {len(errors):,} not as recorded")
    return Tally(files, f"{counted} of {outputs} as recorded")


def _judged(state: OutputState) -> Iterator[Violation]:
    """An output that is there is judged file by file, one that is not as a whole."""
    output = state.output
    if state.sealed:
        return
    if output.digest is None and output.files is None:
        yield _unrecorded(state)
    elif state.presence is Presence.REMOTE:
        yield Violation(
            subject=output.path, kind="external", message="lies outside this machine; not looked at", unseen=True
        )
    elif state.presence is Presence.MISSING:
        yield Violation(
            subject=output.path,
            kind="missing",
            message="recorded, but not there",
            expected=_digest(state),
            repair=get(state),
        )
    elif (state.presence is Presence.FOLDER) != output.is_dir or state.presence in _ODD:
        yield _wrong_type(state)
    else:
        yield from _content(state)


_MANY = ("dvc pull --force ", "dvc checkout --force ")
_SOME = ("dvc fetch ", "dvc commit --force ", "dvc commit ", "dvc repro ", "dvc pull ")


def _shown(found: Iterable[Violation], states: Iterable[OutputState]) -> Iterator[Violation]:
    """One command for many; none that runs a stage while what no stage makes is not as recorded."""
    wrong = [state for state in states if not state.as_recorded]
    runs = not any(map(is_source, wrong))
    kept = (one if runs or "dvc repro " not in (one.repair or "") else replace(one, repair=None) for one in found)
    plain = all(state.presence is Presence.MISSING for state in wrong)
    return gathered(gathered(kept, _MANY, plain=plain), _SOME)


def _unrecorded(state: OutputState) -> Violation:
    """What is there can be recorded; what is not must be made first, or brought in if its import left it out."""
    output, absent = state.output, state.presence is Presence.MISSING
    what = "was imported without its content; " if absent and output.imported else ""
    get = "pull" if output.imported else "repro"
    return Violation(
        subject=output.path,
        kind="unrecorded",
        severity=Severity.WARNING if absent else Severity.ERROR,
        message=f"{what}nothing is recorded of it ({output.where})",
        repair=f"dvc {get if absent else 'commit'} {state.target}",
    )


_ODD = frozenset({Presence.DANGLING, Presence.OUTSIDE, Presence.OTHER, Presence.IGNORED})


def _wrong_type(state: OutputState) -> Violation:
    return Violation(
        subject=state.output.path,
        kind=_KINDS.get(state.presence, "type"),
        message=_WRONG[state.presence],
        expected="folder" if state.output.is_dir else "file",
        found=str(state.presence),
        repair=None if state.presence in {Presence.OUTSIDE, Presence.IGNORED} else get(state),
        unseen=state.presence is Presence.OUTSIDE,
    )


def _content(state: OutputState) -> Iterator[Violation]:
    if state.recorded is None:
        yield from _unlisted(state)
        return
    for path, reason in state.unsafe.items():
        yield Violation(subject=state.subject(path), kind="unsafe-path", message=f"{reason}; it was not opened")
    same_name = _renamed(state)
    yield from _normalised(state, same_name)
    anew, again = get_anew(state), get(state)  # once for all members, of which there may be a million
    for member in sorted(state.changed):
        yield _change(state, member, anew)
    for member in sorted(state.absent - set(same_name.values())):
        yield _missing(state, member, again)
    for member in sorted(state.extra - set(same_name)):
        yield _dropped(state, member)
    yield from _unread(state)
    yield from _legacy(state)
    yield from _collisions(state)


def _change(state: OutputState, member: str, repair: str | None) -> Violation:
    content, subject = state.found[member], state.subject(member)
    digest, expected = content.digest, (state.recorded or {})[member]
    if member in state.pointers:
        size = state.pointers[member]
        message = (
            f"a Git LFS pointer to {size:,} bytes, not content"
            if size is not None
            else "a malformed Git LFS pointer, not content"
        )
        return Violation(
            subject=subject,
            kind="pointer",
            message=message,
            expected=expected,
            found=digest.hex if digest else None,
            repair="git lfs pull",
        )
    return Violation(
        subject=subject,
        kind="changed",
        message=f"its content is not what was recorded ({content.size:,} bytes now)",
        expected=expected,
        found=digest.hex if digest else None,
        repair=repair,
        change=content.change,
    )


def _missing(state: OutputState, member: str, repair: str | None) -> Violation:
    subject, expected = state.subject(member), (state.recorded or {})[member]
    if member in state.hidden:
        return Violation(
            subject=subject,
            kind="ignored",
            message="recorded and there, but .dvcignore leaves it out: DVC takes it for deleted",
            expected=expected,
        )
    return Violation(
        subject=subject, kind="missing", message="recorded, but not there", expected=expected, repair=repair
    )


def _dropped(state: OutputState, member: str) -> Violation:
    pattern = droppings.pattern(member.rpartition("/")[2])
    tail = " (OS metadata; add to .dvcignore)" if pattern else ""
    content = state.found.get(member)
    return Violation(
        subject=state.subject(member),
        kind="extra",
        message=f"there, but not recorded{tail}",
        found=content.digest.hex if content and content.digest else state.special.get(member),
        repair=f"echo '{pattern}' >> .dvcignore" if pattern else None,
    )


def _unread(state: OutputState) -> Iterator[Violation]:
    """What is there under a recorded name and could not be read, or is no file."""
    repair = get(state)
    for member in sorted((state.recorded or {}).keys() & state.special.keys()):
        what = state.special[member]
        outside = what == Presence.OUTSIDE
        yield Violation(
            subject=state.subject(member),
            kind=_KINDS.get(Presence(what), "type"),
            message=_WRONG[Presence(what)],
            expected=(state.recorded or {})[member],
            repair=None if outside else repair,
            unseen=outside,
        )
    for member, content in sorted(
        (member, content) for member, content in state.found.items() if content.problem or content.collides
    ):
        if content.problem:
            yield Violation(subject=state.subject(member), kind="unreadable", message=content.problem, unseen=True)
        else:
            yield _collided(state, member)
    for blocked in state.blocked:
        yield Violation(subject=state.subject(blocked.member), kind="unreadable", message=blocked.reason, unseen=True)


def _collided(state: OutputState, member: str) -> Violation:
    return Violation(
        subject=state.subject(member),
        kind="digest-collision",
        message="has the recorded MD5, but is other content than this machine has known under it",
        found=f"blake3:{state.found[member].blake3}",
    )


def _unlisted(state: OutputState) -> Iterator[Violation]:
    """The listing is nowhere: the folder's own digest still tells whether its files are as recorded."""
    same = state.folder_hex is not None and state.output.digest and state.folder_hex == state.output.digest.hex
    if not same:
        yield Violation(
            subject=state.output.path,
            kind="changed",
            message="the folder is not what was recorded; "
            "its listing is not in the cache, so the files that differ cannot be named",
            expected=_digest(state),
            found=f"md5:{state.folder_hex}.dir" if state.folder_hex else None,
            repair=f"dvc fetch {state.target}" if state.pullable else None,
        )
    for member in sorted(state.special) if same else ():
        yield _dropped(state, member)
    yield from _unread(state)


def _renamed(state: OutputState) -> dict[str, str]:
    """Extra names that are missing ones in another Unicode normal form, with equal content."""
    recorded = state.recorded or {}
    return {
        extra: listed
        for extra, listed in same_after_nfc(state.extra, state.absent).items()
        if (found := state.found.get(extra)) and found.digest and found.digest.hex == recorded[listed]
    }


def _normalised(state: OutputState, same_name: Mapping[str, str]) -> Iterator[Violation]:
    if not same_name:
        return
    count = len(same_name)
    match = "1 file matches" if count == 1 else f"{count} files match"
    for extra in sorted(same_name):
        yield Violation(
            subject=state.subject(extra),
            kind="normalisation",
            severity=Severity.WARNING,
            message="matches after NFC; its name differs from the recorded one in bytes",
            expected=same_name[extra].encode("unicode_escape").decode(),
            found=extra.encode("unicode_escape").decode(),
        )
    yield Violation(
        subject=state.output.path,
        kind="listing",
        message=f"the folder's digest differs: {match} after NFC; byte names differ",
        expected=_digest(state),
        found=f"md5:{state.folder_hex}.dir" if state.folder_hex else None,
        repair=f"dvc checkout --force {state.target}",
    )


def _collisions(state: OutputState) -> Iterator[Violation]:
    """Names that are one name after NFC: on some systems only one of them can exist."""
    for name, count in twins(state.found):
        yield Violation(
            subject=state.subject(name),
            kind="collision",
            severity=Severity.WARNING,
            message=f"{count} names in one folder are equal after NFC",
        )


def _legacy(state: OutputState) -> Iterator[Violation]:
    digest = state.output.digest
    if digest is None or digest.algorithm != "md5-dos2unix" or state.changed:
        return
    yield Violation(
        subject=state.output.path,
        kind="legacy-hash",
        severity=Severity.NOTE,
        message="recorded by DVC 2: legacy hash, CR/LF changes are invisible to it",
        repair=f"dvc commit --force {state.target}",
    )
    size = sum(content.size for content in state.found.values())
    if state.output.size is not None and state.output.size != size:
        yield Violation(
            subject=state.output.path,
            kind="size",
            severity=Severity.WARNING,
            message="the legacy hash agrees, the size does not: line ends may have changed",
            expected=state.output.size,
            found=size,
        )


def _digest(state: OutputState) -> str | None:
    digest = state.output.digest
    return f"{digest}{'.dir' if state.output.is_dir else ''}" if digest else None
