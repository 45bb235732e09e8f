"""How fast the headers of clips are read, beside tinytag and soundfile on the same files in the same run.

    python benchmarks/audio_headers.py [--rounds N] [--files N] [--folder DIR] [ROW...]

Each row makes its clips below DIR (a new temporary folder, if left out; kept if given). Then each contestant reads
the headers of all of them in one process, in turn, N times; its own start and imports are not timed, finding the
files is. What counts is the ratio of the medians to tinytag's. Row `wav` has plain WAV files; row `coded` as many FLAC,
Ogg Vorbis, Opus and MP3 files. `audit run` is the whole process, from its start to the report.
"""

from __future__ import annotations

import argparse
import io
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

BIN = Path(sys.executable).parent
BARS = {"wav": 1.0}

RULES = """\
version: 1
name: benchmark
datasets:
  clips: {path: clips, kind: audio}
rules:
  - id: clips-alike
    check: audio.format
    on: [commit]
    with: {dataset: clips, uniform: false}
"""

OURS = """
from audit.engine.graph import Graph
from audit.engine.meter import Meter
from audit.facts.signals.audio_headers import AudioHeaders
from audit.host import Host
from audit.records.dataset import Dataset
from audit.records.words import Kind
start = time.perf_counter()
dataset = Dataset(name="clips", path="clips", kind=Kind.AUDIO)
found = Graph(Host(), None, Meter(), 2).get(AudioHeaders(root=os.getcwd(), dataset=dataset))
assert all(one.header.format and not one.header.faults for one in found.clips)
"""

PEER = """
start, seen = time.perf_counter(), []
for folder, _, names in os.walk("clips"):
    for name in sorted(names):
        seen.append(read(os.path.join(folder, name)))
"""

SCRIPTS = {
    "audit": OURS,
    "tinytag": "from tinytag import TinyTag\nread = TinyTag.get\n" + PEER,
    "soundfile": "from soundfile import info as read\n" + PEER,
}
TOLD = """
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def _sound(rate: int = 16000, seconds: float = 0.2, **how: str) -> bytes:
    import numpy as np
    import soundfile

    out = io.BytesIO()
    noise = np.random.default_rng(1).normal(0, 0.1, round(rate * seconds))
    soundfile.write(out, noise, rate, **how)
    return out.getvalue()


def wav() -> list[tuple[str, bytes]]:
    """Clips of 16 kHz, 16 bits."""
    return [("wav", _sound(format="WAV"))]


def coded() -> list[tuple[str, bytes]]:
    """Clips of five seconds in the codings that sets of speech and music come in."""
    return [
        ("flac", _sound(seconds=5, format="FLAC")),
        ("ogg", _sound(seconds=5, format="OGG", subtype="VORBIS")),
        ("opus", _sound(seconds=5, format="OGG", subtype="OPUS")),
        ("mp3", _sound(seconds=5, format="MP3")),
    ]


ROWS: dict[str, Callable[[], list[tuple[str, bytes]]]] = {"wav": wav, "coded": coded}


def made(folder: Path, clips: list[tuple[str, bytes]], count: int) -> None:
    """The files, a thousand to a folder; made once."""
    for number in range(count):
        suffix, data = clips[number % len(clips)]
        path = folder / "clips" / str(number // 1000) / f"{number}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(data)
    (folder / "audit.yaml").write_text(RULES)


def timed(script: str, folder: Path) -> tuple[float, float]:
    """Seconds that the script measured itself, and the most MiB that it held."""
    command = [sys.executable, "-c", "import os, resource, time\n" + script + TOLD]
    seconds, memory = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE).stdout.split()
    return float(seconds), float(memory)


def audited(folder: Path) -> tuple[float, float]:
    """Seconds of `audit run`."""
    start = time.perf_counter()
    command = [str(BIN / "audit"), "run", "--quiet", "--on", "commit"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start, 0


def measured(folder: Path, rounds: int) -> dict[str, tuple[float, float]]:
    """The medians of each contestant, after a round that warms up."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in (*SCRIPTS, "audit run")}
    for _ in range(rounds + 1):
        for name, script in SCRIPTS.items():
            taken[name].append(timed(script, folder))
        taken["audit run"].append(audited(folder))
    return {
        name: (statistics.median(seconds for seconds, _ in some[1:]), statistics.median(held for _, held in some[1:]))
        for name, some in taken.items()
    }


def show(row: str, medians: dict[str, tuple[float, float]], count: int) -> None:
    """One line a contestant, and how it stands to the bar."""
    print(f"\n{row}: {count:,} clips")
    for name, (seconds, memory) in medians.items():
        held = f", {memory:4.0f} MiB" if memory else ""
        print(f"  {name:10} {seconds:6.2f} s, {seconds / count * 1e6:6.1f} µs a clip{held}")
    ratio = medians["audit"][0] / medians["tinytag"][0]
    bar = BARS.get(row)
    told = f" (bar {bar}: {'met' if ratio <= bar else 'MISSED'})" if bar else ""
    print(f"  audit / tinytag = {ratio:.3g}{told}")


def main() -> None:
    """Run the rows that were asked for."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("rows", nargs="*", metavar="ROW", default=list(ROWS), help=f"{', '.join(ROWS)} (all)")
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--files", type=int, default=20_000)
    words.add_argument("--folder", type=Path)
    chosen = words.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for row in chosen.rows:
            folder = (chosen.folder or Path(temporary)).resolve() / row
            made(folder, ROWS[row](), chosen.files)
            show(row, measured(folder, chosen.rounds), chosen.files)


if __name__ == "__main__":
    main()
