"""How fast what is installed is judged, beside the tools that people ask today.

    python benchmarks/environment.py [--rounds N] [--folder DIR]

Makes a virtual environment of 230 small distributions (each of some thirty files, requiring three others) and a lock of
all of them below DIR (a new temporary folder, if left out), then runs each contestant in turn, as a whole process:
`audit run` with `env.lock` and `env.integrity` (records, no bytes), which answers on the console as its peers do,
`pip check`, `pip-sync --dry-run`; then `audit fingerprint` beside `python -m torch.utils.collect_env`, where torch is
installed. What counts is the ratio of the medians.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

COUNT = 230
FILES = 30
BIN = Path(sys.executable).parent
RULES = """version: 1
environment: {python: .venv/bin/python}
rules:
  - {id: lock, check: env.lock, with: {lock: requirements.txt}, on: [commit]}
  - {id: whole, check: env.integrity, on: [commit]}
"""


def main() -> None:
    """Make the environment, measure, print the medians and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = (asked.folder or Path(temporary)).resolve()
        python = made(root)
        medians = measured(contestants(root, python), root, asked.rounds)
    for name, seconds in medians.items():
        print(f"{name:22} {seconds:.2f} s")
    for name, peer, bar in (("audit run", "pip check", 1.0), ("audit run", "pip-sync", 0.4)):
        told(medians, name, peer, bar)
    if "collect_env" in medians:
        told(medians, "audit fingerprint", "collect_env", 0.15)


def told(medians: Mapping[str, float], name: str, peer: str, bar: float) -> None:
    """A ratio and its bar."""
    ratio = medians[name] / medians[peer]
    print(f"{name} / {peer} = {ratio:.2f} (bar {bar}: {'met' if ratio <= bar else 'MISSED'})")


def contestants(root: Path, python: Path) -> dict[str, Sequence[str]]:
    """Their command lines."""
    audit = str(BIN / "audit")
    lines: dict[str, Sequence[str]] = {
        "audit run": (audit, "run", "-C", str(root), "-q", "--on", "commit"),
        "pip check": (str(python), "-m", "pip", "check"),
        "pip-sync": (str(BIN / "pip-sync"), "--dry-run", "--python-executable", str(python), "requirements.txt"),
        "audit fingerprint": (audit, "fingerprint", "-C", str(root), "--json"),
    }
    if find_spec("torch"):
        lines["collect_env"] = (sys.executable, "-m", "torch.utils.collect_env")
    return lines


def measured(lines: Mapping[str, Sequence[str]], root: Path, rounds: int) -> dict[str, float]:
    """Medians in seconds, all in turn in each round."""
    times: dict[str, list[float]] = {name: [] for name in lines}
    for _ in range(rounds):
        for name, line in lines.items():
            start = time.perf_counter()
            done = subprocess.run(line, cwd=root, capture_output=True, check=False)
            times[name].append(time.perf_counter() - start)
            if done.returncode:
                raise SystemExit(f"{name} ended with {done.returncode}: {(done.stdout + done.stderr).decode()[-2000:]}")
    return {name: statistics.median(some) for name, some in times.items()}


def made(root: Path) -> Path:
    """The environment, its lock and the rules; the interpreter. What is there already is kept."""
    python = root / ".venv/bin/python"
    if not python.exists():
        root.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", str(root / ".venv")], check=True)
        for number in range(COUNT):
            wheel(root / "wheels", number)
        pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index", "--no-deps", "-q"]
        subprocess.run([*pip, "--find-links", str(root / "wheels"), *pinned()], check=True)
    (root / "requirements.txt").write_text("".join(f"{name}\n" for name in pinned()), encoding="utf-8")
    (root / "audit.yaml").write_text(RULES, encoding="utf-8")
    return python


def pinned() -> Iterator[str]:
    """`name==version` of each."""
    yield from (f"bench-{number:03}==1.{number}" for number in range(COUNT))


def wheel(folder: Path, number: int) -> Path:
    """A small distribution, as a build back end writes it."""
    folder.mkdir(parents=True, exist_ok=True)
    name, info = f"bench_{number:03}", f"bench_{number:03}-1.{number}.dist-info"
    needs = "".join(f"Requires-Dist: bench-{other:03}>=1\n" for other in range(max(0, number - 3), number))
    files = {f"{name}/part_{part}.py": f"# {part}\n" for part in range(FILES)} | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: bench-{number:03}\nVersion: 1.{number}\n{needs}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: bench\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    made = folder / f"{name}-1.{number}-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as archive:
        for path, text in (files | {f"{info}/RECORD": "".join(f"{path},,\n" for path in files)}).items():
            archive.writestr(path, text)
    return made


if __name__ == "__main__":
    main()
