"""Projects that want something of the auditor: that it runs their code, reads or writes elsewhere, or tells secrets."""

import subprocess
import sys

import pytest

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
