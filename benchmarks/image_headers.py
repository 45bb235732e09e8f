"""How fast the headers of pictures are read, beside Pillow's `Image.open` on the same files in the same run.

    python benchmarks/image_headers.py [--rounds N] [--files N] [--folder DIR]

Makes as many JPEG as PNG files below DIR (a new temporary folder, if left out; kept if given), a
fourth of the JPEG files with 20 kB of EXIF before the picture. Then each contestant reads all
of them in one process, in turn, N times; its own start and imports are not timed, finding the
files is. What counts is the ratio of the medians. Pillow is asked for size and mode alone, ours for
orientation, profile and frames too; `audit run` is the whole process, from its start to the report.
"""

from __future__ import annotations

import argparse
import io
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BIN = Path(sys.executable).parent
BAR = 1.1

RULES = """\
version: 1
name: benchmark
datasets:
  pictures: {path: pictures, kind: image}
rules:
  - id: pictures-alike
    check: image.format
    on: [commit]
    with: {dataset: pictures, orientation: [1, 6]}
"""

OURS = """
import os, time
from audit.engine.graph import Graph
from audit.engine.meter import Meter
from audit.facts.signals.image_headers import ImageHeaders
from audit.host import Host
from audit.records.dataset import Dataset
from audit.records.words import Kind
start = time.perf_counter()
dataset = Dataset(name="pictures", path="pictures", kind=Kind.IMAGE)
found = Graph(Host(), None, Meter(), 2).get(ImageHeaders(root=os.getcwd(), dataset=dataset))
assert all(one.header.format for one in found.pictures)
print(time.perf_counter() - start)
"""

PILLOW = """
import os, time
from PIL import Image
start, seen = time.perf_counter(), []
for folder, _, names in os.walk("pictures"):
    for name in sorted(names):
        with Image.open(os.path.join(folder, name)) as picture:
            seen.append((picture.format, picture.mode, picture.size))
print(time.perf_counter() - start)
"""


def made(folder: Path, count: int) -> None:
    """The files; some twenty different pictures, many times each."""
    (folder / "audit.yaml").write_text(RULES)
    for suffix, pictures in (("jpg", _jpegs()), ("png", _pngs())):
        for number in range(count // 2):
            path = folder / "pictures" / str(number // 1000) / f"{number}.{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_bytes(pictures[number % len(pictures)])


def _jpegs() -> list[bytes]:
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\6".ljust(20_000, b"\0")
    camera = b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif
    plain = [_encoded(number, "JPEG") for number in range(20)]
    return [data[:2] + camera + data[2:] if number % 4 == 0 else data for number, data in enumerate(plain)]


def _pngs() -> list[bytes]:
    return [_encoded(number, "PNG") for number in range(20)]


def _encoded(seed: int, form: str) -> bytes:
    import numpy as np
    from PIL import Image

    out = io.BytesIO()
    noise = np.random.default_rng(seed).integers(0, 256, (12, 12, 3), dtype=np.uint8)
    Image.fromarray(noise).resize((128 + seed, 128), Image.Resampling.BICUBIC).save(out, form)
    return out.getvalue()


def timed(script: str, folder: Path) -> float:
    """Seconds that the script measured itself."""
    return float(subprocess.run([sys.executable, "-c", script], cwd=folder, check=True, stdout=subprocess.PIPE).stdout)


def audited(folder: Path) -> float:
    """Seconds of `audit run`."""
    command = [str(BIN / "audit"), "run", "--quiet", "--on", "commit"]
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Measure, and say how it stands to the bar."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--files", type=int, default=20_000)
    words.add_argument("--folder", type=Path)
    chosen = words.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (chosen.folder or Path(temporary)).resolve()
        made(folder, chosen.files)
        rounds = [(timed(OURS, folder), timed(PILLOW, folder), audited(folder)) for _ in range(chosen.rounds + 1)][1:]
    ours, pillow, whole = map(statistics.median, zip(*rounds, strict=True))
    for name, seconds in ("audit", ours), ("Pillow", pillow), ("audit run", whole):
        print(f"{name:10} {seconds:6.2f} s, {seconds / chosen.files * 1e6:5.1f} µs a picture")
    print(f"audit / Pillow = {ours / pillow:.3g} (bar {BAR}: {'met' if ours / pillow <= BAR else 'MISSED'})")


if __name__ == "__main__":
    main()
