"""What `git.clean` suggests, done literally as a person pastes it: it mends, and touches nothing else."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest
from support.git_projects import GitProject
from support.judge import judge

from audit.checks.git.clean import Clean, Untracked

FILES = {"a.py": "a\n", "src/b.py": "b\n"}
HOSTILE = [
    "two\nlines.py",
    "-rf.py",
    ":(top)x.py",
    "$(touch pwned).py",
    "it's; touch pwned.py",
    "*.py",
    os.fsdecode(b"\xff.py"),
]


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    return GitProject.make(tmp_path / "project", FILES)


def repairs(project: GitProject, **parameters) -> list[str]:
    """The distinct repairs, in their order."""
    found = judge(Clean(**parameters), project.root).violations
    return list(dict.fromkeys(each.repair for each in found if each.repair))


def paste(project: GitProject, line: str) -> None:
    """Without an editor, as a pasted line is run by bash."""
    env = os.environ | {"GIT_EDITOR": "false"}
    subprocess.run(["bash", "-c", line], cwd=project.root, env=env, check=True, capture_output=True)


def test_one_command_records_all_that_changed_and_leaves_alone_what_else_is_staged(project) -> None:
    project.write("notes.md", "staged by hand\n")
    project.git("add", "notes.md")
    (project.root / "a.py").chmod(0o755)
    for name in ("src/b.py", "new.py"):
        project.write(name, "changed\n")
    (line,) = repairs(project, paths=("*.py",))
    assert line == "git add -- a.py new.py src/b.py && git commit -m 'Record what changed' -- a.py new.py src/b.py"
    paste(project, line)
    assert judge(Clean(paths=("*.py",)), project.root).violations == []
    assert project.git("diff", "--cached", "--name-only") == "notes.md"


def test_hostile_names_are_recorded_and_run_nothing(project) -> None:
    for name in HOSTILE:
        project.write(name, "1\n")
    (line,) = repairs(project, untracked=Untracked.ALL)
    paste(project, line)
    assert judge(Clean(untracked=Untracked.ALL), project.root).violations == []
    assert not (project.root / "pwned").exists()


def test_what_is_staged_and_what_is_new_before_the_first_commit_are_recorded(tmp_path) -> None:
    project = GitProject.make(tmp_path / "new")
    project.write("a.py", "a\n")
    (line,) = repairs(project)
    paste(project, line)
    assert judge(Clean(), project.root).violations == []


def test_missing_files_come_back_by_one_command(project) -> None:
    for name in FILES:
        (project.root / name).unlink()
    (line,) = repairs(project)
    assert line == "git restore -- a.py src/b.py"
    paste(project, line)
    assert judge(Clean(), project.root).violations == []


def test_a_new_file_that_was_staged_and_lost_does_not_spoil_the_command_for_the_others(project) -> None:
    project.write("lost.py", "1\n")
    project.git("add", "lost.py")
    (project.root / "lost.py").unlink()
    project.write("a.py", "changed\n")
    for _ in range(2):  # what is back is still to be recorded
        for line in repairs(project):
            paste(project, line)
    assert judge(Clean(), project.root).violations == []


@pytest.mark.parametrize("staged", [False, True])
def test_no_command_commits_what_happened_to_a_file_of_git_lfs(project, staged) -> None:
    digest = hashlib.sha256(b"data").hexdigest()
    project.write(".gitattributes", "*.bin filter=lfs -text\n")
    project.write("m.bin", f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 4\n")
    project.commit()
    if staged:
        project.git("-c", "filter.lfs.clean=cat", "rm", "--quiet", "--cached", "m.bin")
    project.write("m.bin", b"dat0")
    project.write("new.bin", b"another")
    judgement = judge(Clean(untracked=Untracked.ALL), project.root)
    assert set(judgement.kinds) == {"m.bin", "new.bin"}
    assert [each.repair for each in judgement.violations] == [None] * len(judgement.violations)
    if not staged:
        assert "see lfs.content" in judgement.violations[0].message


def test_a_folder_or_a_pipe_in_a_files_place_is_for_a_person_to_look_at(project) -> None:
    (project.root / "a.py").unlink()
    os.mkfifo(project.root / "a.py")
    (project.root / "src/b.py").unlink()
    project.write("src/b.py/precious.txt", "mine")
    assert repairs(project) == []


def test_while_a_merge_waits_nothing_is_committed_in_part(project) -> None:
    project.git("checkout", "--quiet", "-b", "other")
    project.write("a.py", "theirs\n")
    project.commit()
    project.git("checkout", "--quiet", "main")
    project.write("a.py", "ours\n")
    project.commit()
    with pytest.raises(Exception, match="merge"):
        project.git("merge", "other")
    project.write("src/b.py", "changed\n")
    assert repairs(project) == []
    project.git("checkout", "--ours", "a.py")
    project.git("add", "a.py")
    assert repairs(project) == []  # Git refuses a commit in part until the merge is concluded


def test_within_a_submodule_commands_run_there_and_commit_nothing(project, tmp_path) -> None:
    project.submodule(GitProject.make(tmp_path / "inner", FILES).root, "lib")
    (project.root / "lib/a.py").unlink()
    project.write("lib/src/b.py", "changed\n")
    assert repairs(project) == ["git -C lib restore -- a.py"]
    paste(project, "git -C lib restore -- a.py")
    assert judge(Clean(), project.root).kinds == {"lib/src/b.py": {"changed"}}


def test_in_a_folder_of_the_repository_the_command_names_its_paths_from_there(project) -> None:
    inner = GitProject(project.root / "src", project.repo)
    for name in ("a.py", "src/b.py"):
        project.write(name, "changed\n")
    (line,) = repairs(inner, whole_repository=True)
    paste(inner, line)
    assert judge(Clean(), project.root).violations == []


def test_so_many_files_are_left_to_a_person(project) -> None:
    for number in range(21):
        project.write(f"new{number}.py", "")
    assert repairs(project) == []


def test_hiding_bits_are_lifted_by_one_command(project) -> None:
    for name in FILES:
        project.git("update-index", "--assume-unchanged", name)
        project.write(name, "hidden\n")
    (line,) = repairs(project)
    paste(project, line)
    assert set(judge(Clean(), project.root).kinds) == set(FILES)
    assert "changed" in judge(Clean(), project.root).kinds["a.py"]
