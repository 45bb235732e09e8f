"""How often `table.shift` alarms on tables that are alike, and how often it finds a correlation that turned round.

    python benchmarks/table_shift.py [PAIRS]

Both tables of a pair have as many rows as stated; PAIRS (200) are drawn for 100 rows,
as many for 400, a fifth for 2,000. Prints Markdown. The interval of a share is that of C.
Clopper and E. Pearson 1934 at 95 %.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import beta  # type: ignore[import-untyped]

from audit.checks.table.shift import Shift as Check
from audit.records.findings import Violation
from audit.records.table import Source
from audit.tables.learned.features import Wanted
from audit.tables.learned.shift import Options, shift
from audit.tables.table import Table

Maker = Callable[[np.random.Generator, int, float], pl.DataFrame]


def mixed(draw: np.random.Generator, rows: int, _: float) -> pl.DataFrame:
    """Ten columns: normal, heavy-tailed, discrete, with many zeros, and levels of which some are rare."""
    shares = 1 / np.arange(1, 41)
    columns: dict[str, object] = {}
    for place in range(2):
        columns |= {
            f"normal{place}": draw.normal(size=rows),
            f"heavy{place}": draw.standard_cauchy(size=rows),
            f"discrete{place}": draw.poisson(3, size=rows),
            f"zeros{place}": draw.exponential(size=rows) * (draw.random(rows) < 0.3),
            f"levels{place}": draw.choice([f"level{one}" for one in range(40)], rows, p=shares / shares.sum()),
        }
    return pl.DataFrame(columns)


def single(draw: np.random.Generator, rows: int, _: float) -> pl.DataFrame:
    """One normal column."""
    return pl.DataFrame({"x": draw.normal(size=rows)})


def turned(draw: np.random.Generator, rows: int, correlation: float) -> pl.DataFrame:
    """Two columns of that correlation, in eight that tell nothing."""
    x, other = draw.normal(size=(2, rows))
    noise = draw.normal(size=(8, rows))
    both = {"x": x, "y": correlation * x + np.sqrt(1 - correlation**2) * other}
    return pl.DataFrame(both | {f"n{place}": one for place, one in enumerate(noise)})


def outcomes(maker: Maker, rows: int, pairs: int, correlation: float = 0.0) -> Counter[str]:
    """How many pairs fail, warn and pass."""
    check, found = Check(reference="reference", current="current"), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for pair in range(pairs):
            tables = []
            for side, sign in enumerate((1, -1)):
                file = Path(folder, f"{side}.parquet")
                maker(np.random.default_rng([rows, pair, side]), rows, sign * correlation).write_parquet(file)
                tables.append(Table(Source(files=(str(file),), format="parquet")))
            told = shift((tables[0], tables[1]), Wanted(), Options())
            kinds = {one.kind for one in check.evaluate(told) if isinstance(one, Violation)}
            found["fail" if "shift" in kinds else "warn" if kinds else "pass"] += 1
    return found


def interval(hits: int, of: int) -> str:
    """A share with its exact 95 % interval."""
    low = float(beta.ppf(0.025, hits, of - hits + 1)) if hits else 0.0
    high = float(beta.ppf(0.975, hits + 1, of - hits)) if hits < of else 1.0
    return f"{hits / of:.3f} ({low:.3f} to {high:.3f})"


def main(pairs: int) -> None:
    """Print both tables."""
    started = time.process_time()
    print("| tables | rows | pairs | fail | warn |\n| --- | --- | --- | --- | --- |")
    for rows, some in ((100, pairs), (400, pairs), (2_000, pairs // 5)):
        for maker in (single, mixed):
            found = outcomes(maker, rows, some)
            shares = f"{interval(found['fail'], some)} | {found['warn'] / some:.3f}"
            print(f"| {maker.__name__} | {rows:,} | {some:,} | {shares} |", flush=True)
    print("\n| correlation turned | rows | pairs | found |\n| --- | --- | --- | --- |")
    for rows, correlation in ((500, 0.5), (500, 0.8), (2_000, 0.3), (2_000, 0.5), (10_000, 0.2)):
        some = max(pairs // 10, 1)
        found = outcomes(turned, rows, some, correlation)
        print(f"| ±{correlation:g} | {rows:,} | {some:,} | {interval(found['fail'], some)} |", flush=True)
    print(f"\n{time.process_time() - started:.0f} s of processor time")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200)
