"""What is said of files: read or trusted, changed in which way, proven by BLAKE3 alone, or not readable and why."""

from __future__ import annotations

import copy
import hashlib
import os
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from datetime import datetime, timedelta
from multiprocessing import get_context
from pathlib import Path

import pytest
from blake3 import blake3
from support import collisions

from audit.engine.graph import Graph
from audit.engine.meter import Meter
from audit.errors import Cancelled
from audit.facts import content, content_batch
from audit.facts.content import FileContent, How, Wanted, read_files
from audit.facts.content_batch import PAIRED, Batch, Task, Watch, read_batch
from audit.host import Host
from audit.records.check import Request
from audit.records.context import Context
from audit.records.digests import Digest, Seen, Stamp
from audit.records.report import Coverage
from audit.records.words import Change
from audit.state.state import State

LARGE = b"large, so that its digests are kept as a pair\n" * 2000


def md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def digest(data: bytes) -> Digest:
    return Digest(algorithm="md5", hex=md5(data))


class Later(Host):
    """The machine, on which what was just written was written long ago."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._ahead = timedelta(seconds=seconds)

    def watched(self, _) -> Later:
        return self

    def now(self) -> datetime:
        return super().now() + self._ahead


class Contents(Request[dict[str, FileContent]]):
    """What `read_files` says, as any collector asks it."""

    wanted: tuple[tuple[str, str, str], ...]

    def collect(self, ctx: Context) -> dict[str, FileContent]:
        return read_files(ctx, {path: Wanted(algorithm, hexed) for path, algorithm, hexed in self.wanted})


class Desk:
    """A folder, and audits of it that remember each other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.coverage = Coverage()

    def write(self, name: str, data: bytes) -> str:
        (self.folder / name).write_bytes(data)
        return md5(data)

    def stamp(self, name: str) -> Stamp:
        seen = (self.folder / name).stat()
        return Stamp(seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)

    def read(self, recorded: Mapping[str, str], *, deep: bool = False, later_s: float = 3600, algorithm: str = "md5"):
        wanted = tuple((str(self.folder / name), algorithm, hexed) for name, hexed in recorded.items())
        meter = Meter()
        with closing(State.open(str(self.folder))) as state:
            graph = Graph(Later(later_s), state, meter, 2, deep=deep)
            found = graph.get(Contents(wanted=wanted))
            graph.close()
        assert list(found) == [path for path, _, _ in wanted], "in the order asked for"
        self.coverage = meter.coverage()
        return {Path(path).name: each for path, each in found.items()}

    def one(self, name: str, hexed: str = "", **options):
        return self.read({name: hexed}, **options)[name]

    def remember(self, name: str, data: bytes, **fields) -> None:
        """As if these bytes had been seen under the stamp that the file has now."""
        with closing(State.open(str(self.folder))) as state:
            state.remember(str(self.folder), {name: Seen(self.stamp(name), "md5", md5(data), **fields)})


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "project").mkdir()
    return Desk(tmp_path / "project")


def test_first_read_then_trusted(desk):
    recorded = {"a": desk.write("a", b"alpha\n"), "b": desk.write("b", b"")}
    first = desk.read(recorded)
    assert first["a"] == FileContent(digest(b"alpha\n"), 6, How.READ)
    assert desk.coverage == Coverage(files_read=2, bytes_read=6)
    assert desk.read(recorded)["a"] == FileContent(digest(b"alpha\n"), 6, How.TRUSTED)
    assert desk.coverage == Coverage(files_trusted=2, bytes_trusted=6)


def test_deep_trusts_nothing(desk):
    recorded = {"a": desk.write("a", b"alpha\n")}
    desk.read(recorded)
    assert desk.read(recorded, deep=True)["a"].how is How.READ
    assert desk.coverage == Coverage(files_read=1, bytes_read=6)


def test_what_was_touched_just_before_it_was_read_is_not_trusted_later(desk):
    recorded = {"a": desk.write("a", b"alpha\n")}
    desk.read(recorded, later_s=0)
    assert desk.one("a", recorded["a"]).how is How.READ, "read within the grain of the clock"
    assert desk.one("a", recorded["a"]).how is How.TRUSTED


