"""Reports of drift made by hand: what table.drift shows of many columns, as it shows it."""

from __future__ import annotations

import math
from typing import Any

from support.reports import report, result, violation

from audit.records.findings import Exhibit
from audit.records.report import Report, Result
from audit.records.words import Outcome, Severity, Verdict

_A_PART = 250
"""Rows of one exhibit: each is bounded, so a wide table comes in several."""


def bell(middle: float, width: float, bins: int = 12) -> list[float]:
    """Shares of a bell over so many bins of the unit interval."""
    heights = [math.exp(-((((place + 0.5) / bins) - middle) ** 2) / (2 * width**2)) for place in range(bins)]
    return [height / sum(heights) for height in heights]


def sketches(*shares: list[float]) -> list[list[int]]:
    """Heights from 0 to 99, of one scale."""
    top = max(max(some) for some in shares)
    return [[round(99 * share / top) for share in some] for some in shares]


def row(number: int, name: str, *, moved: bool = False, few: bool = False) -> list[Any]:
    """One column of the overview."""
    middle = 0.35 + (number * 37 % 29) / 100
    pair = sketches(bell(middle, 0.16), bell(middle + (0.17 if moved else 0.004), 0.16))
    effect = 0.21 + number % 7 / 50 if moved else 0.004 + number % 11 / 400
    outcome = "drift" if moved else ("insufficient" if few else "pass")
    chance = 1.3e-41 if moved else 1.0
    kind = ("number", "category", "timestamp")[number % 3]
    measure = "variation" if kind == "category" else "D"
    tolerance = 0.03 if kind == "category" else 0.05
    return [name, kind, measure, effect, tolerance, chance, 0.031, outcome, 0.0, number % 5 / 100, *pair]


def overview(rows: list[list[Any]]) -> tuple[Exhibit, ...]:
    """The overview, in bounded parts."""
    parts = [rows[start : start + _A_PART] for start in range(0, len(rows), _A_PART)]
    return tuple(
        Exhibit(type="columns", title="All columns, train and val", data={"names": ["train", "val"], "rows": part})
        for part in parts
    )


def pictures() -> tuple[Exhibit, ...]:
    """The two distributions of a number, and of a category whose levels are anything."""
    edges = [round(-10 + 40 * place / 24, 3) for place in range(25)]
    levels = ["yes", "no", "<b>unknown</b> & co", "background\nnoise", "نعم", "x" * 400, None]
    return (
        Exhibit(
            type="histogram",
            title="snr_db, train and val",
            data={"edges": edges, "series": {"train": bell(0.52, 0.17, 24), "val": bell(0.38, 0.2, 24)}},
        ),
        Exhibit(
            type="bars2",
            title="word, train and val",
            data={
                "labels": levels,
                "series": {
                    "train": [0.41, 0.38, 0.09, 0.06, 0.04, 0.02, 0.0],
                    "val": [0.31, 0.33, 0.19, 0.05, 0.04, 0.03, 0.05],
                },
            },
        ),
    )


def drifted(columns: int = 14) -> Result:
    """A rule whose two tables have so many columns; every seventh has drifted."""
    names = ["snr_db", "word", *(f"feature_{number:04}" for number in range(columns - 2))]
    rows = [row(number, name, moved=number % 7 == 0, few=number % 13 == 5) for number, name in enumerate(names)]
    found = [one for one in rows if one[7] == "drift"]
    return result(
        "drift[train/val]",
        "table.drift",
        Outcome.FAIL,
        f"{len(found)} of {columns} columns have drifted between train (48,210 rows) and val (2,202 rows)",
        why="A validation set that moved away from the training set measures something else.",
        figures={"columns": columns, "columns_drifted": len(found), "rows_reference": 48_210, "rows_current": 2_202},
        violations=tuple(
            violation(
                "drift[train/val]",
                "table.drift",
                f"data/val.parquet#{one[0]}",
                "drift",
                f"D {one[3]:.3g} is above the tolerance of {one[4]:g}, and chance does not explain it (p {one[5]:.1e})",
                severity=Severity.ERROR,
                expected=f"D <= {one[4]:g}",
                found=one[3],
            )
            for one in found
        ),
        exhibits=(*overview(rows), *pictures()),
    )


def drift(columns: int = 14) -> Report:
    """The report of an audit whose one failing rule is about drift."""
    return report(Verdict.FAIL, [drifted(columns), result("git-clean", "git.clean", Outcome.PASS, "clean")])


def wide() -> Report:
    """A thousand columns."""
    return drift(1_000)
