"""How fast `audit run` reads and remembers, beside `dvc status` and `md5sum` on the same data in the same run.

    python benchmarks/digests.py [--rounds N] [--folder DIR] [ROW...]

Each row makes its own data below DIR (a new temporary folder, if left out; it is kept
if given), then runs all contestants in turn, N times, so that a busy machine treats
them alike. What counts are the ratios of the medians. The data is in the page cache:
row `many` needs 1 GB of memory for it, row `large` 10 GB.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

MIB = 1 << 20
BIN = Path(sys.executable).parent

RULES = """\
version: 1
name: benchmark
rules:
  - id: data-as-recorded
    check: dvc.hash
    on: [commit, launch, nightly]
"""


class Contestant(NamedTuple):
    """A command, and what is done before each of its runs, which is not timed."""

    name: str
    command: Sequence[str]
    prepare: Callable[[], object] = lambda: None


class Bar(NamedTuple):
    """At most so many times what the peer takes, or so many seconds if there is no peer."""

    name: str
    peer: str
    most: float


class Row(NamedTuple):
    """Contestants on one project, and the bars between them."""

    title: str
    project: Path
    contestants: Sequence[Contestant]
    bars: Sequence[Bar]


class Workshop:
    """A folder with the projects, and a home of their own for caches, so that nothing of the user's is touched."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        home = folder / "home"
        self.environment = {
            **os.environ,
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_STATE_HOME": str(home / "state"),
            "DVC_NO_ANALYTICS": "1",
        }
        for name in ("XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"):
            self.environment[name] = str(home / name)

    def run(self, *words: str, cwd: Path) -> None:
        """A step of making data; its output is shown if it fails."""
        done = subprocess.run(words, cwd=cwd, env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(words)}:\n{done.stdout}{done.stderr}")

    def project(self, name: str, fill: Callable[[Path], Sequence[str]]) -> Path:
        """A DVC project with what `fill` writes and names added to it; made once."""
        made = self.folder / name
        if made.exists():
            return made
        draft = self.folder / f"making-{name}"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        self.run("git", "init", "--quiet", cwd=draft)
        self.run(str(BIN / "dvc"), "init", "--quiet", cwd=draft)
        self.run(str(BIN / "dvc"), "config", "cache.type", "hardlink", cwd=draft)  # one copy in the page cache
        self.run(str(BIN / "dvc"), "config", "core.site_cache_dir", str(made / ".dvc" / "site"), cwd=draft)
        outputs = fill(draft)
        draft.rename(made)
        self.run(str(BIN / "dvc"), "add", "--quiet", *outputs, cwd=made)
        (made / "audit.yaml").write_text(RULES)
        time.sleep(2.5)  # older than the clock's grain, so that it may be remembered
        return made

    def timed(self, contestant: Contestant, cwd: Path) -> float:
        """Seconds of one run, from its start to its end."""
        contestant.prepare()
        start = time.perf_counter()
        subprocess.run(contestant.command, cwd=cwd, env=self.environment, stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - start


def forgotten(project: Path, *folders: str) -> Callable[[], None]:
    """Take away what a tool remembers of the project."""

    def forget() -> None:
        for folder in folders:
            shutil.rmtree(project / folder, ignore_errors=True)

    return forget


def audit(*options: str) -> list[str]:
    """The whole program; on a commit it answers on the console, as its peers do, and writes no page."""
    return [str(BIN / "audit"), "run", "--quiet", "--on", "commit", *options]


def sums(pattern: str, each: int) -> list[str]:
    """`md5sum` on both cores."""
    return ["sh", "-c", f"find . -path '{pattern}' -type f -print0 | xargs -0 -P2 -n{each} md5sum"]


DVC = [str(BIN / "dvc"), "status"]
DVC_REMEMBERS = (".dvc/tmp", ".dvc/site")


def many(shop: Workshop) -> list[Row]:
    """50,000 files of 8 KiB in one DVC directory."""

    def fill(folder: Path) -> list[str]:
        (folder / "data").mkdir()
        bytes_ = os.urandom(8192 + 50_000)
        for number in range(50_000):
            (folder / "data" / f"{number:05}.bin").write_bytes(bytes_[number : number + 8192])
        return ["data"]

    project = shop.project("many", fill)
    anew = [
        Contestant("audit", audit(), forgotten(project, ".audit")),
        Contestant("dvc", DVC, forgotten(project, *DVC_REMEMBERS)),
        Contestant("xargs", sums("./data/*", 64)),
    ]
    return [
        Row("50,000 files, nothing remembered", project, anew, [Bar("audit", "dvc", 0.40), Bar("audit", "xargs", 1.0)]),
        Row(
            "50,000 files, all remembered",
            project,
            [Contestant("audit", audit()), Contestant("dvc", DVC)],
            [Bar("audit", "dvc", 0.20)],
        ),
    ]


def scattered(shop: Workshop) -> list[Row]:
    """2,000 `.dvc` files of one small file each."""

    def fill(folder: Path) -> list[str]:
        (folder / "data").mkdir()
        for number in range(2000):
            (folder / "data" / f"{number:04}.txt").write_text(f"clip {number}\n")
        return [f"data/{number:04}.txt" for number in range(2000)]

    project = shop.project("scattered", fill)
    both = [Contestant("audit", audit()), Contestant("dvc", DVC)]
    return [Row("2,000 .dvc files", project, both, [Bar("audit", "dvc", 0.06)])]


def large(shop: Workshop) -> list[Row]:
    """4 files of 1 GiB, read in full, the first time and again."""

    def fill(folder: Path) -> list[str]:
        names = [f"{number}.bin" for number in range(4)]
        for name in names:
            with (folder / name).open("wb") as file:
                for _ in range(1024):
                    file.write(os.urandom(MIB))
        return names

    project = shop.project("large", fill)
    md5sum = Contestant("md5sum", sums("./*.bin", 1))
    anew = [
        Contestant("audit", audit(), forgotten(project, ".audit")),
        md5sum,
        Contestant("dvc", DVC, forgotten(project, *DVC_REMEMBERS)),
    ]
    return [
        Row("4 files of 1 GiB, read in full", project, anew, [Bar("audit", "md5sum", 1.10)]),
        Row(
            "the same files, read in full a second time",
            project,
            [Contestant("audit --deep", audit("--deep")), md5sum],
            [Bar("audit --deep", "md5sum", 0.22)],
        ),
    ]


def start(shop: Workshop) -> list[Row]:
    """What a commit waits for: the program itself, and 1,000 files in which nothing changed."""

    def fill(folder: Path) -> list[str]:
        (folder / "data").mkdir()
        for number in range(1000):
            (folder / "data" / f"{number:04}.txt").write_text(f"clip {number}\n")
        return ["data"]

    project = shop.project("start", fill)
    contestants = [
        Contestant("audit --version", [str(BIN / "audit"), "--version"]),
        Contestant("audit run --on commit", audit()),
        Contestant("python", [sys.executable, "-I", "-c", ""]),
    ]
    bars = [Bar("audit --version", "", 0.10), Bar("audit run --on commit", "", 0.40)]
    return [Row("1,000 files, nothing changed", project, contestants, bars)]


ROWS: Mapping[str, Callable[[Workshop], list[Row]]] = {
    "start": start,
    "many": many,
    "scattered": scattered,
    "large": large,
}


def measured(shop: Workshop, row: Row, rounds: int) -> dict[str, float]:
    """The median seconds of each contestant, after one round that warms up."""
    seconds: dict[str, list[float]] = {each.name: [] for each in row.contestants}
    for _ in range(rounds + 1):
        for each in row.contestants:
            seconds[each.name].append(shop.timed(each, row.project))
    return {name: statistics.median(taken[1:]) for name, taken in seconds.items()}


def show(row: Row, medians: Mapping[str, float]) -> None:
    """One line a bar."""
    print(f"\n{row.title}: " + ", ".join(f"{name} {taken:.2f} s" for name, taken in medians.items()), flush=True)
    for bar in row.bars:
        taken = medians[bar.name] / (medians[bar.peer] if bar.peer else 1.0)
        told = f"{bar.name} / {bar.peer} = {taken:.3f}" if bar.peer else f"{bar.name} = {taken:.3f} s"
        print(f"  {told} (bar {bar.most:.2f}: {'met' if taken <= bar.most else 'MISSED'})", flush=True)


def main() -> None:
    """Run the rows that were asked for."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("rows", nargs="*", metavar="ROW", default=list(ROWS), help=f"{', '.join(ROWS)} (all)")
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--folder", type=Path)
    chosen = words.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        shop = Workshop((chosen.folder or Path(temporary)).resolve())
        for name in chosen.rows:
            for row in ROWS[name](shop):
                show(row, measured(shop, row, chosen.rounds))


if __name__ == "__main__":
    main()