def test_a_file_from_the_future_is_never_trusted(desk):
    recorded = {"a": desk.write("a", b"alpha\n")}
    os.utime(desk.folder / "a", (2**33, 2**33))
    desk.read(recorded)
    assert desk.one("a", recorded["a"]).how is How.READ


@pytest.mark.parametrize("move", ["edit", "touch", "chmod", "replace", "restore the mtime"])
def test_whatever_moves_the_stamp_has_the_file_read(desk, move):
    recorded = {"a": desk.write("a", b"alpha\n")}
    desk.read(recorded)
    path = desk.folder / "a"
    before = path.stat()
    if move == "chmod":
        path.chmod(0o600)
    elif move == "touch":
        os.utime(path)
    elif move == "replace":
        desk.write("new", b"alpha\n")
        (desk.folder / "new").replace(path)
    else:
        path.write_bytes(b"alphA\n")
    if move == "restore the mtime":
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    found = desk.one("a", recorded["a"])
    assert found.how is How.READ
    assert found.change == (Change.EDITED if move in {"edit", "restore the mtime"} else None)


# How it came to differ.


def test_never_seen_before_it_differs_and_goes_on_to(desk):
    desk.write("a", b"alpha\n")
    for how in (How.READ, How.TRUSTED):
        found = desk.one("a", md5(b"other"))
        assert (found.how, found.change) == (how, Change.DIFFERS)
        assert found.digest == digest(b"alpha\n")


def test_edited_and_still_edited_when_seen_again(desk):
    recorded = desk.write("a", b"alpha\n")
    desk.one("a", recorded)
    desk.write("a", b"beta\n")
    assert desk.one("a", recorded).change is Change.EDITED
    again = desk.one("a", recorded)
    assert (again.how, again.change) == (How.TRUSTED, Change.EDITED)
    assert desk.one("a", recorded, deep=True).change is Change.EDITED
    desk.write("a", b"alpha\n")
    assert desk.one("a", recorded).change is None


def test_rotted_is_found_by_reading_and_never_trusted_away(desk):
    desk.write("a", b"alphA\n")
    desk.remember("a", b"alpha\n")
    recorded = md5(b"alpha\n")
    assert desk.one("a", recorded).change is None, "trusted: that is what --deep is for"
    assert desk.one("a", recorded, deep=True).change is Change.ROTTED
    later = desk.one("a", recorded)
    assert (later.how, later.change, later.digest) == (How.TRUSTED, Change.ROTTED, digest(b"alphA\n"))


def test_stale_if_what_was_remembered_was_never_to_be_trusted(desk):
    desk.write("a", b"alphA\n")
    desk.remember("a", b"alpha\n", settled=False)
    assert desk.one("a", md5(b"alpha\n")).change is Change.STALE


def test_a_record_that_changed_is_not_an_edited_file(desk):
    desk.one("a", desk.write("a", b"alpha\n"))
    assert desk.one("a", md5(b"as of another commit")).change is Change.DIFFERS


def test_without_a_record_nothing_differs(desk):
    desk.write("a", b"alpha\n")
    assert desk.one("a").change is None
    desk.write("a", b"beta\n")
    assert desk.one("a").change is None


def test_a_reader_without_a_record_takes_no_word_from_one_that_has_it(desk):
    recorded = desk.write("a", b"alpha\n")
    desk.one("a", recorded)
    desk.write("a", b"beta\n")
    assert desk.one("a").change is None
    assert desk.one("a", recorded).change is Change.EDITED
    desk.write("b", b"gamma\n")
    desk.one("b")
    assert desk.one("b", recorded).change is Change.DIFFERS


def test_each_algorithm_has_its_own_memory(desk):
    desk.write("a", b"foo\r\n")
    for how in (How.READ, How.TRUSTED):
        assert desk.one("a", algorithm="md5").how is how
        assert desk.one("a", algorithm="md5-dos2unix").digest.hex == "d3b07384d113edec49eaa6238ad5ff00"
        assert desk.one("a", algorithm="sha256").digest.hex == hashlib.sha256(b"foo\r\n").hexdigest()
        assert desk.one("a", algorithm="blake3").digest.hex == blake3(b"foo\r\n").hexdigest()


