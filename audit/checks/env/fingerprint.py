"""`env.fingerprint`: the environment is the one that `audit.lock` records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta

from audit.errors import CannotLook
from audit.facts.environment.fingerprint import Fingerprint
from audit.facts.environment.recorded import RecordedEnvironment
from audit.measures.fingerprints import Difference, Level, Sections, agrees, differences, level
from audit.records.check import Check, Request
from audit.records.findings import Exhibit, Figure, Finding, Summary, Violation
from audit.records.project import Project

DEFAULT: tuple[tuple[str, Level], ...] = (
    ("python.version", "minor"),
    ("system.*", "ignore"),
    ("system.machine", "exact"),
    ("system.libc", "minor"),
    ("cuda.driver", "present"),
    ("cuda.trouble", "ignore"),
    ("packages.pip", "ignore"),
    ("packages.setuptools", "ignore"),
    ("packages.wheel", "ignore"),
    ("flags.LANG", "ignore"),
    ("flags.LC_ALL", "ignore"),
    ("flags.TZ", "ignore"),
    ("flags.CUDA_VISIBLE_DEVICES", "ignore"),
)
_ROWS = 100


class EnvFingerprint(Check):
    """The environment is the one that `audit.lock` records.

    `audit lock environment` writes down the fingerprint of the environment: interpreter, every
    package, operating system and processor, driver, what frameworks were built for, devices,
    and the variables that change results. This rule holds each field of it against what is
    there now, by a level: `exact`; `minor`, the first two parts of a version; `present`, that
    there is one, or none; `ignore`. Left out of account by default are the kernel, the exact
    processor, the driver's version and the tools that install packages.

    ## Why it matters

    Two machines that look alike give different numbers, and the only difference is the build
    of one library. A fingerprint names it in a second.

    ## Example

    ```yaml
    rules:
      - id: same-machine
        check: env.fingerprint
        with:
          levels: {"system.kernel": exact, "packages.black": ignore}
    ```

    ## How to fix

    `audit compare audit.lock FINGERPRINT` shows all differences, likeliest to matter first.
    Install what the lock says, or, where the change is meant, `audit lock environment`.
    """

    levels: Annotated[
        dict[str, Level],
        Meta(description="Levels of fields (`section.field`, shell patterns), over those that are shipped."),
    ] = {}

    def needs(self, project: Project) -> Mapping[str, Request[Any]]:
        """What is recorded and what is."""
        environment = project.environment
        now = Fingerprint(root=project.root, environment=environment, imports=environment.import_frameworks)
        return {"recorded": RecordedEnvironment(root=project.root), "found": now}

    def evaluate(self, recorded: Sections, found: Sections) -> Iterator[Finding]:
        """Each field that differs by more than its level allows."""
        if not recorded:
            raise CannotLook("audit.lock does not record the environment", hint="audit lock environment")
        levels = (*DEFAULT, *self.levels.items())
        apart = differences([recorded, {name: fields for name, fields in found.items() if name in recorded}])
        wrong = [one for one in apart if not agrees(one.values[0], one.values[1], level(one.name, levels))]
        yield from map(_told, wrong)
        yield Figure(name="fields", value=sum(map(len, recorded.values())))
        yield Figure(name="differing", value=len(apart))
        yield from _drawn(apart, wrong)
        yield Summary(text=_summed(apart, wrong))


def _told(one: Difference) -> Violation:
    recorded, found = one.values
    message = f"{_said(recorded)} is recorded, {_said(found)} is there: {one.why}"
    return Violation(
        subject=f"env:#field={one.name}", kind=one.section, message=message, expected=recorded, found=found
    )


def _said(value: object) -> str:
    return "nothing" if value is None else str(value)


def _drawn(apart: Sequence[Difference], wrong: Sequence[Difference]) -> Iterator[Exhibit]:
    if apart:
        rows = [[one.name, *map(_said, one.values), "counts" if one in wrong else "let pass"] for one in apart[:_ROWS]]
        columns = ["field", "recorded", "found", "by its level"]
        yield Exhibit(
            type="table", title="What differs from the recorded environment", data={"columns": columns, "rows": rows}
        )


def _summed(apart: Sequence[Difference], wrong: Sequence[Difference]) -> str:
    passed = len(apart) - len(wrong)
    more = f"; {passed} more let pass" if passed else ""
    if wrong:
        return f"{len(wrong)} field{'' if len(wrong) == 1 else 's'} not as recorded, first {wrong[0].name}{more}"
    return f"the environment is as recorded{more}"
