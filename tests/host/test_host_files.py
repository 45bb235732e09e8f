"""The door to files."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from audit.errors import CannotLook
from audit.host import Host
from audit.records.digests import Stamp
from audit.records.door import Entry, EntryType

HOST = Host()


def test_a_look_tells_type_stamp_and_right_to_execute(tmp_path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"123")
    file.chmod(0o700)
    seen = file.stat()
    entry = HOST.look(str(file))
    stamp = Stamp(seen.st_dev, seen.st_ino, 3, seen.st_mtime_ns, seen.st_ctime_ns)
    assert entry == Entry("f", EntryType.FILE, stamp, executable=True)
    assert HOST.look(str(tmp_path)).type is EntryType.FOLDER


def test_a_look_follows_no_link(tmp_path) -> None:
    (tmp_path / "link").symlink_to("/")
    assert HOST.look(f"{tmp_path}/link").type is EntryType.LINK
    assert HOST.target(f"{tmp_path}/link") == "/"


def test_nothing_there_is_an_answer(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    assert HOST.look(f"{tmp_path}/nothing") is None
    assert HOST.look(f"{tmp_path}/file/below") is None


def test_a_scan_is_sorted_and_keeps_names_that_are_no_text(tmp_path) -> None:
    names = [b"b", b"a", b"\xff\xfe", "ä".encode(), b"new\nline"]
    for name in names:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("")
    os.mkfifo(tmp_path / "fifo")
    entries = HOST.scan(str(tmp_path))
    assert [entry.name for entry in entries] == sorted([*map(os.fsdecode, names), "fifo"])
    assert {entry.name: entry.type for entry in entries}["fifo"] is EntryType.OTHER


def test_a_name_that_vanishes_during_a_scan_is_left_out(tmp_path, monkeypatch) -> None:
    for name in "abc":
        (tmp_path / name).write_text("")
    real = os.scandir

    class Vanishing:
        def __init__(self, folder):
            self.names = real(folder)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.names.close()

        def __iter__(self):
            for entry in self.names:
                (tmp_path / "b").unlink(missing_ok=True)
                yield entry

    monkeypatch.setattr(os, "scandir", Vanishing)
    assert [entry.name for entry in HOST.scan(str(tmp_path))] in (["a", "c"], ["a", "b", "c"])


def test_a_read_is_whole_and_bounded(tmp_path) -> None:
    (tmp_path / "f").write_bytes(b"x" * 3_000_000)
    assert HOST.read(f"{tmp_path}/f", 3_000_000) == b"x" * 3_000_000
    with pytest.raises(CannotLook, match="larger than 2999999 bytes"):
        HOST.read(f"{tmp_path}/f", 2_999_999)


def _link(path: Path) -> None:
    path.symlink_to(path.with_name("other"))
    path.with_name("other").write_text("secret")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, _link, _socket, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_regular_file_is_refused_and_hangs_nobody(tmp_path, make) -> None:
    make(tmp_path / "x")
    with pytest.raises(CannotLook) as caught:
        HOST.read(f"{tmp_path}/x", 100)
    assert caught.value.where == f"{tmp_path}/x"


@pytest.mark.parametrize("ask", [HOST.scan, HOST.target, lambda path: HOST.read(path, 9)])
def test_what_is_not_there_says_so_and_what_to_do(tmp_path, ask) -> None:
    with pytest.raises(CannotLook, match="cannot be read: no such file or directory") as caught:
        ask(f"{tmp_path}/nothing")
    assert caught.value.hint == "check that it exists"


@pytest.mark.parametrize("path", ["/no\0where", "/no/\ud800"])
@pytest.mark.parametrize("ask", [HOST.look, HOST.scan, HOST.resolve, lambda path: HOST.read(path, 9)])
def test_a_path_that_no_file_can_have_is_an_error_that_says_so(ask, path) -> None:
    with pytest.raises(CannotLook, match="is no path"):
        ask(path)


def test_resolve_follows_links_as_far_as_there_is_something(tmp_path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "loop").symlink_to("loop")
    assert HOST.resolve(f"{tmp_path}/link/not/there") == f"{tmp_path.resolve()}/real/not/there"
    assert HOST.resolve(f"{tmp_path}/loop").endswith("loop")
