"""Hashers, held against hashlib, blake3 and, for its legacy MD5, against DVC itself."""

from __future__ import annotations

import hashlib
import io
import itertools

import pytest
from blake3 import blake3
from dvc_data.hashfile.hash import fobj_md5
from hypothesis import example, given, settings
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.hashing import ALGORITHMS, DOS2UNIX, DOS2UNIX_BLOCK, maker

PIECES = st.sampled_from(
    [b"\r\n", b"\r", b"\n", b"text ", b"\x00", b"\xff\xfe\xfd", b"\x7f", "für".encode(), b"\t\f\b"]
)


def fed(algorithm: str, data: bytes, *cuts: int) -> str:
    """The digest of the data fed in pieces that end at the cuts."""
    hasher = maker(algorithm)()
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    for start, end in itertools.pairwise(edges):
        hasher.update(memoryview(data)[start:end])
    return hasher.hexdigest()


def as_dvc(data: bytes) -> str:
    return fobj_md5(io.BytesIO(data), name=DOS2UNIX)


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256", "sha512"])
def test_named_as_hashlib_names_them(algorithm):
    assert fed(algorithm, b"alpha\n" * 1000, 7, 4000) == hashlib.new(algorithm, b"alpha\n" * 1000).hexdigest()


def test_blake3():
    data = bytes(range(256)) * 8192
    assert fed("blake3", data, 1, 1 << 20) == blake3(data).hexdigest()


def test_published_vectors():
    # RFC 1321 A.5; FIPS 180-4 examples; BLAKE3 test_vectors.json, input_len 0
    assert fed("md5", b"abc") == "900150983cd24fb0d6963f7d28e17f72"
    assert fed("sha1", b"abc") == "a9993e364706816aba3e25717850c26c9cd0d89d"
    assert fed("sha256", b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert fed("blake3", b"") == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"


def test_unknown_algorithm_names_those_that_are_known():
    with pytest.raises(FormatError, match="crc32") as told:
        maker("crc32")
    assert all(algorithm in told.value.hint for algorithm in ALGORITHMS)


def test_field_case_c03_legacy_and_plain_md5():
    assert fed(DOS2UNIX, b"foo\r\n") == "d3b07384d113edec49eaa6238ad5ff00"
    assert fed("md5", b"foo\r\n") == "2145971cf82058b108229a3a2e3bff35"


@given(st.lists(PIECES | st.binary(max_size=40), max_size=60).map(b"".join), st.lists(st.integers(0, 600)))
@example(b"\xff" * 3 + b"a" * 7 + b"\r\n", [])  # exactly 30 % of the first ten bytes
@example(b"a" * 511 + b"\r\n\x00", [512])  # the NUL lies behind what is looked at
def test_legacy_md5_of_small_files_is_dvcs(data, cuts):
    assert fed(DOS2UNIX, data, *cuts) == as_dvc(data)


@settings(max_examples=40, deadline=None)
@given(
    base=st.sampled_from([b"a", b"\r\n", b"\xff\x00", b"line\r\n"]),
    size=st.integers(-3, 3),
    blocks=st.integers(1, 2),
    patches=st.lists(st.tuples(st.integers(-520, 520), PIECES), max_size=4),
    cuts=st.lists(st.integers(0, 3 * DOS2UNIX_BLOCK), max_size=3),
)
@example(base=b"a", size=2, blocks=1, patches=[(-1, b"\r\n")], cuts=[])  # split by the border, so kept
@example(base=b"line\r\n", size=9, blocks=1, patches=[(0, b"\x00")], cuts=[])  # text here, binary there
def test_legacy_md5_around_the_borders_of_blocks_is_dvcs(base, size, blocks, patches, cuts):
    border = blocks * DOS2UNIX_BLOCK
    data = bytearray((base * (border // len(base) + 1))[: border + size])
    for place, piece in patches:
        data[border + place : border + place + len(piece)] = piece
    assert fed(DOS2UNIX, bytes(data), *cuts) == as_dvc(bytes(data))


@pytest.mark.parametrize("cut", [0, 1, DOS2UNIX_BLOCK - 1, DOS2UNIX_BLOCK, DOS2UNIX_BLOCK + 1])
def test_asking_early_changes_nothing(cut):
    data = b"word\r\n" * 200_000
    hasher = maker(DOS2UNIX)()
    hasher.update(data[:cut])
    assert hasher.hexdigest() == as_dvc(data[:cut])
    hasher.update(data[cut:])
    assert hasher.hexdigest() == as_dvc(data)
