from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(script: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(script), *words], capture_output=True, text=True, check=False)


def test_the_generated_documentation_is_up_to_date() -> None:
    done = run(ROOT / "docs" / "generate.py", "--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_what_is_out_of_date_is_named_and_then_written(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    script = tmp_path / "docs" / "generate.py"
    schema = tmp_path / "docs" / "report.schema.json"
    schema.write_text("{}")
    done = run(script, "--check")
    assert done.returncode == 1
    assert done.stdout == "docs/report.schema.json is out of date: run python docs/generate.py\n"
    assert schema.read_text() == "{}"
    assert run(script).returncode == 0
    assert schema.read_bytes() == (ROOT / "docs" / "report.schema.json").read_bytes()


def test_two_generators_of_one_file_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "docs" / "generators").mkdir(parents=True)
    script = shutil.copy(ROOT / "docs" / "generate.py", tmp_path / "docs")
    for name in ("one", "two"):
        (tmp_path / "docs" / "generators" / f"{name}.py").write_text(
            "def pages(root):\n    return {'docs/a.md': b''}\n"
        )
    done = run(script, "--check")
    assert done.returncode != 0
    assert "two.py makes docs/a.md, as another generator does" in done.stderr


def test_an_unknown_word_is_refused() -> None:
    assert "usage" in run(ROOT / "docs" / "generate.py", "--chekc").stderr


def test_every_generator_says_what_it_makes() -> None:
    for generator in (ROOT / "docs" / "generators").glob("[a-z]*.py"):
        assert runpy.run_path(str(generator))["__doc__"]
