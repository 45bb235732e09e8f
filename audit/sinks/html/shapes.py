"""The shapes of data that exhibits are drawn from; what has another shape is shown as JSON."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable
from itertools import pairwise

import msgspec

from audit.records.findings import Scalar

SERIES = 4
"""That many series can be told apart by their stroke alone; more are shown as JSON."""

SKETCH_TOP = 99
"""The height of the tallest bin of a sketch."""

PAIR = 2

COLUMNS = 600
"""Parts of the longest waveform."""

PERCENT = 100
LEAST = 1e-9
"""Seconds of the shortest clip."""

HIGHEST = 1 << 32
"""Hertz of the highest sample rate."""

SIDE = 160
"""Pixels of the longer side of a small picture, at most."""

PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8\xff"


class Table(msgspec.Struct):
    """`table`: rows under named columns."""

    columns: list[str]
    rows: list[list[Scalar]]


class Bars(msgspec.Struct):
    """`bars`: one value for each label."""

    labels: list[str | int | float]
    values: list[float]

    def __post_init__(self) -> None:
        demand(len(self.labels) == len(self.values) > 0, self.values)


class GroupedBars(msgspec.Struct):
    """`bars2`: for each label one value, not negative, of each named series; None is the label of what is missing."""

    labels: list[Scalar]
    series: dict[str, list[float]]

    def __post_init__(self) -> None:
        demand(self.labels and 0 < len(self.series) <= SERIES, [])
        for values in self.series.values():
            demand(len(values) == len(self.labels) and min(values) >= 0, values)


class Histogram(msgspec.Struct):
    """`histogram`: `counts` between ascending `edges`, or several named `series` of counts over the same edges.

    `unit` stands beside the axis; edges in `us` are microseconds since 1970 in UTC, and shown as times.
    """

    edges: list[float]
    counts: list[float] | None = None
    series: dict[str, list[float]] = {}
    unit: str = ""

    def __post_init__(self) -> None:
        bins = len(self.edges) - 1
        demand(bins > 0 and all(low < high for low, high in pairwise(self.edges)), self.edges)
        demand(0 < len(self.named()) <= SERIES, [])
        for counts in self.named().values():
            demand(len(counts) == bins and min(counts) >= 0, counts)

    def named(self) -> dict[str, list[float]]:
        """All series; the nameless one is called `count`."""
        return {**({} if self.counts is None else {"count": self.counts}), **self.series}


class ColumnRow(msgspec.Struct, array_like=True):
    """One column of two tables: what was measured, and a small picture of each side.

    A sketch has one height for each of a few bins, from 0 to 99; both share one scale.
    """

    column: str
    kind: str
    measure: str
    effect: float | None
    tolerance: float | None
    chance: float | None
    detectable: float | None
    outcome: str
    missing_reference: float | None
    missing_current: float | None
    sketch_reference: list[int] | None = None
    sketch_current: list[int] | None = None

    def __post_init__(self) -> None:
        numbers = (self.effect, self.tolerance, self.chance, self.detectable, self.missing_reference)
        demand(holds=True, numbers=[one for one in (*numbers, self.missing_current) if one is not None])
        for sketch in (self.sketch_reference, self.sketch_current):
            demand(not sketch or 0 <= min(sketch) <= max(sketch) <= SKETCH_TOP, [])


class Columns(msgspec.Struct):
    """`columns`: the columns of two tables side by side, which are called by `names`: the reference first."""

    names: list[str]
    rows: list[ColumnRow]

    def __post_init__(self) -> None:
        demand(len(self.names) == PAIR, [])


class Clip(msgspec.Struct):
    """`clip`: a clip over time, a waveform and a spectrogram of the same `seconds`; `whole` unless it goes on behind.

    `low` and `high` are the least and the greatest sample of equal parts, in hundredths of full scale (1.0), or of
    `peak`, the largest sample, where that is larger; `clipped` are the places of parts with flat tops. `spectrogram`
    is a PNG in base64, from 0 Hz to half of the sample rate, on an axis that ends at `band_hz`.
    """

    path: str
    reason: str
    sample_rate_hz: int
    channels: int
    seconds: float
    whole: bool
    low: list[int]
    high: list[int]
    peak: float
    clipped: list[int]
    spectrogram: str
    band_hz: float

    def __post_init__(self) -> None:
        columns = len(self.low)
        demand(0 < columns == len(self.high) <= COLUMNS, [self.seconds, self.peak, self.band_hz])
        demand(self.seconds >= LEAST and self.peak >= 0 and 0 < self.sample_rate_hz <= HIGHEST, [])
        demand(self.band_hz >= self.sample_rate_hz / 2, [])
        demand(all(-PERCENT <= low <= high <= PERCENT for low, high in zip(self.low, self.high, strict=True)), [])
        demand(all(0 <= place < columns for place in self.clipped), [])
        demand(encodes(self.spectrogram, PNG), [])


class Picture(msgspec.Struct):
    """One picture of a sheet, a JPEG in base64, and what is wrong with its file; without `jpeg`, an empty place.

    `cut` says that a part of it could not be decoded.
    """

    path: str
    reason: str
    jpeg: str = ""
    width: int = 0
    height: int = 0
    cut: bool = False

    def __post_init__(self) -> None:
        demand(not self.jpeg or encodes(self.jpeg, JPEG), [])
        demand(not self.jpeg or (0 < self.width <= SIDE and 0 < self.height <= SIDE), [])


class Pictures(msgspec.Struct):
    """`pictures`: a sheet of small pictures."""

    pictures: list[Picture]

    def __post_init__(self) -> None:
        demand(self.pictures, [])


class Text(msgspec.Struct):
    """`text`: lines as they are."""

    text: str


def demand(holds: object, numbers: Iterable[float]) -> None:
    """Raise `ValueError` unless it holds and the numbers are finite."""
    if not (holds and all(map(math.isfinite, numbers))):
        raise ValueError("not what can be drawn")


def encodes(text: str, magic: bytes) -> bool:
    """Whether the text is base64, and nothing else, of what begins with these bytes."""
    try:
        return base64.b64decode(text, validate=True).startswith(magic)
    except ValueError:
        return False
