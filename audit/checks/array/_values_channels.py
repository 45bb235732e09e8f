"""Mean and deviation of each channel held against those that are declared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from audit.checks.array._faults import subject
from audit.checks.array._values_groups import grouped
from audit.checks.array._values_scales import Named
from audit.errors import ConfigError
from audit.records.array_values import Moments
from audit.records.base import Record
from audit.records.findings import Exhibit, Violation

_SHOWN = 64


class Channels(Record):
    """The mean and the deviation of each channel that are expected."""

    axis: Annotated[
        int | None,
        Meta(description="The axis of the channels; left out, the one that fits of [N, C, H, W] and [N, H, W, C]."),
    ] = None
    mean: Annotated[tuple[float, ...], Meta(description="The mean of each channel.")] = ()
    sd: Annotated[tuple[float, ...], Meta(description="The standard deviation of each channel.")] = ()
    tolerance: Annotated[float, Meta(gt=0, description="How far both may be from what is declared.")] = 0.05

    @property
    def count(self) -> int:
        """How many channels there are. Raises `ConfigError` where that is not said, or not in one voice."""
        counts = {len(self.mean), len(self.sd)} - {0}
        if len(counts) != 1:
            raise ConfigError("`channels` wants `mean` or `sd`, with one number for each channel in both")
        return counts.pop()


def departed(dataset: Named, wanted: Channels) -> Iterator[Violation]:
    """Arrays whose channels cannot be told, and groups whose mean or deviation is not as declared.

    Lists beside arrays that have channels are labels, which have none.
    """
    groups = grouped(dataset.scanned)
    fewest = 2 if any(group.channels for group in groups) else 0
    for file in dataset.scanned.files:
        for one in file.values.arrays:
            if one.ill and len(one.shape) >= fewest:
                message = f"{one.ill}; name in `keys` the arrays that have channels"
                yield Violation(subject=subject(file.path, one.key), kind="channels", message=message)
    for group in groups:
        if group.channels:
            where = dataset.subject(group)
            yield from _compared(where, "channel-mean", "mean", wanted.mean, group.channels, wanted.tolerance)
            yield from _compared(where, "channel-sd", "deviation", wanted.sd, group.channels, wanted.tolerance)


def _compared(  # noqa: PLR0913, PLR0917 - two rows of numbers, and how they are called
    where: str, kind: str, words: str, wanted: tuple[float, ...], channels: tuple[Moments, ...], tolerance: float
) -> Iterator[Violation]:
    found = [one.mean if kind == "channel-mean" else one.sd for one in channels]
    pairs = list(zip(wanted, found, strict=False))
    if pairs and any(value is None or abs(value - ought) > tolerance for ought, value in pairs):
        told, ought = _row(found), _row(wanted)
        message = f"{words} of the channels {told}, not {ought} (to {tolerance:g})"
        yield Violation(subject=where, kind=kind, message=message, expected=ought, found=told)


def _row(values: tuple[float, ...] | list[float | None]) -> str:
    return "[" + ", ".join("not computable" if one is None else f"{one:.4g}" for one in values) + "]"


def table(dataset: Named) -> Iterator[Exhibit]:
    """Each channel's mean and deviation."""
    rows = [
        [group.key, number, one.count, one.mean, one.sd]
        for group in grouped(dataset.scanned)
        for number, one in enumerate(group.channels)
    ]
    if rows:
        columns = ["array", "channel", "values", "mean", "deviation"]
        yield Exhibit(type="table", title="Channels", data={"columns": columns, "rows": rows[:_SHOWN]})
