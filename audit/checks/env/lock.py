"""`env.lock`: what is installed is what the lockfile pins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from msgspec import Meta
from packaging.utils import canonicalize_name

from audit.checks.env._chosen import Choice, Refusal, Wanted, choices, refusals
from audit.checks.env._conda import conda_gaps, records
from audit.checks.env._pins import Gap, gaps
from audit.checks.env._repair import Repair
from audit.facts.environment.installed import Distributions
from audit.facts.environment.interpreter import Probed
from audit.facts.environment.locked import Locked
from audit.records.check import Check, Request
from audit.records.environment import Damaged, Distribution, Installed, Interpreter
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.locks import Lock, Manager, Pin
from audit.records.project import Project
from audit.records.words import Severity

_TOOLS = frozenset({"pip", "setuptools", "wheel", "distribute", "pkg-resources"})
"""What makes environments, and is in them without being asked for: `pip freeze` leaves it out too."""


class _Held(NamedTuple):
    """A pin, and what departs from it; `applies` is None where that cannot be decided, and `why`."""

    pin: Pin
    applies: bool | None
    gaps: tuple[Gap, ...] = ()
    why: str = ""


class EnvLock(Check):
    """What is installed is what the lockfile pins.

    Reads the lockfile, and the records of what is installed for the project's interpreter:
    nothing is imported, no resolver runs, no index is asked. Each package that applies, in
    the environment that is audited, is held against the distribution that Python would import:
    by version (PEP 440), the build variant behind `+` apart; by commit, where it comes from
    version control; by place. What is asked of conda is held against conda's own records, by
    conda's rules for versions, and by build.

    | lockfile | what applies | command |
    | --- | --- | --- |
    | `uv.lock` | what is reached from the project, along edges whose markers hold | `uv sync` |
    | `pylock.toml` | markers (PEP 751) | `uv pip sync` |
    | `poetry.lock` of Poetry 2, `pdm.lock`, `Pipfile.lock` | groups, and their markers | `poetry sync`, ... |
    | `requirements.txt` | markers | `pip-sync`, `uv pip sync` |
    | `conda-lock.yml`, `@EXPLICIT` lists | the platform, categories | `conda-lock install` |
    | `environment.yml` | all of it; what others need is not listed | `conda env update --file` |

    Another form, or another version of one of these, is not guessed at: the rule is `error`.
    Of groups and extras only the main group applies unless the rule names more.

    Kinds: `missing`, `version`, `variant` (a note where the lock does not name one), `build`,
    `commit`, `hash`; `packager`, a warning, where conda only names the same version otherwise;
    `unpinned`, `fuzzy` (conda's single `=`) and `editable`, warnings; `extra`, by `extra`;
    `python`, where the lock is for another Python or system; `asked`, a group or an extra that
    the lock does not have, `marker` and `line` for what cannot be judged, which makes the rule
    `error`. What does not apply is counted, and nothing else.

    ## Why it matters

    A result is of the versions it was made with. An environment drifts with every `pip install`
    that was tried in it, and two machines whose only difference is the CUDA build of one wheel
    give different numbers.

    ## Example

    ```yaml
    environment: {python: .venv/bin/python}
    rules:
      - id: installed-as-locked
        check: env.lock
        with: {lock: uv.lock, groups: [train], extra: warning}
    ```

    ## How to fix

    Install what the lock says, with the command that the report names: `uv sync`,
    `pip-sync requirements.txt`. If the environment is right and the lock is old, lock it anew,
    and commit it.
    """

    lock: Annotated[
        str | None, Meta(description="The lockfile, relative to the project; found by its name if left out.")
    ] = None
    extras: Annotated[tuple[str, ...], Meta(description="The extras of the project that are installed.")] = ()
    groups: Annotated[
        tuple[str, ...] | None,
        Meta(description="The groups that are installed besides the main one; those that the lock says if left out."),
    ] = None
    extra: Annotated[
        Severity | None, Meta(description="What a distribution weighs that is installed and not locked.")
    ] = Severity.NOTE

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """The lock, the interpreter, and what is installed for it."""
        return {
            "locked": Locked(root=project.root, path=self.lock),
            "python": Probed(root=project.root, environment=project.environment),
            "installed": Distributions(root=project.root, environment=project.environment),
        }

    def evaluate(self, locked: Lock, python: Interpreter, installed: Installed) -> Iterator[Finding]:
        """Hold each pin against what is installed, then what is installed against all pins."""
        first, conda = _imported(installed.distributions), records(installed.distributions)
        wanted = Wanted(self.extras, self.groups)
        held = [_held(choice, first, conda) for choice in choices(locked, python.markers, wanted)]
        for refusal in refusals(locked, python.markers, wanted):
            yield _refused(locked, refusal)
        repair = Repair(locked, wanted)
        yield from (_told(one, gap, repair) for one in held for gap in one.gaps)
        yield from (_blind(one.pin.where, "marker", one.why) for one in held if one.applies is None)
        yield from (_blind(one.where, "line", one.what) for one in locked.oddities)
        yield from map(_damaged, installed.damaged)
        yield from self._extra(locked, held, first.values())
        yield from _counted(held, first)

    def _extra(self, locked: Lock, held: Sequence[_Held], found: Iterable[Distribution]) -> Iterator[Violation]:
        """What is installed and not locked; a file that names only what somebody wants cannot tell."""
        chosen = self.groups is None and (locked.groups or locked.extras)
        pins = [one.pin for one in held if chosen or one.applies is not False]
        names = {canonicalize_name(one) for one in (*(pin.name for pin in pins if pin.name), *locked.roots)} | _TOOLS
        by_conda = any(pin.manager is Manager.CONDA for pin in pins)
        for one in found if self.extra and locked.whole else ():
            told = by_conda and one.installer == "conda" and not one.entry.startswith("conda-meta/")
            if canonicalize_name(one.name) not in names and not told and not (one.origin and one.origin.editable):
                yield Violation(
                    subject=f"env:#package={canonicalize_name(one.name)}",
                    kind="extra",
                    message=f"{one.version} is installed, and the lock does not ask for it here",
                    severity=self.extra or Severity.NOTE,
                    found=one.version,
                )


def _held(choice: Choice, first: Mapping[str, Distribution], conda: Mapping[str, Distribution]) -> _Held:
    pin = choice.pin
    if not choice.applies:
        return _Held(*choice[:2], why=choice.why)
    if not pin.name:
        return _Held(pin, applies=True, gaps=(_nameless(pin),))
    if pin.manager is not Manager.CONDA:
        return _Held(pin, applies=True, gaps=tuple(gaps(pin, first.get(canonicalize_name(pin.name)))))
    try:
        return _Held(pin, applies=True, gaps=tuple(conda_gaps(pin, conda)))
    except ValueError as error:
        return _Held(pin, None, why=str(error))


def _refused(locked: Lock, refusal: Refusal) -> Violation:
    unseen = refusal.kind == "asked"
    return Violation(subject=locked.format, kind=refusal.kind, message=refusal.message, unseen=unseen)


def _imported(found: Iterable[Distribution]) -> dict[str, Distribution]:
    """Of several under one name, the first on the path; what pip and others recorded before what conda did."""
    first: dict[str, Distribution] = {}
    for one in found:
        first.setdefault(canonicalize_name(one.name), one)
    return first


def _nameless(pin: Pin) -> Gap:
    """A place without a name is what `-e .` says: which distribution it is, only its own files tell."""
    what = "the project's own folder" if pin.path in {".", "./"} else pin.path or pin.url
    return Gap("editable" if pin.editable else "unpinned", f"{what} is whatever lies there", Severity.WARNING)


def _told(held: _Held, gap: Gap, repair: Repair) -> Violation:
    file, _, line = held.pin.where.partition("#")
    name = canonicalize_name(held.pin.name) if held.pin.name else ""
    return Violation(
        subject=f"{file}#package={name}" if name else f"{file}#{line}",
        kind=gap.kind,
        message=gap.message,
        severity=gap.severity,
        expected=gap.expected,
        found=gap.found,
        repair=repair.command(file) if gap.severity is Severity.ERROR else None,
    )


def _blind(where: str, kind: str, what: str) -> Violation:
    return Violation(subject=where, kind=kind, message=what, unseen=True)


def _damaged(one: Damaged) -> Violation:
    message = f"the record of a distribution in {one.site} {one.what}"
    return Violation(subject=f"env:#package={one.entry}", kind="damaged", message=message, unseen=True)


def _counted(held: Sequence[_Held], first: Mapping[str, Distribution]) -> Iterator[Finding]:
    applying = [one for one in held if one.applies]
    kept = sum(not any(gap.severity is Severity.ERROR for gap in one.gaps) for one in applying)
    apart = sum(one.applies is False for one in held)
    yield Figure(name="locked", value=len(held))
    yield Figure(name="applying", value=len(applying))
    yield Figure(name="not_applying", value=apart)
    yield Figure(name="installed", value=len(first))
    told = f"{kept:,} of {len(applying):,} locked distributions installed as locked"
    yield Summary(text=f"{told}; {apart:,} of {len(held):,} lines do not apply here" if apart else told)
