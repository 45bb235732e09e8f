"""`env.lock` on real environments: what the real pip installed, held against what was locked."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.engine import graph
from support.environments import environment, install, wheel, with_pip
from support.judging import figures, named, summary, violations

from audit.checks.env.lock import EnvLock
from audit.errors import CannotLook, NotApplicable
from audit.formats.locks.requirements import parse
from audit.records.environment import Distribution, Installed, Interpreter, Origin
from audit.records.project import Environment, Project
from audit.records.words import Severity, Trigger

SHA = "0123456789abcdef0123456789abcdef01234567"
LINUX = {"python_version": "3.12", "python_full_version": "3.12.1", "sys_platform": "linux", "os_name": "posix"}
MAC = {"python_version": "3.10", "python_full_version": "3.10.4", "sys_platform": "darwin", "os_name": "posix"}


def python(markers):
    return Interpreter(
        path="/v/bin/python",
        how="test",
        version=markers["python_full_version"],
        implementation="CPython",
        prefix="/v",
        base_prefix="/usr",
        sites=("/v/lib",),
        markers=markers,
    )


def distribution(name, version, **more):
    return Distribution(name=name, version=version, site="/v/lib", entry=f"{name}-{version}.dist-info", **more)


def held(lock, *found, markers=LINUX, check=None):
    """What the check finds where these are installed."""
    installed = Installed(distributions=tuple(found))
    return list((check or EnvLock()).evaluate(parse(lock.encode(), "requirements.txt"), python(markers), installed))


def told(found):
    return [(one.subject.partition("=")[2], one.kind, str(one.severity)) for one in violations(found)]


@pytest.mark.parametrize(
    ("pinned", "there", "expected"),
    [
        ("2.1.0", "2.1.0+cu118", [("torch", "variant", "note")]),
        ("2.1.0+cu118", "2.1.0", [("torch", "variant", "error")]),
        ("2.1.0+cu118", "2.1.0+cu121", [("torch", "variant", "error")]),
        ("2.1.0+cu118", "2.1.0+cu118", []),
        ("2.1", "2.1.0", []),
        ("2.1.0", "2.1.1", [("torch", "version", "error")]),
    ],
)
def test_the_build_behind_the_plus_is_told_apart_from_the_version(pinned, there, expected):
    assert told(held(f"torch=={pinned}\n", distribution("torch", there))) == expected


FORKED = (
    'numpy==2.2.6; python_full_version < "3.11"\n'
    'numpy==2.4.3; python_full_version >= "3.11"\n'
    'nvidia-nccl-cu12==2.29.7; sys_platform == "linux"\n'
)


def test_lines_for_another_python_or_system_are_counted_and_no_more():
    found = held(FORKED, distribution("numpy", "2.2.6"), markers=MAC)
    assert told(found) == []
    assert (figures(found)["applying"], figures(found)["not_applying"]) == (1, 2)
    found = held(FORKED, distribution("numpy", "2.4.3"))
    assert told(found) == [("nvidia-nccl-cu12", "missing", "error")]
    assert (figures(found)["applying"], figures(found)["not_applying"]) == (2, 1)


def test_a_line_for_an_extra_applies_where_the_extra_is_installed():
    line = 'soundfile==1.0; extra == "audio"\n'
    assert figures(held(line))["applying"] == 0
    assert told(held(line, check=EnvLock(extras=("audio",)))) == [("soundfile", "missing", "error")]


def test_freeze_lines_that_are_not_name_and_version():
    lock = (
        "numpy @ file:///croot/numpy_123/work\n"
        f"-e git+https://x/y.git@{SHA}#egg=pkg_name\n"
        "-e .\n# comment\n--extra-index-url https://index.example/simple\n"
        'torch==2.1.0 ; python_version>"3.8"  # note\n'
    )
    there = (
        distribution("numpy", "1.26.4", installer="conda"),
        distribution("pkg-name", "1", origin=Origin(url="https://x/y.git", vcs="git", commit=SHA)),
        distribution("torch", "2.1.0"),
    )
    found = held(lock, *there)
    assert told(found) == [("3", "editable", "warning"), ("numpy", "unpinned", "warning")]
    moved = (there[0], replace(there[1], origin=Origin(url="https://x/y.git", vcs="git", commit="f" * 40)), there[2])
    assert ("pkg-name", "commit", "error") in told(held(lock, *moved))


def test_an_editable_install_of_the_right_version_passes_with_a_warning():
    there = distribution("mine", "1.0", origin=Origin(url="file:///home/me/mine", editable=True))
    assert told(held("mine==1.0\n", there)) == [("mine", "editable", "warning")]


def test_conda_names_versions_as_upstream_does():
    conda = distribution("opencv_python_headless", "4.9.0", installer="conda", recorded=False)
    found = held("opencv-python-headless==4.9.0.80\n", conda)
    assert told(found) == [("opencv-python-headless", "packager", "warning")]
    assert "conda" in violations(found)[0].message
    pip = replace(conda, installer="pip")
    assert told(held("opencv-python-headless==4.9.0.80\n", pip)) == [("opencv-python-headless", "version", "error")]


def test_ranges_are_warned_of_and_what_they_exclude_fails():
    assert told(held("a>=1,<2\nb\n", distribution("a", "1.5"), distribution("b", "1"))) == [
        ("a", "unpinned", "warning"),
        ("b", "unpinned", "warning"),
    ]
    assert told(held("a>=1,<2\n", distribution("a", "2.5"))) == [("a", "version", "error")]


def test_what_cannot_be_judged_makes_no_pass():
    found = held('a==1; python_version >= \nb==1; sys_platform ~= "x"\n', distribution("b", "1"))
    assert all(one.unseen for one in violations(found))
    assert sorted(one.kind for one in violations(found)) == ["line", "marker"]


def test_what_is_not_locked_weighs_as_the_rule_says():
    there = distribution("a", "1"), distribution("Some.Tool", "3"), distribution("pip", "24")
    assert told(held("a==1\n", *there)) == [("some-tool", "extra", "note")]
    assert told(held("a==1\n", *there, check=EnvLock(extra=Severity.ERROR))) == [("some-tool", "extra", "error")]
    assert told(held("a==1\n", *there, check=EnvLock(extra=None))) == []


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheels")
    for version in ("1.0", "1.1", "1.1+cu118"):
        wheel(folder, "first-one", version)
    wheel(folder, "second", "2.0", ["first-one>=1"])
    return folder


@pytest.fixture
def project(tmp_path, wheels):
    """A project whose environment has what its lock says."""
    root = tmp_path / "project"
    root.mkdir()
    interpreter = environment(root / ".venv")
    install(interpreter, "--find-links", str(wheels), "first-one==1.0", "second==2.0")
    (root / "requirements.txt").write_text("first-one==1.0\n-r more/second.txt\n")
    (root / "more").mkdir()
    (root / "more/second.txt").write_text("second==2.0\n-c ../bounds.txt\n")
    return root


def judged(root, **settings):
    check, facts = EnvLock(**settings), graph()
    asked = check.needs(Project(root=str(root), name="p", trigger=Trigger.LAUNCH, environment=Environment()))
    return list(check.evaluate(**{name: facts.get(request) for name, request in asked.items()}))


def test_an_environment_as_locked_passes_and_a_drifted_one_fails(project, wheels):
    found = judged(project)
    assert (named(found), summary(found)) == ([], "2 of 2 locked distributions installed as locked")
    install(project / ".venv/bin/python", "--find-links", str(wheels), "first-one==1.1+cu118")
    (wrong,) = violations(judged(project))
    assert (wrong.subject, wrong.kind) == ("requirements.txt#package=first-one", "version")
    assert wrong.repair == "pip-sync requirements.txt"
    shutil.rmtree(next((project / ".venv").glob("lib/*/site-packages/second-2.0.dist-info")))
    assert ("more/second.txt#package=second", "missing") in named(judged(project))


def test_nothing_of_the_environment_runs_while_it_is_looked_at(project, tmp_path):
    (site,) = (project / ".venv").glob("lib/*/site-packages")
    canary = tmp_path / "ran"
    (site / "canary.pth").write_text(f"import pathlib; pathlib.Path({str(canary)!r}).touch()\n")
    (site / "sitecustomize.py").write_text(f"import pathlib; pathlib.Path({str(canary)!r}).touch()\n")
    (site / "json.py").write_text(f"import pathlib; pathlib.Path({str(canary)!r}).touch()\n")
    assert named(judged(project)) == []
    assert not canary.exists()
    subprocess.run([project / ".venv/bin/python", "-c", ""], check=True)
    assert canary.exists(), "the trap itself works"


def test_a_tool_that_answers_the_same_question_agrees(project, wheels):
    """pip-sync would do nothing where the rule passes, and something where it fails."""
    pip_sync = Path(sys.executable).with_name("pip-sync")
    line = [pip_sync, "--dry-run", "--python-executable", ".venv/bin/python", "requirements.txt"]
    (project / "requirements.txt").write_text("first-one==1.0\nsecond==2.0\n")
    with_pip(project / ".venv/bin/python")
    said = subprocess.run(line, cwd=project, capture_output=True, text=True, check=False)
    assert (said.returncode, named(judged(project))) == (0, []), said.stderr
    install(project / ".venv/bin/python", "--find-links", str(wheels), "first-one==1.1")
    said = subprocess.run(line, cwd=project, capture_output=True, text=True, check=False)
    assert said.returncode == 1
    assert named(judged(project)) == [("requirements.txt#package=first-one", "version")]


def test_a_lock_that_is_not_there_lies_outside_or_is_of_another_form_cannot_be_judged(project):
    for lock in ("nothing.txt", "../elsewhere.txt", "poetry.lock"):
        with pytest.raises(CannotLook):
            judged(project, lock=lock)
    (project / "requirements.txt").unlink()
    with pytest.raises(NotApplicable, match="no lockfile"):
        judged(project)


def test_an_interpreter_that_git_tracks_is_not_run(project):
    for words in (["init", "-q"], ["add", "-f", ".venv/bin/python"]):
        subprocess.run(["git", *words], cwd=project, check=True)
    with pytest.raises(CannotLook, match="tracks it"):
        judged(project)
