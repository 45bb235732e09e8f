"""Fingerprints of real environments: recorded, drifted, compared."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner
from support.environments import environment, install, wheel

from audit.cli.main import app
from audit.facts.environment.fingerprint import canonical

RULE = """version: 1
environment: {import_frameworks: false}
rules:
  - {id: same, check: env.fingerprint}
"""


@pytest.fixture
def root(tmp_path, monkeypatch):
    for name in ("PYTHONPATH", "VIRTUAL_ENV", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    project = tmp_path / "project"
    project.mkdir()
    (project / "audit.yaml").write_text(RULE)
    python = environment(project / ".venv")
    install(python, str(wheel(tmp_path / "wheels", "first-one", "1.0")))
    return project


def said(*words):
    done = CliRunner().invoke(app, [*map(str, words)], standalone_mode=False)
    assert done.exception is None, done.output
    return done.return_value or 0, done.output


def audited(root):
    line = [sys.executable, "-m", "audit", "run", "-C", str(root), "--mlflow", "off", "-q", "--format", "json"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    (result,) = json.loads(done.stdout)["body"]["results"]
    return result


def test_a_recorded_environment_passes_and_a_drifted_one_names_what_moved(root, tmp_path, monkeypatch):
    assert audited(root)["outcome"] == "error"
    said("lock", "-C", root, "environment", "-q")
    assert audited(root)["outcome"] == "pass"
    install(root / ".venv/bin/python", str(wheel(tmp_path / "wheels", "first-one", "1.1")))
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    result = audited(root)
    assert result["outcome"] == "fail"
    found = {one["subject"]: (one["expected"], one["found"]) for one in result["violations"]}
    assert found == {
        "env:#field=packages.first-one": ("1.0", "1.1"),
        "env:#field=flags.OMP_NUM_THREADS": (None, "3"),
    }


def test_levels_of_the_rule_are_over_those_that_are_shipped(root, tmp_path):
    said("lock", "-C", root, "environment", "-q")
    install(root / ".venv/bin/python", str(wheel(tmp_path / "wheels", "first-one", "1.1")))
    rule = RULE.replace("env.fingerprint}", "env.fingerprint, with: {levels: {packages.first-one: present}}}")
    (root / "audit.yaml").write_text(rule)
    result = audited(root)
    assert (result["outcome"], result["summary"]) == ("pass", "the environment is as recorded; 1 more let pass")


def test_a_fingerprint_is_the_same_where_the_same_is_there(root, tmp_path):
    (tmp_path / "other").mkdir()
    shutil.copytree(root / ".venv", tmp_path / "other/.venv", symlinks=True)
    one, other = (
        said("fingerprint", "--json", "-C", root)[1],
        said("fingerprint", "--json", "-C", tmp_path / "other")[1],
    )
    assert json.loads(one)["sections"]["packages"] == json.loads(other)["sections"]["packages"]
    assert said("fingerprint", "--json", "-C", root)[1] == one


def test_two_machines_side_by_side(root, tmp_path, monkeypatch):
    said("fingerprint", "-C", root, "-o", tmp_path / "a.json")
    assert said("compare", tmp_path / "a.json", tmp_path / "a.json") == (
        0,
        f"no difference between {tmp_path / 'a.json'} and {tmp_path / 'a.json'}\n",
    )
    install(root / ".venv/bin/python", str(wheel(tmp_path / "wheels", "first-one", "1.1")))
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    said("lock", "-C", root, "environment", "-q")
    code, shown = said("compare", tmp_path / "a.json", root / "audit.lock")
    lines = [line.split() for line in shown.splitlines()]
    assert code == 1
    assert [line[:3] for line in lines] == [
        ["a.json", "audit.lock"],
        ["flags.OMP_NUM_THREADS", "-", "3"],
        ["packages.first-one", "1.0", "1.1"],
    ]


@pytest.mark.parametrize("content", ["", "[]", '{"schema": "other"}', '{"schema": "reproaudit/lock/1"}', "{"])
def test_what_is_no_fingerprint_is_told(root, tmp_path, content):
    (tmp_path / "odd.json").write_text(content)
    line = [sys.executable, "-m", "audit", "compare", str(tmp_path / "odd.json"), str(tmp_path / "odd.json")]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "odd.json" in done.stderr
    assert "Traceback" not in done.stderr


def test_secrets_of_the_environment_stay_out(root, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
    assert "hunter2" not in said("fingerprint", "--json", "-C", root)[1]


@pytest.mark.parametrize(
    "name", ["NVIDIA A100-SXM4-40GB", "A100-SXM4-40GB", "Tesla A100 SXM4 40GB", "nvidia  a100_sxm4-40gb"]
)
def test_a_card_under_two_drivers_is_the_same_card(name):
    assert canonical(name) == "a100 sxm4 40gb"
