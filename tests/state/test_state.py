"""The state store: remembers, survives kills and company, and believes nothing that was not written here."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.records.digests import Digest, Seen, Stamp
from audit.records.words import Change
from audit.state import state as states
from audit.state import store
from audit.state.state import State, pack, unpack


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """The empty cache folder of a user who has nothing else either."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    return home / "cache" / "reproaudit"


@pytest.fixture
def key(cache):
    """The file with the user's key."""
    return cache.parents[1] / "state" / "reproaudit" / "key"


@pytest.fixture
def root(tmp_path):
    return str(tmp_path)


def seen(number=1, algorithm="md5", **fields):
    return Seen(Stamp(1, number, 3, 4, 5), algorithm, f"{number:032x}", **fields)


def remember(root, folder, files):
    with closing(State.open(root)) as state:
        state.remember(folder, files)
        return state


def recall(root, folder, algorithm="md5"):
    with closing(State.open(root)) as state:
        return dict(state.recall(folder, algorithm))


def database(root):
    return Path(root, ".audit", store.FILE)


def test_what_was_remembered_is_there_at_once_and_in_the_next_audit(root):
    with closing(State.open(root)) as state:
        state.remember("/data", {"a": seen(1), "b": seen(2, blake3="b3", settled=False, change=Change.ROTTED)})
        assert state.recall("/data", "md5")["a"] == seen(1)
    assert recall(root, "/data") == {"a": seen(1), "b": seen(2, blake3="b3", settled=False, change=Change.ROTTED)}
    assert recall(root, "/other") == recall(root, "/data", "sha256") == {}


def test_other_files_and_other_algorithms_stay(root):
    remember(root, "/data", {"a": seen(1), "b": seen(2)})
    remember(root, "/data", {"b": seen(3), "c": seen(4, "sha256")})
    assert recall(root, "/data") == {"a": seen(1), "b": seen(3)}
    assert recall(root, "/data", "sha256") == {"c": seen(4, "sha256")}


def test_the_first_pair_for_a_digest_stays(root):
    md5 = Digest(algorithm="md5", hex="d")
    with closing(State.open(root)) as state:
        state.learn({md5: "first"})
        state.learn({md5: "second"})
        assert state.blake3_of(md5) == "first"
    with closing(State.open(root)) as state:
        state.learn({md5: "third", Digest(algorithm="sha1", hex="d"): "other"})
    with closing(State.open(root)) as state:
        assert state.blake3_of(md5) == "first"
        assert state.blake3_of(Digest(algorithm="sha1", hex="d")) == "other"
        assert state.blake3_of(Digest(algorithm="md5", hex="unknown")) is None


NAMES = (st.text(min_size=1) | st.binary(min_size=1).map(os.fsdecode)).filter(lambda name: "\0" not in name)
NUMBERS = st.integers(0, 2**63 - 1)
STAMPS = st.builds(Stamp, NUMBERS, NUMBERS, NUMBERS, st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))


@given(st.dictionaries(NAMES, st.builds(Seen, STAMPS, st.just("md5"), st.text("0123456789abcdef"))))
def test_rows_come_back_as_they_were(files):
    assert unpack(pack(files)) == files


@given(st.data())
def test_a_row_with_a_rotten_byte_is_not_believed(data):
    row = bytearray(pack({"a": seen(1), "b": seen(2)}))
    place = data.draw(st.integers(0, len(row) - 1))
    row[place] ^= data.draw(st.integers(1, 255))
    assert unpack(bytes(row)) == {}


def test_paths_that_are_no_text(root):
    folder = os.fsdecode(b"/data/\xff\xfe")
    remember(root, folder, {os.fsdecode(b"\xe4.bin"): seen(1), "nul-free\n": seen(2)})
    assert recall(root, folder) == {os.fsdecode(b"\xe4.bin"): seen(1), "nul-free\n": seen(2)}
    assert recall(root, "/lone/\ud800") == {}


def test_the_folder_keeps_itself_out_of_git(root):
    remember(root, "/data", {"a": seen()})
    assert Path(root, ".audit", ".gitignore").read_text() == "*\n"


