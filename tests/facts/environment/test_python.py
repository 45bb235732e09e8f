"""Which interpreter is the project's, on real environments and commands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.engine import graph
from support.environments import environment

from audit.errors import CannotLook
from audit.facts.environment.interpreter import Probed
from audit.facts.environment.python import Python
from audit.records.project import Environment


@pytest.fixture
def root(tmp_path, monkeypatch):
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONNOUSERSITE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def found(root, **said):
    one = graph().get(Python(root=str(root), environment=Environment(**said)))
    return one.path, one.how


def test_the_first_that_exists_of_the_known_places(root, tmp_path, monkeypatch):
    assert found(root) == (sys.executable, "the one that audit runs in")
    conda = environment(tmp_path / "conda")
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "conda"))
    assert found(root) == (str(conda), "in CONDA_PREFIX")
    active = environment(tmp_path / "active")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    assert found(root) == (str(active), "in VIRTUAL_ENV")
    own = environment(root / ".venv")
    assert found(root) == (str(own), "the project's .venv")
    assert found(root, python="../active/bin/python") == (str(root / "../active/bin/python"), "named by audit.yaml")


@pytest.mark.parametrize("receipt", ["pipx_metadata.json", "uv-receipt.toml"])
def test_the_environment_of_a_tool_is_nobodys_project(root, tmp_path, monkeypatch, receipt):
    environment(tmp_path / "tool")
    (tmp_path / "tool" / receipt).touch()
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "tool"))
    assert found(root)[1] == "the one that audit runs in"


def test_the_environment_of_a_hook_is_nobodys_project(root, tmp_path, monkeypatch):
    hook = tmp_path / "pre-commit" / "repoab12_x" / "py_env-python3.11"
    hook.parent.mkdir(parents=True)
    environment(hook)
    monkeypatch.setenv("VIRTUAL_ENV", str(hook))
    assert found(root)[1] == "the one that audit runs in"
    monkeypatch.setattr(sys, "prefix", str(hook))
    with pytest.raises(CannotLook, match="no interpreter"):
        found(root)


def test_behind_the_gate_it_is_what_the_command_runs(root, tmp_path, monkeypatch):
    other = environment(tmp_path / "other")
    tool = other.with_name("torchrun")
    for first in (f"#!{other}\n", f"#!/bin/sh\n'''exec' {other} \"$0\" \"$@\"\n' '''\n", "#!/usr/bin/env python\n"):
        tool.write_text(first)
        tool.chmod(0o755)
        monkeypatch.setenv("PATH", str(other.parent))
        assert found(root, command=("torchrun", "train.py")) == (str(other), "what torchrun runs")
    assert found(root, command=(str(other), "train.py"))[0] == str(other)


def test_a_command_that_does_not_say_leaves_the_other_places(root, tmp_path):
    script = tmp_path / "train.sh"
    script.write_text("#!/bin/sh\npython train.py\n")
    script.chmod(0o755)
    assert found(root, command=(str(script),))[1] == "the one that audit runs in"


def test_a_command_that_runs_another_interpreter_than_the_one_named_cannot_pass(root, tmp_path):
    named, other = environment(tmp_path / "named"), environment(tmp_path / "other")
    with pytest.raises(CannotLook, match=r"runs .*other"):
        found(root, python=str(named), command=(str(other), "train.py"))
    same = str(named.with_name("python3"))
    assert found(root, python=str(named), command=(same, "train.py"))[0] == str(named)


@pytest.mark.parametrize("way", [".venv/bin/python", ".venv/bin", ".venv"])
def test_one_that_git_tracks_is_trusted_only_if_told_so(root, tmp_path, way):
    environment(root / ".venv" if way != ".venv" else tmp_path / "real")
    if way == ".venv":
        (root / ".venv").symlink_to(tmp_path / "real")
    if way == ".venv/bin":
        (root / ".venv/bin").rename(root / "bin")
        (root / ".venv/bin").symlink_to("../bin")
    for words in (["init", "-q"], ["add", "-f", way]):
        subprocess.run(["git", *words], cwd=root, check=True)
    with pytest.raises(CannotLook, match="tracks it"):
        found(root)
    assert found(root, trusted=True)[1] == "the project's .venv"


def test_what_is_named_and_is_not_there_is_told(root):
    with pytest.raises(CannotLook, match="no such interpreter"):
        found(root, python="nowhere/python")


def probed(root, **said):
    return graph().get(Probed(root=str(root), environment=Environment(**said)))


def test_an_interpreter_says_what_it_says_when_it_is_started_as_usual(root):
    python = environment(root / ".venv", sys.executable, "--system-site-packages")
    said = probed(root)
    line = "import sys, site; print([p for p in sys.path if p.endswith('-packages')], sys.prefix, sys.base_prefix)"
    ran = subprocess.run([python, "-c", line], check=True, capture_output=True, text=True, cwd=root).stdout
    there = [site for site in said.sites if Path(site).is_dir()]
    assert ran == f"{there} {said.prefix} {said.base_prefix}\n"
    assert said.markers["python_full_version"] == said.version == sys.version.split()[0]


def test_pythonpath_comes_first_and_a_relative_entry_of_it_not_at_all(root, monkeypatch):
    environment(root / ".venv")
    monkeypatch.setenv("PYTHONPATH", "/somewhere:relative")
    assert probed(root).sites[0] == "/somewhere"
    assert "relative" not in probed(root).sites


def test_one_that_does_not_answer_is_told(root, tmp_path):
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\necho no python >&2; exit 3\n")
    fake.chmod(0o755)
    with pytest.raises(CannotLook, match="exit code 3 no python"):
        probed(root, python=str(fake))
