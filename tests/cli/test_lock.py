"""`audit lock` as a person calls it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest
from blake3 import blake3
from support import dvc_projects
from support.collisions import MD5, ONE, TWO

from audit import locking
from audit.formats import lock

RULES = """
version: 1
name: p
datasets:
  clips: {path: "data/clips/**/*.wav"}
  table: {path: data/table.csv}
"""


def fill(root, files):
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    fill(
        root,
        {
            "audit.yaml": RULES.encode(),
            "data/table.csv": b"a,b\n",
            "data/clips/x.wav": b"x" * 100_000,
            "data/clips/s/y.wav": b"y",
        },
    )
    return root


def read(root):
    return json.loads((root / "audit.lock").read_bytes())


def test_it_writes_what_is_there(project, call):
    assert call("lock", "-C", project, "data") == (0, "audit.lock written: data\n")
    clips = read(project)["data"]["clips"]
    assert clips["content"] == {
        "data/clips/s/y.wav": {"blake3": blake3(b"y").hexdigest(), "size": 1},
        "data/clips/x.wav": {"blake3": blake3(b"x" * 100_000).hexdigest(), "size": 100_000},
    }
    assert (clips["files"], clips["bytes"]) == (2, 100_001)
    assert list(read(project)["data"]) == ["clips", "table"]


def test_all_sections_are_written_if_none_is_named(project, call):
    assert call("lock", "-C", project)[0] == 0
    assert "data" in read(project)


def test_writing_again_changes_nothing(project, call):
    call("lock", "-C", project, "data")
    before = (project / "audit.lock").stat()
    assert call("lock", "-C", project, "data") == (0, "audit.lock unchanged: data\n")
    assert (project / "audit.lock").stat() == before


def test_other_sections_stay(project, call):
    fill(project, {"audit.lock": lock.render({"weights": {"a": [1, 2]}, "data": {}})})
    call("lock", "-C", project, "data")
    assert read(project)["weights"] == {"a": [1, 2]}
    assert read(project)["data"]


def test_check_passes_and_fails(project, call):
    call("lock", "-C", project, "data")
    assert call("lock", "-C", project, "--check") == (0, "audit.lock: as locked: data\n")
    before = (project / "audit.lock").read_bytes()
    fill(project, {"data/clips/s/y.wav": b"z", "data/clips/new.wav": b"n"})
    (project / "data/table.csv").write_bytes(b"a,b\n1,2\n")
    code, said = call("lock", "-C", project, "--check", "data")
    assert code == 1
    assert said.splitlines() == [
        "data/clips/new.wav: extra",
        "data/clips/s/y.wav: changed (of the size as before)",
        "data/table.csv: changed (4 -> 8 bytes)",
        "audit.lock differs in 3 places; if this is meant to be: audit lock data",
    ]
    assert (project / "audit.lock").read_bytes() == before


def test_a_file_that_is_gone_is_missing(project, call):
    call("lock", "-C", project, "data")
    (project / "data/clips/s/y.wav").unlink()
    assert "data/clips/s/y.wav: missing\n" in call("lock", "-C", project, "--check")[1]


def test_a_digest_of_the_whole_that_is_not_that_of_its_files_is_no_pass(project, call):
    call("lock", "-C", project, "data")
    sections = lock.parse((project / "audit.lock").read_bytes())
    sections["data"]["clips"]["blake3"] = "0" * 64
    sections["data"]["table"]["content"]["data/table.csv"]["size"] = "many"
    fill(project, {"audit.lock": lock.render(sections)})
    code, said = call("lock", "-C", project, "--check")
    assert code != 0
    assert "audit.lock" in said


def test_what_differs_is_bounded(project, call):
    call("lock", "-C", project, "data")
    fill(project, {f"data/clips/{number}.wav": b"" for number in range(200)})
    code, said = call("lock", "-C", project, "--check")
    assert code == 1
    assert len(said.splitlines()) == 51
    assert "150 of them not shown" in said


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("dta",), 2, "did you mean 'data'?"),
        (("--check",), 2, "no audit.lock in"),
        (("--check", "dta"), 2, "no audit.lock in"),
    ],
)
def test_wrong_usage(project, call, words, code, said):
    found = call("lock", "-C", project, *words)
    assert found[0] == code
    assert said in found[1]


@pytest.mark.parametrize("content", [b"", b"{}", b'{"schema": "reproaudit/lock/9"}', b"<<<<<<< a\n"])
@pytest.mark.parametrize("words", [(), ("--check",)])
def test_a_lock_that_is_none_is_left_alone(project, call, content, words):
    fill(project, {"audit.lock": content})
    code, said = call("lock", "-C", project, *words)
    assert code == 2
    assert said.startswith("audit: audit.lock: ")
    assert (project / "audit.lock").read_bytes() == content


def test_a_section_of_a_later_audit_is_not_passed_over(project, call):
    fill(project, {"audit.lock": lock.render({"weights": {}})})
    code, said = call("lock", "-C", project, "--check")
    assert code == 3
    assert "'weights'" in said


def test_what_cannot_be_looked_at_is_not_written(project, call):
    (project / "data/table.csv").unlink()
    for words in ((), ("--check", "data")):
        fill(project, {"audit.lock": lock.render({"data": {}})})
        code, said = call("lock", "-C", project, *words)
        assert code == 3
        assert "'table' matches no file" in said
        assert read(project)["data"] == {}


def test_a_place_that_cannot_be_looked_at_is_not_left_out(project, call):
    os.mkfifo(project / "data/clips/z.wav")
    code, said = call("lock", "-C", project)
    assert code == 3
    assert "data/clips/z.wav: is a fifo" in said
    assert not (project / "audit.lock").exists()


def test_remote_datasets_are_said_to_be_left_out(project, call):
    fill(project, {"audit.yaml": f"{RULES}  far: {{path: 's3://me:secret@bucket/x.parquet?sig=secret'}}\n".encode()})
    code, said = call("lock", "-C", project, "data")
    assert code == 0
    assert "not locked: data: far (s3://bucket/x.parquet): only checks of tables read remote datasets" in said
    assert "secret" not in said


def test_an_optional_dataset_that_is_absent_is_not_locked(project, call):
    fill(project, {"audit.yaml": f"{RULES}  more: {{path: more, optional: true}}\n".encode()})
    call("lock", "-C", project, "data")
    assert list(read(project)["data"]) == ["clips", "table"]


def test_control_characters_of_names_do_not_reach_the_terminal(project, call):
    call("lock", "-C", project, "data")
    fill(project, {"data/clips/\x1b[31m.wav": b""})
    assert "\x1b" not in call("lock", "-C", project, "--check")[1]


def test_a_changed_project_is_locked_anew(project, call):
    call("lock", "-C", project, "data")
    fill(project, {"data/clips/s/y.wav": b"z"})
    assert call("lock", "-C", project, "data") == (0, "audit.lock written: data\n")
    assert call("lock", "-C", project, "--check")[0] == 0


ELSEWHERE = [
    {"LC_ALL": "C", "PYTHONHASHSEED": "1"},
    {"LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "2", "TZ": "Asia/Kolkata"},
    {"PYTHONUTF8": "1", "PYTHONHASHSEED": "3"},
]


def test_the_bytes_hang_on_nothing_but_the_data(project, tmp_path):
    fill(
        project,
        {
            f"data/clips/{name}.wav": name.encode("utf-8", "surrogateescape")
            for name in ("I", "\u0131", "\udcff", "\U0001f600")
        },
    )
    found = set()
    for jobs, (settings, state) in enumerate([(one, state) for one in ELSEWHERE for state in ("cold", "warm")], 1):
        (project / "audit.lock").unlink(missing_ok=True)
        if state == "cold":
            subprocess.run(["rm", "-rf", project / ".audit"], check=True)
        where = project if jobs % 2 else tmp_path
        command = [sys.executable, "-m", "audit", "lock", "-C", os.path.relpath(project, where), "--jobs", str(jobs)]
        subprocess.run(command, cwd=where, env=os.environ | settings, check=True, capture_output=True)
        found.add((project / "audit.lock").read_bytes())
    assert len(found) == 1


def killed_at(step, root, sections):
    """Write the lock in a process that is killed before it executes a line of the writer; whether it came that far."""
    child = os.fork()
    if child == 0:
        left = step

        def trace(frame, event, _):
            nonlocal left
            if frame.f_code.co_filename.endswith("publishing.py") and event == "line":
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
            return trace

        sys.settrace(trace)
        locking.write(root, sections)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def test_killed_while_writing_it_is_as_before_or_complete(project):
    old, new = {"data": {"clips": {"old": 1}}}, {"data": {"clips": {"new": 2}}}
    locking.write(project, old)
    before, after = (lock.render(sections) for sections in (old, new))
    step = 1
    seen = []
    while killed_at(step, project, new):
        seen.append((project / "audit.lock").read_bytes())
        step += 1
        locking.write(project, old)
    assert set(seen) <= {before, after}
    assert len(seen) > 5
    assert (project / "audit.lock").read_bytes() == after


# Projects that DVC keeps.


@pytest.fixture
def dvc_project(tmp_path):
    root = dvc_projects.make(tmp_path / "project")
    fill(
        root,
        {
            "audit.yaml": b"version: 1\ndatasets: {all: {path: data}}\n",
            "data/raw/a": b"a" * 100_000,
            "data/raw/b": b"b",
        },
    )
    fill(root, {"data/c": b"c", "data/free": b"free"})
    dvc_projects.add(root, "data/raw")
    dvc_projects.add(root, "data/c")
    return root


def md5s(root):
    return {path: file.get("md5") for path, file in read(root)["data"]["all"]["content"].items()}


A, B, C = "1af6d6f2f682f76f80e606aeaaee1680", "92eb5ffee6ae2fec3ad71c777531578f", "4a8a08f09d37b73795649038408b5f33"


def test_the_digests_of_dvc_travel_with_the_lock(dvc_project, call):
    assert call("lock", "-C", dvc_project, "data")[0] == 0
    assert md5s(dvc_project) == {"data/c": C, "data/free": None, "data/raw/a": A, "data/raw/b": B}
    lines = (dvc_project / "audit.lock").read_bytes()
    subprocess.run(["rm", "-rf", dvc_project / ".dvc/cache", dvc_project / ".audit"], check=True)
    assert call("lock", "-C", dvc_project, "--check") == (0, "audit.lock: as locked: data\n")
    call("lock", "-C", dvc_project, "data")
    assert (dvc_project / "audit.lock").read_bytes() == lines


def test_a_digest_that_the_content_does_not_have_is_no_pair(dvc_project, call):
    call("lock", "-C", dvc_project, "data")
    (dvc_project / "data/c").chmod(0o644)
    fill(dvc_project, {"data/c": b"changed"})
    call("lock", "-C", dvc_project, "data")
    assert md5s(dvc_project)["data/c"] is None


def test_two_contents_of_one_md5_are_not_locked(tmp_path, call):
    root = dvc_projects.make(tmp_path / "project")
    fill(root, {"audit.yaml": b"version: 1\ndatasets: {all: {path: data}}\n", "data/a": ONE, "data/b": ONE})
    dvc_projects.add(root, "data/a")
    dvc_projects.add(root, "data/b")
    call("lock", "-C", root, "data")
    assert md5s(root) == {"data/a": MD5, "data/b": MD5}
    (root / "data/b").unlink()
    fill(root, {"data/b": TWO})
    code, said = call("lock", "-C", root, "data")
    assert code == 1
    assert f"different contents have the MD5 {MD5}: data/a, data/b" in said
