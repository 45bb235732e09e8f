"""How fast `audit run` tells two tables apart, and in how much memory, beside evidently and ydata-profiling.

    python benchmarks/tables.py [--peers VENV] [--rounds N] [--folder DIR] [ROW...]

Each row makes its own tables below DIR (a new temporary folder, if left out; kept if
given), then runs all contestants in turn, N times. Whole processes are measured, from
start to end, with the memory of all their children together. What counts are the ratios
of the medians. VENV is an environment with `evidently`, `fg-data-profiling` and pyarrow,
which want other versions than audit does; without it the peers are left out.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import tables_data as data

BIN = Path(sys.executable).parent
MIB = 1 << 20

RULES = """\
version: 1
name: benchmark
datasets:
  train: {path: train.parquet, role: train}
  val: {path: val.parquet, role: val}
rules:
  - id: val-like-train
    check: table.drift
    on: [commit, launch, nightly]
"""

EVIDENTLY = """
import pandas
from evidently import Report
from evidently.presets import DataDriftPreset
train, val = (pandas.read_parquet(f"{name}.parquet") for name in ("train", "val"))
Report([DataDriftPreset()]).run(val, train).save_html("evidently.html")
"""

PROFILING = """
import pandas
from data_profiling import ProfileReport, compare
made = [
    ProfileReport(pandas.read_parquet(f"{name}.parquet"), title=name, minimal=True, progress_bar=False)
    for name in ("train", "val")
]
compare(made).to_file("profiling.html")
"""

SORT = """
import polars
table = polars.scan_parquet("train.parquet")
for name, dtype in table.collect_schema().items():
    if dtype.is_numeric():
        table.select(polars.col(name).sort()).collect()
"""


class Contestant(NamedTuple):
    """A command, and the bytes of memory that it and its page cache may have; 0 for all there is."""

    name: str
    command: Sequence[str]
    limit: int = 0


class Cost(NamedTuple):
    """What one run took: seconds from start to end, seconds of processors, and the most bytes of the whole tree."""

    wall: float
    processor: float
    memory: float


class Bar(NamedTuple):
    """At most so many times what the peer takes; without one, so many seconds, or MiB if it is a bar of memory."""

    name: str
    most: float
    peer: str = ""
    of_memory: bool = False


class Row(NamedTuple):
    """Contestants on one pair of tables, and the bars between them."""

    title: str
    folder: Path
    contestants: Sequence[Contestant]
    bars: Sequence[Bar]


AUDIT = [str(BIN / "audit"), "run", "--quiet", "--on", "commit"]


class Shop(NamedTuple):
    """Where tables are made, and the Python that has the peers."""

    folder: Path
    peers: Path | None

    def pair(self, name: str, make: Callable[[Path], None]) -> Path:
        """A project with a pair of tables; made once."""
        folder = self.folder / name
        make(folder)
        (folder / "audit.yaml").write_text(RULES)
        return folder

    def others(self, **scripts: str) -> list[Contestant]:
        """The peers, if there are any."""
        if self.peers is None:
            return []
        return [Contestant(name, [str(self.peers), "-c", script]) for name, script in scripts.items()]


def million(shop: Shop) -> list[Row]:
    """1,000,000 rows and 250,000, 25 columns."""
    folder = shop.pair("million", lambda to: data.pair(to, 1_000_000))
    peers = shop.others(evidently=EVIDENTLY, profiling=PROFILING)
    bars = [Bar("audit", 400, of_memory=True), *([Bar("audit", 1 / 25, "evidently")] if peers else [])]
    return [Row("1,000,000 rows", folder, [Contestant("audit", AUDIT), *peers], bars)]


def ten(shop: Shop) -> list[Row]:
    """10,000,000 rows and 2,500,000, beside polars that sorts each numeric column once; and ten times fewer."""
    folder = shop.pair("ten", lambda to: data.pair(to, 10_000_000))
    fewer = shop.pair("million", lambda to: data.pair(to, 1_000_000))
    contestants = [
        Contestant("audit", AUDIT),
        Contestant("polars sort", [sys.executable, "-c", SORT]),
        Contestant("a tenth", [*AUDIT[:2], "-C", str(fewer), *AUDIT[2:]]),
    ]
    bars = [Bar("audit", 2.5, "polars sort"), Bar("audit", 10.0, "a tenth"), Bar("audit", 1200, of_memory=True)]
    return [Row("10,000,000 rows", folder, contestants, bars)]


def wide(shop: Shop) -> list[Row]:
    """1,000 columns of 20,000 rows and 5,000."""
    folder = shop.pair("wide", lambda to: data.wide(to, 1000, 20_000))
    return [Row("1,000 columns", folder, [Contestant("audit", AUDIT)], [Bar("audit", 6.0)])]


def tight(shop: Shop) -> list[Row]:
    """5,000,000 rows and 1,250,000, decoded 1.2 GB, within 1 GB of memory."""
    folder = shop.pair("tight", lambda to: data.pair(to, 5_000_000))
    contestant = Contestant("audit", AUDIT, limit=1 << 30)
    return [Row("5,000,000 rows within 1 GiB", folder, [contestant], [Bar("audit", 1024, of_memory=True)])]


ROWS: Mapping[str, Callable[[Shop], list[Row]]] = {"million": million, "ten": ten, "wide": wide, "tight": tight}


class Group:
    """A control group that limits memory, on Linux as root; see cgroups(7)."""

    def __init__(self, limit: int) -> None:
        old = Path("/sys/fs/cgroup/memory/memory.limit_in_bytes").exists()
        above = Path("/sys/fs/cgroup/memory" if old else "/sys/fs/cgroup")
        self.folder = above / f"audit-benchmark-{os.getpid()}"
        self.folder.mkdir()
        (self.folder / ("memory.limit_in_bytes" if old else "memory.max")).write_text(str(limit))

    def join(self) -> None:
        """Put the calling process into it, as a child does before it becomes the contestant."""
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self) -> None:
        """Take it away, once nothing is in it."""
        self.folder.rmdir()


def measured(contestant: Contestant, folder: Path) -> Cost:
    """One run, watched."""
    group = Group(contestant.limit) if contestant.limit else None
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = subprocess.Popen(
        contestant.command,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=group.join if group else None,  # noqa: PLW1509 - no other thread runs yet
    )
    watch = Watch(process.pid)
    _, said = process.communicate()
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    watch.stop()
    if group:
        group.remove()
    if process.returncode:
        sys.exit(f"{contestant.name} ended with {process.returncode}:\n{said.decode()[-2000:]}")
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, processor, watch.most)


class Watch(threading.Thread):
    """The most memory that a process and all below it have held together, looked at a hundred times a second."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self.most = 0
        self._process, self._done = process, threading.Event()
        self.start()

    def run(self) -> None:
        """Look until told to stop."""
        while not self._done.wait(0.01):
            self.most = max(self.most, sum(map(_resident, _tree(self._process))))

    def stop(self) -> None:
        """Look no more."""
        self._done.set()
        self.join()


