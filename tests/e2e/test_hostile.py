"""Projects that want something of the auditor: that it runs their code, reads or writes elsewhere, or tells secrets."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.audits import audited
from support.dvc_projects import add, make, write
from support.git_projects import GitProject

ALPHA = "b6a98d9ce9a2d9149288fa3df42d377c3e42737afdcdaf714e33c0a100b51060"
MANIFEST = """version: 1
name: p
rules:
  - {id: sums, check: files.manifest, with: {manifest: SHA256SUMS}}
"""


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    (root / "a").write_text("alpha\n")
    (root / "SHA256SUMS").write_text(f"{ALPHA}  a\n")
    (root / "audit.yaml").write_text(MANIFEST)
    return root


def audit(project, *words, **options):
    line = [sys.executable, "-m", "audit", *words]
    return subprocess.run(line, cwd=project, capture_output=True, text=True, check=False, timeout=120, **options)


def test_no_module_of_the_working_directory_is_imported(project, tmp_path):
    for module in ("blake3", "click", "json", "mlflow", "msgspec", "rich", "sqlite3", "yaml"):
        (project / f"{module}.py").write_text(f"open({str(tmp_path / 'pwned')!r}, 'w').close()\n")
    done = audit(project, "run", "--mlflow", "off")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "pwned").exists()


NAMES = ["-rf", "$(touch pwned)", "new\nline; touch pwned", "q'uo\"te"]


def pasted(root, repairs):
    """Run the lines as a person pastes them, with the commands of this environment."""
    env = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(["bash", "-e"], input=repairs, cwd=root, env=env, text=True, check=True, capture_output=True)


def test_repairs_are_for_the_named_file_whatever_it_is_called(tmp_path):
    root = make(tmp_path / "project")
    write(root, {name: f"{name}\n" for name in NAMES})
    add(root, *NAMES)
    for name in NAMES:
        (root / name).unlink()
    report = audited(root, {"check": "dvc.hash"})
    assert len(report.results[0].violations) == len(NAMES)
    pasted(root, report.results[0].repair)
    assert audited(root, {"check": "dvc.hash"}).verdict == "pass"
    assert not (root / "pwned").exists()


def test_a_file_called_as_a_pattern_takes_no_other_with_it(tmp_path):
    project = GitProject.make(tmp_path / "project", {"*.py": "1\n", "mine.py": "1\n"})
    project.write("mine.py", "2\n")
    (project.root / "*.py").unlink()
    report = audited(project.root, {"check": "git.clean"})
    (missing,) = [one for one in report.results[0].violations if one.kind == "missing"]
    pasted(project.root, missing.repair)
    assert (project.root / "*.py").exists()
    assert (project.root / "mine.py").read_text() == "2\n"


def test_what_a_file_manager_could_have_dropped_is_no_command(tmp_path):
    root = make(tmp_path / "project")
    write(root, {"data/a": "1\n"})
    add(root, "data")
    write(root, {"data/._'; touch pwned; '": "x"})
    report = audited(root, {"check": "dvc.hash"})
    pasted(root, report.results[0].repair)
    assert audited(root, {"check": "dvc.hash"}).verdict == "pass"
    assert not (root / "pwned").exists()
