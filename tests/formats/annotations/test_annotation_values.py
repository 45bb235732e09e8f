"""What annotation files share: packed ones, and rows."""

import gzip
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.annotations.values import csv_rows, unpacked


def test_a_packed_file():
    assert unpacked(gzip.compress(b"x" * 1000), "a.gz", 1000) == b"x" * 1000


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (gzip.compress(b"x" * 1001, mtime=0), "a.gz: more than 1,000 bytes"),
        (gzip.compress(b"\0" * 10**8, mtime=0), "a.gz: more than 1,000 bytes"),
        (gzip.compress(b"x" * 100, mtime=0)[:-5], "a.gz: not one whole gzip file"),
        (gzip.compress(b"x", mtime=0) * 2, "a.gz: not one whole gzip file"),
        (b"", "a.gz: not one whole gzip file"),
        (zlib.compress(b"x"), "a.gz: broken gzip"),
    ],
)
def test_what_is_larger_or_broken_is_refused(data, told):
    with pytest.raises(FormatError) as caught:
        unpacked(data, "a.gz", 1000)
    assert str(caught.value).startswith(told)


@given(st.binary(max_size=100), st.integers(0, 30), st.integers(0, 255))
def test_a_packed_file_with_another_byte(content, at, byte):
    data = bytearray(gzip.compress(content))
    data[at % len(data)] = byte
    with suppress(FormatError):
        assert unpacked(bytes(data), "a.gz", 1000) == content


def test_quotes_are_letters_where_tabs_part_the_values():
    assert list(csv_rows(b'a\t"b\n', "t", 100, "\t")) == [(1, ["a", '"b'])]
