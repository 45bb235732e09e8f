"""Numbers measured from the signals of one dataset against those of another, with the statistics of `table.drift`.

A fact that has measured two datasets (brightness of pictures, loudness of clips, ...) calls `signal_drift` in its
`collect`; a check holds what comes out against its tolerance by `audit.checks._signal_drift`.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from audit.facts.processes.ask import ask
from audit.records.context import Context
from audit.records.drift import Measured
from audit.records.signal_drift import SignalColumn, SignalPair

Columns = Mapping[str, Sequence[float | None]]
"""By name, one number for each file of a dataset, None where a file has no such number; all of one length."""

_TIMEOUT_S = 3600


def signal_drift(
    ctx: Context, reference: Columns, current: Columns, *, path: str, false_alarms: float = 0.01
) -> Measured:
    """Each column of both: two-sample Kolmogorov-Smirnov of the numbers, Fisher's exact test of how many have none.

    `reference` and `current` have the same names; the pairs come out in the order of `reference`. A column of which
    no file of either dataset has a number is told in `left_out` and takes no part. `path` is the current dataset's,
    for subjects. `false_alarms` is the level that all tests share, from which the effects that could have been
    detected are reckoned. Needs numpy, no other extra; raises `CannotLook` where the program cannot answer.
    """
    left_out = tuple(name for name in reference if not any(map(_there, (*reference[name], *current[name]))))
    columns = tuple(
        SignalColumn(name=name, reference=_packed(reference[name]), current=_packed(current[name]))
        for name in reference
        if name not in left_out
    )
    question = SignalPair(columns=columns, false_alarms=false_alarms)
    (measured,) = ask(ctx.host, "signal_drift", question, tuple[Measured], _TIMEOUT_S)
    return replace(measured, path=path, left_out=left_out)


def _there(value: float | None) -> bool:
    return value is not None and not math.isnan(value)


def _packed(values: Sequence[float | None]) -> bytes:
    return array("d", (math.nan if value is None else value for value in values)).tobytes()
