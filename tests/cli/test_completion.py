"""A shell completes commands, options, checks and rules; whatever is broken, it hears no word of it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

RULES = """
version: 1
datasets: {train: {path: a.csv}}
rules:
  - {id: clean, check: git.clean}
  - {id: pushed, check: git.pushed, on: [nightly]}
"""


def _completed(*words: str, cwd: str) -> tuple[list[str], str]:
    env = os.environ | {
        "_AUDIT_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(("audit", *words)),
        "COMP_CWORD": str(len(words)),
    }
    command = [sys.executable, "-c", "from audit.cli.main import main; main()"]
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line], done.stderr


@pytest.fixture
def project(tmp_path):
    (tmp_path / "audit.yaml").write_text(RULES)
    return str(tmp_path)


def test_commands(project):
    assert _completed("ru", cwd=project) == (["rules", "run"], "")


def test_options(project):
    assert _completed("rules", "--se", cwd=project) == (["--select"], "")


def test_checks(project):
    assert _completed("explain", "git.", cwd=project) == (["git.clean", "git.pushed", "git.tracked-data"], "")


def test_sections_of_the_lock(project):
    assert "data" in _completed("lock", "", cwd=project)[0]
    assert _completed("lock", "da", cwd=project) == (["data"], "")


@pytest.mark.parametrize("command", ["rules", "run"])
@pytest.mark.parametrize("option", ["--select", "--skip"])
def test_rules(project, command, option):
    assert _completed(command, option, "", cwd=project) == (
        ["clean", "git", "git.clean", "git.pushed", "pushed"],
        "",
    )


def test_rules_of_another_project(project, tmp_path_factory):
    elsewhere = str(tmp_path_factory.mktemp("elsewhere"))
    assert _completed("rules", "-C", project, "--select", "cl", cwd=elsewhere) == (["clean"], "")


BROKEN = {"no project": None, "a mistake": "version: 1\nrules: [{id: a, check: b}]\n", "no text": b"\xff\0"}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_project_completes_nothing(tmp_path, content):
    if content is not None:
        (tmp_path / "audit.yaml").write_bytes(content.encode() if isinstance(content, str) else content)
    assert _completed("rules", "--select", "", cwd=str(tmp_path)) == ([], "")
    assert _completed("rules", "-C", "/nowhere", "--select", "", cwd=str(tmp_path)) == ([], "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_calls_the_program(shell, tmp_path):
    command = [sys.executable, "-c", "from audit.cli.main import main; main()", "completion", shell]
    script = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert f"_AUDIT_COMPLETE={shell}_complete" in script


def test_bash_itself_completes(project):
    script = """
eval "$(audit completion bash)"
COMP_WORDS=(audit rules --select cl); COMP_CWORD=3
_audit_completion audit
echo "${COMPREPLY[@]}"
"""
    path = f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"  # noqa: PTH120 - beside the interpreter
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=project,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("clean\n", "")