def _tree(process: int) -> list[int]:
    found = [process]
    for one in found:
        for children in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += map(int, children.read_text().split())
            except OSError:  # ended meanwhile
                continue
    return found


def _resident(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0


def costs(row: Row, rounds: int) -> dict[str, Cost]:
    """The medians of each contestant, after one round that warms up if there are several."""
    taken: dict[str, list[Cost]] = {each.name: [] for each in row.contestants}
    for _ in range(rounds + (rounds > 1)):
        for each in row.contestants:
            taken[each.name].append(measured(each, row.folder))
    kept = {name: some[rounds > 1 :] for name, some in taken.items()}
    return {name: Cost(*map(statistics.median, zip(*some, strict=True))) for name, some in kept.items()}


def show(row: Row, medians: Mapping[str, Cost]) -> None:
    """One line a contestant, one a bar."""
    print(f"\n{row.title}", flush=True)
    for name, cost in medians.items():
        print(f"  {name:12} {cost.wall:7.2f} s, {cost.processor:7.2f} s of processors, {cost.memory / MIB:6.0f} MiB")
    for bar in row.bars:
        own = medians[bar.name]
        if bar.peer:
            taken, told = own.wall / medians[bar.peer].wall, f"{bar.name} / {bar.peer} ="
        else:
            taken, told = (own.memory / MIB, f"{bar.name}, MiB:") if bar.of_memory else (own.wall, f"{bar.name}, s:")
        print(f"  {told} {taken:.3g} (bar {bar.most:.3g}: {'met' if taken <= bar.most else 'MISSED'})", flush=True)


def main() -> None:
    """Run the rows that were asked for."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("rows", nargs="*", metavar="ROW", default=list(ROWS), help=f"{', '.join(ROWS)} (all)")
    words.add_argument("--rounds", type=int, default=3)
    words.add_argument("--folder", type=Path)
    words.add_argument("--peers", type=Path, metavar="VENV")
    chosen = words.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        peers = chosen.peers / "bin/python" if chosen.peers else None
        shop = Shop((chosen.folder or Path(temporary)).resolve(), peers)
        for name in chosen.rows:
            for row in ROWS[name](shop):
                show(row, costs(row, chosen.rounds))


if __name__ == "__main__":
    main()
