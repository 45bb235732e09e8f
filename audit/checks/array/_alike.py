"""Arrays of one name held against each other over the files of a dataset, and against those of another dataset."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from audit.checks.array._wanted import ORDERS, ArrayRule, Departure, written
from audit.records.array import ArrayFile, Tensor
from audit.records.words import Severity

FEW = 0.9
"""The share of files with one shape of items from which on others are few."""

T = TypeVar("T")
Value = str | int | bool


class Trait(NamedTuple):
    """Something that arrays of one name have in common or not; `says` words it, `of` takes it from an array.

    `open` tells whether a rule leaves it open. With `most`, those that differ are told only if so large a share of
    the files does not.
    """

    says: Callable[[Value], str]
    of: Callable[[Tensor], Value]
    open: Callable[[ArrayRule], bool]
    severity: Severity = Severity.ERROR
    most: float = 0.0


TRAITS = (
    Trait(lambda value: f"dtype {value}", lambda one: one.dtype, lambda rule: rule.dtype is None),
    Trait(lambda value: f"{value} axes", lambda one: len(one.shape), lambda rule: rule.shape is None),
    Trait(
        lambda value: f"items of shape {value}",
        lambda one: written(one.shape[1:]),
        lambda rule: rule.shape is None,
        Severity.WARNING,
        FEW,
    ),
    Trait(
        lambda value: f"byte order {value}",
        lambda one: ORDERS.get(one.order, "none"),
        lambda rule: rule.order is None,
        Severity.WARNING,
    ),
    Trait(
        lambda value: "Fortran order" if value else "C order",
        lambda one: one.fortran,
        lambda rule: rule.fortran is None,
        Severity.WARNING,
    ),
)

Found = tuple[str, str, Departure, Severity]
"""Path, key, how it departs, and how much that weighs."""


def minorities(files: Sequence[ArrayFile], rule: Callable[[str], ArrayRule]) -> Iterator[Found]:
    """Arrays that few files store so, where most store that array otherwise."""
    for key, some in _by_key(files).items():
        axes = _most_common(len(tensor.shape) for _, tensor in some)[0]
        for trait in TRAITS if len(some) > 1 else ():
            usual, count = _most_common(trait.of(tensor) for _, tensor in some)
            if count == len(some) or count < trait.most * len(some) or not trait.open(rule(key)):
                continue
            for path, tensor in some:
                value = trait.of(tensor)
                if value != usual and not (trait.most and len(tensor.shape) != axes):
                    unlike = f"unlike {count:,} of {len(some):,} files with {trait.says(usual)}"
                    message = f"{trait.says(value)}, {unlike}"
                    yield path, key, Departure("minority", message, usual, value), trait.severity


def _most_common(values: Iterable[T]) -> tuple[T, int]:
    """What most are, and how many; of two that as many are, the one that sorts first."""
    return min(Counter(values).items(), key=lambda one: (-one[1], str(one[0])))


def unlike(files: Sequence[ArrayFile], other: Sequence[ArrayFile], name: str) -> Iterator[Found]:
    """Arrays of names, types and shapes of items that no file of the dataset `name` has."""
    known = _by_key(other)
    for key, some in _by_key(files).items():
        if key not in known:
            for path, _ in some:
                yield path, key, Departure("unlike", f"no file of {name} has this array", None, key), Severity.ERROR
            continue
        there = [tensor for _, tensor in known[key]]
        for path, tensor in some:
            for message, ought, found, severity in _departs(tensor, there):
                yield (
                    path,
                    key,
                    Departure("unlike", f"{message}, which no file of {name} has: {ought}", ought, found),
                    severity,
                )


def _departs(tensor: Tensor, there: Sequence[Tensor]) -> Iterator[tuple[str, str, Value, Severity]]:
    for trait in TRAITS:
        values = {trait.of(one) for one in there}
        value = trait.of(tensor)
        if value in values or (trait.most and (len(values) > 1 or len(tensor.shape) != len(there[0].shape))):
            continue
        weight = Severity.ERROR if trait.most else trait.severity
        yield trait.says(value), ", ".join(sorted(map(str, values))), value, weight


def strays(bound: Iterable[tuple[str, str, str, int]], across: Sequence[str]) -> Iterator[Found]:
    """Named sides that stand for two numbers: in one file, or for names in `across` in any two.

    `bound` are path, key, name and number, in the order of the files.
    """
    everywhere: dict[str, list[int]] = defaultdict(list)
    within: dict[tuple[str, str], tuple[int, str]] = {}
    seen = list(bound)
    for path, key, name, number in seen:
        first, where = within.setdefault((path, name), (number, key))
        if first != number:
            message = f"{name} is {number:,} here and {first:,} in {where!r}"
            yield path, key, Departure("dimension", message, first, number), Severity.ERROR
        everywhere[name].append(number)
    usuals = {name: _most_common(everywhere[name]) for name in across if name in everywhere}
    for path, key, name, number in seen:
        usual, count = usuals.get(name, (number, 0))
        if number != usual:
            message = f"{name} is {number:,} here and {usual:,} in {count:,} arrays"
            yield path, key, Departure("dimension", message, usual, number), Severity.ERROR


def _by_key(files: Sequence[ArrayFile]) -> Mapping[str, list[tuple[str, Tensor]]]:
    found: dict[str, list[tuple[str, Tensor]]] = defaultdict(list)
    for file in files:
        for tensor in file.header.tensors:
            found[tensor.key].append((file.path, tensor))
    return found
