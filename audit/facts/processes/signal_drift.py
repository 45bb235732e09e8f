"""Measures numbers of two datasets' signals against each other, column by column."""

from __future__ import annotations

from collections.abc import Iterator

from audit.facts.processes.ask import answer
from audit.records.drift import Measured
from audit.records.signal_drift import SignalPair


def _answers(question: SignalPair) -> Iterator[Measured]:
    from audit.tables.pair.signals import measured

    yield measured(question)


if __name__ == "__main__":
    answer(SignalPair, _answers)
