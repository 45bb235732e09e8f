"""The body of a report is the same bytes under all circumstances: only the project and its rules decide."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from ruamel.yaml import YAML
from support.dvc_projects import add, write

from audit.api import Settings, hold
from audit.catalog import checks
from audit.demo import faults, project
from audit.host import Host
from audit.records.report import canonical

AS_OF = "2026-11-30"
MORE = {
    "datasets": {"names": {"path": "names", "kind": "files"}, "free": {"path": "free/*", "kind": "files"}},
    "rules": [
        {"id": "names-locked", "check": "data.lock", "with": {"dataset": "names"}},
        {"id": "data-belongs-elsewhere", "check": "git.tracked-data", "with": {"patterns": ["downloads/*"]}},
        {"id": "sums", "check": "files.manifest", "with": {"manifest": "names/SHA256SUMS"}},
        {"id": "git-pushed", "enabled": True},
        {"id": "dvc-remote", "on": ["nightly"]},
        {"id": "dvc-imports", "with": {"ask": False}, "on": ["launch", "nightly"]},
    ],
    "waivers": [
        {"rule": "dvc-hash", "subject": subject, "reason": "known", "author": "data team", "expires": "2027-01-01"}
        for subject in ("glob:words/*", "nothing")
    ],
}
"""What the demonstration's rule file says besides, or instead."""

UNPINNED = (
    "frozen: true\ndeps:\n- path: data.csv\n  repo:\n    url: https://git.example.org/x\nouts:\n- path: imported.csv\n"
)
NAMES = [
    "z.txt",
    "\u00e9.txt",
    "e\u0301.txt",
    "Z.txt",
    "\u0130i.txt",
    "\U0001f600.txt",
    os.fsdecode(b"\xff\xfe.txt"),
    "a b.txt",
]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A folder with a project in which something is wrong for every check."""
    folder = tmp_path_factory.mktemp("same")
    root = project.make(folder)
    write(root, {f"words/{name}": name.encode("utf-8", "replace") for name in NAMES[:6]})
    add(root, "words")
    faults.plant(root)
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "Keep it here"], cwd=root, check=True)
    write(root, {f"names/{name}": "1" for name in NAMES} | {"free/a.txt": "a", "imported.csv.dvc": UNPINNED})
    (root / "audit.yaml").write_bytes(rules(root))
    subprocess.run([sys.executable, "-m", "audit", "lock", "-q", "-C", str(root)], check=True, capture_output=True)
    write(root, {f"names/{name}": "2" for name in NAMES[::2]} | {f"names/new-{name}": "3" for name in NAMES})
    write(root, {f"words/{name}": "changed" for name in NAMES[1:4]} | {"words/new-\u00fc.txt": "n"})
    for name in NAMES[4:6]:
        (root / "words" / name).unlink()
    sums = "".join(f"{number:064x}  {name}\n" for number, name in enumerate(NAMES))
    (root / "names/SHA256SUMS").write_bytes(os.fsencode(sums))
    return folder


def rules(root: Path) -> bytes:
    """The demonstration's rule file with more in it; JSON is YAML."""
    said = YAML(typ="safe").load(root / "audit.yaml")
    said["datasets"] |= MORE["datasets"]
    instead = {rule["id"] for rule in MORE["rules"]}
    said["rules"] = [rule for rule in said["rules"] if rule["id"] not in instead] + MORE["rules"]
    return msgspec.json.encode(said | {"waivers": MORE["waivers"]})


class How(NamedTuple):
    """Circumstances of one audit: where it is called, with which words and variables, on what state."""

    words: Sequence[str] = ()
    variables: Mapping[str, str] = {}
    cwd: str = "/"
    project: str = ""
    warm: bool = False
    moved: bool = False


