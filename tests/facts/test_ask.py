"""Programs of ours: what they answer, how they end, and that they do not hang."""

import subprocess
import sys
from typing import NamedTuple

import msgspec
import pytest

from audit.errors import CannotLook
from audit.facts.processes import ask as asking
from audit.facts.processes.ask import ask
from audit.host import Host


class Question(msgspec.Struct):
    number: int


BEGIN = "import sys, os, time, signal; sys.path.append(sys.argv[1])\nfrom audit.errors import CannotLook\n"
END = """
from audit.facts.processes.ask import answer
import msgspec
class Question(msgspec.Struct):
    number: int
answer(Question, reply, idle_s=2)
"""


@pytest.fixture
def asked(monkeypatch):
    """Ask a program that is this text."""

    def asked(text, answer=tuple[int]):
        monkeypatch.setattr(asking, "_START", BEGIN + text + END)
        return ask(Host(), "program", Question(number=3), answer, 60)

    return asked


def test_an_answer_arrives_whatever_is_printed(asked):
    assert asked("def reply(q):\n  print('noise'); os.system('echo more'); yield q.number + 1") == (4,)


def test_a_reason_arrives_with_its_place_and_its_hint(asked):
    with pytest.raises(CannotLook) as error:
        asked("def reply(q):\n  raise CannotLook('is odd', where='here', hint='mend it')\n  yield")
    assert (error.value.what, error.value.where, error.value.hint) == ("is odd", "here", "mend it")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("def reply(q): raise ValueError('of ours')", "program ended with exit code 1: ValueError: of ours"),
        ("def reply(q): os._exit(7)", "program ended with exit code 7"),
        ("def reply(q): os.kill(os.getpid(), signal.SIGKILL)", "was killed by signal 9 .*perhaps the memory ran out"),
        ("def reply(q): os.kill(os.getpid(), signal.SIGSEGV)", "was killed by signal 11"),
        ("def reply(q): raise MemoryError('no room')", "MemoryError: no room"),
        ("def reply(q):\n  import polars; polars.read_parquet('/nothing')", "FileNotFoundError"),
        ("def reply(q): time.sleep(100)", "nothing happened for 2 s .*hanging"),
    ],
)
def test_how_a_program_ends_is_said(asked, text, says):
    with pytest.raises(CannotLook, match=says):
        asked(text)


def test_a_program_that_works_is_left_to_work(asked):
    work = "def reply(q):\n  end = time.time() + 4\n  while time.time() < end: sum(range(100000))\n  yield 1"
    assert asked(work) == (1,)


def test_neither_the_working_directory_nor_pythonpath_reach_a_program(tmp_path, monkeypatch):
    (tmp_path / "polars.py").write_text("raise SystemExit('project code ran')")
    (tmp_path / "msgspec.py").write_text("raise SystemExit('project code ran')")
    line = [sys.executable, "-E", "-P", "-c", asking._START, asking._HOME, "audit.facts.processes.table_stage"]
    question = b'{"parts":[{"location":"/none.csv","name":"none.csv"}],"scratch":"/tmp"}'
    done = subprocess.run(
        line, input=question, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, check=False
    )
    assert b"none.csv" in done.stdout
    assert b"project code" not in done.stderr


class Path(NamedTuple):
    name: str


def test_a_question_that_is_no_text_is_refused():
    class Named(msgspec.Struct):
        name: str

    with pytest.raises(CannotLook, match="is not UTF-8"):
        ask(Host(), "table_stage", Named(name="\udcff"), tuple[int], 10)
