"""How often `table.drift` fails tables of one origin, and how often it finds those that drifted; with its defaults.

    python benchmarks/false_alarms.py                # all rows: some ten minutes on two processors
    python benchmarks/false_alarms.py --share 0.05   # a twentieth of the pairs

Each pair is written to files and goes the way of an audit: the measuring of `audit.tables.pair`, then the check
itself. Every pair has a seed of its own, so that the table does not depend on the number of processes.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

RATE = 0.01
SEED = 20_261_130


class Row(NamedTuple):
    """Pairs of tables whose sizes are drawn log-uniformly from `sizes`, each side for itself."""

    title: str
    sizes: tuple[int, int]
    pairs: int
    drift: str = ""


def rows() -> Iterable[Row]:
    """All rows of the table."""
    from samples import DRIFTS

    yield Row("30 to 10,000 rows", (30, 10_000), 10_000)
    yield Row("30 to 100 rows", (30, 100), 2_000)
    yield Row("1,000 to 3,000 rows", (1_000, 3_000), 2_000)
    yield Row("100,000 rows", (100_000, 100_000), 1_000)
    for drift in DRIFTS:
        yield Row(drift, (10_000, 10_000), 400, drift)


def judged(row: Row, folder: str, number: int) -> tuple[str, bool]:
    """The outcome of one audit, and whether it fails the column that drifted."""
    import numpy as np
    from samples import DRIFTS, table

    rng = np.random.default_rng([SEED, *row.title.encode(), number])
    sizes = [round(math.exp(rng.uniform(math.log(row.sizes[0]), math.log(row.sizes[1] + 1)))) for _ in range(2)]
    files = [Path(folder, f"{os.getpid()}-{side}.arrow") for side in ("reference", "current")]
    for file, size, drift in zip(files, sizes, ("", row.drift), strict=True):
        table(rng, size, drift).write_ipc(file)
    return outcome(files, DRIFTS[row.drift][0] if row.drift else "")


def outcome(files: Sequence[Path], column: str) -> tuple[str, bool]:
    """What `table.drift` says of the two tables with its defaults."""
    from audit.measures.holm import adjusted
    from audit.records.drift import PairQuestion
    from audit.records.table import Source
    from audit.tables.pair import measured

    reference, current = (Source(files=(str(file),), format="ipc") for file in files)
    found = measured(PairQuestion(reference=reference, current=current, false_alarms=RATE))
    tests = [(pair.column, test) for pair in found.pairs for test in pair.tests]
    tolerances = {"ks": 0.05, "length_ks": 0.05, "total_variation": 0.03, "missing": 0.05, "nan": 0.05}
    ps = adjusted([test.p for _, test in tests])
    failed = [
        name for (name, test), p in zip(tests, ps, strict=True) if p < RATE and test.effect > tolerances[test.name]
    ]
    unsure = any((test.detectable or 0) > 2 * tolerances[test.name] for _, test in tests)
    return "fail" if failed else "warn" if unsure or min(found.rows) < 30 else "pass", column in failed


def interval(hits: int, of: int) -> tuple[float, float]:
    """The 95 % interval of Clopper and Pearson (1934)."""
    from scipy.stats import binomtest

    found = binomtest(hits, of).proportion_ci(0.95, "exact")
    return float(found.low), float(found.high)


def told(row: Row, found: Sequence[tuple[str, bool]]) -> str:
    """A line of the table."""
    outcomes = Counter(outcome for outcome, _ in found)
    hits = sum(hit for _, hit in found) if row.drift else outcomes["fail"]
    low, high = interval(hits, len(found))
    good = hits >= 0.95 * len(found) if row.drift else low <= RATE
    shares = f"{hits / len(found):.2%} ({low:.2%} to {high:.2%}) | {outcomes['warn'] / len(found):.1%}"
    return f"| {row.title} | {len(found):,} | {shares} | {'yes' if good else 'NO'} |"


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--share", type=float, default=1.0, help="the part of the pairs to draw")
    options.add_argument("--processes", type=int, default=2)
    given = options.parse_args()
    os.environ["POLARS_MAX_THREADS"] = "1"
    print("| pairs | audits | fail, and 95 % interval | warn | as promised |\n| --- | --- | --- | --- | --- |")
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(given.processes, get_context("spawn")) as processes,
    ):
        for row in rows():
            count = max(20, round(row.pairs * given.share))
            found = list(processes.map(partial(judged, row, folder), range(count), chunksize=10))
            print(told(row, found), flush=True)


if __name__ == "__main__":
    main()