# Pairs of digests.


@pytest.fixture
def made(monkeypatch):
    """The names of the hashers that were made, in their order."""
    names = []
    original = content_batch.maker

    def noting(name):
        names.append(name)
        return original(name)

    monkeypatch.setattr(content_batch, "maker", noting)
    return names


def test_a_pair_is_learned_at_first_and_proves_the_record_later(desk, made):
    recorded = {"a": desk.write("a", LARGE)}
    first = desk.one("a", recorded["a"])
    assert made == ["md5", "blake3"]
    assert first.blake3 == blake3(LARGE).hexdigest()
    made.clear()
    second = desk.one("a", recorded["a"], deep=True)
    assert made == ["blake3"]
    assert second == first


def test_a_pair_is_a_fact_about_content_whatever_its_path_and_time(desk, made):
    desk.one("a", desk.write("a", LARGE))
    made.clear()
    assert desk.one("elsewhere", desk.write("elsewhere", LARGE)).digest == digest(LARGE)
    assert made == ["blake3"]


def test_other_content_is_digested_as_recorded_so_that_both_can_be_shown(desk, made):
    recorded = desk.write("a", LARGE)
    desk.one("a", recorded)
    made.clear()
    other = LARGE[:-1] + b"!"
    desk.write("a", other)
    found = desk.one("a", recorded)
    assert made == ["blake3", "md5", "blake3"]
    assert (found.digest, found.blake3) == (digest(other), blake3(other).hexdigest())
    assert (found.change, found.collides) == (Change.EDITED, False)
    made.clear()
    assert desk.one("a", md5(other), deep=True).change is None
    assert made == ["blake3"], "its own pair was learned meanwhile"


def test_small_files_have_no_pair(desk, made):
    desk.write("a", bytes(PAIRED - 1))
    desk.one("a", md5(bytes(PAIRED - 1)))
    assert made == ["md5"]


def test_two_contents_with_one_digest_are_told_apart(desk):
    padding = bytes(PAIRED)
    one, two = collisions.ONE + padding, collisions.TWO + padding
    assert md5(one) == md5(two)
    assert not desk.one("a", desk.write("a", one)).collides
    desk.write("a", two)
    for _ in range(2):
        found = desk.one("a", md5(one), deep=True)
        assert found.collides
        assert (found.digest, found.change) == (digest(one), None)
        assert found.blake3 == blake3(two).hexdigest()


# What cannot be read.


def test_every_problem_is_an_answer_beside_the_others(desk):
    os.mkfifo(desk.folder / "fifo")
    (desk.folder / "folder").mkdir()
    (desk.folder / "link").symlink_to("a")
    names = ["fifo", "folder", "link", "gone", "a"]
    found = desk.read({name: md5(b"alpha\n") for name in names} | {"a": desk.write("a", b"alpha\n")})
    assert [found[name].problem for name in names] == [
        "is a fifo, not a regular file",
        "is a folder, not a regular file",
        "is a symbolic link, not a regular file",
        "vanished before it was read",
        "",
    ]
    assert all(found[name].digest is None and found[name].change is None for name in names[:-1])
    assert desk.coverage == Coverage(files_read=1, bytes_read=6, files_unread=4)


def test_a_problem_is_not_remembered(desk):
    recorded = {"a": desk.write("a", b"alpha\n")}
    desk.read(recorded)
    (desk.folder / "a").unlink()
    (desk.folder / "a").mkdir()
    assert desk.one("a", recorded["a"]).problem
    (desk.folder / "a").rmdir()
    desk.write("a", b"alpha\n")
    assert desk.one("a", recorded["a"]).change is None


# How the work is spread.


def test_many_files_of_all_sizes(desk, monkeypatch):
    monkeypatch.setattr(content, "BATCH_FILES", 7)
    monkeypatch.setattr(content, "BATCH_BYTES", 1000)
    data = {f"{number:03}": bytes([number]) * (number * 13 % 1500) for number in range(200)}
    recorded = {name: desk.write(name, each) for name, each in data.items()}
    found = desk.read(recorded)
    assert {name: each.digest.hex for name, each in found.items()} == recorded
    assert desk.coverage == Coverage(files_read=200, bytes_read=sum(map(len, data.values())))


