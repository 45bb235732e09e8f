"""How fast the range and NaN of a large `.npy` are known, and in how much memory, beside numpy over a memory map.

    python benchmarks/array_values.py [--gigabytes N] [--rounds N] [--folder DIR]

Makes one file of 32-bit floats below DIR (a new temporary folder, if left out; kept if given), then runs both in
turn, N times, each as a process from start to end, on two processors. Ours is the program that `array.values` starts,
asked for the range alone; numpy takes minimum, maximum and `isnan` of each half in a thread of its own, once as one
writes it and once with `isnan` in pieces, which saves it the memory. What counts is the ratio of the medians to the
first, with the page cache warm.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tables import MIB, Watch

from audit.facts.processes.ask import command

BAR_TIME, BAR_MEMORY = 0.7, 500
ITEM = (3, 32, 32)

NUMPY = """
import sys, numpy
from concurrent.futures import ThreadPoolExecutor
values = numpy.load(sys.argv[1], mmap_mode="r").reshape(-1)
def look(part):
    low, high = part.min(), part.max()
    piece = PIECE or part.size
    return low, high, any(numpy.isnan(part[at : at + piece]).any() for at in range(0, part.size, piece))
half = values.size // 2
with ThreadPoolExecutor(2) as pool:
    print(list(pool.map(look, (values[:half], values[half:]))))
"""


class Run(NamedTuple):
    """A command, what it reads, and how it is called."""

    name: str
    command: Sequence[str]
    question: str = ""


class Cost(NamedTuple):
    """Seconds from start to end, seconds of processors, MiB of private memory at most."""

    wall: float
    processor: float
    memory: float


def made(folder: Path, gigabytes: float) -> Path:
    """The file; made once."""
    import numpy as np

    file = folder / f"values-{gigabytes:g}.npy"
    if not file.exists():
        count = int(gigabytes * 1e9) // (4 * 3072)
        array = np.lib.format.open_memmap(file, "w+", "f4", (count, *ITEM))
        random, step = np.random.default_rng(0), 4096
        for at in range(0, count, step):
            array[at : at + step] = random.random(array[at : at + step].shape, dtype="f4")
        array.flush()
    return file


def measured(run: Run) -> Cost:
    """One run, watched."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = subprocess.Popen(run.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    watch = Watch(process.pid)
    said, _ = process.communicate(run.question.encode())
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    watch.stop()
    if process.returncode or not said:
        sys.exit(f"{run.name} ended with {process.returncode}")
    return Cost(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, watch.most / MIB)


def main() -> None:
    """Measure and print."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--gigabytes", type=float, default=8)
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--folder", type=Path)
    chosen = words.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        file = made((chosen.folder or Path(temporary)).resolve(), chosen.gigabytes)
        runs = [
            Run("audit", command("array_scan"), json.dumps({"paths": [str(file)]})),
            Run("numpy", [sys.executable, "-c", NUMPY.replace("PIECE", "0"), str(file)]),
            Run("numpy in pieces", [sys.executable, "-c", NUMPY.replace("PIECE", f"{1 << 24}"), str(file)]),
        ]
        costs: dict[str, list[Cost]] = {run.name: [] for run in runs}
        for _ in range(chosen.rounds + 1):
            for run in runs:
                costs[run.name].append(measured(run))
    medians = {name: Cost(*map(statistics.median, zip(*some[1:], strict=True))) for name, some in costs.items()}
    for name, cost in medians.items():
        print(f"{name}: {cost.wall:.2f} s, {cost.processor:.2f} s of processors, {cost.memory:.0f} MiB")
    ratio, memory = medians["audit"].wall / medians["numpy"].wall, medians["audit"].memory
    print(f"audit / numpy = {ratio:.2f} (bar {BAR_TIME}: {'met' if ratio <= BAR_TIME else 'MISSED'})")
    print(f"audit / numpy in pieces = {medians['audit'].wall / medians['numpy in pieces'].wall:.2f}")
    print(f"memory {memory:.0f} MiB (bar {BAR_MEMORY}: {'met' if memory <= BAR_MEMORY else 'MISSED'})")


if __name__ == "__main__":
    main()
