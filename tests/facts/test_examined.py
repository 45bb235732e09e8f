"""Files examined one by one: whichever crashes, hangs or changes is told by itself, and the others are seen."""

import os

import pytest
from support.engine import graph

from audit.errors import CannotLook
from audit.facts.dataset import DatasetFiles
from audit.facts.processes import ask as asking
from audit.facts.processes.each import Paths
from audit.facts.signals.examined import Look, examine
from audit.records.check import Request
from audit.records.dataset import Dataset
from audit.records.words import Kind

BEGIN = "import sys, os, signal; sys.path.append(sys.argv[1])\nfrom audit.facts.processes import each\n"
END = "\neach.answer_each(each.Paths, lambda asked: look)\n"
COUNT = "def look(file): return len(file.read())"
SIGN = "def look(file):\n word = file.read()\n os.kill(os.getpid(), 11) if word == b'crash' else None\n"
SIGN += " signal.setitimer(signal.ITIMER_REAL, 0.1) if word == b'hang' else None\n"
SIGN += " import time; time.sleep(5 if word == b'hang' else 0)\n"
SIGN += " return 1 / 0 if word == b'raise' else len(word)"


class Lengths(Request[list]):
    root: str

    def collect(self, ctx):
        dataset = Dataset(name="d", path="d", kind=Kind.FILES)
        files = ctx.get(DatasetFiles(root=self.root, dataset=dataset)).files
        return examine(ctx, files, Look("program", Paths(), int))


@pytest.fixture
def lengths(monkeypatch, tmp_path):
    def lengths(text, words):
        monkeypatch.setattr(asking, "_START", BEGIN + text + END)
        (tmp_path / "d").mkdir(exist_ok=True)
        for name, word in words.items():
            (tmp_path / "d" / name).write_text(word)
            os.utime(tmp_path / "d" / name, (1, 1))
        return graph().get(Lengths(root=str(tmp_path)))

    return lengths


def test_each_file_has_its_answer_in_order(lengths):
    found = lengths(COUNT, {"a": "1", "b": "22", "c": "333"})
    assert [one.value for one in found] == [1, 2, 3]


def test_a_file_that_kills_the_program_has_a_problem_and_the_others_are_seen(lengths):
    found = lengths(SIGN, {"a": "1", "b": "crash", "c": "hang", "d": "raise", "e": "22"})
    assert [one.value for one in found] == [1, None, None, None, 2]
    assert "signal 11" in found[1].problem
    assert found[2].problem == "takes too long to be decoded"
    assert "ZeroDivisionError" in found[3].problem


def test_a_program_that_never_starts_is_no_fault_of_the_files(lengths):
    with pytest.raises(CannotLook, match="ended with exit code"):
        lengths("import no_such_module", {"a": "1", "b": "2"})


def test_all_of_many_files_are_seen(lengths):
    found = lengths(COUNT, {f"{number:03}": "x" * number for number in range(1, 200)})
    assert [one.value for one in found] == list(range(1, 200))