def test_files_that_are_long_gone_are_forgotten(tmp_path, root, monkeypatch):
    monkeypatch.setattr(states, "_FORGOTTEN", 2)
    (tmp_path / "there").write_bytes(b"")
    remember(root, root, {name: seen() for name in ("there", "gone", "gone-too", "and-this")})
    remember(root, root, {"new": seen()})
    assert set(recall(root, root)) == {"there", "new"}


# Killed at any moment: as before, or complete.

WRITER = """if True:
    import sys
    from audit.state.state import State
    from audit.records.digests import Digest, Seen, Stamp
    state = State.open(sys.argv[1])
    number = int(sys.argv[2])
    print("ready", flush=True)
    while True:
        number += 1
        one = Seen(Stamp(1, number, 3, 4, 5), "md5", f"{number:032x}")
        state._next_write = 0.0
        state.learn({Digest(algorithm="md5", hex=f"{number:032x}"): str(number)})
        state._next_write = 0.0
        state.remember("/data", {name: one for name in ("a", "b", "c")})
        print(number, flush=True)
"""


def writer(root, number=0, program=WRITER):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    line = [sys.executable, "-c", program, root, str(number)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=environment)


def test_killed_at_any_moment_it_is_as_before_or_complete(root):
    last = 0
    for attempt in range(20):
        with writer(root, last) as process:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.001 * (attempt % 10))
            process.send_signal(signal.SIGKILL)
            said = [int(line) for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
        with closing(State.open(root)) as state:
            found = state.recall("/data", "md5")
            assert state.warnings == []
        numbers = {one.stamp.inode for one in found.values()}
        assert len(numbers) <= 1, "half of a write"
        assert len(found) in {0, 3}
        assert max(numbers, default=0) in range(said[-1] if said else last, (said[-1] if said else last) + 2), (
            "a write is lost"
        )
        last = max(numbers, default=0)
    assert last > 0


def test_killed_before_the_database_is_whole(root):
    """As a kill right after the file was made leaves it."""
    database(root).parent.mkdir()
    database(root).touch()
    state = remember(root, "/data", {"a": seen()})
    assert state.warnings == []
    assert recall(root, "/data") == {"a": seen()}


TOGETHER = """if True:
    import sys
    from audit.state.state import State
    from audit.records.digests import Seen, Stamp
    sys.stdin.readline()
    state = State.open(sys.argv[1])
    for number in range(100):
        state._next_write = 0.0
        state.remember("/data", {f"{sys.argv[2]}-{number}": Seen(Stamp(1, number, 3, 4, 5), "md5", "")})
    state.close()
    print(state.warnings)
"""


def test_two_audits_at_once_lose_nothing_of_each_other(root):
    """They make the database together, too."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    lines = [[sys.executable, "-c", TOGETHER, root, name] for name in ("one", "two", "three")]
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [subprocess.Popen(line, **pipe, env=environment) for line in lines]
    for process in running:
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.communicate()[0] for process in running] == ["[]\n"] * 3
    assert set(recall(root, "/data")) == {
        f"{name}-{number}" for name in ("one", "two", "three") for number in range(100)
    }


# What is not ours, or not whole, is set aside.


def aside(root):
    return database(root).with_name(store.ASIDE)


def damage(root, how):
    file = database(root)
    if how == "no database":
        file.write_bytes(b"this is no database, " * 100)
    elif how == "cut short":
        file.write_bytes(file.read_bytes()[:5000])
    elif how == "zeroed":
        file.write_bytes(bytes(file.stat().st_size))
    elif how == "newer":
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA user_version = 999")
    elif how == "foreign tables":
        file.unlink()
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("CREATE TABLE folders (path)")
    elif how == "folder":
        file.unlink()
        file.mkdir()


@pytest.mark.parametrize("how", ["no database", "cut short", "zeroed", "newer", "foreign tables", "folder"])
def test_one_that_cannot_be_used_is_set_aside_with_a_warning(root, how):
    remember(root, "/data", {"a": seen()})
    damage(root, how)
    state = remember(root, "/data", {"b": seen(2)})
    assert len(state.warnings) == 1
    assert str(database(root)) in state.warnings[0]
    assert aside(root).exists()
    assert recall(root, "/data") == {"b": seen(2)}


def test_one_that_breaks_while_it_is_used_costs_memory_and_not_the_audit(root):
    remember(root, "/data", {str(number): seen(number) for number in range(500)})
    with closing(sqlite3.connect(database(root))) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = database(root).read_bytes()
    page = len(whole) - 4096 * 3
    database(root).write_bytes(whole[:page] + bytes(range(256)) * 16 * 3)
    with closing(State.open(root)) as state:
        assert state.recall("/data", "md5") == {}
        state.remember("/data", {"a": seen()})
        assert state.recall("/data", "md5") == {"a": seen()}
        assert "not remembered from here on" in state.warnings[0]
    assert aside(root).exists()
    assert remember(root, "/data", {"b": seen()}).warnings == []


def test_a_copy_of_the_project_trusts_nothing(root, tmp_path_factory):
    remember(root, "/data", {"a": seen()})
    with closing(State.open(root)) as state:
        state.learn({Digest(algorithm="md5", hex="d"): "b3"})
    other = tmp_path_factory.mktemp("copy") / "project"
    shutil.copytree(root, other)
    with closing(State.open(str(other))) as state:
        assert state.recall("/data", "md5") == {}
        assert state.blake3_of(Digest(algorithm="md5", hex="d")) is None
        assert "copy" in state.warnings[0]
    assert recall(root, "/data") == {"a": seen()}, "the original is as it was"


def test_a_database_that_came_with_the_project_is_not_believed(root, key):
    """Another user, or another machine, has another key: it could claim what it likes."""
    remember(root, "/data", {"a": seen()})
    key.write_bytes(b"another user's")
    assert recall(root, "/data") == {}
    assert aside(root).exists()


@pytest.mark.parametrize("trap", [store.FILE, f"{store.FILE}-wal", f"{store.FILE}-shm", f"{store.FILE}-journal"])
def test_links_laid_out_for_the_database_are_not_written_through(root, tmp_path_factory, trap):
    victim = tmp_path_factory.mktemp("home") / "precious"
    victim.write_bytes(b"precious")
    database(root).parent.mkdir()
    (database(root).parent / trap).symlink_to(victim)
    remember(root, "/data", {"a": seen()})
    assert victim.read_bytes() == b"precious"
    assert recall(root, "/data") == {"a": seen()}


def test_a_linked_folder_is_left_alone(root, tmp_path_factory, cache):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    Path(root, ".audit").symlink_to(elsewhere)
    remember(root, "/data", {"a": seen()})
    assert list(elsewhere.iterdir()) == []
    assert recall(root, "/data") == {"a": seen()}
    assert list(cache.glob(f"*/{store.FILE}"))


# Where it lives.


def test_in_the_cache_folder_where_the_project_is_on_a_network(root, monkeypatch):
    monkeypatch.setattr(store.places, "on_network", lambda _: True)
    assert remember(root, "/data", {"a": seen()}).warnings == []
    assert not database(root).exists()
    assert recall(root, "/data") == {"a": seen()}


def test_in_the_cache_folder_where_the_project_cannot_be_written(root, cache):
    Path(root, ".audit").write_bytes(b"in the way, as on a filesystem that is read only")
    assert remember(root, "/data", {"a": seen()}).warnings == []
    assert recall(root, "/data") == {"a": seen()}
    assert list(cache.glob(f"*/{store.FILE}"))


def test_nowhere_it_is_kept_for_this_audit_alone(root, tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with closing(State.open(root)) as state:
        state.remember("/data", {"a": seen()})
        assert state.recall("/data", "md5") == {"a": seen()}
        assert len(state.warnings) == 1
    assert recall(root, "/data") == {}


def test_the_key_is_the_users_alone(root, key):
    remember(root, "/data", {"a": seen()})
    assert key.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in key.parent.iterdir()] == ["key"]


def test_another_cache_folder_does_not_make_it_anothers(root, monkeypatch):
    """As in a job of the night, which knows less of the user's environment."""
    remember(root, "/data", {"a": seen()})
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert recall(root, "/data") == {"a": seen()}
