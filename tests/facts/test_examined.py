"""Files examined one by one: whichever crashes, hangs or changes is told by itself, and the others are seen."""

import os
import time

import pytest
from support.engine import graph

from audit.engine.graph import Graph
from audit.engine.meter import Meter
from audit.errors import CannotLook
from audit.facts.content import GRAIN_S
from audit.facts.dataset import DatasetFiles
from audit.facts.processes import ask as asking
from audit.facts.processes.each import Paths
from audit.facts.signals.examined import Look, examine
from audit.host import Host
from audit.records.check import Request
from audit.records.dataset import Dataset
from audit.records.words import Kind
from audit.state.state import State

BEGIN = "import sys, os, signal; sys.path.append(sys.argv[1])\nfrom audit.facts.processes import each\n"
END = "\neach.answer_each(each.Paths, lambda asked: look)\n"
COUNT = "def look(file): return len(file.read())"
SIGN = "def look(file):\n word = file.read()\n os.kill(os.getpid(), 11) if word == b'crash' else None\n"
SIGN += " signal.setitimer(signal.ITIMER_REAL, 0.1) if word == b'hang' else None\n"
SIGN += " import time; time.sleep(5 if word == b'hang' else 0)\n"
SIGN += " return 1 / 0 if word == b'raise' else len(word)"


class Lengths(Request[list]):
    root: str
    together: int = 1

    def collect(self, ctx):
        dataset = Dataset(name="d", path="d", kind=Kind.FILES)
        files = ctx.get(DatasetFiles(root=self.root, dataset=dataset)).files
        return examine(ctx, files, Look("program", Paths(), int, together=self.together))


@pytest.fixture
def lengths(monkeypatch, tmp_path):
    def lengths(text, words, together=1, end=END):
        monkeypatch.setattr(asking, "_START", BEGIN + text + end)
        (tmp_path / "d").mkdir(exist_ok=True)
        for name, word in words.items():
            (tmp_path / "d" / name).write_text(word)
            os.utime(tmp_path / "d" / name, (1, 1))
        return graph().get(Lengths(root=str(tmp_path), together=together))

    return lengths


def test_each_file_has_its_answer_in_order(lengths):
    found = lengths(COUNT, {"a": "1", "b": "22", "c": "333"})
    assert [one.value for one in found] == [1, 2, 3]


@pytest.mark.parametrize("together", [1, 2, 3, 32])
def test_a_file_that_kills_the_program_has_a_problem_and_the_others_are_seen(lengths, together):
    found = lengths(SIGN, {"a": "1", "b": "crash", "c": "hang", "d": "raise", "e": "22"}, together)
    assert [one.value for one in found] == [1, None, None, None, 2]
    assert "signal 11" in found[1].problem
    assert found[2].problem == "takes too long to be decoded"
    assert "ZeroDivisionError" in found[3].problem


FINISH = "\nimport os\ndef finish(many):\n os.kill(os.getpid(), 11) if 5 in many else None\n"
FINISH += " return [1 // (one - 7) + 10 * one for one in many]"
END_FINISH = "\neach.answer_each(each.Paths, lambda asked: look, finish)\n"


@pytest.mark.parametrize("together", [1, 2, 4, 32])
def test_what_fails_when_many_are_finished_at_once_is_one_files_problem(lengths, together):
    words = {"a": "x" * 9, "b": "x" * 7, "c": "x" * 9, "d": "x" * 5, "e": "x" * 9}
    found = lengths(COUNT + FINISH, words, together, END_FINISH)
    assert [one.value for one in found] == [90, None, 90, None, 90]
    assert "ZeroDivisionError" in found[1].problem
    assert "signal 11" in found[3].problem


def test_a_program_that_never_starts_is_no_fault_of_the_files(lengths):
    with pytest.raises(CannotLook, match="ended with exit code"):
        lengths("import no_such_module", {"a": "1", "b": "2"})


def test_all_of_many_files_are_seen(lengths):
    found = lengths(COUNT, {f"{number:03}": "x" * number for number in range(1, 200)})
    assert [one.value for one in found] == list(range(1, 200))


@pytest.fixture
def again(monkeypatch, tmp_path):
    """Examine the files of `d` with one state store, whose memory outlives each look."""

    def again(text, *, deep=False):
        monkeypatch.setattr(asking, "_START", BEGIN + text + END)
        state = State.open(str(tmp_path))
        try:
            return Graph(Host(), state, Meter(), 2, deep=deep).get(Lengths(root=str(tmp_path)))
        finally:
            state.close()

    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a").write_text("22")
    return again


NO_LOOK = "def look(file): return 9"


def still(file):
    """As if nothing had been written for a while; the clock of changes cannot be set back."""
    time.sleep(max(0.0, file.stat().st_ctime + GRAIN_S + 0.1 - time.time()))


def test_a_file_that_stays_is_trusted_and_a_deep_audit_looks_again(again, tmp_path):
    os.utime(tmp_path / "d" / "a", (1, 1))
    still(tmp_path / "d" / "a")
    assert [one.value for one in again(COUNT)] == [2]
    assert [one.value for one in again(NO_LOOK)] == [2]
    assert [one.value for one in again(NO_LOOK, deep=True)] == [9]


def test_a_file_that_moved_is_looked_at_again(again, tmp_path):
    still(tmp_path / "d" / "a")
    again(COUNT)
    (tmp_path / "d" / "a").write_text("333")
    assert [one.value for one in again(COUNT)] == [3]


def test_a_file_that_was_just_written_is_not_trusted(again, tmp_path):
    again(COUNT)
    assert [one.value for one in again(NO_LOOK)] == [9]
