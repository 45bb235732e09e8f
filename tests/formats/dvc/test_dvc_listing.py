"""Listings: what DVC writes is read back, and nothing that leads out of the folder is ever let through."""

from __future__ import annotations

import contextlib
import hashlib
import json
import posixpath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.dvc import listing
from audit.formats.dvc.listing import Line

MD5 = "6137cde4893c59f76f005a8123d8e8e6"

names = st.text(st.characters(codec="utf-8", exclude_characters="/\0\\:"), min_size=1, max_size=4).filter(
    lambda name: name not in {".", ".."}
)
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
hexes = st.binary(max_size=3).map(lambda data: hashlib.md5(data, usedforsecurity=False).hexdigest())


def dumped(lines: list[tuple[str, str]]) -> bytes:
    return json.dumps([{"relpath": path, "md5": md5} for path, md5 in lines]).encode()


@given(st.dictionaries(paths, hexes, max_size=8))
@example({"a b/\udcff": MD5})
def test_a_listing_of_dvc_is_read_and_digested_as_dvc_does(members):
    from dvc_data.hashfile.hash_info import HashInfo
    from dvc_data.hashfile.tree import Tree

    tree = Tree()
    for path, md5 in members.items():
        tree.add(tuple(path.split("/")), None, HashInfo("md5", md5))
    tree.digest()
    found = listing.parse(tree.as_bytes(), "listing")
    clash = {path for path in members if any(other.startswith(f"{path}/") for other in members)}
    assert {line.path: line.hex for line in found.lines} == {
        path: md5 for path, md5 in members.items() if path not in clash
    }
    assert {each.path for each in found.unsafe} == clash
    assert f"{listing.folder_md5(members)}.dir" == tree.hash_info.value


UNSAFE = ["/etc/passwd", "../x", "a/../../x", "..", "a/..", "", "a//b", "a/", ".", "a/./b", "C:x", "c:\\x", "a\\..\\b"]
UNSAFE += ["nul\0", "\ud800", "//host/share"]


@pytest.mark.parametrize("path", UNSAFE)
def test_a_path_that_leads_out_is_unsafe(path):
    found = listing.parse(dumped([(path, MD5), ("good", MD5)]), "listing")
    assert [each.path for each in found.unsafe] == [path]
    assert [line.path for line in found.lines] == ["good"]


@given(st.lists(st.text("a./\\:\0\udcff", max_size=5), max_size=5))
def test_the_quick_look_at_all_paths_lets_nothing_through_that_a_look_at_each_refuses(found):
    read = listing.parse(dumped([(path, MD5) for path in found]), "listing")
    assert read == listing.of(Line(path, MD5) for path in found)
    assert all(not listing.unsafe_reason(line.path) for line in read.lines)
    for line in read.lines:
        assert posixpath.normpath(posixpath.join("/root/folder", line.path)).startswith("/root/folder/")


def test_twice_and_twofold():
    found = listing.parse(dumped([("a", MD5), ("a", MD5), ("b", MD5), ("b/c", MD5)]), "listing")
    assert [(each.path, each.reason) for each in found.unsafe] == [
        ("a", "is listed twice"),
        ("b", "is listed as a file and as a folder"),
    ]
    assert [line.path for line in found.lines] == ["a", "b/c"]


def test_cloud_versioned_listings_have_more_keys():
    data = json.dumps([{"relpath": "a", "md5": MD5, "size": 3, "etag": "x", "version_id": "1"}]).encode()
    assert listing.parse(data, "listing").lines == (Line("a", MD5),)


WRONG = [b"", b"{}", b"[1]", b'[{"md5": 1, "relpath": "a"}]', b'[{"md5": "x", "relpath": "a"}]', b'[{"relpath": "a"}]']
WRONG += [b"[" * 100_000, b'[{"relpath": "\\ud800', b"\xff", dumped([("a", MD5.upper())]), dumped([("a", MD5 + "0")])]


@pytest.mark.parametrize("data", WRONG, ids=range(len(WRONG)))
def test_what_is_no_listing_is_refused(data):
    with pytest.raises(FormatError) as refused:
        listing.parse(data, "the-listing")
    assert refused.value.where == "the-listing"


@given(
    st.binary(max_size=60)
    | st.recursive(
        st.none() | st.text(max_size=3) | st.integers(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["md5", "relpath"]), inner),
    ).map(lambda value: json.dumps(value).encode())
)
def test_any_bytes_give_a_listing_or_a_format_error(data):
    with contextlib.suppress(FormatError):
        listing.parse(data, "listing")
