"""The files of a tracked folder are those that DVC itself lists."""

from __future__ import annotations

import pytest
from support import dvc_projects as projects

from audit.errors import CannotLook
from audit.facts.dvc_tree import rules_of, tree
from audit.formats.dvc import listing
from audit.host import Host


def test_a_folder_is_listed_as_dvc_lists_it(tmp_path):
    root = projects.make(tmp_path / "p")
    projects.write(
        root,
        {
            "common": "*.tmp\n/data/left\n",
            "data/a": "1",
            "data/b.tmp": "2",
            "data/left/c": "3",
            "data/.hidden": "4",
            "data/.git/config": "5",
            "data/.dvcx/d": "6",
            "data/nested/.dvc/config": "",
            "data/nested/e": "7",
            "data/deep/er/f": "8",
            "elsewhere/g": "9",
        },
    )
    (root / "data" / "link").symlink_to("a")
    (root / "data" / "folder-link").symlink_to("../elsewhere")
    (root / ".dvcignore").unlink()
    (root / ".dvcignore").symlink_to("common")
    projects.add(root, "data")
    with projects.repo(root) as repo:
        (out,) = repo.index.outs
        (objects,) = [projects.object_path(root, out.hash_info.value)]
    listed = {line.path for line in listing.parse(objects.read_bytes(), "listing").lines}
    found = tree(Host(), str(root), str(root / "data"), rules_of(Host(), str(root), str(root / "data")))
    assert set(found.entries) - {"folder-link"} == listed == {"a", ".hidden", ".dvcx/d", "deep/er/f", "link"}
    assert found.blocked == ()


def test_an_ignore_file_out_of_the_repository_is_not_read(tmp_path):
    root = projects.make(tmp_path / "p")
    projects.write(root, {"data/a": "1"})
    (tmp_path / "outside").write_text("*\n")
    (root / ".dvcignore").unlink()
    (root / ".dvcignore").symlink_to(tmp_path / "outside")
    with pytest.raises(CannotLook, match="out of the repository"):
        rules_of(Host(), str(root), str(root / "data"))
