"""The example of speech is a project that can be audited, and its audit names the two clips that were planted."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.audits import kinds

import audit

EXAMPLE = Path(__file__).parents[2] / "examples" / "voice-commands"
HALVED = "data/train/en-gb-open-the-window.wav"
TELEPHONE = "data/train/en-us-what-time-is-it.wav"

pytestmark = pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="needs espeak-ng, which speaks the clips")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the example, spoken and recorded."""
    root = tmp_path_factory.mktemp("example") / "voice-commands"
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns("train", "val", "*.jsonl", "reports", ".audit"))
    subprocess.run([sys.executable, "speak.py"], cwd=root, check=True)
    subprocess.run([sys.executable, "-m", "audit", "lock", "data"], cwd=root, check=True, capture_output=True)
    return root


@pytest.fixture(scope="module")
def nightly(project):
    """What an audit at night says of it."""
    return audit.run(project, on="nightly")


def wrong(report):
    return {one.rule: kinds(one.violations) for one in report.results if one.outcome not in {"pass", "skip"}}


def test_before_a_launch_the_clip_of_another_rate_is_named_and_nothing_else(project):
    assert wrong(audit.run(project)) == {"clips-alike[train]": [(HALVED, "rate")]}


def test_at_night_so_is_the_one_whose_header_promises_too_much(nightly):
    assert wrong(nightly) == {
        "clips-alike[train]": [(HALVED, "rate")],
        "clips-sound[train]": [(TELEPHONE, "bandwidth")],
    }


def test_the_page_shows_both_over_time(nightly):
    shown = [exhibit.data["path"] for one in nightly.results for exhibit in one.exhibits if exhibit.type == "clip"]
    assert sorted(shown) == [HALVED, TELEPHONE]
    page = nightly.to_html()
    assert "data:image/png;base64," in page
