"""The door to processes."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from audit.errors import CannotLook
from audit.host import Host, process

HOST = Host()


def run(*args: str, **options):
    return HOST.run(args, **{"cwd": "/", "timeout_s": 30, **options})


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


def test_a_process_gets_its_input_and_gives_its_output_and_code(tmp_path) -> None:
    done = run("sh", "-c", "cat; pwd; echo oops >&2; exit 3", cwd=str(tmp_path), stdin=b"x" * 300_000)
    assert done.code == 3
    assert done.out == b"x" * 300_000 + f"{tmp_path}\n".encode()
    assert done.err == b"oops\n"


def test_a_process_that_does_not_want_its_input_is_left_alone() -> None:
    assert run("true", stdin=b"x" * 1_000_000).code == 0


def test_no_shell_reads_the_words() -> None:
    assert run("printf", "%s", "$(id) ; `id`").out == b"$(id) ; `id`"


def test_the_environment_is_the_one_given_or_the_audits_own(monkeypatch) -> None:
    monkeypatch.setenv("MINE", "yes")
    assert b"MINE=yes" in run("env").out
    assert run("env", env={"PATH": os.environ["PATH"], "A": "b"}).out.splitlines()[-1] == b"A=b"


def test_there_is_no_terminal_to_ask_anything_on() -> None:
    script = "import os\ntry:\n os.open('/dev/tty', os.O_RDWR)\nexcept OSError:\n print('none')"
    assert run(sys.executable, "-c", script).out == b"none\n"


@pytest.mark.parametrize("hold", ["sleep 60", "exec >/dev/null 2>&1 </dev/null; sleep 60", "sleep 60 & wait"])
def test_after_the_time_is_up_a_process_is_killed_with_its_children(hold, tmp_path) -> None:
    note = tmp_path / "pid"
    with pytest.raises(CannotLook, match=r"sh did not answer within 0\.3 s"):
        run("sh", "-c", f"sleep 61 & echo $! $$ >{note}; {hold}", timeout_s=0.3)
    deadline = time.monotonic() + 10
    pids = [int(word) for word in note.read_text().split()]
    while any(alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(alive(pid) for pid in pids)


def test_output_is_bounded(monkeypatch) -> None:
    monkeypatch.setattr(process, "MAX_OUTPUT", 1 << 20)
    with pytest.raises(CannotLook, match="yes says more than 1 MiB"):
        run("yes")
    with pytest.raises(CannotLook, match="says more than"):
        run("sh", "-c", "yes >&2")


def test_a_program_that_is_not_there_is_said_to_be_not_installed() -> None:
    with pytest.raises(CannotLook, match="no-such-program is not installed"):
        run("no-such-program")


def test_a_folder_on_the_path_that_is_relative_names_no_program(tmp_path, monkeypatch) -> None:
    trap = tmp_path / "git"
    trap.write_text("#!/bin/sh\necho trapped\n")
    trap.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for path in ("", ".", f":{os.devnull}"):
        with pytest.raises(CannotLook, match="not installed"):
            run("git", cwd=str(tmp_path), env={"PATH": path})
    with pytest.raises(CannotLook, match="not installed"):
        run("./git", cwd=str(tmp_path))
    assert b"git version" in run("git", "version", cwd=str(tmp_path), env={"PATH": f".:{os.environ['PATH']}"}).out


@pytest.mark.parametrize("options", [{"cwd": "/no/such/folder"}, {"args": ["printf", "a\0b"]}])
def test_a_process_that_cannot_start_says_why(options) -> None:
    with pytest.raises(CannotLook, match="cannot be started"):
        run(*options.pop("args", ["true"]), **options)


def test_the_host_knows_its_name_and_the_time() -> None:
    assert HOST.name()
    assert HOST.now().utcoffset().total_seconds() == 0
    assert HOST.variable("NO_SUCH_VARIABLE") is None
