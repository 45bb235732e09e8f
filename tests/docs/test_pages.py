from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from audit.catalog import built_in, page
from audit.config.load import load_config
from audit.config.model import DatasetEntry, EnvironmentEntry, RuleEntry, RuleFile, WaiverEntry
from audit.config.packs import shipped
from audit.errors import ConfigError, Exit

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
HAND_WRITTEN = sorted(DOCS.glob("*.md"))
HOME = "rules/house.yaml"
PARTS = ["## Why it matters", "## Example", "## How to fix"]


def fenced(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def project(root: Path, text: str) -> Path:
    (root / "rules").mkdir()
    (root / HOME).write_text("version: 1\n")
    (root / "audit.yaml").write_text(text if "version: 1" in text else f"version: 1\n{text}")
    return root


def whole_rule_files() -> Iterator[tuple[str, str]]:
    for file in HAND_WRITTEN:
        for text in fenced(file.read_text(encoding="utf-8"), "yaml"):
            if re.search(r"^version: 1$", text, re.MULTILINE):
                yield file.name, text


@pytest.mark.parametrize(("name", "text"), list(whole_rule_files()))
def test_rule_files_in_the_pages_are_right(tmp_path: Path, name: str, text: str) -> None:
    config = load_config(project(tmp_path, text))
    assert config.rules, name


@pytest.mark.parametrize("name", sorted(built_in()))
def test_the_page_of_a_check_has_its_parts_and_its_example_is_right(tmp_path: Path, name: str) -> None:
    text = page(name)
    heads = [line for line in text.splitlines() if line.startswith("## ")]
    assert heads == PARTS
    (example,) = fenced(text, "yaml")
    if "datasets:" not in example:
        example += (
            "datasets:\n  clips: {path: a.wav}\n  train: {path: a.csv, role: train}\n  val: {path: b.csv, role: val}\n"
        )
    config = load_config(project(tmp_path, example))
    assert name in {rule.check for rule in config.rules}


def test_the_error_that_the_page_on_rules_shows_is_the_one_that_comes(tmp_path: Path) -> None:
    text = "version: 1\nrules:\n  - id: a\n    check: dvc.hsah\n"
    with pytest.raises(ConfigError) as raised:
        load_config(project(tmp_path, text))
    assert f"audit: {raised.value}" in (DOCS / "rules.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("record", [RuleFile, DatasetEntry, RuleEntry, WaiverEntry, EnvironmentEntry])
def test_every_key_of_a_rule_file_is_on_its_page(record: type) -> None:
    text = (DOCS / "rules.md").read_text(encoding="utf-8")
    for key in record.__struct_encode_fields__:
        assert re.search(rf"`{key}`", text), key


def test_every_exit_code_is_on_its_page() -> None:
    text = (DOCS / "exit-codes.md").read_text(encoding="utf-8")
    for code in Exit:
        assert re.search(rf"^\|.*\b{int(code)}\b.*\|", text, re.MULTILINE), code


def test_every_pack_and_every_rule_of_one_says_why() -> None:
    for name, file in shipped().items():
        text = file.read_text(encoding="utf-8")
        assert text.startswith("# "), name
        assert text.count("\n  - id: ") == text.count("\n    why: "), name


def test_no_page_of_a_check_is_left_behind() -> None:
    pages = {file.stem for file in (DOCS / "checks").glob("*.md")}
    assert pages == {*built_in(), "index"}


@pytest.mark.parametrize("number", [0, 1])
def test_the_python_on_its_page_runs(tmp_path: Path, number: int) -> None:
    code = fenced((DOCS / "python.md").read_text(encoding="utf-8"), "python")[number]
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "audit.yaml").write_text("version: 1\nrules:\n  - {id: clean, check: git.clean}\n")
    code = code.replace("path/to/project", "project").replace('gate(".")', 'gate("project")')
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip().endswith("incomplete")


def test_every_fence_is_closed_and_no_line_speaks_of_this_machine() -> None:
    for file in [*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / "examples").rglob("*.md")]:
        text = file.read_text(encoding="utf-8")
        assert text.count("```") % 2 == 0, file
        assert not re.search(r"/(?:root|home)/", text), file
