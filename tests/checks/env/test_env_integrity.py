"""`env.integrity` on real environments, beside `pip check`, which is asked the same of requirements."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from support.engine import graph
from support.environments import environment, install, wheel, with_pip
from support.judging import figures, named, summary, violations

from audit.checks.env.integrity import Integrity
from audit.records.project import Environment, Project
from audit.records.words import Trigger


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheels")
    wheel(folder, "first-one", "1.0")
    wheel(folder, "first-one", "2.0")
    wheel(folder, "second", "2.0", ["First_One<2", 'colour>1; extra == "more"', 'winonly; sys_platform == "win32"'])
    wheel(folder, "third", "1.0", ['nowhere>=3; python_version >= "3.8"'])
    return folder


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    environment(tmp_path / ".venv")
    return tmp_path


@pytest.fixture
def site(root):
    (found,) = (root / ".venv").glob("lib/*/site-packages")
    return found


def judged(root, **settings):
    check, facts = Integrity(**settings), graph()
    asked = check.needs(Project(root=str(root), name="p", trigger=Trigger.LAUNCH, environment=Environment()))
    return list(check.evaluate(**{name: facts.get(request) for name, request in asked.items()}))


def put(root, wheels, *what):
    install(root / ".venv/bin/python", "--find-links", str(wheels), *what)


def pip_check(root):
    line = [with_pip(root / ".venv/bin/python"), "-m", "pip", "check"]
    env = os.environ | {"PIP_QUIET": "0"}  # whoever runs the tests may want pip to be quiet, and its answer is wanted
    return subprocess.run(line, capture_output=True, text=True, check=False, env=env)


def test_an_environment_that_is_whole_passes_as_pip_says(root, wheels):
    put(root, wheels, "first-one==1.0", "second==2.0")
    found = judged(root, bytes=True)
    assert (named(found), figures(found)["distributions"]) == ([], 2)
    assert summary(found) == "2 distributions whole; 10 files read"
    assert pip_check(root).returncode == 0


def test_requirements_that_nothing_meets_are_those_that_pip_names(root, wheels):
    put(root, wheels, "first-one==2.0", "second==2.0", "third==1.0")
    said = pip_check(root).stdout
    assert "second 2.0 has requirement First_One<2, but you have first-one 2.0" in said
    assert "third 1.0 requires nowhere, which is not installed" in said
    assert named(judged(root)) == [
        ("env:#package=second#requires=first-one", "conflict"),
        ("env:#package=third#requires=nowhere", "unmet"),
    ]


def test_an_edited_and_a_removed_file_are_found_by_their_bytes_alone(root, site, wheels):
    put(root, wheels, "first-one==1.0", "second==2.0")
    (site / "first_one.py").write_text("__version__ = '1.1'\n")
    (site / "second.py").unlink()
    assert named(judged(root)) == []
    found = judged(root, bytes=True)
    assert named(found) == [("env:#package=first-one", "changed"), ("env:#package=second", "absent")]
    assert violations(found)[0].repair == "pip install --force-reinstall --no-deps first-one"


def test_two_records_of_one_name(root, site, wheels):
    put(root, wheels, "first-one==1.0")
    shutil.copytree(site / "first_one-1.0.dist-info", site / "first_one-0.9.dist-info")
    assert ("env:#package=first-one", "twice") in named(judged(root))


def test_one_that_hides_another(root, wheels, tmp_path, monkeypatch):
    put(root, wheels, "first-one==1.0")
    other = tmp_path / "elsewhere"
    install(root / ".venv/bin/python", "--find-links", str(wheels), "--target", str(other), "first-one==2.0")
    monkeypatch.setenv("PYTHONPATH", str(other))
    (shadowed,) = violations(judged(root))
    assert (shadowed.kind, shadowed.found) == ("shadowed", "2.0, 1.0")


def test_a_file_that_two_distributions_record_differently(root, site, wheels):
    put(root, wheels, "first-one==1.0", "second==2.0")
    record = site / "second-2.0.dist-info/RECORD"
    record.write_text(record.read_text() + "first_one.py,sha256=AAAA,4\n")
    assert named(judged(root)) == [("env:#package=first-one", "shared")]
    ours = next(line for line in (site / "first_one-1.0.dist-info/RECORD").read_text().splitlines() if ".py" in line)
    record.write_text(record.read_text().replace("first_one.py,sha256=AAAA,4", ours))
    assert named(judged(root)) == [], "of one content there is nothing to tell"


def test_what_is_compiled_for_another_python(root, site, wheels):
    put(root, wheels, "second==2.0", "first-one==1.0")
    record = site / "second-2.0.dist-info/RECORD"
    own = f"cpython-{sys.version_info[0]}{sys.version_info[1]}"
    lines = [f"second/a.{tag}-x86_64-linux-gnu.so,,\n" for tag in (own, "cpython-36m", "abi3")]
    record.write_text(record.read_text() + "".join(lines))
    (foreign,) = violations(judged(root))
    assert (foreign.subject, foreign.kind) == ("env:#package=second", "foreign")
    assert "cpython-36m" in foreign.message
    assert "abi3" not in foreign.message


def test_a_distribution_that_does_not_allow_this_python(root, site, wheels):
    put(root, wheels, "first-one==1.0")
    metadata = site / "first_one-1.0.dist-info/METADATA"
    metadata.write_text(metadata.read_text().replace("Name:", "Requires-Python: <3\nName:"))
    assert named(judged(root)) == [("env:#package=first-one", "python")]


@pytest.mark.parametrize(
    ("name", "content"), [("METADATA", b"nothing\n"), ("RECORD", b"\xff"), ("direct_url.json", b"{")]
)
def test_a_record_that_cannot_be_read_makes_no_pass(root, site, wheels, name, content):
    put(root, wheels, "first-one==1.0")
    (site / "first_one-1.0.dist-info" / name).write_bytes(content)
    found = violations(judged(root, bytes=True))
    assert any(one.unseen for one in found)


def test_a_requirement_that_cannot_be_read_makes_no_pass(root, site, wheels):
    put(root, wheels, "first-one==1.0")
    metadata = site / "first_one-1.0.dist-info/METADATA"
    metadata.write_text(metadata.read_text().replace("Name:", "Requires-Dist: a b c\nName:"))
    (found,) = violations(judged(root))
    assert (found.kind, found.unseen) == ("requirement", True)
