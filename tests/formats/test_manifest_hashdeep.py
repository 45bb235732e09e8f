"""Files of hashdeep."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.manifest.hashdeep import is_hashdeep, parse
from audit.formats.manifest.listing import Bad, Line

MD5, SHA1, SHA256 = "9dd4e461268c8034f5c8564e155c67a6", "1" * 40, hashlib.sha256(b"x").hexdigest()
HEADER = "%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n## Invoked from: /data\n## $ hashdeep -r -l .\n##\n"


def test_the_strongest_digest_of_a_line_is_taken():
    data = f"{HEADER}1,{MD5},{SHA256},./a, b.txt\n".encode()
    assert is_hashdeep(data)
    assert parse(data, "f").lines == (Line(6, "a, b.txt", "sha256", SHA256, 1),)


def test_columns_may_be_others_and_change():
    first = f"%%%% size,md5,sha1,tiger,filename\r\n4361285557,{MD5},{SHA1},{'0' * 48},a\r\n"
    data = f"%%%% HASHDEEP-1.0\r\n{first}%%%% size,md5,filename\r\n2,{MD5},b\r\n"
    assert parse(data.encode(), "f").lines == (Line(3, "a", "sha1", SHA1, 4361285557), Line(5, "b", "md5", MD5, 2))


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1,2", "2 values, where the header names 4"),
        (f"x,{MD5},{SHA256},a", "not 'size"),
        (f"1,{MD5},zz,a", "not 'size"),
        (f"1,{MD5},{SHA256},", "not 'size"),
        (f"1,{SHA256},{MD5},a", "32 hex digits, where sha256 has 64"),
        (f"-1,{MD5},{SHA256},a", "not 'size"),
    ],
)
def test_what_is_malformed_says_why(row, reason):
    (bad,) = parse(f"{HEADER}{row}\n".encode(), "f").bad
    assert bad.number == 6
    assert reason in bad.reason


def test_a_line_before_any_columns_is_malformed():
    assert parse(b"%%%% HASHDEEP-1.0\n1,a\n", "f").bad == (Bad(2, "before the columns are named"),)


@pytest.mark.parametrize(
    "header", ["%%%% HASHDEEP-2.0", "%%%% HASHDEEP-1.0\n%%%% size,filename", "%%%% HASHDEEP-1.0\n%%%% md5,filename"]
)
def test_headers_that_say_something_else_are_refused(header):
    with pytest.raises(FormatError) as caught:
        parse(f"{header}\n".encode(), "f")
    assert caught.value.where == f"f:{header.count(chr(10)) + 1}"


@given(st.binary(max_size=200).map(HEADER.encode().__add__) | st.binary(max_size=100))
def test_any_bytes_give_a_listing_or_a_format_error(data):
    try:
        found = parse(data, "f")
    except FormatError:
        return
    assert all(len(line.hex) == 64 for line in found.lines)
