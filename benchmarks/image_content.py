"""How fast pictures are decoded and measured for `image.content`, beside Pillow that decodes them alone.

    python benchmarks/image_content.py [--rounds N] [--files N] [--folder DIR]

Makes JPEG files of 512 x 512 pixels below DIR (a new temporary folder, if left out; kept if
given) from the photographs that scikit-learn ships, then runs all contestants in turn, N times,
from their start to their end, the page cache warm. Ours is the fact that `image.integrity` and
`image.content` share: found, decoded, held against what libjpeg passes over, measured. The peer
is `Image.open` and `load` of the same files, one process for each processor. What counts is the
ratio of the medians; `audit decode` is ours without the measures.
"""

from __future__ import annotations

import argparse
import io
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

BAR = 1.4
SIDE = 512
DIFFERENT = 40
WORKERS = os.cpu_count() or 1

OURS = """
import sys
from audit.engine.graph import Graph
from audit.engine.meter import Meter
from audit.facts.signals.image_decode import ImageDecode
from audit.host import Host
from audit.records.dataset import Dataset
from audit.records.words import Kind
class Forgetful:
    recall = lambda self, folder, algorithm: {}
    remember = lambda self, folder, seen: None
measured = sys.argv[2] == "measured"
graph = Graph(Host(), Forgetful(), Meter(), int(sys.argv[3]))
pictures = Dataset(name="pictures", path="pictures", kind=Kind.IMAGE)
found = graph.get(ImageDecode(root=sys.argv[1], dataset=pictures, max_pixels=10**8, measured=measured))
assert all(bool(one.decoded.measures) is measured and not one.decoded.faults for one in found.pictures)
graph.close()
"""

PEER = """
import sys
from PIL import Image
for path in sys.stdin.read().split():
    with Image.open(path) as picture:
        picture.load()
"""


def made(folder: Path, count: int) -> list[Path]:
    """The files; forty different pictures, many times each."""
    paths = [folder / "pictures" / str(number // 1000) / f"{number:05}.jpg" for number in range(count)]
    if not all(path.exists() for path in paths):
        pictures = [_picture(seed) for seed in range(DIFFERENT)]
        for number, path in enumerate(paths):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(pictures[number % DIFFERENT])
    return paths


def _picture(seed: int) -> bytes:
    """A part of a photograph with the noise of a camera, at a quality of 95: about four bits a pixel."""
    import numpy as np
    import sklearn.datasets
    from PIL import Image

    rng = np.random.default_rng(seed)
    photograph = Image.fromarray(sklearn.datasets.load_sample_images().images[seed % 2])
    edge = int(rng.integers(380, 427))
    left, top = (int(rng.integers(0, side - edge + 1)) for side in photograph.size)
    part = photograph.resize((SIDE, SIDE), Image.Resampling.BICUBIC, box=(left, top, left + edge, top + edge))
    values = np.asarray(part) + rng.normal(0, 3, (SIDE, SIDE, 1))
    out = io.BytesIO()
    Image.fromarray(np.clip(np.round(values), 0, 255).astype(np.uint8)).save(out, "JPEG", quality=95)
    return out.getvalue()


def timed(work: Callable[[], None]) -> float:
    """Seconds that it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ours(folder: Path, how: str) -> None:
    """The fact, in a process of its own."""
    subprocess.run([sys.executable, "-c", OURS, str(folder), how, str(WORKERS)], check=True)


def peer(paths: list[Path]) -> None:
    """Pillow on all processors."""
    running = [subprocess.Popen([sys.executable, "-c", PEER], stdin=subprocess.PIPE) for _ in range(WORKERS)]
    for at, one in enumerate(running):
        one.stdin.write("\n".join(map(str, paths[at::WORKERS])).encode())  # type: ignore[union-attr]
        one.stdin.close()  # type: ignore[union-attr]
    assert not any([one.wait() for one in running])  # noqa: C419 - all of them are waited for


def main() -> None:
    """Measure, and say how it stands to the bar."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--files", type=int, default=5000)
    words.add_argument("--folder", type=Path)
    chosen = words.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (chosen.folder or Path(temporary)).resolve()
        paths = made(folder, chosen.files)
        contestants: dict[str, Callable[[], None]] = {
            "audit": lambda: ours(folder, "measured"),
            "Pillow": lambda: peer(paths),
            "audit decode": lambda: ours(folder, "decoded"),
        }
        rounds = [[timed(work) for work in contestants.values()] for _ in range(chosen.rounds + 1)][1:]
    medians = dict(zip(contestants, map(statistics.median, zip(*rounds, strict=True)), strict=True))
    for name, seconds in medians.items():
        print(f"{name:12} {seconds:6.2f} s, {seconds / chosen.files * 1e3:5.2f} ms a picture")
    ratio = medians["audit"] / medians["Pillow"]
    print(f"audit / Pillow = {ratio:.3g} (bar {BAR}: {'met' if ratio <= BAR else 'MISSED'})")


if __name__ == "__main__":
    main()
