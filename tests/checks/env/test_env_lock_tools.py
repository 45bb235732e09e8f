"""`env.lock` beside the tools whose locks it reads, each where it is installed: they lock, install and are asked.

`uv sync --check` says whether it would change anything. It asks for the group `dev` where nobody chooses, for the
project itself, and for nothing to be there that the lock does not have; a rule says so with `groups` and `extra`.
"""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from support.indexes import PROJECT, index
from support.judging import judge, named, violations

from audit.checks.env.lock import EnvLock
from audit.records.words import Severity

MAIN = {"first-one", "leaf", "loud", "second", "speaker"}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with index(tmp_path_factory.mktemp("index")) as address:
        yield address


@pytest.fixture
def tool(tmp_path, url):
    """Runs a tool in a project; the caller says whether it may refuse."""

    def run(name, *words, check=True):
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
        own = {key: value for key, value in os.environ.items() if key not in {"VIRTUAL_ENV", "PYTHONPATH"}}
        told = {"UV_INDEX_URL": url, "UV_CACHE_DIR": str(tmp_path / "cache"), "UV_NO_MANAGED_PYTHON": "1"}
        told |= {"POETRY_VIRTUALENVS_IN_PROJECT": "1", "POETRY_CACHE_DIR": str(tmp_path / "cache")}
        told |= {"PIPENV_VENV_IN_PROJECT": "1", "PIPENV_PYPI_MIRROR": url, "PDM_CHECK_UPDATE": "0"}
        line = [name, *words]
        done = subprocess.run(line, cwd=tmp_path, env=own | told, capture_output=True, text=True, check=False)
        assert done.returncode == 0 or not check, done.stdout + done.stderr
        return done

    return run


def rule(**settings):
    return EnvLock(**{"groups": ("dev",), "extra": Severity.ERROR} | settings)


def errors(found):
    return sorted((one.subject.partition("=")[2], one.kind) for one in violations(found) if one.severity == "error")


def test_uv_would_change_nothing_where_the_rule_passes(tmp_path, tool, url):
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    tool("uv", "sync")

    def both(*words, **settings):
        would = tool("uv", "sync", "--check", *words, check=False).returncode != 0
        found = errors(judge(rule(**settings), tmp_path))
        assert bool(found) == would, found
        return found

    assert both() == []
    assert both("--extra", "graphs", extras=("graphs",)) == [("plots", "missing")]
    assert both("--no-dev", groups=()) == [("checker", "extra")]
    tool("uv", "pip", "install", "first-one==1.5")
    (wrong,) = violations(judge(rule(), tmp_path))
    assert (both(), wrong.kind, wrong.repair) == ([("first-one", "version")], "version", "uv sync --group dev")
    tool("uv", "sync", "--extra", "graphs")
    assert both("--extra", "graphs", extras=("graphs",)) == []
    tool("uv", "pip", "uninstall", "leaf")
    assert both("--extra", "graphs", extras=("graphs",)) == [("leaf", "missing")]


@pytest.mark.parametrize("name", ["poetry", "pdm"])
def test_what_a_tool_locked_and_installed_passes_and_a_drift_fails(name, tmp_path, tool, url):
    """PDM locks one version of a name for all Pythons."""
    fork = "    \"first-one<2; python_version < '3.11'\",\n"
    source = f'name = "local"\nurl = "{url}"\n'
    more = {
        "poetry": f'[[tool.poetry.source]]\n{source}priority = "primary"\n[tool.poetry]\npackage-mode = false\n',
        "pdm": f"[[tool.pdm.source]]\n{source.replace('local', 'pypi')}verify_ssl = false\n",
    }
    (tmp_path / "pyproject.toml").write_text(f"{PROJECT.replace(fork, '')}\n{more[name]}")
    tool(name, "lock", *(["-G:all"] if name == "pdm" else []))
    tool(name, "sync", *(["--no-self", "--without", "graphs"] if name == "pdm" else []))
    lock = f"{name}.lock"
    assert errors(judge(EnvLock(lock=lock, groups=("dev",)), tmp_path)) == []
    assert named(judge(EnvLock(lock=lock, extras=("graphs",)), tmp_path)) == [(f"{lock}#package=plots", "missing")]
    shutil.rmtree(next((tmp_path / ".venv").glob("lib/*/site-packages/leaf-0.3.dist-info")))
    (wrong,) = violations(judge(EnvLock(lock=lock), tmp_path))
    assert (wrong.kind, wrong.repair) == ("missing", f"{name} sync")


def test_what_pipenv_locked_and_installed(tmp_path, tool, url):
    (tmp_path / "Pipfile").write_text(
        f'[[source]]\nurl = "{url}"\nverify_ssl = false\nname = "local"\n\n'
        '[packages]\nsecond = "*"\nloud = {version = "*", extras = ["sound"]}\n[dev-packages]\nchecker = "*"\n'
    )
    tool("pipenv", "lock")
    tool("pipenv", "sync")
    assert named(judge(EnvLock(lock="Pipfile.lock"), tmp_path)) == []
    (wrong,) = violations(judge(EnvLock(lock="Pipfile.lock", groups=("develop",)), tmp_path))
    assert (wrong.subject, wrong.kind) == ("Pipfile.lock#package=checker", "missing")
    assert wrong.repair == "pipenv sync --categories 'packages dev-packages'"
    tool("pipenv", "sync", "--categories", "packages dev-packages")
    assert named(judge(EnvLock(lock="Pipfile.lock", groups=("develop",)), tmp_path)) == []
