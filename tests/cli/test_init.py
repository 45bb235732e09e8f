from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from audit.cli.main import app
from audit.config.load import load_config
from audit.engine.graph import Graph
from audit.engine.meter import Meter
from audit.facts.dataset import DatasetFiles
from audit.formats.yaml import load
from audit.host import Host
from audit.proposal.page import quoted
from audit.proposal.propose import propose
from audit.state.state import State
from audit.state.store import Store


def call(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)


def test_audio_in_folders_by_split(tmp_path: Path) -> None:
    write(tmp_path, "data/train/yes/1.wav", "data/train/no/2.wav", "data/val/yes/3.wav", "train.py")
    done = call("init", "-C", str(tmp_path))
    assert done.exit_code == 0
    assert done.stdout == (
        f"{tmp_path}/audit.yaml: written for train (2 audio files), val (1 audio file)\n"
        "next: `audit lock data` records the data, then `audit rules` shows the plan, `audit run` runs it\n"
    )
    config = load_config(tmp_path)
    assert [(one.name, one.path, one.role) for one in config.datasets] == [
        ("train", "data/train/**/*.wav", "train"),
        ("val", "data/val/**/*.wav", "val"),
    ]
    assert {"data-lock", "git-tracked-audio", "data-covered"} <= {rule.id for rule in config.rules}
    assert call("rules", "-C", str(tmp_path)).exit_code == 0


def test_what_it_says_comes_next_leads_to_a_pass(tmp_path: Path) -> None:
    for name, numbers in (("train.csv", range(60)), ("val.csv", range(60, 120))):
        (tmp_path / name).write_text("x,y\n" + "".join(f"{n * 37 % 101},{n * 53 % 97}\n" for n in numbers))
    assert call("init", "-C", str(tmp_path)).exit_code == 0
    assert call("lock", "data", "-C", str(tmp_path)).exit_code == 0
    done = call("run", "-C", str(tmp_path), "--mlflow", "off", "--quiet")
    assert "PASS" in done.stdout, done.output


def test_a_commit_looks_at_what_it_locks(tmp_path: Path) -> None:
    for name, numbers in (("train.csv", range(60)), ("val.csv", range(60, 120))):
        (tmp_path / name).write_text("x,y\n" + "".join(f"{n * 37 % 101},{n * 53 % 97}\n" for n in numbers))
    assert call("init", "-C", str(tmp_path)).exit_code == 0
    assert call("lock", "data", "-C", str(tmp_path)).exit_code == 0
    (tmp_path / "val.csv").write_text("other")
    done = call("run", "-C", str(tmp_path), "--on", "commit", "--mlflow", "off", "--quiet")
    assert "FAIL  something is not as recorded" in done.stdout, done.output
    assert "val.csv" in done.stdout


def test_no_data_gives_a_file_that_says_how_to_declare_it(tmp_path: Path) -> None:
    done = call("init", "-C", str(tmp_path))
    assert "no data was found" in done.stdout
    assert load_config(tmp_path).datasets == ()
    assert "#   train: {path: data/train.parquet, role: train}" in (tmp_path / "audit.yaml").read_text()


def test_only_what_nothing_records_gets_a_lock(tmp_path: Path) -> None:
    write(tmp_path, "tracked.csv", "left.csv", "listed/rows.csv")
    dvc = [sys.executable, "-m", "dvc"]
    for words in (["git", "init", "-q"], [*dvc, "init", "-q"], [*dvc, "add", "-q", "tracked.csv"]):
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    digest = hashlib.sha256(b"listed/rows.csv").hexdigest()
    (tmp_path / "listed" / "SHA256SUMS").write_text(f"{digest}  rows.csv\n")
    before = {path.relative_to(tmp_path) for path in tmp_path.rglob("*")}
    done = call("init", "-C", str(tmp_path))
    assert done.stdout.splitlines()[0].endswith(", under DVC and Git")
    rules = {rule.id: rule for rule in load_config(tmp_path).rules}
    assert [name for name in rules if name.startswith("data-lock")] == ["data-lock-left"]
    assert "manifest" in rules
    assert {path.relative_to(tmp_path) for path in tmp_path.rglob("*")} - before == {Path("audit.yaml")}


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "audit.yaml").write_text("mine")
    done = call("init", "-C", str(tmp_path))
    assert "is there already" in str(done.exception)
    assert (tmp_path / "audit.yaml").read_text() == "mine"
    assert "version: 1\n" in call("init", "--print", "-C", str(tmp_path)).stdout


def test_a_link_to_nothing_is_there_too(tmp_path: Path) -> None:
    (tmp_path / "audit.yaml").symlink_to("elsewhere.yaml")
    assert "is there already" in str(call("init", "-C", str(tmp_path)).exception)
    assert not (tmp_path / "elsewhere.yaml").exists()


def test_a_project_that_cannot_be_written_to_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("audit.host.publishing.create", refuse)
    done = call("init", "-C", str(tmp_path))
    assert str(done.exception) == f"{tmp_path}/audit.yaml: cannot be written: read-only file system"


def test_broken_records_are_left_for_the_audit_to_find(tmp_path: Path) -> None:
    write(tmp_path, "train.csv")
    (tmp_path / ".dvc").mkdir()
    (tmp_path / "broken.dvc").write_text("outs: [")
    assert call("init", "-C", str(tmp_path)).exit_code == 0
    load_config(tmp_path)


NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda name: name not in {".", ".."} and len(name.encode()) < 200
)
SUFFIXES = st.sampled_from([".wav", ".csv", ".csv.gz", ".PNG", ".npy", ".txt", ""])
FOLDERS = st.one_of(st.sampled_from(["train", "val", "test", "data"]), NAMES)
PATHS = st.builds(
    lambda folders, name, suffix: "/".join([*folders, name + suffix]), st.lists(FOLDERS, max_size=3), NAMES, SUFFIXES
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(PATHS, max_size=8), NAMES)
@example(["na[me/x.csv", "a*b/train/1.wav", "~/x.csv", "C:x.csv", "- a.csv", "a: b.csv", "#.csv", "'q\".csv"], "a: b")
@example(["1e4.csv", "null.csv", "true/train/x.wav", "\u202egnp.wav", "\U0001f600.csv", "a\nb.csv", "\x85.csv"], "~")
def test_whatever_names_there_are_the_file_loads_and_takes_those_files(paths: list[str], name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / name
        root.mkdir()
        for path in paths:
            file = root / path
            if not any(parent.is_file() for parent in file.parents) and not file.is_dir():
                write(root, path)
        proposal = propose(root)
        proposal.file.write_text(proposal.text, encoding="utf-8")
        config = load_config(root)
        graph = Graph(Host(), State(Store(None)), Meter(), 1, deep=False)
        for dataset in config.datasets:
            found = graph.get(DatasetFiles(root=str(root), dataset=dataset))
            assert found.files, dataset
            assert not found.obstacles
        graph.close()


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
@example("null")
@example("On")
@example("0x1F")
@example("\ufeff")
@example("\x85\u2028")
def test_a_quoted_word_is_read_back(word: str) -> None:
    text = f"{{{quoted(word)}: {quoted(word)}}}"
    assert load(text.encode(), "x").value == {word: word}
