"""Little checks under a family of their own, registered as any plugin's are: through entry points."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, field

from audit import catalog
from audit.records.base import Record
from audit.records.check import Check, Request
from audit.records.dataset import DatasetName
from audit.records.findings import Finding, Summary
from audit.records.project import Project
from audit.records.words import Kind, Severity


class Toy(Check):
    """A check that looks at nothing."""

    def needs(self, _: Project) -> Mapping[str, Request[Any]]:
        return {}

    def evaluate(self) -> Iterator[Finding]:
        yield Summary(text="played")


class Plain(Toy):
    """Nothing is asked.

    ## Why it matters

    It takes no parameter.
    """


class Band(Record):
    """A range of frequencies."""

    low_hz: float
    high_hz: float | None = None


class Rate(Toy):
    """Clips have the declared rate.

    ## Why it matters

    The front end assumes one rate.
    """

    accepts: ClassVar[frozenset[Kind]] = frozenset({Kind.AUDIO})

    dataset: DatasetName
    sample_rate_hz: Annotated[int | None, Meta(description="Samples per second.")] = None
    subtype: Literal["PCM_16", "PCM_24", "FLOAT"] = "PCM_16"
    weight: Severity = Severity.ERROR
    tolerance: Annotated[float, Meta(ge=0, description="The share that may differ | be off.")] = 0.0
    channels: tuple[int, ...] = ()
    limits: dict[str, float] = field(default_factory=dict)
    bands: list[Band] = field(default_factory=list)
    named: dict[str, Band] = field(default_factory=dict)
    aliases: frozenset[str] = frozenset()


class Drift(Toy):
    """Two tables have one distribution."""

    accepts: ClassVar[frozenset[Kind]] = frozenset({Kind.TABLE, Kind.AUDIO})

    reference: DatasetName
    current: DatasetName
    columns: tuple[str, ...] = ()


class Needy(Toy):
    """It needs a threshold."""

    threshold: float
    unit: str = "mm"


class Apart(Toy):
    """Some datasets share nothing."""

    datasets: tuple[DatasetName, ...] = ()
    dataset: DatasetName | None = None


class Ordered(Toy):
    """Its limits are in order."""

    low: int = 0
    high: int = 10

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low must not exceed high")


CHECKS = {
    f"toy.{name.__name__.lower()}": f"{__name__}:{name.__name__}"
    for name in (Plain, Rate, Drift, Needy, Apart, Ordered)
}


def distribution(folder: Path, points: Mapping[str, str], name: str = "toys") -> None:
    """Lay out an installed distribution in a folder of `sys.path`."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = "".join(f"{point} = {place}\n" for point, place in points.items())
    (info / "entry_points.txt").write_text(f"[audit.checks]\n{lines}")


@contextlib.contextmanager
def installed(folder: Path, monkeypatch: Any, points: Mapping[str, str] = CHECKS) -> Iterator[None]:
    """The toys as checks that anyone can name."""
    distribution(folder, points)
    with monkeypatch.context() as patch:
        patch.syspath_prepend(folder)
        forget()
        yield
    forget()


def forget() -> None:
    """Let the catalog look again."""
    catalog.checks.cache_clear()
    catalog.load_check.cache_clear()
