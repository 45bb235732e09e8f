"""Arrays held against what is declared of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta
from msgspec.structs import asdict

from audit.records.array import Tensor
from audit.records.base import Record
from audit.records.findings import Scalar

Words = str | tuple[str, ...] | None
Count = Annotated[int, Meta(ge=0)]
Side = Count | Annotated[str, Meta(pattern=r"^(\*|[A-Za-z_]\w*)$")] | None
Shape = Annotated[tuple[Side, ...], Meta(max_length=64)] | None
Order = Literal["little", "big"] | None

FREE = "*"
ORDERS = {"<": "little", ">": "big"}


class ArrayRule(Record):
    """What an array is expected to be. Only what is given is held."""

    dtype: Annotated[Words, Meta(description="Its type, or those allowed.")] = None
    order: Annotated[Order, Meta(description="Its byte order.")] = None
    shape: Annotated[Shape, Meta(description="Its shape.")] = None
    fortran: Annotated[bool | None, Meta(description="Whether the first index is the fastest.")] = None
    items: Annotated[Count | None, Meta(description="How long its first axis is.")] = None
    min_items: Annotated[Count | None, Meta(description="How long its first axis is at least.")] = None
    max_items: Annotated[Count | None, Meta(description="How long its first axis is at most.")] = None
    required: Annotated[bool, Meta(description="Whether each file must have it.")] = True

    def __post_init__(self) -> None:
        """Refuse what no array could be."""
        if self.min_items is not None and self.max_items is not None and self.min_items > self.max_items:
            raise ValueError("`min_items` is greater than `max_items`")

    def over(self, other: ArrayRule) -> ArrayRule:
        """It, and what `other` says of what it leaves open."""
        mine = {name: value for name, value in asdict(self).items() if value is not None}
        return ArrayRule(**(asdict(other) | mine))


class Departure(NamedTuple):
    """How an array departs from what it should be."""

    kind: str
    message: str
    expected: Scalar
    found: Scalar


def rule_of(key: str, rules: Mapping[str, ArrayRule]) -> ArrayRule | None:
    """The rule for an array: by its name, or the first by a pattern that matches it."""
    return rules.get(key) or next((rule for pattern, rule in rules.items() if fnmatchcase(key, pattern)), None)


def departures(tensor: Tensor, rule: ArrayRule) -> Iterator[Departure]:
    """What of an array is not as declared."""
    dtypes = (rule.dtype,) if isinstance(rule.dtype, str) else rule.dtype
    if dtypes is not None and tensor.dtype not in dtypes:
        ought = " or ".join(dtypes)
        yield Departure("dtype", f"dtype {tensor.dtype}, not {ought}", ought, tensor.dtype)
    order = ORDERS.get(tensor.order)
    if rule.order and order and order != rule.order:
        yield Departure("order", f"{order}-endian, not {rule.order}-endian", rule.order, order)
    if rule.fortran is not None and len(tensor.shape) > 1 and tensor.fortran != rule.fortran:
        words = {True: "the first index is the fastest (Fortran order)", False: "the last index is the fastest"}
        message = f"{words[tensor.fortran]}, which `fortran: {str(rule.fortran).lower()}` excludes"
        yield Departure("layout", message, rule.fortran, tensor.fortran)
    if rule.shape is not None and not fits(tensor.shape, rule.shape):
        ought, found = written(rule.shape), written(tensor.shape)
        yield Departure("shape", f"shape {found}, not {ought}", ought, found)
    yield from _counted(tensor, rule)


def _counted(tensor: Tensor, rule: ArrayRule) -> Iterator[Departure]:
    if rule.items is None and rule.min_items is None and rule.max_items is None:
        return
    if not tensor.shape:
        yield Departure("items", "is a single value, without items", rule.items or rule.min_items, None)
        return
    items = tensor.shape[0]
    held = f"{items:,} item{'' if items == 1 else 's'}"
    if rule.items is not None and items != rule.items:
        yield Departure("items", f"{held}, not {rule.items:,}", rule.items, items)
    if rule.min_items is not None and items < rule.min_items:
        yield Departure("items", f"{held}, fewer than {rule.min_items:,}", rule.min_items, items)
    if rule.max_items is not None and items > rule.max_items:
        yield Departure("items", f"{held}, more than {rule.max_items:,}", rule.max_items, items)


def fits(shape: Sequence[int], wanted: Sequence[Side]) -> bool:
    """Whether each side that is a number is that number."""
    return len(shape) == len(wanted) and all(
        side == ought for side, ought in zip(shape, wanted, strict=True) if isinstance(ought, int)
    )


def named(tensor: Tensor, rule: ArrayRule | None) -> Iterator[tuple[str, int]]:
    """The names of sides that a rule gives, and how long these are, if the shape fits."""
    if rule and rule.shape and fits(tensor.shape, rule.shape):
        for side, ought in zip(tensor.shape, rule.shape, strict=True):
            if isinstance(ought, str) and ought != FREE:
                yield ought, side


def written(shape: Sequence[Side]) -> str:
    """A shape in words."""
    return f"[{', '.join(FREE if side is None else str(side) for side in shape)}]"