LOCALES = ["C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8", "ja_JP.SJIS"]
INSIDE = How(words=["-C", "."], cwd="project")
CIRCUMSTANCES = {
    "nothing remembered": How(),
    "all remembered": How(warm=True),
    "all remembered and read again": How(warm=True, words=["--deep"]),
    "one worker": How(words=["--jobs", "1"]),
    "eight workers": How(words=["--jobs", "8"]),
    "in the project": INSIDE,
    "below the project": How(words=["-C", "../.."], cwd="project/data/clips"),
    "beside the project": How(words=["-C", "project"], cwd="."),
    "through a link": How(words=["-C", "link"], cwd="."),
    "moved elsewhere": How(moved=True),
    "another hash seed": How(variables={"PYTHONHASHSEED": "1"}),
    "and another": How(variables={"PYTHONHASHSEED": "4294967295"}),
    "far east": How(variables={"TZ": "Pacific/Kiritimati"}),
    "far west": How(variables={"TZ": "Pacific/Niue"}),
    "no UTF-8": How(variables={"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}),
    "a narrow terminal": How(variables={"COLUMNS": "20", "TERM": "dumb", "NO_COLOR": "1"}),
    "in CI": How(variables={"CI": "true", "GITHUB_ACTIONS": "true"}),
    "no home": How(variables=dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"), "/dev/null/x")),
    "all at once": How(
        words=["--jobs", "5", "--deep"],
        variables={"PYTHONHASHSEED": "7", "TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONUTF8": "0"},
        moved=True,
    ),
} | {f"locale {name}": How(variables={"LC_ALL": name}) for name in LOCALES}


def audited(folder: Path, how: How, *words: str) -> dict[str, Any]:
    """The report of the project in the folder."""
    root = folder / "project"
    if not how.warm:
        shutil.rmtree(root / ".audit", ignore_errors=True)
    place = [] if "-C" in how.words else ["-C", str(root)]
    line = [sys.executable, "-m", "audit", "run", "--mlflow", "off", "--as-of", AS_OF, *place, *how.words, *words]
    here = str(Path(__file__).parents[2])
    home = {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_STATE_HOME": str(folder / "state")}
    variables = os.environ | {"PYTHONPATH": here} | home | how.variables
    done = subprocess.run(line, cwd=folder / how.cwd, env=variables, capture_output=True, check=False)
    assert done.returncode == 1, done.stderr.decode()
    return json.loads((root / "reports" / "latest" / "report.json").read_bytes())


def body(report: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(report["body"], order="deterministic")


@pytest.fixture(scope="module")
def expected(made):
    return audited(made, How())


@pytest.fixture(scope="module")
def elsewhere(made, tmp_path_factory):
    """A copy with its times, at another place, of another name."""
    there = tmp_path_factory.mktemp("other") / "a b" / "caf\u00e9"
    shutil.copytree(made, there, symlinks=True)
    return there


def test_something_is_wrong_for_nearly_every_check(expected):
    wrong = {result["check"] for result in expected["body"]["results"] if result["violations"]}
    assert wrong >= {name for name in checks() if name.partition(".")[0] in {"dvc", "git", "lfs", "files", "data"}} - {
        "dvc.remote"  # at night, below
    }


@pytest.mark.parametrize("circumstances", CIRCUMSTANCES)
def test_the_body_is_the_same(made, elsewhere, expected, circumstances):
    how = CIRCUMSTANCES[circumstances]
    (made / "link").unlink(missing_ok=True)
    (made / "link").symlink_to("project")
    report = audited(elsewhere if how.moved else made, how)
    assert report["body"] == expected["body"]
    assert body(report) == body(expected)
    assert report["envelope"]["body_digest"] == expected["envelope"]["body_digest"]


def test_the_body_is_the_same_on_another_day(made, expected, monkeypatch):
    monkeypatch.setattr(Host, "now", lambda _: datetime(2031, 2, 28, 23, 59, tzinfo=UTC))
    report = hold((made / "project").resolve(), Settings(as_of=date.fromisoformat(AS_OF))).report
    assert json.loads(canonical(report.body)) == expected["body"]
    assert report.envelope.started == "2031-02-28T23:59:00Z"


def test_the_body_is_the_same_at_night(made, elsewhere):
    """With all that is asked of remotes and sources."""
    first = audited(made, How(), "--on", "nightly")
    how = How(words=["--no-deep", "--jobs", "1"], variables={"TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "3"})
    second = audited(elsewhere, how, "--on", "nightly")
    for one, other in zip(first["body"]["results"], second["body"]["results"], strict=True):
        assert one == other
    assert first["body"] == second["body"]
    assert {"dvc.remote", "dvc.imports"} <= {one["check"] for one in first["body"]["results"] if one["violations"]}
