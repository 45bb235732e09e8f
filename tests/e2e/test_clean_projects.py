"""Unusual projects in which nothing is wrong: the core pack has nothing to say, not even a warning, on any trigger."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import git
import pytest
from support.dvc_projects import add, configure, dvc, init, make, object_path, repro, write
from support.git_projects import GitProject

from audit.api import Settings, hold
from audit.records.words import Outcome, Trigger

QUIET = {Outcome.PASS, Outcome.SKIP}
CORE = "version: 1\nname: p\nextends: [core]\n"
ODD = ["ü n ï/a b.csv", "émoji 🎉.csv", "empty", "-dash", "new\nline", "q'uo\"te", "[x]*", "sub/.hidden"]


def published(root, datasets=""):
    """Commit and push all there is of a project, its data and its Git history."""
    write(root, {"audit.yaml": CORE + datasets})
    store = root.parent / f"{root.name}.store"
    store.mkdir()
    configure(root, "core.remote", "store")
    configure(root, "remote.store.url", str(store))
    dvc(root, "push -q")
    project = GitProject(root, git.Repo(root, search_parent_directories=True))
    project.commit()
    project.publish(root.parent / f"{root.name}.git")
    return project


def cloned(root, option):
    """A clone with its data."""
    there = GitProject.clone(root.parent / f"{root.name}.git", root.parent / "clone", option).root
    dvc(there, "pull -q")
    return there


def loud(root):
    """What is said against a project, by trigger and rule; a verdict other than pass says something too."""
    reports = [hold(root.resolve(), Settings(on=trigger)).report for trigger in Trigger]
    said = [
        (str(report.body.trigger), one.rule, one.summary, [(each.subject, each.kind) for each in one.violations])
        for report in reports
        for one in report.results
        if one.outcome not in QUIET
    ]
    return said or [report.verdict for report in reports if report.verdict != "pass"]


@pytest.fixture
def root(tmp_path):
    root = make(tmp_path / "project")
    write(root, {"data/a.csv": "1\r\n", "data/s/b.csv": "2\n", "train.py": "x = 1\n"})
    add(root, "data")
    return root


def test_odd_names_empty_files_and_empty_folders(root):
    write(root, {f"data/{name}": "" if name == "empty" else name for name in ODD})
    (root / "data/nothing").mkdir()
    add(root, "data")
    published(root, datasets="datasets: {all: {path: data}, some: {path: 'data/**/*.csv'}}\n")
    assert loud(root) == []


@pytest.mark.parametrize("kind", ["symlink", "hardlink", "reflink,copy"])
def test_links_into_a_cache_outside_of_the_project(root, kind):
    configure(root, "cache.dir", "../../cache", "local")
    configure(root, "cache.type", kind)
    write(root, {"f.bin": b"\0\1"})
    add(root, "data", "f.bin")
    dvc(root, "checkout --relink -q")
    published(root, datasets="datasets: {d: {path: data}, f: {path: f.bin}}\n")
    assert loud(root) == []


def test_a_pipeline_with_all_that_a_pipeline_can_have(root):
    write(
        root,
        {
            "params.yaml": "lr: 0.1\nmodel: {k: [1, 2]}\n",
            "params.py": "class T:\n    A = 3\nB = 'x'\n",
            "sub/.keep": "",
            "dvc.yaml": PIPELINE,
        },
    )
    repro(root)
    dvc(root, "freeze -q met")
    published(root)
    assert loud(root) == []


PIPELINE = """\
vars:
- names: [a, b]
stages:
  each:
    foreach: ${names}
    do:
      cmd: cp train.py out-${item}.txt
      deps:
      - train.py
      outs:
      - out-${item}.txt
  m:
    matrix:
      x: [1, 2]
      y: [u]
    cmd: echo ${item.x} ${item.y} > m-${item.x}-${item.y}
    params:
    - lr
    - params.py:
      - B
    outs:
    - m-${item.x}-${item.y}
  met:
    wdir: sub
    cmd:
    - echo '{"a":1}' > met.json
    - mkdir -p d
    - echo 1 > d/1
    params:
    - ../params.py:
      - T.A
    - ../params.yaml:
    metrics:
    - met.json:
        cache: false
    outs:
    - d:
        persist: true
        desc: kept
artifacts:
  it:
    path: sub/d
    type: model
