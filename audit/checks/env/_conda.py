"""What conda's own records say is installed, held against what is asked of conda."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase

from audit.checks.env._conda_version import fuzzy, matches
from audit.checks.env._pins import Gap
from audit.records.environment import Distribution
from audit.records.locks import Pin
from audit.records.words import Severity


def records(found: Iterable[Distribution]) -> dict[str, Distribution]:
    """What is recorded in `conda-meta`, by name."""
    return {one.name.lower(): one for one in found if one.entry.startswith("conda-meta/")}


def conda_gaps(pin: Pin, there: Mapping[str, Distribution]) -> Iterator[Gap]:
    """All that is not as asked; `ValueError` for a version that is not understood."""
    found = there.get(pin.name.lower())
    if found is None:
        yield Gap("missing", "is not installed by conda", Severity.ERROR, pin.specifier or None)
        return
    if pin.specifier and not matches(pin.specifier, found.version):
        message = f"{found.version} is installed, not {pin.specifier}"
        yield Gap("version", message, Severity.ERROR, pin.specifier, found.version)
    elif pin.build and not fnmatchcase(found.build, pin.build):
        message = f"build {found.build or 'unknown'} is installed, not {pin.build}"
        yield Gap("build", message, Severity.ERROR, pin.build, found.build or None)
    yield from loose(pin)


def loose(pin: Pin) -> Iterator[Gap]:
    """What it leaves open."""
    if not pin.specifier:
        yield Gap("unpinned", "any version will do, so the next machine may have another", Severity.WARNING)
    elif fuzzy(pin.specifier):
        message = f"{pin.name}{pin.specifier} is fuzzy, not a pin: conda pins with =="
        yield Gap("fuzzy", message, Severity.WARNING, None, pin.specifier)
