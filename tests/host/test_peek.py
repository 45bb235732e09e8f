"""A piece of a file, and how large it is: for headers, which are read by the ten thousand."""

import os

import pytest

from audit.errors import CannotLook
from audit.host import Host


@pytest.mark.parametrize(("size", "offset", "data"), [(3, 0, b"abc"), (3, 2, b"cde"), (9, 3, b"de"), (4, 5, b"")])
def test_a_piece_and_the_size_of_the_whole(tmp_path, size, offset, data):
    (tmp_path / "f").write_bytes(b"abcde")
    assert Host().peek(str(tmp_path / "f"), size, offset) == (data, 5)


def test_what_lies_beyond_four_gigabytes_is_reached(tmp_path):
    with (tmp_path / "f").open("wb") as file:
        file.seek(5 << 30)
        file.write(b"end")
    assert Host().peek(str(tmp_path / "f"), 16, 5 << 30) == (b"end", (5 << 30) + 3)


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "f").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("f")
    with pytest.raises(CannotLook, match="cannot be read"):
        Host().peek(str(tmp_path / "link"), 3)


def test_a_fifo_hangs_nobody(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(CannotLook, match="not a regular file"):
        Host().peek(str(tmp_path / "fifo"), 3)


@pytest.mark.parametrize("name", ["absent", "a\0b"])
def test_what_cannot_be_opened_says_why(tmp_path, name):
    with pytest.raises(CannotLook, match=r"cannot be read|is no path"):
        Host().peek(f"{tmp_path}/{name}", 3)