"""


def legacy(root, name):
    """Put a file or folder as DVC 2 recorded and kept it; all of it text."""
    path = root / name
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    rows = {}
    for file in filter(Path.is_file, files):
        content = file.read_bytes()
        rows[file.relative_to(path).as_posix()] = _kept(root, content.replace(b"\r\n", b"\n"), content)
    size = sum(file.stat().st_size for file in files if file.is_file())
    if path.is_dir():
        listing = json.dumps([{"md5": rows[each], "relpath": each} for each in sorted(rows)]).encode()
        return f"outs:\n- md5: {_kept(root, listing, listing, '.dir')}.dir\n  size: {size}\n  path: {name}\n"
    return f"outs:\n- md5: {rows['.']}\n  size: {size}\n  path: {name}\n"


def _kept(root, normal, content, suffix=""):
    digest = hashlib.md5(normal, usedforsecurity=False).hexdigest()
    place = root / ".dvc/cache" / digest[:2] / f"{digest[2:]}{suffix}"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    return digest


def test_a_project_of_dvc_2(root):
    shutil.rmtree(root / ".dvc/cache")
    write(root, {"f.txt": "x\r\ny\r\n", ".gitignore": "/data\n/f.txt\n"})
    write(root, {"data.dvc": legacy(root, "data"), "f.txt.dvc": legacy(root, "f.txt")})
    assert not object_path(root, "00").parent.parent.exists()
    published(root, datasets="datasets: {d: {path: data}, f: {path: f.txt}}\n")
    assert loud(root) == []


def test_a_second_work_tree(root):
    project = published(root)
    there = root.parent / "tree"
    project.git("worktree", "add", "-q", "-B", "x", str(there))
    project.git("push", "-q", "origin", "x")
    configure(there, "cache.dir", str(root / ".dvc/cache"), "local")
    dvc(there, "checkout -q")
    assert loud(there) == []


@pytest.mark.parametrize("option", ["--depth=1", "--filter=blob:none"])
def test_clones_of_a_part(root, option):
    published(root)
    GitProject(root, git.Repo(root.parent / "project.git")).git("config", "uploadpack.allowFilter", "true")
    assert loud(cloned(root, option)) == []


def test_line_ends_of_another_system(root):
    project = published(root)
    project.git("config", "core.autocrlf", "true")
    (root / "train.py").unlink()
    project.git("checkout", "--", "train.py")
    assert b"\r\n" in (root / "train.py").read_bytes()
    assert loud(root) == []


def test_a_sparse_work_tree(root):
    write(root, {"big/x.py": "x\n"})
    published(root).git("sparse-checkout", "set", "--cone", ".dvc")
    assert not (root / "big").exists()
    assert loud(root) == []


def test_a_submodule_with_a_dvc_repository_of_its_own(root, tmp_path):
    library = make(tmp_path / "library")
    write(library, {"d/a.csv": "1\n"})
    add(library, "d")
    published(library)
    project = GitProject(root, git.Repo(root))
    project.submodule(tmp_path / "library.git", "sub")
    dvc(root / "sub", "pull -q")
    published(root)
    assert loud(root) == []


def test_a_dvc_repository_in_a_folder_of_a_git_repository(tmp_path):
    GitProject.make(tmp_path / "mono", {"README": "x"})
    root = init(tmp_path / "mono" / "ml", subdir=True)
    write(root, {"data/a.csv": "1\n"})
    add(root, "data")
    published(root)
    assert loud(root) == []


def test_git_lfs_beside_dvc(root):
    if shutil.which("git-lfs") is None:
        pytest.skip("git-lfs is not installed")
    for words in (["install", "--local"], ["track", "*.bin"]):
        subprocess.run(["git", "lfs", *words], cwd=root, check=True, capture_output=True)
    write(root, {"m.bin": b"\0" * 5000, "e.bin": "", "sub/é.bin": "zz"})
    published(root, datasets="datasets: {m: {path: '**/*.bin'}}\n")
    assert loud(root) == []


def test_files_that_other_filters_keep(root):
    attributes = "*.ipynb filter=nbstripout\n*.txt working-tree-encoding=UTF-16 text\n*.md ident text eol=crlf\n"
    write(root, {"n.ipynb": "{}", "a.txt": "é\n".encode("utf-16"), "a.md": "$Id$\r\n", ".gitattributes": attributes})
    published(root)
    assert loud(root) == []


def test_links_as_git_annex_makes_them(root):
    write(root, {".git/annex/objects/Xx/Yy/SHA256E-s5--abc.bin": "hello"})
    (root / "annexed").mkdir()
    (root / "annexed/x.bin").symlink_to("../.git/annex/objects/Xx/Yy/SHA256E-s5--abc.bin")
    published(root)
    assert loud(root) == []


def test_imports(root, tmp_path):
    source = make(tmp_path / "source")
    write(source, {"d/a.csv": "1\n", "plain.txt": "git\n"})
    add(source, "d")
    published(source).git("tag", "v1")
    GitProject(source, git.Repo(source)).git("push", "-q", "origin", "v1")
    write(tmp_path, {"ext.txt": "ext"})
    dvc(root, f"import -q {tmp_path / 'source.git'} d --rev v1")
    dvc(root, f"import -q {tmp_path / 'source.git'} plain.txt")
    dvc(root, f"import-url -q {tmp_path / 'ext.txt'} ext.txt")
    published(root)
    assert loud(root) == []


def test_a_pattern_that_ignores_in_a_file_shared_by_link(root):
    write(root, {"common": "*.tmp\n", "data/x.tmp": "junk\n"})
    (root / ".dvcignore").unlink()
    (root / ".dvcignore").symlink_to("common")
    published(root)
    assert loud(root) == []


@pytest.mark.parametrize("name", [b"-dash", b"new\nline", b"q'\"x", b"100%", b"#h?x=1", b"[x]*", "ü".encode(), b"\xff"])
def test_a_folder_of_any_name(root, name):
    published(root, datasets="datasets: {d: {path: data}}\n")
    moved = root.rename(root.parent / os.fsdecode(name))
    said = loud(moved)
    if name == b"\xff":  # which DVC itself, asked for its remote at night, cannot be told
        assert {(trigger, rule) for trigger, rule, *_ in said} == {("nightly", "dvc-remote")}
    else:
        assert said == []
