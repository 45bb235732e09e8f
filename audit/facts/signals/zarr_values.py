"""All values of Zarr stores: each chunk is looked at by itself, and what they came to is put together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from importlib.util import find_spec
from math import prod
from typing import NamedTuple

from msgspec.structs import replace

from audit.errors import MissingExtra
from audit.facts.dataset_walk import File
from audit.facts.processes.array_scan_chunk import Question
from audit.facts.signals.examined import Look, examine
from audit.facts.signals.zarr_stores import Store
from audit.formats.arrays.zarr import ZarrArray
from audit.measures.moments import together
from audit.records.array_values import ArrayValues, FileValues, Items, ScannedFile
from audit.records.context import Context

PROGRAM = "array_scan_chunk"
_OTHERS = 20


class Wanted(NamedTuple):
    """What is asked: arrays by key (shell patterns; none: all), and what to measure beside their range."""

    keys: tuple[str, ...]
    moments: bool
    channels: bool
    items: bool


def scanned_store(ctx: Context, store: Store, ask: Wanted) -> ScannedFile:
    """Look at the arrays of a store that are asked for. Raises `MissingExtra`."""
    if find_spec("zarr") is None:
        raise MissingExtra("array", "zarr, which decodes chunks,")
    named = [(array, chunks, array.tensor.key) for array, chunks in store.arrays]
    wanted = [one for one in named if not ask.keys or any(fnmatchcase(one[2], key) for key in ask.keys)]
    others = [key for _, _, key in named if key not in {one[2] for one in wanted}]
    found = []
    for array, chunks, _ in wanted:
        problem = _problem(array, chunks, channels=ask.channels)
        said = ArrayValues(key=array.tensor.key, dtype=array.tensor.dtype, shape=array.tensor.shape, problem=problem)
        found.append(said if problem else _scanned(ctx, array, chunks, said, ask))
    return ScannedFile(
        path=store.path, values=FileValues(format="ZARR", arrays=tuple(found), others=tuple(others[:_OTHERS]))
    )


def _problem(array: ZarrArray, chunks: Mapping[str, File], *, channels: bool) -> str:
    """What keeps an array from being looked at whole."""
    expected = prod(array.grid) if prod(array.tensor.shape) else 0
    if array.strange:
        return f"is packed by {array.strange[:40]!r}, which is not unpacked here"
    if len(chunks) < expected:
        return f"lacks {expected - len(chunks):,} of {expected:,} chunks, whose values nobody wrote"
    if channels:
        return "is a Zarr store, of which channels are not measured: hold an .npy of it against them"
    return ""


def _scanned(ctx: Context, array: ZarrArray, chunks: Mapping[str, File], said: ArrayValues, ask: Wanted) -> ArrayValues:
    if not prod(array.tensor.shape):
        return said
    alike: dict[tuple[int, ...], list[File]] = defaultdict(list)
    for name, file in sorted(chunks.items()):
        alike[_sides(array, name)].append(file)
    parts: list[ArrayValues] = []
    for sides, files in sorted(alike.items()):
        asked = Question(meta=array.chunk.decode(), version=array.version, sides=sides, moments=ask.moments)
        for file, one in zip(files, examine(ctx, files, Look(PROGRAM, asked, ArrayValues)), strict=True):
            problem = one.problem or (one.value.problem if one.value else "")
            if problem or one.value is None:
                return replace(said, problem=f"has a chunk {file.path[-200:]!r} that {problem}")
            parts.append(one.value)
    return _together(said, parts, items=ask.items)


def _sides(array: ZarrArray, name: str) -> tuple[int, ...]:
    """How far a chunk is within its array."""
    key = array.tensor.key
    place = array.place(name[len(key) + 1 if key else 0 :]) or ()
    axes = zip(place, array.chunks, array.tensor.shape, strict=False)
    return tuple(min(side, whole - at * side) for at, side, whole in axes)


def _together(said: ArrayValues, parts: Sequence[ArrayValues], *, items: bool) -> ArrayValues:
    known = [one.moments for one in parts if one.moments]
    compared = Items(count=said.shape[0], problem="it is a Zarr store, whose chunks are not its items")
    return replace(
        said,
        count=sum(one.count for one in parts),
        low=min((one.low for one in parts if one.low is not None), default=None),
        high=max((one.high for one in parts if one.high is not None), default=None),
        nan=sum(one.nan for one in parts),
        infinite_low=sum(one.infinite_low for one in parts),
        infinite_high=sum(one.infinite_high for one in parts),
        at_low=sum(one.at_low for one in parts),
        at_high=sum(one.at_high for one in parts),
        moments=together(known) if known else None,
        items=compared if items and len(said.shape) > 1 else None,
    )
