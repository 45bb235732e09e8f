from __future__ import annotations

import os
from pathlib import Path

import pytest

from audit.host import Host
from audit.proposal import tree


def write(root: Path, *names: str, content: str = "x") -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)


def test_what_is_no_data_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, "a.csv", ".hidden/b.csv", "node_modules/c.csv", "reports/d.csv", "py/pyvenv.cfg", "py/lib/e.csv")
    write(tmp_path, "conda/conda-meta/f.json", "conda/f.csv")
    assert tree.look(Host(), str(tmp_path)).files == ("a.csv",)


def test_data_that_dvc_tracks_counts_though_it_is_absent(tmp_path: Path) -> None:
    write(tmp_path, "data/train.csv.dvc", "data/val.csv", "data/val.csv.dvc")
    seen = tree.look(Host(), str(tmp_path))
    assert seen.files == ("data/train.csv", "data/val.csv")
    assert seen.dvc


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "other", "a.csv")
    root = tmp_path / "project"
    root.mkdir()
    (root / "away").symlink_to(tmp_path / "other")
    (root / "loop").symlink_to(root)
    (root / "b.csv").symlink_to(tmp_path / "other" / "a.csv")
    assert tree.look(Host(), str(root)).files == ()


@pytest.mark.parametrize("name", ["SHA256SUMS", "md5sums.txt", "x/checksums.sha1", "weights.b3sum", "a.sha512sums"])
def test_lists_of_digests_are_found(tmp_path: Path, name: str) -> None:
    write(tmp_path, name)
    assert tree.look(Host(), str(tmp_path)).manifests == (name,)


def test_a_bag_is_found_once(tmp_path: Path) -> None:
    write(tmp_path, "bag/bagit.txt", "bag/manifest-sha256.txt", "bag/SHA256SUMS", "bag/data/SHA256SUMS")
    assert tree.look(Host(), str(tmp_path)).manifests == ("bag", "bag/data/SHA256SUMS")
    write(tmp_path, "bagit.txt")
    assert "." in tree.look(Host(), str(tmp_path)).manifests


def test_what_keeps_records_is_found(tmp_path: Path) -> None:
    assert tree.look(Host(), str(tmp_path))[2:5] == (False, False, False)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".dvc").mkdir()
    write(tmp_path, ".gitattributes", content="*.bin filter=lfs diff=lfs merge=lfs -text\n")
    assert tree.look(Host(), str(tmp_path))[2:5] == (True, True, True)


def test_a_large_project_is_judged_by_what_is_near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MOST_FILES", 3)
    write(tmp_path, "1.csv", "2.csv", "deep/3.csv", "deep/deeper/4.csv")
    seen = tree.look(Host(), str(tmp_path))
    assert (seen.files, seen.cut) == (("1.csv", "2.csv", "deep/3.csv"), True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "a.csv", "closed/b.csv")
    (tmp_path / "closed").chmod(0)
    try:
        assert tree.look(Host(), str(tmp_path)).files == ("a.csv",)
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_a_fifo_for_attributes_hangs_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".gitattributes")
    assert not tree.look(Host(), str(tmp_path)).lfs
