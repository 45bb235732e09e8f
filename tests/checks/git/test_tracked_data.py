"""`git.tracked-data` on real repositories."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import git
import pytest
from support.git_projects import GitProject
from support.judge import judge

from audit.checks.git.tracked_data import TrackedData
from audit.errors import CannotLook

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'ab' * 32}\nsize 123456789\n"


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    return GitProject.make(tmp_path / "project", {"a.py": "a\n", "data/x.bin": b"x" * 2000, "data/y.csv": "1\n"})


def kinds(project: GitProject, **parameters) -> dict[str, set[str]]:
    return judge(TrackedData(**parameters), project.root).kinds


def test_small_files_pass(project) -> None:
    judgement = judge(TrackedData(), project.root)
    assert judgement.violations == []
    assert judgement.figures == {"tracked_files": 3, "tracked_bytes": 2004, "largest_bytes": 2000}


def test_a_large_blob_is_named_with_its_size(project) -> None:
    [violation] = judge(TrackedData(max_bytes=1999), project.root).violations
    assert (violation.subject, violation.kind) == ("data/x.bin", "large")
    assert (violation.expected, violation.found) == (1999, 2000)
    assert violation.repair is None
    assert violation.message == ("Git keeps 2000 bytes of it; give it to DVC (`dvc add`) or Git LFS (`git lfs track`)")
    assert kinds(project, max_bytes=2000) == {}


def test_records_of_git_dvc_and_the_audit_are_no_data(project) -> None:
    for name in ("audit.lock", "audit.yaml", "reports/1/report.json", "x.bin.dvc", "sub/dvc.lock", ".gitattributes"):
        project.write(name, "# " + "x" * 3000)
    project.write("sub/reports/x.json", "x" * 3000)
    project.commit()
    assert set(kinds(project, max_bytes=2500, patterns=("*.lock", "*.dvc"))) == {"sub/reports/x.json"}


def paste(project: GitProject, line: str, path: str) -> int:
    """As a pasted line is run by bash."""
    env = os.environ | {"PATH": path, "DVC_NO_ANALYTICS": "1"}
    return subprocess.run(["bash", "-c", line], cwd=project.root, env=env, check=False, capture_output=True).returncode


PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


@pytest.fixture
def with_dvc(project) -> GitProject:
    pytest.importorskip("dvc")
    project.write("data/two words;.csv", "1\n")
    assert paste(project, "dvc init --quiet", PATH) == 0
    project.commit()
    return project


def test_in_a_dvc_project_one_command_gives_all_to_dvc(with_dvc) -> None:
    lines = {each.repair for each in judge(TrackedData(patterns=("data/*",)), with_dvc.root).violations}
    (line,) = lines
    assert paste(with_dvc, line, PATH) == 0
    assert kinds(with_dvc, patterns=("data/*",)) == {}
    assert (with_dvc.root / "data/two words;.csv.dvc").exists()


def test_where_dvc_fails_git_tracks_the_files_as_before(with_dvc) -> None:
    [violation] = judge(TrackedData(patterns=("data/x.bin",)), with_dvc.root).violations
    before = with_dvc.git("ls-files", "--stage")
    (with_dvc.root / ".dvc/config").write_text("[broken")
    assert paste(with_dvc, violation.repair, PATH) != 0
    assert with_dvc.git("ls-files", "--stage") == before


@pytest.mark.skipif(shutil.which("git-lfs") is None, reason="git-lfs is not installed")
def test_where_files_go_to_git_lfs_one_command_sends_them_there(project) -> None:
    project.git("lfs", "install", "--local")
    project.write(".gitattributes", "*.onnx filter=lfs -text\n")
    project.write("data/[1].csv", "2\n")
    project.commit()
    lines = {each.repair for each in judge(TrackedData(patterns=("data/*",)), project.root).violations}
    (line,) = lines
    assert paste(project, line, PATH) == 0
    assert kinds(project, patterns=("data/*",)) == {}


def test_what_is_staged_counts_before_it_is_committed_and_what_is_removed_no_more(project) -> None:
    project.write("new.bin", b"n" * 3000)
    project.git("add", "new.bin")
    project.git("rm", "--quiet", "--cached", "data/x.bin")
    assert kinds(project, max_bytes=1000) == {"new.bin": {"large"}}


def test_the_size_is_that_of_the_blob_and_not_of_the_file(project) -> None:
    project.write("a.py", b"grown" * 1000)
    assert kinds(project, max_bytes=2000) == {}


def test_files_that_patterns_call_data_are_named_whatever_their_size(project) -> None:
    assert kinds(project, patterns=("*.csv",)) == {"data/y.csv": {"data"}}
    assert kinds(project, patterns=("data/*",), allow=("*.csv",)) == {"data/x.bin": {"data"}}


def test_a_pointer_is_where_data_should_be_in_git(project) -> None:
    project.write("data/z.parquet", POINTER)
    project.write("data/w.parquet", POINTER.replace("size", "sice"))
    project.commit()
    assert kinds(project, patterns=("*.parquet",)) == {"data/w.parquet": {"data"}}


def test_links_and_submodules_are_no_blobs_of_data(project, tmp_path) -> None:
    (project.root / "data/link.csv").symlink_to("y.csv")
    project.submodule(GitProject.make(tmp_path / "inner", {"big.csv": ""}).root, "data/sub.csv")
    assert set(kinds(project, patterns=("*.csv",))) == {"data/y.csv"}


def test_only_the_project_counts_in_a_larger_repository(project) -> None:
    assert kinds(GitProject(project.root / "data", project.repo), patterns=("*",)) == {
        "x.bin": {"data"},
        "y.csv": {"data"},
    }


def test_a_blob_that_a_partial_clone_lacks_is_unseen_and_not_fetched(project, tmp_path) -> None:
    project.git("config", "uploadpack.allowFilter", "true")
    partial = GitProject.clone(project.root, tmp_path / "partial", "--filter=blob:none", "--no-checkout")
    partial.git("read-tree", "HEAD")
    if _git_version() < (2, 44):  # it ends where it may not fetch
        with pytest.raises(CannotLook, match="partial clone"):
            judge(TrackedData(), partial.root)
    else:
        judgement = judge(TrackedData(), partial.root)
        assert all((each.kind, each.unseen) == ("unknown", True) for each in judgement.violations)
        assert set(judgement.kinds) == {"a.py", "data/x.bin", "data/y.csv"}
    objects = partial.git("rev-list", "--objects", "--missing=print", "HEAD")
    assert f"?{project.git('rev-parse', 'HEAD:data/x.bin')}" in objects


def _git_version() -> tuple[int, ...]:
    return git.Git().version_info[:2]
