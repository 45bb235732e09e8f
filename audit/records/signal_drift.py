"""Columns of numbers measured from the signals of two datasets, to be held against each other."""

from __future__ import annotations

from audit.records.base import Record


class SignalColumn(Record, gc=False):
    """One number of each file on both sides: 64-bit floats in the machine's byte order; NaN where there is none."""

    name: str
    reference: bytes
    current: bytes


class SignalPair(Record):
    """Both datasets, column by column, and how often the whole of it may be told apart though nothing has changed."""

    columns: tuple[SignalColumn, ...]
    false_alarms: float = 0.01
