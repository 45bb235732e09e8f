"""Write the generated parts of the documentation, or check that they are up to date.

    python docs/generate.py            writes them
    python docs/generate.py --check    names what is out of date, and exits 1

Each file in docs/generators/ has a function `pages` that returns the content of files
by their path from the repository's root. A generator is registered by being there.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def pages() -> dict[str, bytes]:
    """What every generator makes, by path. Raises `ValueError` if two make the same file."""
    made: dict[str, bytes] = {}
    for generator in sorted((ROOT / "docs" / "generators").glob("[a-z]*.py")):
        more: dict[str, bytes] = runpy.run_path(str(generator))["pages"](ROOT)
        if twice := made.keys() & more.keys():
            raise ValueError(f"{generator.name} makes {', '.join(sorted(twice))}, as another generator does")
        made |= more
    return made


def stale(made: dict[str, bytes]) -> list[str]:
    """The paths whose content is not what was made."""
    return [path for path in sorted(made) if not (ROOT / path).is_file() or (ROOT / path).read_bytes() != made[path]]


def write(made: dict[str, bytes], paths: list[str]) -> None:
    """Put what was made where it belongs."""
    for path in paths:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_bytes(made[path])


def main(words: list[str]) -> int:
    """Write, or with `--check` only look. Returns the exit code."""
    if words not in ([], ["--check"]):
        sys.exit("usage: python docs/generate.py [--check]")
    made = pages()
    old = stale(made)
    if words:
        print(*(f"{path} is out of date: run python docs/generate.py" for path in old), sep="\n", end="\n" * bool(old))
        return bool(old)
    write(made, old)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
