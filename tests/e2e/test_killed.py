"""Killed, interrupted, crowded, or without room to write: an audit leaves no half state and no torn report."""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from support.dvc_projects import add, make, write
from support.forks import Ended, Moment, Running, counting, dying_at, run

from audit.cli import main as program
from audit.engine.graph import Graph
from audit.host import reading
from audit.sinks.html import page
from audit.state import store
from audit.state.state import State

RULES = """
version: 1
name: small
datasets:
  data: {path: data}
rules:
  - {id: data-as-recorded, check: dvc.hash}
  - {id: cache-whole, check: dvc.cache}
  - {id: sums, check: files.manifest, with: {manifest: SHA256SUMS}}
  - {id: all-covered, check: data.covered}
"""
TIMES = int(os.environ.get("AUDIT_KILLS", "80"))
"""Kills after ever longer times, beside those at each step."""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """One file is not as recorded, so that the right verdict is `fail`."""
    folder = tmp_path_factory.mktemp("killed")
    root = make(folder / "project")
    write(root, {f"data/{number}.txt": f"{number}\n" * 9 for number in range(20)} | {"data/large.bin": b"x" * 300_000})
    add(root, "data")
    write(root, {"data/7.txt": "seven\n", "notes.txt": "n\n", "audit.yaml": RULES})
    listed = hashlib.sha256(b"n\n").hexdigest()
    write(root, {"SHA256SUMS": f"{listed}  notes.txt\n"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        patch.setattr("audit.facts.content.GRAIN_S", 0)  # what was just written is trusted in the next audit
        patch.setattr(page, "_environment", functools.cache(page._environment))  # the page's template is compiled once
        program._guarded(line(root))  # and what is imported on the way is here for all forks
        gc.freeze()
        yield root
        gc.unfreeze()


def audit(root, *words, **options):
    return run(line(root, *words), **options)


def line(root, *words):
    return ["run", "-C", str(root), "--mlflow", "off", "--jobs", "2", *words]


def anew(root):
    """As before the first audit."""
    for folder in (root / "reports", root / ".audit"):
        shutil.rmtree(folder, ignore_errors=True)


def right(ended: Ended, warnings: int = 0) -> None:
    """The verdict, in words and as exit code, and no more warnings than that."""
    assert ended.code == 1, ended
    assert "FAIL  something is not as recorded" in ended.out
    assert "data/7.txt" in ended.out
    assert ended.err.count("audit: warning: ") == len(ended.err.splitlines()) == warnings, ended.err


def whole(root, *verdicts) -> None:
    """Whatever is published is complete, `latest` is one of it, and the state opens and is believed."""
    published = [folder for folder in (root / "reports").glob("[!.]*") if not folder.is_symlink()]
    for folder in published:
        _whole_report(folder, verdicts or ["fail"])
    latest = root / "reports" / "latest"
    assert not latest.is_symlink() or latest.resolve() in published
    with closing(State.open(str(root))) as state:
        assert state.warnings == []


def _whole_report(folder, verdicts) -> None:
    assert sorted(file.name for file in folder.iterdir()) == ["report.html", "report.json"], folder
    report = json.loads((folder / "report.json").read_bytes())
    body = msgspec.json.encode(report["body"], order="deterministic")
    assert hashlib.sha256(body).hexdigest() == report["envelope"]["body_digest"]
    assert report["body"]["verdict"] in verdicts
    shown = (folder / "report.html").read_text()
    assert shown.startswith("<!doctype html>")
    assert shown.rstrip().endswith("</html>")


def moments(root) -> list[Moment]:
    """Before and after every call that writes or commits, and some of those that read."""
    note = root.parent / "calls"
    right(audit(root, prepare=counting(note)))
    calls = Counter(note.read_text().split())
    note.unlink()
    reading = range(0, calls.pop("reading"), 20)
    every = [Moment(*each) for kind, count in calls.items() for each in product([kind], range(count), [False, True])]
    return every + [Moment("reading", number, after=False) for number in reading]


@pytest.mark.parametrize("remembered", [False, True])
def test_killed_at_every_step(project, remembered):
    """Over reading, committing to the state, and before and after each rename."""
    codes = Counter()
    anew(project)
    if remembered:
        right(audit(project))
    for moment in moments(project):
        if not remembered:
            anew(project)
        codes[audit(project, prepare=dying_at(moment)).code] += 1
        whole(project)
        if remembered or moment.number % 5 == 0:
            right(audit(project))
            leave_one(project)
    assert codes[-signal.SIGKILL] > (20 if remembered else 60), codes
    assert codes.total() - codes[-signal.SIGKILL] < 5, codes  # threads may need fewer calls than when they were counted
    right(audit(project))


def test_what_the_killed_leave_behind_is_swept(project):
    anew(project)
    for number in range(12):
        audit(project, prepare=dying_at(Moment("writing", number, after=True)))
    left = list((project / "reports").glob(".audit-tmp-*"))
    assert left
    for one in left:
        os.utime(one, (1, 1), follow_symlinks=False)
    right(audit(project))
    assert list((project / "reports").glob(".audit-tmp-*")) == []


def test_killed_after_any_time(project):
    anew(project)
    right(audit(project))
    before = time.monotonic()
    right(audit(project))
    length_s = time.monotonic() - before
    codes = Counter()
    for number in range(TIMES):
        if number % 2:
            anew(project)
        running = Running(line(project))
        time.sleep(length_s * number / TIMES)
        running.kill(signal.SIGTERM if number % 3 == 0 else signal.SIGKILL)
        codes[running.wait().code] += 1
        whole(project)
    right(audit(project))
    assert set(codes) <= {-signal.SIGKILL, -signal.SIGTERM, 1}
    assert codes[1] < TIMES * 3 // 4


def leave_one(root) -> None:
    """Keep the latest report alone, so that there is little to look at."""
    latest = (root / "reports" / "latest").resolve()
    for folder in (root / "reports").glob("[!.]*"):
        if not folder.is_symlink() and folder != latest:
            shutil.rmtree(folder)


def test_audits_at_once_do_not_hurt_each_other(project):
    for _ in range(5):
        anew(project)
        running = [Running(line(project)) for _ in range(4)]
        for one in running:
            right(one.wait())
        whole(project)
        assert len([folder for folder in (project / "reports").glob("2*") if not folder.is_symlink()]) == 4


# Where nothing can be written.


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[Path]:
    """A filesystem of its own; skips where this user may mount none."""
    folder.mkdir(exist_ok=True)
    if subprocess.run(["mount", *options, folder], capture_output=True, check=False).returncode:
        pytest.skip("this user may mount nothing")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def copied(project: Path, root: Path) -> Path:
    shutil.copytree(project, root, symlinks=True, dirs_exist_ok=True)
    anew(root)
    return root


def test_a_full_disk_costs_the_report_and_one_warning(project, tmp_path):
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=1500k", "tmpfs") as disk:
        root = copied(project, disk / "project")
        fill_up(disk)
        ended = audit(root)
        right(ended, warnings=1)
        assert "could not be written" in ended.err
        assert not (root / "reports" / "latest").is_symlink()
        (disk / "filler").unlink()
        right(audit(root))
        whole(root)


def fill_up(disk: Path) -> None:
    """To the last block but a few."""
    with (disk / "filler").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
        while True:
            filler.write(bytes(4096))
    os.truncate(disk / "filler", (disk / "filler").stat().st_size - 16384)


def test_no_disk_at_all_still_gives_the_verdict(project, tmp_path, monkeypatch):
    """Neither reports, nor state, nor the user's cache folder."""
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=1500k", "tmpfs") as disk:
        monkeypatch.setenv("XDG_CACHE_HOME", str(disk / "cache"))
        root = copied(project, disk / "project")
        fill_up(disk)
        os.truncate(disk / "filler", (disk / "filler").stat().st_size + 16384)
        ended = audit(root)
        assert len(set(ended.err.splitlines())) == 2
        right(ended, warnings=2)


@pytest.mark.parametrize("limit", [0, 100, 5_000, 20_000])
def test_files_that_may_not_grow(project, limit):
    """As under a quota, and on a disk that fills up while it is written to."""
    anew(project)

    def shrink() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        store.time = SimpleNamespace(monotonic=time.monotonic)  # for what is full nobody waits

    ended = audit(project, prepare=shrink)
    right(ended, warnings=len(set(ended.err.splitlines())))
    assert "could not be written" in ended.err
    whole(project)
    right(audit(project))
    whole(project)


def test_a_project_that_is_read_only(project, tmp_path):
    root = copied(project, tmp_path / "project")
    with mounted(root, "--bind", str(root)):
        subprocess.run(["mount", "-o", "remount,ro,bind", root], check=True)
        ended = audit(root)
        right(ended, warnings=1)
        assert "read-only" in ended.err.lower()
        right(audit(root, "--output", str(tmp_path / "out")))
        assert (tmp_path / "out" / "latest" / "report.json").is_file()


# What never answers.


def hang_on_large_files() -> None:
    """As on a network filesystem whose server is gone; for forks alone."""
    real = reading.Reader.read

    def read(self, path, consumers):
        if path.endswith("large.bin"):
            threading.Event().wait()
        return real(self, path, consumers)

    reading.Reader.read = read
    Graph.__init__.__kwdefaults__["stall_s"] = 1.5


def test_a_read_that_hangs_is_given_up_and_all_else_is_told(project):
    anew(project)
    ended = audit(project, prepare=hang_on_large_files)
    assert ended.code == 3
    assert "no progress for 1.5 s" in ended.out
    report = json.loads((project / "reports" / "latest" / "report.json").read_bytes())
    outcomes = {one["rule"]: one["outcome"] for one in report["body"]["results"]}
    assert outcomes == {"data-as-recorded": "error", "cache-whole": "pass", "sums": "pass", "all-covered": "pass"}
    whole(project, "incomplete")


# Ctrl-C.

TOLD = {
    False: {"audit: interrupted"},
    True: {
        "",
        "audit: warning: interrupted while the report was written",
        "audit: warning: interrupted while the report was sent",
    },
}
"""What standard error says, by whether there is a verdict on standard output."""


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_while_a_large_file_is_read(project, tmp_path, ending):
    """What was found so far is told and written; nothing of it passes."""
    root = copied(project, tmp_path / "project")
    os.truncate(root / "notes.txt", 1 << 40)
    running = Running(line(root), program._end_as_if_interrupted)
    while read_by(running.pid) < 1 << 27:
        time.sleep(0.01)
    running.kill(ending)
    before = time.monotonic()
    ended = running.wait()
    assert time.monotonic() - before < 20
    assert ended.code == 130, ended
    assert "INCOMPLETE" in ended.out
    assert "data/7.txt" in ended.out
    report = json.loads((root / "reports" / "latest" / "report.json").read_bytes())
    assert report["envelope"]["interrupted"]
    outcomes = {one["rule"]: one["outcome"] for one in report["body"]["results"]}
    assert outcomes == {"data-as-recorded": "fail", "cache-whole": "pass", "sums": "error", "all-covered": "pass"}
    assert report["body"]["verdict"] == "incomplete"


def test_an_interrupt_at_any_time_ends_cleanly(project):
    """With its exit code and at most one line more, and never with a crash of a thread that still works."""
    anew(project)
    before = time.monotonic()
    right(audit(project))
    length_s = time.monotonic() - before
    codes = Counter()
    for number in range(TIMES // 2):
        if number % 2:
            anew(project)
        running = Running(line(project))
        time.sleep(length_s * number * 2 / TIMES)
        running.kill(signal.SIGINT)
        ended = running.wait()
        codes[ended.code] += 1
        assert ended.err.strip() in TOLD[ended.out != ""], ended
        whole(project, "fail", "incomplete")
    assert set(codes) <= {130, 1}
    right(audit(project))


def read_by(pid: int) -> int:
    """Bytes that a process has read."""
    try:
        return int(Path(f"/proc/{pid}/io").read_text().split()[1])
    except FileNotFoundError as gone:
        raise AssertionError("it ended too soon") from gone