def test_helpers_say_what_threads_say(desk, monkeypatch):
    recorded = {f"{number:03}": desk.write(f"{number:03}", bytes([number]) * number) for number in range(100)}
    recorded["large"] = desk.write("large", LARGE)
    (desk.folder / "link").symlink_to("000")
    recorded["link"] = recorded["000"]
    by_threads = desk.read(recorded, deep=True)
    monkeypatch.setattr(content, "HELPED", 1)
    monkeypatch.setattr(content, "BATCH_FILES", 7)
    monkeypatch.setattr(content, "processors", lambda: 2)
    counted = desk.coverage
    assert desk.read(recorded, deep=True) == by_threads
    assert desk.coverage == counted


def test_threads_read_where_no_process_can_be_started(desk, monkeypatch):
    monkeypatch.setattr(content, "HELPED", 1)
    monkeypatch.setattr(content, "processors", lambda: 2)
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: (_ for _ in ()).throw(BlockingIOError))
    assert desk.one("a", desk.write("a", b"alpha\n")).digest == digest(b"alpha\n")


def test_files_that_helpers_cannot_read_are_read_at_length(desk, monkeypatch):
    monkeypatch.setattr(content, "HELPED", 1)
    monkeypatch.setattr(content, "BATCH_FILES", 1)
    monkeypatch.setattr(content, "processors", lambda: 2)
    monkeypatch.setattr("audit.host.small.give", lambda *_: (_ for _ in ()).throw(BrokenPipeError))
    recorded = {name: desk.write(name, name.encode()) for name in "abc"}
    assert {name: each.digest.hex for name, each in desk.read(recorded).items()} == recorded
    assert desk.coverage == Coverage(files_read=3, bytes_read=3)


def test_nothing_asked_nothing_read(desk):
    assert desk.read({}) == {}


def test_a_batch_can_be_sent_to_another_process(desk):
    """As an executor of processes, or a cluster's client, would do it."""
    desk.write("a", LARGE)
    with closing(State.open(str(desk.folder))) as state:
        graph = Graph(Later(3600), state, Meter(), 1)
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            graph.pool = pool
            (found,) = graph.get(Contents(wanted=((str(desk.folder / "a"), "md5", md5(LARGE)),))).values()
        assert graph.meter.coverage() == Coverage(files_read=1, bytes_read=len(LARGE))
    assert found.digest == digest(LARGE)
    assert desk.one("a", md5(LARGE)).how is How.TRUSTED


def test_a_watch_stays_behind():
    watch = copy.copy(Watch(object(), print))
    watch.tick(5)
    watch.take([], [])
    assert not watch.taken


class Impatient:
    """A collector's context that was interrupted."""

    def cancelled(self) -> bool:
        return True


def test_a_large_file_is_left_when_interrupted(desk, monkeypatch):
    monkeypatch.setattr("audit.facts.content_batch._TELL_S", -1.0)
    desk.write("a", LARGE)
    task = Task(str(desk.folder / "a"), Wanted("md5"), len(LARGE))
    with pytest.raises(Cancelled):
        read_batch(Batch([task], Watch(Impatient(), print), 0))


def test_what_was_read_before_an_interruption_is_kept(desk, monkeypatch):
    """Batches are kept one by one."""
    monkeypatch.setattr(content, "BATCH_FILES", 1)
    recorded = {name: desk.write(name, name.encode()) for name in "abc"}
    kept = []
    monkeypatch.setattr(State, "remember", lambda _, folder, seen: kept.append((folder, list(seen))))
    desk.read(recorded)
    assert sorted(kept) == [(str(desk.folder), [name]) for name in "abc"]


def test_nothing_new_is_not_written_again(desk, monkeypatch):
    recorded = {"a": desk.write("a", b"alpha\n")}
    desk.read(recorded)
    monkeypatch.setattr(State, "remember", lambda *_: pytest.fail("nothing is new"))
    desk.read(recorded, deep=True)
