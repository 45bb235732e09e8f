"""How often `table.drift` fails tables of one origin, and how often it finds those that drifted; with its defaults.

    python benchmarks/false_alarms.py                # all rows: half an hour of processor time
    python benchmarks/false_alarms.py --share 0.05   # a twentieth of the pairs
    python benchmarks/false_alarms.py 2              # the second row alone, counted from 1

Each pair is written to files and goes the way of an audit: the measuring of `audit.tables.pair.pair`, then the check
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
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

RATE = 0.01
FOUND = 0.95
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
    yield Row("100,000 rows", (100_000, 100_000), 1_000)
    for drift in DRIFTS:
        yield Row(drift, (10_000, 10_000), 400, drift)


class Audit(NamedTuple):
    """What came of one: its outcome, whether the column that drifted failed, and the rows of the smaller side."""

    outcome: str
    hit: bool
    smaller: int


def audit(row: Row, folder: str, number: int) -> Audit:
    """Make a pair of tables and audit them."""
    import numpy as np
    from samples import DRIFTS, table

    rng = np.random.default_rng([SEED, *row.title.encode(), number])
    least, most = (math.log(size) for size in row.sizes)
    sizes = [round(math.exp(rng.uniform(least, most))) for _ in range(2)]
    files = [Path(folder, f"{os.getpid()}-{side}.arrow") for side in ("reference", "current")]
    for file, size, drift in zip(files, sizes, ("", row.drift), strict=True):
        table(rng, size, drift).write_ipc(file)
    outcome, failed = judged(files)
    return Audit(outcome, bool(row.drift) and any(f"#{DRIFTS[row.drift][0]}" in one for one in failed), min(sizes))


def judged(files: Sequence[Path]) -> tuple[str, list[str]]:
    """What `table.drift` says of the two tables with its defaults, and the subjects that it fails."""
    from audit.checks.table.drift import Drift
    from audit.records.drift import PairQuestion
    from audit.records.findings import Violation
    from audit.records.table import Source
    from audit.records.words import Severity
    from audit.tables.pair.pair import measured

    reference, current = (Source(files=(str(file),), format="ipc") for file in files)
    check = Drift(reference="train", current="val")
    found = check.evaluate(
        measured(PairQuestion(reference=reference, current=current, false_alarms=check.false_alarms))
    )
    weights = [(one.severity, one.subject) for one in found if isinstance(one, Violation)]
    failed = [subject for severity, subject in weights if severity is Severity.ERROR]
    warned = any(severity is Severity.WARNING for severity, _ in weights)
    return "fail" if failed else "warn" if warned else "pass", failed


def interval(hits: int, of: int) -> tuple[float, float]:
    """The 95 % interval of Clopper and Pearson (1934)."""
    from scipy.special import betaincinv  # type: ignore[import-untyped]

    low = float(betaincinv(hits, of - hits + 1, 0.025)) if hits else 0.0
    return low, float(betaincinv(hits + 1, of - hits, 0.975)) if hits < of else 1.0


def told(title: str, drift: str, found: Sequence[Audit]) -> str:
    """A line of the table."""
    outcomes = Counter(one.outcome for one in found)
    hits = sum(one.hit for one in found) if drift else outcomes["fail"]
    low, high = interval(hits, len(found))
    good = hits >= FOUND * len(found) if drift else low <= RATE
    shares = f"{hits / len(found):.2%} ({low:.2%} to {high:.2%}) | {outcomes['warn'] / len(found):.1%}"
    return f"| {title} | {len(found):,} | {shares} | {'yes' if good else 'NO'} |"


def parts(found: Sequence[Audit]) -> Iterable[tuple[str, list[Audit]]]:
    """The audits of one row by the size of their smaller side."""
    for low, high in pairwise((30, 100, 300, 1_000, 3_000, 10_001)):
        some = [one for one in found if low <= one.smaller < high]
        if some and len(some) < len(found):
            yield f"of these, the smaller with {low:,} to {high - 1:,}", some


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--share", type=float, default=1.0, help="the part of the pairs to draw")
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("rows", nargs="*", type=int, metavar="ROW", help="the rows to draw, from 1; left out, all")
    given = options.parse_args()
    os.environ["POLARS_MAX_THREADS"] = "1"
    print("| pairs | audits | fail, and 95 % interval | warn | as promised |\n| --- | --- | --- | --- | --- |")
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(given.processes, get_context("spawn")) as processes,
    ):
        for number, row in enumerate(rows(), 1):
            if given.rows and number not in given.rows:
                continue
            count = max(20, round(row.pairs * given.share))
            found = list(processes.map(partial(audit, row, folder), range(count), chunksize=10))
            for title, some in ((row.title, found), *parts(found)):
                print(told(title, row.drift, some), flush=True)


if __name__ == "__main__":
    main()
