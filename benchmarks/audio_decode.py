"""How fast `audio.content` decodes clips and measures them, beside soundfile that decodes them alone.

    python benchmarks/audio_decode.py [--clips N] [--rounds N] [--folder DIR]

Makes N clips of one second at 16 kHz below DIR (a new temporary folder, if left out), then runs both in turn.
Ours is the fact that `audio.integrity` and `audio.content` share, collected in a process of its own: decoding, all
statistics, the spectrum. The peer is `soundfile.read` of the same files, spread over one process for each processor.
Both are measured from start to end, the page cache warm. What counts is the ratio of the medians.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

RATE = 16_000
BAR = 1.8

OURS = """
import sys
from audit.engine.graph import Graph
from audit.engine.meter import Meter
from audit.facts.signals.audio_decode import AudioDecode
from audit.host import Host
from audit.records.dataset import Dataset
from audit.records.words import Kind
sys.path.append(sys.argv[2])
from support.engine import NothingRemembered
graph = Graph(Host(), NothingRemembered(), Meter(), os.cpu_count() or 1)
clips = Dataset(name="clips", path="clips/*.wav", kind=Kind.AUDIO)
found = graph.get(AudioDecode(root=sys.argv[1], dataset=clips))
assert all(one.decoded.sound for one in found.clips), "not all were measured"
graph.close()
"""

PEER = """
import sys
import soundfile
for path in sys.stdin.read().split():
    soundfile.read(path)
"""


def main() -> None:
    """Make the clips, measure both, print the medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clips", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (asked.folder or Path(temporary)).resolve()
        paths = _made(folder / "clips", asked.clips)
        times: dict[str, list[float]] = {"audit": [], "soundfile": []}
        for _ in range(asked.rounds):
            times["soundfile"].append(_timed(lambda: _peer(paths)))
            times["audit"].append(_timed(lambda: _ours(folder)))
    ours, peer = (statistics.median(times[name]) for name in ("audit", "soundfile"))
    print(
        f"{asked.clips:,} clips: soundfile alone {peer:.2f} s, audit {ours:.2f} s, ratio {ours / peer:.2f} (bar {BAR})"
    )


def _made(folder: Path, count: int) -> list[Path]:
    """Clips of noise that falls towards high frequencies, as speech does; those already there are kept."""
    import numpy as np
    import soundfile

    folder.mkdir(parents=True, exist_ok=True)
    chance = np.random.default_rng(0)
    paths = [folder / f"{number:05}.wav" for number in range(count)]
    for path in (path for path in paths if not path.exists()):
        sound = np.fft.irfft(np.fft.rfft(chance.standard_normal(RATE)) / (1 + np.arange(RATE // 2 + 1) / 500))
        soundfile.write(path, 0.1 * sound / sound.std(), RATE)
    return paths


def _peer(paths: list[Path]) -> None:
    workers = os.cpu_count() or 1
    command = [sys.executable, "-c", PEER]
    running = [subprocess.Popen(command, stdin=subprocess.PIPE, text=True) for _ in range(workers)]
    for number, one in enumerate(running):
        assert one.stdin is not None
        one.stdin.write("\n".join(map(str, paths[number::workers])))
        one.stdin.close()
    assert not any(one.wait() for one in running), "soundfile failed"


def _ours(folder: Path) -> None:
    tests = Path(__file__).resolve().parent.parent / "tests"
    subprocess.run([sys.executable, "-c", "import os\n" + OURS, str(folder), str(tests)], check=True)


def _timed(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
