"""What is to be measured of an array, and how its values are cut for that."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from audit.records.array import Tensor
from audit.records.base import Record
from audit.signals.arrays.scan_cut import BLOCK, PLAIN, word
from audit.signals.arrays.scan_forms import Form
from audit.signals.arrays.scan_items import LEAST, Twins, comparable
from audit.signals.arrays.scan_moments import Spread
from audit.signals.arrays.scan_range import Range


class Ask(Record):
    """What is wanted beside the range: mean and deviation, of each of `channels` channels along `axis`; items."""

    moments: bool = False
    axis: int | None = None
    channels: int = 0
    items: bool = False


class Plan(NamedTuple):
    """How an array is read. `numbers` are in it, those of an item or of a run of one channel follow each other.

    Without channels (of which `inner` numbers follow each other), `inner` is 0; `item` is 0 where items are not
    compared, and `without` says why, if there are any.
    """

    form: Form
    numbers: int
    axis: int | None
    channels: int
    inner: int
    item: int
    without: str
    moments: bool

    def levels(self) -> tuple[int, ...]:
        """As `scan_cut.spans` takes them."""
        some = {self.item, self.inner, self.inner * self.channels} - {0}
        return tuple(sorted(some, reverse=True))

    @property
    def block(self) -> int:
        """Bytes of a piece at most."""
        return BLOCK if self.moments or self.item else PLAIN

    def gauges(self) -> dict[str, Any]:
        """What measures, anew."""
        made: dict[str, Any] = {"range": Range()}
        if self.moments:
            made["spread"] = Spread(self.channels, self.inner)
        if self.item:
            width = word([self.form.size * each for each in self.levels()] + [BLOCK])
            made["items"] = Twins(self.item, self.form.size, width)
        return made


def planned(tensor: Tensor, how: Form, ask: Ask, axis: int | None) -> Plan:
    """The plan for a tensor whose channels are along `axis`."""
    lying = tensor.shape[::-1] if tensor.fortran else tensor.shape
    at = len(lying) - 1 - axis if axis is not None and tensor.fortran else axis
    items = ask.items and has_items(tensor)
    without = comparable(tensor.shape, tensor.fortran) if items else ""
    return Plan(
        form=how,
        numbers=prod(lying) * how.parts,
        axis=axis,
        channels=1 if at is None else ask.channels,
        inner=0 if at is None else prod(lying[at + 1 :]) * how.parts,
        item=prod(lying[1:]) * how.parts if items and not without else 0,
        without=without,
        moments=ask.moments or ask.channels > 0,
    )


def has_items(tensor: Tensor) -> bool:
    """Whether it has items large enough to be compared."""
    return len(tensor.shape) > 1 and prod(tensor.shape[1:]) >= LEAST


def channel_axis(shape: tuple[int, ...], ask: Ask) -> tuple[int | None, str]:
    """The axis of the channels, and why there is none. Of pictures it is the second of [N, C, H, W], or the last."""
    if ask.axis is not None and ask.channels:
        return _declared(shape, ask.axis, ask.channels)
    if ask.channels <= 1:
        return None, ""
    likely = {4: (1, 3), 3: (0, 2), 2: (1,)}.get(len(shape), (len(shape) - 1,) if shape else ())
    fitting = [axis for axis in likely if shape[axis] == ask.channels]
    if len(fitting) == 1:
        return fitting[0], ""
    told = "two axes that could be those" if fitting else "no axis"
    return None, f"has {told} of {ask.channels} channels: {list(shape)}; say which axis it is (`channels: axis`)"


def _declared(shape: tuple[int, ...], axis: int, channels: int) -> tuple[int | None, str]:
    place = axis + len(shape) if axis < 0 else axis
    if not 0 <= place < len(shape):
        return None, f"has {len(shape)} axes, so none is axis {axis}"
    if shape[place] != channels:
        return None, f"has {shape[place]:,} channels along axis {axis}, not {channels}"
    return place, ""
