"""Checksum files, as the real tools write them and as GNU coreutils reads them."""

import hashlib
import os
import re
import subprocess

import pytest
from blake3 import blake3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.manifest.listing import Bad, Line, numbered, unsafe_reason
from audit.formats.manifest.sums import parse

NAMES = [
    b"plain.txt",
    b" leading",
    b"trailing ",
    b"new\nline",
    b"back\\slash",
    b"car\rriage",
    b"*star",
    b"(paren) = x",
    b"\xff",
    "é".encode(),
]
TOOLS = {"md5sum": "md5", "sha1sum": "sha1", "sha256sum": "sha256", "sha512sum": "sha512"}
MD5, SHA256 = "9dd4e461268c8034f5c8564e155c67a6", hashlib.sha256(b"x").hexdigest()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sums")
    for name in NAMES:
        (folder / os.fsdecode(name)).write_bytes(name)
    return folder


@pytest.mark.parametrize("options", [[], ["--binary"], ["--tag"], ["--zero"], ["--tag", "--zero"]])
@pytest.mark.parametrize("tool", TOOLS)
def test_what_coreutils_writes_is_read(folder, tool, options):
    written = subprocess.run([tool, *options, "--", *NAMES], cwd=folder, capture_output=True, check=True).stdout
    found = parse(written, f"{TOOLS[tool]}sums.txt")
    assert found.bad == ()
    assert [os.fsencode(line.path) for line in found.lines] == NAMES
    assert [line.hex for line in found.lines] == [hashlib.new(TOOLS[tool], name).hexdigest() for name in NAMES]
    assert {line.algorithm for line in found.lines} == {TOOLS[tool]}


@pytest.mark.parametrize("options", [[], ["-r"]])
def test_what_openssl_writes_is_read(folder, options):
    written = subprocess.run(
        ["openssl", "dgst", "-sha256", *options, "plain.txt"], cwd=folder, capture_output=True, check=True
    )
    (line,) = parse(written.stdout, "sha256.txt").lines
    assert line == Line(1, "plain.txt", "sha256", hashlib.sha256(b"plain.txt").hexdigest())


def test_what_b3sum_writes_is_read():
    hexed = blake3(b"x").hexdigest()
    data = f"{hexed}  a b\n\\{hexed}  a\\nb\\\\\n".encode()
    assert [(line.path, line.algorithm) for line in parse(data, "B3SUMS").lines] == [
        ("a b", "blake3"),
        ("a\nb\\", "blake3"),
    ]
    assert parse(f"BLAKE3 (a b) = {hexed}\n".encode(), "sums").lines == (Line(1, "a b", "blake3", hexed),)


# -- against sha256sum --check ------------------------------------------------------------------

HEX = st.sampled_from([SHA256, SHA256.upper(), SHA256[:-1], SHA256 + "0", MD5, "g" * 64, "0" * 64])
NAME = st.text(alphabet="abn*()= \\.é#\r", min_size=2, max_size=6)
PREFIX, END = st.sampled_from(["", " ", "\t", "\\", " \\"]), st.sampled_from(["", "\r"])
GAP, EQUALS = st.sampled_from(["  ", " *", " ", "\t", ""]), st.sampled_from([" = ", "=", "= ", " "])
LINE = st.one_of(
    st.builds("{}{}{}{}{}".format, PREFIX, HEX, GAP, NAME, END),
    st.builds("{}SHA256{}({}){}{}".format, PREFIX, st.sampled_from([" ", "", "  "]), NAME, EQUALS, HEX),
    st.builds("MD5 ({}) = {}".format, NAME, st.just(MD5)),
    st.sampled_from(["# comment", " # no comment", "text"]),
)


def improper(data):
    """The numbers of the lines that `sha256sum --check` calls improperly formatted."""
    run = subprocess.run(
        ["sha256sum", "--check", "--warn"],
        input=data,
        capture_output=True,
        check=False,
        env={"LC_ALL": "C", "PATH": os.environ["PATH"]},
    )
    return {int(number) for number in re.findall(rb": (\d+): improperly formatted", run.stderr)}


@given(st.lists(LINE, min_size=1, max_size=5))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_lines_that_sha256sum_refuses_are_named(tmp_path_factory, monkeypatch, lines):
    monkeypatch.chdir(tmp_path_factory.getbasetemp())
    data = "".join(f"{line}\n" for line in lines).encode()
    ours = {bad.number for bad in parse(data, "SHA256SUMS", "sha256").bad if bad.reason != "no name"}
    assert ours == improper(data)  # to coreutils "." is a name, which it then cannot read


