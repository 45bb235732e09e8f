"""All values of an array, read once in pieces, by two threads where that pays; the sums do not depend on how many.

Files are read, not mapped: one that is cut short meanwhile would kill the program (mmap(2), SIGBUS).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from math import prod
from threading import Lock
from typing import Any, NamedTuple

from msgspec.structs import replace

from audit.records.array import Tensor
from audit.records.array_values import ArrayValues, Items
from audit.signals.arrays.scan_cut import Piece, spans
from audit.signals.arrays.scan_forms import form
from audit.signals.arrays.scan_items import Fill
from audit.signals.arrays.scan_plan import Ask, Plan, channel_axis, has_items, planned

LARGE = 1 << 26
"""Bytes from which on a second thread pays for itself."""


class Values(NamedTuple):
    """Where the bytes of an array come from, as they lie in memory; `anywhere`: in any order, by several threads."""

    fill: Fill
    anywhere: bool


def scan(tensor: Tensor, values: Values, ask: Ask, threads: int = 2) -> ArrayValues:
    """Look at all values of a tensor, by at most `threads` threads.

    What cannot be scanned says so in `problem`. Raises what `values.fill` does.
    """
    said = ArrayValues(key=tensor.key, dtype=tensor.dtype, shape=tensor.shape)
    how = form(tensor.dtype, tensor.order)
    if how is None:
        return replace(said, problem=_unscannable(tensor.dtype))
    axis, ill = channel_axis(tensor.shape, ask)
    said = replace(said, ill=ill)
    if not prod(tensor.shape):
        return said
    plan = planned(tensor, how, ask, axis)
    many = values.anywhere and plan.numbers * how.size >= LARGE
    found = _measured(plan, values.fill, threads if many else 1)
    told = _told(said, plan, found, channels=ask.channels > 0 and not ill)
    return replace(told, items=_items(tensor, plan, found, values.fill)) if ask.items and has_items(tensor) else told


def _measured(plan: Plan, fill: Fill, threads: int) -> dict[str, Any]:
    """Every worker takes the next span when it is done with one; what spans came to is joined in their order."""
    waiting = zip(count(), spans(plan.numbers, plan.levels(), plan.block // plan.form.size), strict=False)
    found: dict[int, dict[str, Any]] = {}
    lock = Lock()

    def work(_: int) -> None:
        buffer = _buffer(plan.block)
        while True:
            with lock:
                number, span = next(waiting, (0, ()))
            if not span:
                return
            found[number] = _spanned(span, plan, fill, buffer)

    if threads == 1:
        work(0)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, range(threads)))
    return _joined(plan, [found[number] for number in sorted(found)])


def _spanned(span: tuple[Piece, ...], plan: Plan, fill: Fill, buffer: Any) -> dict[str, Any]:
    import numpy as np

    gauges = plan.gauges()
    size = plan.form.size
    with np.errstate(all="ignore"):
        for start, stop in span:
            raw = buffer[: (stop - start) * size]
            fill(raw, start * size)
            numbers = plan.form.numbers(raw)
            for gauge in gauges.values():
                gauge.take(start, numbers, raw)
    return gauges


def _joined(plan: Plan, found: list[dict[str, Any]]) -> dict[str, Any]:
    whole = plan.gauges()
    for some in found:
        for name, gauge in whole.items():
            gauge.join(some[name])
    return whole


def _buffer(size: int) -> Any:
    import numpy as np

    return np.empty(size, "u1")


def _told(said: ArrayValues, plan: Plan, found: dict[str, Any], *, channels: bool) -> ArrayValues:
    seen, spread = found["range"], found.get("spread")
    return replace(
        said,
        count=seen.count,
        low=seen.low,
        high=seen.high,
        nan=seen.nan,
        infinite_low=seen.infinite_low,
        infinite_high=seen.infinite_high,
        at_low=seen.at_low,
        at_high=seen.at_high,
        moments=spread.whole() if spread else None,
        axis=plan.axis,
        channels=spread.moments() if spread and channels else (),
    )


def _items(tensor: Tensor, plan: Plan, found: dict[str, Any], fill: Fill) -> Items:
    if not plan.item:
        return Items(count=tensor.shape[0], problem=plan.without)
    told: Items = found["items"].items(fill, tensor.shape[0])
    return told


def _unscannable(dtype: str) -> str:
    if dtype == "object":
        return "holds objects, which only unpickling could read: their values are not looked at"
    return f"holds {dtype}, whose values are not scanned"
