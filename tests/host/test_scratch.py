"""The scratch folder: private, made when asked for, and gone with the audit however that ends."""

import os
import signal
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from audit.errors import CannotLook
from audit.host import Host
from audit.host.scratch import PREFIX, Scratch

HOME = str(Path(__file__).parents[2])


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def folders(place):
    return [one for one in place.iterdir() if one.name.startswith(PREFIX)]


def test_it_is_made_when_asked_for_and_is_private(place):
    scratch = Scratch()
    assert folders(place) == []
    folder = Path(scratch.folder())
    assert folders(place) == [folder]
    assert (stat.S_IMODE(folder.stat().st_mode), str(os.getpid()) in folder.name) == (0o700, True)
    assert scratch.folder() == str(folder)
    (folder / "x").mkdir()
    scratch.close()
    assert folders(place) == []
    scratch.close()


def test_all_threads_share_one(place):
    host, barrier = Host(), threading.Barrier(8)

    def ask(_):
        barrier.wait()
        return host.watched(lambda: None).scratch()

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ask, range(8)))) == 1
    host.close()
    assert folders(place) == []


def test_one_that_is_forgotten_is_removed(place):
    Scratch().folder()
    assert folders(place) == []


def program(place, ending):
    text = f"import sys; sys.path.append({HOME!r})\nfrom audit.host.scratch import Scratch\nimport os\ns = Scratch()\n"
    line = [sys.executable, "-c", f"{text}print(s.folder(), flush=True)\n{ending}"]
    return subprocess.Popen(
        line, env=os.environ | {"TMPDIR": str(place)}, stdout=subprocess.PIPE, stdin=subprocess.PIPE
    )


def test_what_a_killed_audit_left_is_removed_by_the_next_and_a_living_ones_stays(place):
    killed, living = program(place, "input()"), program(place, "input()")
    left, theirs = (Path(one.stdout.readline().decode().strip()) for one in (killed, living))
    (left / "data").write_bytes(b"x")
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    for folder in (left, theirs):
        os.utime(folder, (1, 1))
    foreign = place / f"{PREFIX}link"
    foreign.symlink_to(place)
    mine = Path(Scratch().folder()).parent
    assert (left.exists(), theirs.exists(), foreign.is_symlink(), mine) == (False, True, True, place)
    living.communicate(b"\n")
    assert not theirs.exists()


def test_one_that_is_just_being_made_is_left_alone(place):
    young = place / f"{PREFIX}1-young"
    young.mkdir()
    (young / ".lock").touch()
    Scratch().folder()
    assert young.exists()


def test_where_none_can_be_made_it_says_what_to_do(place, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(place / "nowhere"))
    with pytest.raises(CannotLook, match="no scratch folder can be made") as error:
        Scratch().folder()
    assert "TMPDIR" in error.value.hint


def test_the_working_directory_is_no_last_resort(place, monkeypatch):
    monkeypatch.chdir(place)
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("tempfile._candidate_tempdir_list", lambda: [str(place)])
    with pytest.raises(CannotLook, match="no folder for temporary files can be written"):
        Scratch().folder()
    monkeypatch.setattr("tempfile._candidate_tempdir_list", list)
    with pytest.raises(CannotLook, match="no folder for temporary files can be written"):
        Scratch().folder()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", str(place))
    assert Path(Scratch().folder()).parent == place
