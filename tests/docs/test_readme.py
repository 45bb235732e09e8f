"""The README holds: its commands run, in its order, and print what it shows.

A tour "with" a tool is left out where that tool is not installed. `[...]` on a line of
its own stands for any lines. Times, and what hangs on the clock, are made alike first.
`python tests/docs/test_readme.py` writes what the program prints now into the README, for
a person to look at.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
CUT = "[...]"
TMP = "/tmp/"  # noqa: S108 - what the README says; here it is a folder of the test's own
BLOCK = re.compile(
    r"(?P<head><!-- tour(?: with (?P<tool>[\w-]+))? -->\n```console\n)(?P<steps>.*?)(?=```\n)", re.DOTALL
)
ALIKE = (
    (r"\b[0-9]{8}T[0-9]{6}Z\b", "20261130T020007Z"),
    (r"\b[0-9,]+ files? read .* in [0-9.]+ s$", "42 files read (254.4 KiB) in 0.3 s"),  # the clock's grain decides
)


class Step(NamedTuple):
    """A command, and what it prints."""

    command: str
    shown: str


def steps(block: str) -> Iterator[Step]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield Step(command, shown)


class Person:
    """Somebody who types the commands, one after the other, at a terminal of 80 columns."""

    def __init__(self, home: Path) -> None:
        self.home = home.resolve()
        self.cwd = self.home / "checkout"
        (self.home / "tmp").mkdir()
        self.cwd.mkdir()
        (self.cwd / "examples").symlink_to(ROOT / "examples")

    def type(self, command: str) -> str:
        """What it prints, made alike; a `cd` is remembered, and `/tmp` is in the home."""
        line = command.replace(TMP, f"{self.home}{TMP}")
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", f"{line}\npwd > {self.home}/cwd"],
            cwd=self.cwd,
            env=os.environ | {"PATH": path, "COLUMNS": "80", "CI": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.cwd = Path((self.home / "cwd").read_text(encoding="utf-8").strip())
        return self._alike(done.stdout)

    def _alike(self, text: str) -> str:
        text = text.replace(f"{self.home}{TMP}", TMP).replace(f"{self.home}/checkout/", "")
        for pattern, same in ALIKE:
            text = re.sub(pattern, same, text, flags=re.MULTILINE)
        return text


def cut_like(shown: str, printed: str) -> str:
    """What was printed, with as many lines at either end as are shown around `[...]`."""
    lines = shown.splitlines(keepends=True)
    if f"{CUT}\n" not in lines:
        return printed
    head = lines.index(f"{CUT}\n")
    tail = len(lines) - head - 1
    every = printed.splitlines(keepends=True)
    return "".join([*every[:head], f"{CUT}\n", *(every[-tail:] if tail else [])])


def blocks() -> list[str]:
    found = BLOCK.finditer(README.read_text(encoding="utf-8"))
    return [block["steps"] for block in found if not block["tool"] or shutil.which(block["tool"])]


def test_the_tour_is_what_happens(tmp_path: Path) -> None:
    person = Person(tmp_path)
    for step in (step for block in blocks() for step in steps(block)):
        printed = person.type(step.command)
        assert cut_like(step.shown, printed) == step.shown, step.command


def test_there_is_a_tour() -> None:
    commands = [step.command for block in blocks() for step in steps(block)]
    assert "audit demo" in commands
    assert "audit run --help" in commands


def test_two_commands_do_all_the_set_up() -> None:
    said = re.findall(r"^\$ (pip install -e .*)$", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert said == ["pip install -e '.[all]' && audit demo", "pip install -e '.[all,dev]' && pytest"]


@pytest.mark.parametrize(
    "page", sorted([README, *(ROOT / "docs").glob("*.md"), *ROOT.glob("C*.md")]), ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        person = Person(Path(home))

        def anew(block: re.Match[str]) -> str:
            told = (
                f"$ {one.command}\n{cut_like(one.shown, person.type(one.command))}" for one in steps(block["steps"])
            )
            return block["head"] + "".join(told)

        README.write_text(BLOCK.sub(anew, README.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
