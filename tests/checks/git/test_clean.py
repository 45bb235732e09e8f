"""`git.clean` on real repositories: what differs is named, what does not is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.git_projects import GitProject
from support.judge import judge

from audit.checks.git.clean import Clean, Untracked
from audit.host import Host

FILES = {"a.py": "a\n", "src/b.py": "b\n", "data/c.bin": b"\0\1"}


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    return GitProject.make(tmp_path / "project", FILES)


def kinds(project: GitProject, **parameters) -> dict[str, set[str]]:
    return judge(Clean(**parameters), project.root).kinds


def test_a_committed_project_passes(project) -> None:
    judgement = judge(Clean(), project.root)
    assert judgement.violations == []
    assert judgement.figures["tracked_files"] == 3
    assert judgement.summary == "3 tracked files: as committed"


def test_a_changed_file_is_named_with_what_it_was_and_is(project) -> None:
    project.write("src/b.py", "B\n")
    [violation] = judge(Clean(), project.root).violations
    assert (violation.subject, violation.kind) == ("src/b.py", "changed")
    assert violation.expected == f"100644 {project.git('rev-parse', 'HEAD:src/b.py')}"
    assert violation.found == project.git("hash-object", "src/b.py")
    assert violation.repair == "git add -- src/b.py && git commit -m 'Record what changed' -- src/b.py"


def test_a_change_that_keeps_size_and_mtime_is_found(project) -> None:
    path = project.root / "a.py"
    before = path.stat()
    path.write_text("z\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert kinds(project) == {"a.py": {"changed"}}


def test_a_touched_file_is_not_changed(project) -> None:
    os.utime(project.root / "a.py", (1, 1))
    assert kinds(project) == {}


def test_a_missing_file_is_named(project) -> None:
    (project.root / "a.py").unlink()
    [violation] = judge(Clean(), project.root).violations
    assert (violation.subject, violation.kind, violation.found) == ("a.py", "missing", "nothing")
    assert violation.repair == "git restore -- a.py"


def test_the_right_to_execute_counts_unless_the_repository_says_that_it_cannot_be_kept(project) -> None:
    (project.root / "a.py").chmod(0o755)
    assert kinds(project) == {"a.py": {"mode"}}
    project.git("config", "core.fileMode", "false")
    assert kinds(project) == {}


@pytest.mark.parametrize("make", [lambda path: path.symlink_to("src/b.py"), lambda path: path.mkdir(), os.mkfifo])
def test_another_type_is_named_and_not_opened(project, make) -> None:
    (project.root / "a.py").unlink()
    make(project.root / "a.py")
    assert kinds(project) == {"a.py": {"type"}}


def test_a_link_is_compared_by_its_text(project) -> None:
    link = project.root / "link"
    link.symlink_to("a.py")
    project.commit()
    assert kinds(project) == {}
    link.unlink()
    link.symlink_to("src/b.py")
    assert kinds(project) == {"link": {"changed"}}


def test_a_file_where_the_filesystem_has_no_links_is_compared_as_git_writes_it(project) -> None:
    (project.root / "link").symlink_to("a.py")
    project.commit()
    (project.root / "link").unlink()
    project.write("link", "a.py")
    assert kinds(project) == {"link": {"type"}}
    project.git("config", "core.symlinks", "false")
    assert kinds(project) == {}


def test_files_behind_a_link_that_replaced_their_folder_are_not_there(project, tmp_path) -> None:
    (project.root / "src").rename(tmp_path / "elsewhere")
    (project.root / "src").symlink_to(tmp_path / "elsewhere")
    assert kinds(project) == {"src/b.py": {"missing"}}


def test_what_is_staged_is_not_committed(project) -> None:
    project.write("a.py", "staged\n")
    project.write("new.py", "")
    project.git("add", "a.py", "new.py")
    project.git("rm", "--quiet", "src/b.py")
    judgement = judge(Clean(), project.root)
    assert judgement.kinds == {"a.py": {"staged"}, "new.py": {"staged"}, "src/b.py": {"staged"}}
    found = {violation.subject: (violation.expected, violation.found) for violation in judgement.violations}
    assert found["new.py"][0] == "nothing"
    assert found["src/b.py"][1] == "nothing"


def test_a_merge_that_is_not_concluded_is_named(project) -> None:
    project.git("checkout", "--quiet", "-b", "other")
    project.write("a.py", "theirs\n")
    project.commit()
    project.git("checkout", "--quiet", "main")
    project.write("a.py", "ours\n")
    project.commit()
    with pytest.raises(Exception, match="merge"):
        project.git("merge", "other")
    assert kinds(project) == {"a.py": {"unmerged"}}


@pytest.mark.parametrize("flag", ["assume-unchanged", "skip-worktree"])
def test_a_change_behind_a_hiding_bit_is_named_with_the_bit(project, flag) -> None:
    project.git("update-index", f"--{flag}", "a.py")
    assert kinds(project) == {}
    project.write("a.py", "hidden\n")
    assert project.git("status", "--porcelain") == ""
    judgement = judge(Clean(), project.root)
    [violation] = judgement.violations
    assert (violation.subject, violation.kind) == ("a.py", "hidden")
    assert flag in violation.message
    assert violation.repair == f"git update-index --no-{flag} -- a.py"
    assert judgement.figures["hidden_by_flag"] == 1


def test_a_missing_file_behind_assume_unchanged_is_missing(project) -> None:
    project.git("update-index", "--assume-unchanged", "a.py")
    (project.root / "a.py").unlink()
    assert kinds(project) == {"a.py": {"missing"}}


@pytest.mark.parametrize("index", ["--sparse-index", "--no-sparse-index"])
def test_what_a_sparse_checkout_leaves_out_is_counted_and_nothing_more(project, index) -> None:
    project.git("sparse-checkout", "set", "--cone", index, "src")
    assert not (project.root / "data").exists()
    judgement = judge(Clean(), project.root)
    assert judgement.violations == []
    assert judgement.figures["left_out_by_sparse_checkout"] == 1


def test_untracked_code_counts_and_ignored_files_never_do(project) -> None:
    project.write(".gitignore", "ignored.py\n")
    project.commit()
    for name in ("ignored.py", "new.py", "deep/er/conf.yaml", "notes.md", "requirements-dev.txt", "x.csv.dvc"):
        project.write(name, "")
    code = {name: {"untracked"} for name in ("new.py", "deep/er/conf.yaml", "requirements-dev.txt", "x.csv.dvc")}
    assert kinds(project) == code
    assert kinds(project, untracked=Untracked.ALL) == code | {"notes.md": {"untracked"}}
    assert kinds(project, untracked=Untracked.NONE) == {}
    assert judge(Clean(), project.root).figures["untracked_files"] == 5


def test_a_repository_inside_that_is_no_submodule_is_named_as_a_whole(project) -> None:
    GitProject.make(project.root / "vendor/lib", {"x.py": ""})
    [violation] = judge(Clean(), project.root).violations
    assert (violation.subject, violation.kind) == ("vendor/lib", "untracked")
    assert "repository of its own" in violation.message


def test_only_the_paths_asked_for_count(project) -> None:
    for name in ("a.py", "src/b.py", "data/c.bin"):
        project.write(name, "changed\n")
    assert set(kinds(project, paths=("src/",))) == {"src/b.py"}
    assert set(kinds(project, paths=("*.py",))) == {"a.py", "src/b.py"}


def test_a_project_in_a_folder_of_its_repository_looks_at_that_folder_or_at_all(project) -> None:
    project.write("a.py", "changed\n")
    project.write("src/b.py", "changed\n")
    project.write("new.py", "")
    inner = GitProject(project.root / "src", project.repo)
    assert kinds(inner) == {"b.py": {"changed"}}
    whole = {"../a.py": {"changed"}, "b.py": {"changed"}, "../new.py": {"untracked"}}
    assert kinds(inner, whole_repository=True) == whole


def test_a_repository_without_a_commit_is_not_clean(tmp_path) -> None:
    project = GitProject.make(tmp_path / "empty")
    project.write("a.py", "")
    project.git("add", "a.py")
    assert kinds(project) == {".": {"no-commit"}}


def test_a_second_worktree_is_looked_at_by_itself(project, tmp_path) -> None:
    project.git("worktree", "add", "--quiet", str(tmp_path / "second"))
    project.write("a.py", "changed\n")
    second = GitProject(tmp_path / "second", project.repo)
    assert kinds(second) == {}
    second.write("src/b.py", "changed\n")
    assert kinds(second) == {"src/b.py": {"changed"}}


NAMES = [
    "two\nlines.py",
    'quo"te\\.py',
    "cr\r",
    "-option.py",
    "ünï.py",
    os.fsdecode(b"\xff\xfe.py"),
    " blank ",
    ":(top)x.py",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_taken_as_it_is(project, name) -> None:
    project.write(name, "1")
    project.commit()
    os.utime(project.root / name, (1, 1))
    assert kinds(project) == {}
    project.write(name, "2")
    assert kinds(project) == {name: {"changed"}}


def test_a_file_that_vanishes_while_it_is_read_is_said_to_be_unread(project) -> None:
    class Vanishing(Host):
        def look(self, path):
            found = super().look(path)
            if path.endswith("a.py"):
                Path(path).unlink()
            return found

    project.write("src/b.py", "changed\n")
    os.utime(project.root / "a.py", (1, 1))
    judgement = judge(Clean(), project.root, host=Vanishing())
    assert judgement.kinds == {"a.py": {"unreadable"}, "src/b.py": {"changed"}}
    assert [violation.unseen for violation in judgement.violations] == [True, False]
