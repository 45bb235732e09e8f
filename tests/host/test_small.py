"""Small files: digested with one read, in a thread or by helpers, or left to be read at length."""

from __future__ import annotations

import functools
import hashlib
import io
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from audit.host import helpers, small
from audit.host.helpers import Helpers, available
from audit.host.reading import Reader
from audit.host.small import SMALL, digest

md5 = functools.partial(hashlib.md5, usedforsecurity=False)


def open_files():
    return len(list(Path("/proc/self/fd").iterdir()))


def told(path):
    return digest(str(path), md5)


@pytest.mark.parametrize("size", [0, 1, SMALL - 1])
def test_a_small_file_has_its_stamp_and_its_digest(tmp_path, size):
    data = os.urandom(size)
    (tmp_path / "f").write_bytes(data)
    seen = (tmp_path / "f").stat()
    stamp = (seen.st_dev, seen.st_ino, size, seen.st_mtime_ns, seen.st_ctime_ns)
    assert told(tmp_path / "f") == (*stamp, md5(data).hexdigest())


def test_a_larger_file_is_left(tmp_path):
    (tmp_path / "f").write_bytes(bytes(SMALL))
    assert told(tmp_path / "f") is None


def test_a_short_answer_is_left(tmp_path, monkeypatch):
    """Some filesystems in user space answer less than there is."""
    (tmp_path / "f").write_bytes(bytes(100))
    read = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, size: read(descriptor, min(size, 10)))
    assert told(tmp_path / "f") is None


@pytest.mark.parametrize("how", ["append", "cut", "touch"])
def test_a_file_that_changes_meanwhile_is_left(tmp_path, monkeypatch, how):
    path = tmp_path / "f"
    path.write_bytes(bytes(100))
    read = os.read

    def meddling(descriptor, size):
        data = read(descriptor, size)
        if how == "touch":
            os.utime(path, ns=(1, 1))
        else:
            os.truncate(path, 200 if how == "append" else 50)
        return data

    monkeypatch.setattr(os, "read", meddling)
    assert told(path) is None


def test_problems_are_told_in_the_words_of_every_reader(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("elsewhere")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        paths = [*map(str, tmp_path.iterdir()), str(tmp_path), "/dev/zero", "/proc/self/mem", str(tmp_path / "gone")]
        for path in [*paths, "nul\0", "surrogate\ud800", "n" * 300]:
            assert (digest(path, md5) or Reader().read(path, []).problem) == Reader().read(path, []).problem


def test_no_descriptor_is_left_open(tmp_path):
    before = open_files()
    told(tmp_path)
    told("/dev/zero")
    (tmp_path / "f").write_bytes(bytes(SMALL))
    told(tmp_path / "f")
    assert open_files() == before


def test_the_program_answers_request_by_request(tmp_path):
    names = ["a", os.fsdecode(b"\xff"), "gone"]
    for name in names[:2]:
        (tmp_path / name).write_bytes(name.encode("utf-8", "surrogateescape"))
    paths = [str(tmp_path / name) for name in names]
    requests = io.BytesIO()
    small.give(requests, ("md5", paths))
    small.give(requests, ("sha256", []))
    line = [sys.executable, "-I", "-S", "-B", small.__file__]
    said = io.BytesIO(subprocess.run(line, input=requests.getvalue(), capture_output=True, check=True).stdout)
    assert small.take(said) == [told(path) for path in paths]
    assert small.take(said) == []
    assert small.take(said) is None


def test_helpers_answer_whoever_asks(tmp_path):
    paths = [str(tmp_path / str(number)) for number in range(200)]
    for path in paths:
        Path(path).write_text(path)
    found = {}

    def ask(start):
        found[start] = crew.digest("md5", paths[start : start + 20])

    with Helpers(2) as crew:
        threads = [threading.Thread(target=ask, args=(start,)) for start in range(0, 200, 20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [answer for start in sorted(found) for answer in found[start]] == [told(path) for path in paths]


def test_what_a_dead_helper_would_have_read_is_left(tmp_path):
    (tmp_path / "f").write_bytes(b"")
    with Helpers(1) as crew:
        os.kill(crew._all[0].pid, signal.SIGKILL)
        for _ in range(2):
            assert crew.digest("md5", [str(tmp_path / "f")] * 3) == [None] * 3


def test_helpers_end_with_the_block():
    with Helpers(3) as crew:
        running = [helper.pid for helper in crew._all]
    for pid in running:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_without_a_python_to_run_there_are_none(monkeypatch):
    assert available()
    monkeypatch.setattr(helpers.sys, "executable", "")
    assert not available()