# -- which algorithm ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "declared", "digits", "algorithm"),
    [
        ("sums", None, 32, "md5"), ("sums", None, 40, "sha1"), ("sums", None, 128, "sha512"),
        ("data/SHA256SUMS", None, 64, "sha256"), ("a.sha256", None, 64, "sha256"), ("sha-256.txt", None, 64, "sha256"),
        ("B3SUMS", None, 64, "blake3"), ("a.b3", None, 64, "blake3"), ("b3sums.txt", None, 64, "blake3"),
        ("sums", "blake3", 64, "blake3"), ("sums", "sha256", 64, "sha256"), ("MD5SUMS", "sha256", 64, "sha256"),
        ("md5-and-sha1.txt", None, 40, "sha1"), ("sha512sums", None, 128, "sha512"),
    ],
)  # fmt: skip
def test_the_algorithm_follows_from_what_is_said(name, declared, digits, algorithm):
    (line,) = parse(b"a" * digits + b"  f\n", name, declared).lines
    assert line.algorithm == algorithm


@pytest.mark.parametrize(
    ("name", "digits", "word"),
    [
        ("sums", 64, "sha256 or blake3"), ("md5/sums.txt", 64, "sha256 or blake3"),
        ("sha256-or-b3sum", 64, "sha256 or blake3"),
        ("b2sums", 128, "b2sum"),
        ("sha3-256.txt", 64, "sha3-256"), ("sha384sums", 96, "sha384"),
    ],
)  # fmt: skip
def test_what_is_not_said_must_be_declared(name, digits, word):
    with pytest.raises(FormatError, match=word) as caught:
        parse(b"a" * digits + b"  f\n", name)
    assert caught.value.where == name
    assert caught.value.hint


@pytest.mark.parametrize(
    ("row", "name", "reason"),
    [
        (f"{MD5}  f", "SHA256SUMS", "32 hex digits, where sha256 has 64"),
        (f"{SHA256}f", "SHA256SUMS", "neither"),
        (f"\\{SHA256}  a\\tb", "SHA256SUMS", "unknown escape"),
        (f"\\{SHA256}  a\\", "SHA256SUMS", "unknown escape"),
        (f"SHA384 (f) = {SHA256}", "SHA256SUMS", "SHA384 is not understood"),
        (f"SHA512 (f) = {SHA256}", "SHA256SUMS", "64 hex digits, where sha512 has 128"),
        (f"{SHA256}  ./", "SHA256SUMS", "no name"),
        ("-----BEGIN PGP SIGNED MESSAGE-----", "SHA256SUMS", "neither"),
    ],
)
def test_what_is_malformed_says_why(row, name, reason):
    (bad,) = parse(f"# first\n\n{row}\n".encode(), name).bad
    assert bad.number == 3
    assert reason in bad.reason


def test_a_number_of_digits_that_no_algorithm_has_is_malformed():
    assert parse(b"a" * 56 + b"  f\n", "sums").bad == (Bad(1, "no algorithm has 56 hex digits"),)


def test_a_tag_against_the_declaration_is_malformed():
    (bad,) = parse(f"MD5 (f) = {MD5}\n".encode(), "sums", "sha256").bad
    assert bad == Bad(1, "tagged MD5, where sha256 is declared")


def test_windows_line_ends_and_byte_order_mark():
    assert parse(f"\ufeff{SHA256} *a\r\n{SHA256} *b\r\n".encode(), "SHA256SUMS").lines[1].path == "b"
    with pytest.raises(FormatError, match="UTF-16"):
        parse("x".encode("utf-16"), "SHA256SUMS")


def test_names_from_find_lose_their_dots():
    data = f"{SHA256}  ./a//b/./c\n{SHA256}  ../x\n{SHA256}  /x\n".encode()
    assert [line.path for line in parse(data, "SHA256SUMS").lines] == ["a/b/c", "../x", "/x"]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x", "a/../../x", "a\0b", "", "C:/x", "c:x", "\\\\host\\x", "..\\x", "a\\..\\x"]
)
def test_unsafe_paths_are_told(path):
    assert unsafe_reason(path)


@pytest.mark.parametrize("path", ["a", "a/b", "..a", "a..", "a\\b", "ab:c", "\udcff", "a\nb"])
def test_odd_but_safe_paths_pass(path):
    assert not unsafe_reason(path)


@given(st.binary(max_size=300) | st.lists(LINE, max_size=4).map(lambda lines: "\n".join(lines).encode()))
def test_any_bytes_give_a_listing_or_a_format_error(data):
    try:
        found = parse(data, "SHA256SUMS")
    except FormatError:
        return
    assert all(len(line.hex) == 64 or line.algorithm != "sha256" for line in found.lines)


def test_empty_lines_are_counted():
    (line,) = parse(b"\n" * 1000 + f"{MD5}  a\n\n".encode(), "md5").lines
    assert line.number == 1001


@given(st.text("a \n\r", max_size=12), st.text("a \n\r", max_size=12))
def test_rows_are_numbered_as_if_they_were_split(one, other):
    text = one + other
    assert list(numbered(text.encode())) == [(at, row) for at, row in enumerate(text.encode().split(b"\n"), 1) if row]
