"""Listed paths: found along links that stay in the project, and never beyond them."""

import pytest

from audit.errors import CannotLook
from audit.facts.inside import Inside
from audit.facts.links import Lead
from audit.host import Host
from audit.records.door import EntryType


@pytest.fixture
def place(tmp_path):
    root, outside = tmp_path.resolve() / "p", tmp_path.resolve() / "outside"
    for folder in (root / "d/e", outside):
        folder.mkdir(parents=True)
        (folder / "f.txt").write_text("x")
    (root / "in").symlink_to("d")
    (root / "out").symlink_to(outside)
    (root / "dead").symlink_to("nowhere")
    (root / "loop").symlink_to("loop")
    (root / "up").symlink_to("..")
    (root / "d/file").symlink_to("e/f.txt")
    return root


@pytest.mark.parametrize(
    ("path", "lead", "real"),
    [
        ("d/e/f.txt", Lead.INSIDE, "d/e/f.txt"),
        ("in/e/f.txt", Lead.INSIDE, "d/e/f.txt"),
        ("in/file", Lead.INSIDE, "d/e/f.txt"),
        ("out/f.txt", Lead.OUTSIDE, None),
        ("out", Lead.OUTSIDE, None),
        ("up/outside/f.txt", Lead.OUTSIDE, None),
        ("dead", Lead.NOWHERE, None),
        ("dead/f.txt", Lead.NOWHERE, None),
        ("loop", Lead.NOWHERE, None),
        ("d/none/f.txt", Lead.NOWHERE, None),
        ("d/e/f.txt/below", Lead.NOWHERE, None),
        ("/".join("a" * 1500), Lead.NOWHERE, None),
    ],
)
def test_where_a_path_leads(place, path, lead, real):
    found = Inside(Host(), str(place)).find(path)
    assert found.lead is lead
    assert (found.entry and found.path) == (real and str(place / real))


def test_a_folder_and_the_root_itself(place):
    inside = Inside(Host(), str(place))
    assert inside.folder("").path == str(place)
    assert inside.folder("in/e").entry.type is EntryType.FOLDER
    assert inside.folder("in/e").path == str(place / "d/e")


def test_a_path_that_the_system_refuses_cannot_be_looked_at(place):
    with pytest.raises(CannotLook):
        Inside(Host(), str(place)).find("n" * 300)
