"""What all values of an array came to."""

from __future__ import annotations

from audit.records.base import Record
from audit.records.obstacle import Obstacle
from audit.records.signals import Fault

Number = int | float


class Moments(Record, gc=False):
    """Mean and standard deviation (that of the values themselves: divided by n) of `count` finite values.

    None where there is no finite value, or the sums are beyond 64-bit floats.
    """

    count: int
    mean: float | None = None
    sd: float | None = None


class Items(Record, gc=False):
    """The items of an array along its first index: those of one value throughout, and those that repeat another.

    `constants` are the indices of the first of them, `repeats` the first pairs (an item, the earlier one that it
    repeats byte by byte). Constant items are not among the repeated. Where `problem` says why, nothing was compared.
    """

    count: int
    constant: int = 0
    constants: tuple[int, ...] = ()
    repeated: int = 0
    repeats: tuple[tuple[int, int], ...] = ()
    problem: str = ""


class ArrayValues(Record, gc=False):
    """What the values of one array came to; where `problem` says why ("it ..."), they were not looked at.

    `count` values were looked at; of complex numbers the real and the imaginary part count for themselves. `low` and
    `high` are the least and the largest finite value, None where there is none. `nan`, `infinite_low` and
    `infinite_high` are numbers of values. `at_low` and `at_high`: as many integers are the least and the largest
    that their type can hold (the least only of signed ones). `axis` is that of the `channels`; where there is none,
    `ill` says so ("it ...").
    """

    key: str
    dtype: str
    shape: tuple[int, ...]
    count: int = 0
    low: Number | None = None
    high: Number | None = None
    nan: int = 0
    infinite_low: int = 0
    infinite_high: int = 0
    at_low: int = 0
    at_high: int = 0
    moments: Moments | None = None
    axis: int | None = None
    channels: tuple[Moments, ...] = ()
    ill: str = ""
    items: Items | None = None
    problem: str = ""

    @property
    def infinite(self) -> int:
        """How many values are infinite."""
        return self.infinite_low + self.infinite_high


class FileValues(Record):
    """The arrays of a file that were asked for, and names of the first `others`; `faults` are those of its header."""

    format: str = ""
    arrays: tuple[ArrayValues, ...] = ()
    others: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


class ScannedFile(Record):
    """A file of a dataset and what its arrays came to. `path` is relative to the project."""

    path: str
    values: FileValues


class Scanned(Record):
    """The files of the dataset at `path` in the order of their paths, and what could not be looked at."""

    path: str
    files: tuple[ScannedFile, ...]
    unseen: tuple[Obstacle, ...] = ()
