"""Reading: every file is an answer, in bounded memory, and a file that moves meanwhile is found out."""

from __future__ import annotations

import functools
import hashlib
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from audit.host import reading
from audit.host.reading import BLOCK, Reader, Reading
from audit.records.digests import Stamp

md5 = functools.partial(hashlib.md5, usedforsecurity=False)


def digested(path, **options):
    slow, fast = hashlib.sha256(), md5()
    read = Reader(**options).read(str(path), [slow, fast])
    return read, slow.hexdigest(), fast.hexdigest()


def elsewhere(program):
    """What the program prints in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    line = [sys.executable, "-c", program]
    return subprocess.run(line, capture_output=True, text=True, check=True, env=environment).stdout


def open_files():
    return len(list(Path("/proc/self/fd").iterdir()))


def problem(path):
    return Reader().read(str(path), []).problem


@pytest.fixture
def hidden(tmp_path):
    """A file that nobody but the superuser may read, and a user who is not."""
    file = tmp_path / "hidden"
    file.write_bytes(b"secret")
    file.chmod(0)
    return file


@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("size", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK - 1])
def test_all_bytes_reach_all_consumers(tmp_path, monkeypatch, size, ahead):
    monkeypatch.setattr(reading, "LARGE", BLOCK)
    data = os.urandom(size)
    (tmp_path / "f").write_bytes(data)
    read, slow, fast = digested(tmp_path / "f", ahead=ahead)
    seen = (tmp_path / "f").stat()
    assert read == Reading(Stamp(seen.st_dev, seen.st_ino, size, seen.st_mtime_ns, seen.st_ctime_ns))
    assert (slow, fast) == (hashlib.sha256(data).hexdigest(), md5(data).hexdigest())


def test_one_reader_reads_many_files(tmp_path):
    reader = Reader()
    for number, size in enumerate([3 * BLOCK, 5, BLOCK + 5, 0]):
        (tmp_path / str(number)).write_bytes(bytes([number]) * size)
        hasher = md5()
        reader.read(str(tmp_path / str(number)), [hasher])
        assert hasher.hexdigest() == md5(bytes([number]) * size).hexdigest()


def test_every_piece_is_told(tmp_path):
    sizes = []
    for name, size in (("small", 100), ("large", 2 * BLOCK + 7)):
        (tmp_path / name).write_bytes(bytes(size))
        Reader(sizes.append).read(str(tmp_path / name), [])
    assert sizes == [100, 0, BLOCK, BLOCK, 7, 0]


@pytest.mark.parametrize("ahead", [False, True])
def test_what_the_listener_raises_ends_the_read(tmp_path, monkeypatch, ahead):
    monkeypatch.setattr(reading, "LARGE", BLOCK)
    (tmp_path / "f").write_bytes(bytes(5 * BLOCK))

    def tick(_size):
        raise RuntimeError("enough")

    before = open_files()
    with pytest.raises(RuntimeError, match="enough"):
        Reader(tick, ahead=ahead).read(str(tmp_path / "f"), [md5()])
    assert open_files() == before


def test_fifo_socket_device_folder_and_link_are_named_and_none_hangs(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("elsewhere")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        assert problem(tmp_path / "fifo") == "is a fifo, not a regular file"
        assert problem(tmp_path / "socket") == "is a socket, not a regular file"
        assert problem("/dev/zero") == "is a device, not a regular file"
        assert problem(tmp_path) == "is a folder, not a regular file"
        assert problem(tmp_path / "link") == "is a symbolic link, not a regular file"


def test_what_is_not_there_and_what_no_file_can_be_called(tmp_path):
    assert problem(tmp_path / "nothing") == "vanished before it was read"
    (tmp_path / "file").write_bytes(b"")
    assert problem(tmp_path / "file" / "below") == "vanished before it was read"
    assert problem("nul\0byte") == "has a name that no file can have"
    assert problem("surrogate\ud800") == "has a name that no file can have"
    assert problem("n" * 300) == "cannot be read: file name too long"


def test_a_read_that_fails_midway_says_why():
    assert problem("/proc/self/mem") in {"cannot be read: input/output error", "cannot be read: bad address"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can become nobody")
def test_no_permission_as_another_user(hidden):
    hidden.parent.chmod(0o755)
    program = f"""if True:
        import os
        from audit.host.reading import Reader
        os.chdir({str(hidden.parent)!r})
        os.setuid(65534)
        print(Reader().read("hidden", []).problem)
    """
    assert elsewhere(program) == "cannot be read: permission denied\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to the superuser")
def test_no_permission(hidden):
    assert problem(hidden) == "cannot be read: permission denied"


class Meddler:
    """Does something to a file while it is being read."""

    def __init__(self, meddle):
        self.meddle, self.meddled = meddle, False

    def update(self, _data):
        if not self.meddled:
            self.meddled = True
            self.meddle()


@pytest.mark.parametrize("size", [100, 3 * BLOCK])
@pytest.mark.parametrize("how", ["append", "cut", "overwrite", "touch", "replace-in-place"])
def test_a_file_that_changes_meanwhile_is_found_out(tmp_path, size, how):
    file = tmp_path / "f"
    file.write_bytes(bytes(size))

    def meddle():
        if how == "touch":
            os.utime(file, ns=(1, 1))
            return
        with file.open("r+b") as stream:
            if how == "append":
                stream.seek(0, os.SEEK_END)
                stream.write(b"more")
            elif how == "cut":
                stream.truncate(size - 1)
            else:
                stream.write(b"other")
        os.utime(file, ns=(2, 2))

    assert Reader().read(str(file), [Meddler(meddle)]).problem == "changed while it was being read"


def test_a_file_whose_name_goes_to_another_meanwhile_was_read_whole(tmp_path):
    """What was opened was read to its end; its ctime has moved, as it has one name less."""
    (tmp_path / "f").write_bytes(bytes(100))
    (tmp_path / "new").write_bytes(b"other")
    with (tmp_path / "f").open("rb"):
        read = Reader().read(str(tmp_path / "f"), [Meddler(lambda: (tmp_path / "new").replace(tmp_path / "f"))])
    assert read.problem == "changed while it was being read"


def test_a_file_without_end_is_left(tmp_path):
    """A writer that is always ahead of the reader: it has to stop where the file said that it ends."""
    file = tmp_path / "f"
    file.write_bytes(bytes(2 * BLOCK))

    class Appending:
        def update(self, data):
            with file.open("ab") as stream:
                stream.write(data)

    assert Reader().read(str(file), [Appending()]).problem == "changed while it was being read"
    assert file.stat().st_size < 8 * BLOCK


def test_a_size_of_nothing_that_has_content_is_not_believed():
    assert problem("/proc/self/status") == "changed while it was being read"


def test_a_sparse_file_in_bounded_memory(tmp_path):
    """Holes are read as the zeros that they stand for, in a few blocks of memory."""
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(500_000_000)
    program = f"""if True:
        from pathlib import Path
        from audit.host.reading import Reader
        sizes = []
        read = Reader(sizes.append, ahead=True).read({str(tmp_path / "sparse")!r}, [])
        peak = Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]
        print(sum(sizes), read.problem, peak)
    """
    count, memory_kib = elsewhere(program).split()  # not `ru_maxrss`, which begins with that of the parent
    assert int(count) == 500_000_000
    assert int(memory_kib) < 64 * 1024
