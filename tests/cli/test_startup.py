"""Start-up is a feature: what is heavy is loaded by those who need it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {"numpy", "pandas", "polars", "torch", "dvc", "mlflow", "jinja2", "scipy", "pyarrow"}
PARSING = {"msgspec", "yaml", "rich", "git", "importlib.metadata", "asyncio", "audit.api", "audit.catalog"}

PROBE = """
import json, sys
sys.argv = ["audit", *sys.argv[1:]]
from audit.cli.main import _guarded
_guarded(sys.argv[1:])
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def _loaded(*words: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", PROBE, *words], capture_output=True, check=True, text=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_nothing_heavy_is_loaded_to_say_who_we_are(option):
    loaded = _loaded(option)
    assert loaded & HEAVY == set()
    assert loaded & PARSING == set()


@pytest.mark.parametrize("words", [("completion", "zsh"), ("run", "--help"), ("rules", "--help")], ids=" ".join)
def test_nor_by_commands_that_look_at_nothing(words):
    assert _loaded(*words) & (HEAVY | {"msgspec", "yaml", "audit.api"}) == set()


def test_a_plan_needs_no_heavy_library(tmp_path):
    (tmp_path / "audit.yaml").write_text("version: 1\nextends: [core]\n")
    assert _loaded("rules", "-C", str(tmp_path)) & (HEAVY | {"importlib.metadata"}) == set()


def test_to_import_audit_costs_next_to_nothing():
    code = "import sys; known = set(sys.modules); import audit; print(*sorted(set(sys.modules) - known))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert {name for name in done.stdout.split() if name.partition(".")[0] not in sys.stdlib_module_names} == {"audit"}
