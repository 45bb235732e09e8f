"""`env.lock`: what is installed is what the lockfile pins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from msgspec import Meta
from packaging.utils import canonicalize_name

from audit.checks.env._pins import Gap, applies, gaps
from audit.facts.environment.installed import Distributions
from audit.facts.environment.interpreter import Probed
from audit.facts.environment.locked import Locked
from audit.records.check import Check, Request
from audit.records.environment import Damaged, Distribution, Installed, Interpreter
from audit.records.findings import Figure, Finding, Summary, Violation
from audit.records.locks import Lock, Pin
from audit.records.project import Project
from audit.records.shell import pathname
from audit.records.words import Severity

_TOOLS = frozenset({"pip", "setuptools", "wheel", "distribute", "pkg-resources"})
"""What makes environments, and is in them without being asked for: `pip freeze` leaves it out too."""


class _Held(NamedTuple):
    """A pin, and what departs from it; `applies` is None where its marker cannot be evaluated."""

    pin: Pin
    applies: bool | None
    gaps: tuple[Gap, ...] = ()
    why: str = ""


class EnvLock(Check):
    """What is installed is what the lockfile pins.

    Reads the lockfile, and the records of what is installed for the project's interpreter:
    nothing is imported, no resolver runs, no index is asked. Each line that applies, by its
    marker evaluated in the environment that is audited, is held against the distribution that
    Python would import: by version (PEP 440), the build variant behind `+` apart; by commit,
    where it comes from version control; by place.

    Kinds: `missing`, `version`, `variant` (a note where the lock does not name one), `commit`,
    `origin`, `hash`; `packager`, a warning, where conda only names the same version otherwise;
    `unpinned` and `editable`, warnings; `extra`, by `extra`; `marker` and `line` for what
    cannot be judged, which makes the rule `error`. Lines whose marker does not hold are counted,
    and nothing else.

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
        with: {lock: requirements.txt, extra: warning}
    ```

    ## How to fix

    Install what the lock says: `pip-sync requirements.txt`. If the environment is right and
    the lock is old, compile it anew, and commit it.
    """

    lock: Annotated[
        str | None, Meta(description="The lockfile, relative to the project; found by its name if left out.")
    ] = None
    extras: Annotated[
        tuple[str, ...], Meta(description="The extras that are installed, for markers that ask for one.")
    ] = ()
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
        first = _imported(installed.distributions)
        held = [self._held(pin, python.markers, first) for pin in locked.pins]
        yield from (_told(one, gap, locked) for one in held for gap in one.gaps)
        yield from (_blind(one.pin.where, "marker", one.why) for one in held if one.applies is None)
        yield from (_blind(one.where, "line", one.what) for one in locked.oddities)
        yield from map(_damaged, installed.damaged)
        yield from self._extra([one.pin for one in held if one.applies is not False], first.values())
        yield from _counted(held, first)

    def _held(self, pin: Pin, markers: Mapping[str, str], first: Mapping[str, Distribution]) -> _Held:
        try:
            if not applies(pin, markers, self.extras):
                return _Held(pin, applies=False)
        except ValueError as error:
            return _Held(pin, None, why=str(error))
        if not pin.name:
            return _Held(pin, applies=True, gaps=(_nameless(pin),))
        return _Held(pin, applies=True, gaps=tuple(gaps(pin, first.get(canonicalize_name(pin.name)))))

    def _extra(self, pins: Sequence[Pin], found: Iterable[Distribution]) -> Iterator[Violation]:
        locked = {canonicalize_name(pin.name) for pin in pins if pin.name} | _TOOLS
        for one in found if self.extra else ():
            if canonicalize_name(one.name) not in locked and not (one.origin and one.origin.editable):
                yield Violation(
                    subject=f"env:#package={canonicalize_name(one.name)}",
                    kind="extra",
                    message=f"{one.version} is installed, and the lock does not name it",
                    severity=self.extra or Severity.NOTE,
                    found=one.version,
                )


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


def _told(held: _Held, gap: Gap, locked: Lock) -> Violation:
    file, _, line = held.pin.where.partition("#")
    name = canonicalize_name(held.pin.name) if held.pin.name else ""
    return Violation(
        subject=f"{file}#package={name}" if name else f"{file}#{line}",
        kind=gap.kind,
        message=gap.message,
        severity=gap.severity,
        expected=gap.expected,
        found=gap.found,
        repair=_repair(locked, file) if gap.severity is Severity.ERROR else None,
    )


def _repair(locked: Lock, file: str) -> str:
    tool = "uv pip sync" if locked.command.startswith("uv ") else "pip-sync"
    return f"{tool} {pathname(file)}"


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
