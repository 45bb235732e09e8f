"""Links are followed to where the system itself would follow them, and no further than allowed."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.facts.links import Lead, Links, typed
from audit.host import Host
from audit.records.door import EntryType

NAMES = st.sampled_from(["a", "b", "c", ".", ".."])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


def build(root, folders, links):
    for path in folders:
        (root / path).mkdir(parents=True, exist_ok=True)
    for path, text in links:
        place = root / path
        if not os.path.lexists(place) and place.parent.is_dir():
            place.symlink_to(text)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(PATHS, max_size=3),
    st.lists(st.tuples(PATHS.filter(lambda path: not path.endswith(".")), PATHS | PATHS.map("/".__add__)), max_size=4),
    st.lists(PATHS, min_size=1, max_size=4),
)
def test_a_folder_is_found_as_the_system_finds_it(folders, links, asked):
    with TemporaryDirectory() as above:
        root = Path(above).resolve() / "x/y/z/root"
        root.mkdir(parents=True)
        build(root, folders, links)
        known = Links(Host(), (str(root),))
        for path in asked:
            said = f"{root}/{path}"
            assert known._real(said) == os.path.realpath(said)


def test_what_lies_behind_a_linked_folder_leads_out(tmp_path):
    root = tmp_path.resolve() / "root"
    build(tmp_path.resolve(), ["root/own", "elsewhere"], [("root/out", "../elsewhere"), ("root/in", "own")])
    links = Links(Host(), (str(root),))
    assert {name: links.leads_out(f"{root}/{name}/x") for name in ("own", "in", "out", "nowhere")} == {
        "own": False,
        "in": False,
        "out": True,
        "nowhere": False,
    }
    assert not links.leads_out(f"{root}/out")


def test_a_link_is_followed_from_wherever_its_folder_is(tmp_path):
    base = tmp_path.resolve()
    build(base, ["root/own"], [("root/in", "own"), ("root/own/up", "../file"), ("root/own/out", "../../file")])
    (base / "root/file").write_text("x")
    (base / "file").write_text("x")
    links = Links(Host(), (f"{base}/root",))
    up, out = links.at(f"{base}/root/in/up"), links.at(f"{base}/root/in/out")
    assert (up.lead, up.path, up.kind) == (Lead.INSIDE, f"{base}/root/file", EntryType.FILE)
    assert (out.lead, out.path, out.entry) == (Lead.OUTSIDE, f"{base}/file", None)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/home/u/project/.dvc/cache", ".dvc/cache"),
        ("/home/u/storage", "../storage"),
        ("/mnt/storage", "/mnt/storage"),
        ("/home/u/project", "."),
    ],
)
def test_a_path_is_told_as_one_types_it(path, said):
    assert typed("/home/u/project", path) == said
