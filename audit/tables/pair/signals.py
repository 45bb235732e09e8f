"""Numbers measured from signals, held against those of another dataset as the columns of two tables are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit.records.drift import Measured, Pair
from audit.records.signal_drift import SignalColumn, SignalPair
from audit.tables.pair import numbers
from audit.tables.pair.found import powered
from audit.tables.pair.levels import Found
from audit.tables.pair.values import Numbers

if TYPE_CHECKING:
    import numpy as np


def measured(question: SignalPair) -> Measured:
    """What is known of each column: as `pair.measured`, but nothing is taken for an identifier."""
    pairs = [_pair(column) for column in question.columns]
    level = question.false_alarms / max(1, sum(len(pair.tests) for pair in pairs))
    rows = max(((pair.reference.rows, pair.current.rows) for pair in pairs), default=(0, 0))
    return Measured(rows=rows, pairs=tuple(powered(Found(pair), level) for pair in pairs))


def _pair(column: SignalColumn) -> Pair:
    import numpy as np

    reference, current = (np.frombuffer(side, np.float64) for side in (column.reference, column.current))
    return numbers.measured(column.name, "number", _numbers(reference), _numbers(current))


def _numbers(values: np.ndarray) -> Numbers:
    """Sorted; what is not there is missing."""
    import numpy as np

    there = np.sort(values[~np.isnan(values)])
    return Numbers(there, len(values), len(values) - len(there), 0)
