"""Git LFS pointers: the grammar of the specification, and what is nearly one."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.formats.lfs import POINTER_LIMIT, Malformed, Pointer, pointer_size, read_pointer

OID = hashlib.sha256(b"content").hexdigest()
OTHER = hashlib.sha256(b"original").hexdigest()
VERSION = "version https://git-lfs.github.com/spec/v1\n"


def text(oid=OID, size="12345", version=VERSION, extensions=""):
    return f"{version}{extensions}oid sha256:{oid}\nsize {size}\n".encode()


def test_a_pointer_is_read():
    assert read_pointer(text()) == Pointer(OID, 12345)
    assert pointer_size(text()) == (True, 12345)


def test_sizes_beyond_32_bits_are_whole():
    assert read_pointer(text(size="4361285557")).size == 4361285557
    assert read_pointer(text(size=str(2**63 - 1))).size == 2**63 - 1


def test_extensions_keep_the_digest_of_the_original():
    extensions = f"ext-0-foo sha256:{OTHER}\next-1-bar sha256:{OID}\n"
    assert read_pointer(text(extensions=extensions)) == Pointer(OTHER, None)


@pytest.mark.parametrize(
    "data",
    [
        text(version="version https://hawser.github.com/spec/v1\n"),
        text(version="version http://git-media.io/v/2\n"),
        text().replace(b"\n", b"\r\n"),
        text().rstrip(),
        b"\n " + text() + b"\n\n",
    ],
)
def test_what_git_lfs_reads_but_would_not_write_is_not_canonical(data):
    assert read_pointer(data) == Pointer(OID, 12345, canonical=False)


CONFLICT = (
    VERSION
    + f"<<<<<<< HEAD\noid sha256:{OID}\nsize 48605698\n=======\noid sha256:{OTHER}\nsize 48605699\n>>>>>>> update\n"
)


@pytest.mark.parametrize(
    "data",
    [
        CONFLICT,  # field case C09, b
        CONFLICT.replace("\n", "\r\n"),
        f"<<<<<<< HEAD\n{text().decode()}=======\n{text(OTHER).decode()}>>>>>>> update\n",
        CONFLICT.replace("=======", f"||||||| base\noid sha256:{OTHER}\nsize 1\n======="),
    ],
)
def test_conflict_markers_are_named(data):
    assert read_pointer(data.encode()) == Malformed("conflict markers")
    assert pointer_size(data.encode()) == (True, None)


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (text(oid=OID.upper()), "oid"),
        (text(oid=OID[:-1]), "oid"),
        (text().replace(b"sha256:", b"md5:"), "oid"),
        (text(size="-1"), "size"),
        (text(size="012"), "size"),
        (text(size="1e3"), "size"),
        (text(size=str(2**63)), "size"),
        (text(size="9" * 700), "size"),
        (text(version="version https://git-lfs.github.com/spec/v9\n"), "unknown version"),
        (text() + b"more 1\n", "lines"),
        (text(extensions=f"ext-1-b sha256:{OID}\next-0-a sha256:{OID}\n"), "lines"),
        (text(extensions="extra 1\n"), "lines"),
        (VERSION.encode(), "lines"),
        (f"{VERSION}size 1\noid sha256:{OID}\n".encode(), "lines"),
        (text().replace(b"\nsize", b"\n\nsize"), "key value"),
        (text() + b"\xff\n", "UTF-8"),
        (b"\xef\xbb\xbf" + text(), "lines"),
    ],
)
def test_what_breaks_the_grammar_is_malformed_and_says_why(data, word):
    found = read_pointer(data)
    assert isinstance(found, Malformed)
    assert word in found.reason
    assert len(found.reason) < 200


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"data",
        b"version 1\n",
        b"<<<<<<< HEAD\nint a;\n=======\nint b;\n>>>>>>> x\n",
        text() + b" " * POINTER_LIMIT,
        b"\0" * 130,
    ],
)
def test_other_files_are_no_pointers(data):
    assert read_pointer(data) is None
    assert pointer_size(data) == (False, None)


@given(st.binary(max_size=300) | st.lists(st.sampled_from(text().splitlines(keepends=True)), max_size=6).map(b"".join))
def test_any_bytes_have_an_answer(data):
    found = read_pointer(data)
    if isinstance(found, Pointer) and found.canonical:
        assert data == text(found.oid, found.size)
