"""Everything below a folder."""

import os

from support.engine import graph

from audit.facts.folder import everything
from audit.records.check import Request


class _Listing(Request[object]):
    """Lets the graph make a context."""

    root: str
    leave_out: frozenset[str] = frozenset()

    def collect(self, ctx):
        return everything(ctx, self.root, (self.root,), self.leave_out)


def test_every_name_is_found_and_links_are_judged(tmp_path):
    root = tmp_path.resolve() / "r"
    (root / "d/.git").mkdir(parents=True)
    for name in ("b.txt", "d/.hidden", "d/.git/HEAD"):
        (root / name).write_text("12")
    (tmp_path / "outside.txt").write_text("x")
    (root / "in").symlink_to("b.txt")
    (root / "out").symlink_to("../outside.txt")
    (root / "dead").symlink_to("nowhere")
    (root / "folder").symlink_to("d")
    os.mkfifo(root / "pipe")
    found = graph().get(_Listing(root=str(root)))
    assert {leaf.path: leaf.stamp and leaf.stamp.size for leaf in found.leaves} == {
        "b.txt": 2, "d/.git/HEAD": 2, "d/.hidden": 2, "dead": None, "folder": None, "in": 2, "out": None, "pipe": None,
    }  # fmt: skip
    assert [leaf.path for leaf in found.leaves] == sorted(leaf.path for leaf in found.leaves)
    assert found.blocked == ()
    assert len(graph().get(_Listing(root=str(root), leave_out=frozenset({".git"}))).leaves) == 7


def test_a_folder_that_cannot_be_listed_is_told(tmp_path):
    found = graph().get(_Listing(root=str(tmp_path / "none")))
    assert found.leaves == ()
    assert [blocked.path for blocked in found.blocked] == [""]
