"""What the audit knows of a DVC project is what DVC itself knows of it."""

from __future__ import annotations

import os
import posixpath
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support import dvc_projects as projects
from support.engine import graph

from audit.facts.dvc import Dvc, DvcProject


def known(root: Path) -> Dvc:
    with projects.hermetic(root):
        found = graph().get(DvcProject(root=str(root)))
    assert found is not None
    return found


def ours(dvc: Dvc) -> list[dict[str, Any]]:
    """Our stages in words that DVC can be asked for too."""
    return sorted(
        (
            {
                "stage": stage.address,
                "wdir": stage.wdir,
                "cmd": list(stage.cmd) if isinstance(stage.cmd, tuple) else stage.cmd,
                "frozen": stage.frozen,
                "always_changed": stage.always_changed,
                "imported": stage.imported,
                "outs": [
                    {
                        "location": out.location,
                        "declared": out.declared,
                        "hash": out.digest.algorithm if out.digest else None,
                        "value": out.digest.hex + (".dir" if out.is_dir else "") if out.digest else None,
                        "size": out.size,
                        "nfiles": out.nfiles,
                        "isexec": out.isexec,
                        "cache": out.cache,
                        "push": out.push,
                        "persist": out.persist,
                        "remote": out.remote,
                        "in_repo": not out.external,
                        "role": out.role.value,
                        "object": dvc.config.cache.of(out) if out.cache and not out.external else None,
                    }
                    for out in stage.outs
                ],
                "deps": [
                    {
                        "location": dep.location,
                        "declared": dep.declared,
                        "value": dep.digest.hex + (".dir" if dep.is_dir else "") if dep.digest else None,
                    }
                    for dep in stage.deps
                    if not dep.repository and not dep.database
                ],
                "params": [(each.location, list(each.names)) for each in stage.params],
            }
            for stage in dvc.stages
        ),
        key=lambda stage: stage["stage"],
    )


def theirs(root: Path) -> list[dict[str, Any]]:
    from dvc.dependency import ParamsDependency, RepoDependency

    with projects.repo(root) as repo:
        stages = []
        for stage in repo.index.stages:
            file = posixpath.relpath(stage.path, root)
            plain = [dep for dep in stage.deps if not isinstance(dep, ParamsDependency | RepoDependency)]
            stages.append(
                {
                    "stage": f"{file}:{stage.name}" if getattr(stage, "name", None) else file,
                    "wdir": stage.wdir,
                    "cmd": stage.cmd,
                    "frozen": stage.frozen,
                    "always_changed": stage.always_changed,
                    "imported": bool(stage.is_import) and not stage.params,
                    "outs": [
                        {
                            "location": out.fs_path if out.protocol == "local" else None,
                            "declared": out.def_path,
                            "hash": out.hash_info.name if out.hash_info else None,
                            "value": out.hash_info.value,
                            "size": out.meta.size,
                            "nfiles": out.meta.nfiles,
                            "isexec": bool(out.meta.isexec),
                            "cache": out.use_cache,
                            "push": out.can_push,
                            "persist": out.persist,
                            "remote": out.remote,
                            "in_repo": bool(out.is_in_repo),
                            "role": "metric" if out.metric else "plot" if out.plot else "data",
                            "object": out.cache_path if out.use_cache and out.is_in_repo and out.hash_info else None,
                        }
                        for out in stage.outs
                    ],
                    "deps": [
                        {
                            "location": dep.fs_path if dep.protocol == "local" else None,
                            "declared": dep.def_path,
                            "value": dep.hash_info.value,
                        }
                        for dep in plain
                    ],
                    "params": [
                        (dep.fs_path, list(dep.params)) for dep in stage.deps if isinstance(dep, ParamsDependency)
                    ],
                }
            )
    return sorted(stages, key=lambda stage: stage["stage"])


def assert_same(root: Path) -> Dvc:
    found = known(root)
    assert found.problems == ()
    assert ours(found) == theirs(root)
    return found


def test_files_and_folders_that_were_added(tmp_path):
    root = projects.make(tmp_path / "p")
    projects.write(root, {"a.txt": "a\n", "d/1": "1", "d/x/2": "2", "sub/deep/b.bin": b"\0\1", "run.sh": "#!/bin/sh\n"})
    (root / "run.sh").chmod(0o755)
    projects.add(root, "a.txt", "d", "sub/deep/b.bin", "run.sh")
    dvc = assert_same(root)
    assert [out.path for out in dvc.outputs] == ["a.txt", "d", "run.sh", "sub/deep/b.bin"]


PIPELINE = """
vars:
  - extra.json:alpha,beta
  - nested: {list: [1, two, 3.5, true], deep: {x: y}}
stages:
  prepare:
    cmd: mkdir -p out && cp src.txt out/prepared.txt
    deps: [src.txt]
    params: [lr, model.depth, other.toml: [a.b], settings.py: [Net.width, EPOCHS], whole.yaml: ]
    outs:
      - out/prepared.txt: {cache: true, push: false, persist: true, desc: text}
    metrics:
      - metrics.json: {cache: false}
    plots:
      - plot.csv: {cache: false, x: a, y: b}
  each:
    foreach: ${models}
    do:
      cmd: "echo ${item.name} ${item.size} > ${key}.txt"
      outs: ["${key}.txt"]
  list:
    foreach: [us, 2, 1.5, true, null]
    do: {cmd: "echo ${item}", wdir: "${wd}", outs: ["list-${item}.txt"]}
  fromvar:
    foreach: ${nested.list}
    do: {cmd: 'echo ${item} \\${escaped}', outs: ["fv-${item}"]}
  composite:
    foreach: [{a: 1}, {a: 2}]
    do: {cmd: "echo ${item.a}"}
  grid:
    matrix:
      model: [cnn, {deep: 1}]
      size: ${sizes}
    cmd: echo ${item.model} ${item.size} ${key}
    outs: ["grid-${key}"]
  local:
    vars: [extra.json:gamma, {own: 7}]
    cmd:
      - echo ${own} ${gamma} ${alpha}
      - python x.py ${args}
    always_changed: true
    frozen: true
"""


def templated(root: Path) -> Path:
    projects.make(root)
    projects.write(
        root,
        {
            "dvc.yaml": PIPELINE.replace("whole.yaml: ]", "whole.yaml: []]").replace("${item.model}", "x"),
            "params.yaml": "lr: 1e-3\nmodel: {depth: 3}\nwd: w\nsizes: [1, 2]\n"
            "models: {a: {name: n, size: 1}, b: {name: m, size: 2.0}}\n"
            "args: {flag: true, off: false, n: 3, s: 'a b', l: [1, x y, true], d: {e: null}}\n",
            "extra.json": '{"alpha": 1, "beta": [1], "gamma": "g"}',
            "other.toml": "[a]\nb = 2\n",
            "whole.yaml": "q: 1\n",
            "settings.py": "EPOCHS = 3\nclass Net:\n    def __init__(self):\n        self.width = 4\n",
            "src.txt": "source\n",
            "w/keep": "",
        },
    )
    return root


def test_templates_loops_and_parameters(tmp_path):
    root = templated(tmp_path / "p")
    names = [stage.name for stage in assert_same(root).stages]
    assert {"each@a", "list@true", "list@None", "fromvar@True", "composite@0", "grid@cnn-2", "grid@model1-1"} <= set(
        names
    )


@pytest.mark.parametrize("settings", [{"parsing.bool": "boolean_optional", "parsing.list": "append"}, {}])
def test_mappings_as_options_of_a_command(tmp_path, settings):
    root = templated(tmp_path / "p")
    for name, value in settings.items():
        projects.configure(root, name, value)
    assert_same(root)


def test_what_the_lock_recorded(tmp_path):
    root = projects.make(tmp_path / "p")
    projects.write(root, {"src/a": "1", "src/b": "2", "params.yaml": "lr: 0.1\n", "w/in.txt": "x"})
    projects.add(root, "w/in.txt")
    projects.stage(root, "fold", "cp -r src out", deps=["src"], outs=["out"], params=["lr"])
    projects.stage(
        root, "in-w", "cp in.txt o.txt", wdir="w", deps=["in.txt"], outs_no_cache=["o.txt"], metrics=["m.json"]
    )
    (root / "w" / "m.json").write_text("{}")
    projects.repro(root, "fold")
    dvc = assert_same(root)
    fold = next(stage for stage in dvc.stages if stage.name == "fold")
    assert fold.params[0].recorded == {"lr": 0.1}
    assert fold.outs[0].is_dir
    assert fold.locked is not None
    assert next(stage for stage in dvc.stages if stage.name == "in-w").locked is None


def test_files_that_dvc_2_wrote(tmp_path):
    root = projects.make(tmp_path / "p")
    projects.write(
        root,
        {
            "foo.dvc": "outs:\n- md5: d3b07384d113edec49eaa6238ad5ff00\n  size: 5\n  path: foo\n",
            "dir.dvc": "outs:\n- md5: 7bc6553fc7eb8f02339bc29006b3599a.dir\n  size: 11\n  nfiles: 2\n  path: dir\n"
            "meta: {owner: me}\nfrozen: true\nwdir: sub\n",
            "sub/keep": "",
            "dvc.yaml": "stages:\n  a: {cmd: b, outs: [c], deps: [d]}\n",
            "dvc.lock": "schema: '2.0'\nstages:\n  a:\n    cmd: b\n    deps:\n"
            "    - {path: d, md5: d3b07384d113edec49eaa6238ad5ff00, size: 4}\n"
            "    outs:\n    - {path: c, md5: 7bc6553fc7eb8f02339bc29006b3599a.dir, size: 11, nfiles: 2}\n"
            "  gone: {cmd: x}\n",
        },
    )
    dvc = assert_same(root)
    assert {out.digest.algorithm for out in dvc.outputs if out.digest} == {"md5-dos2unix"}
    assert [locked.address for locked in dvc.leftovers] == ["dvc.yaml:gone"]


def test_a_lock_of_version_1(tmp_path):
    root = projects.make(tmp_path / "p")
    lock = "a:\n  cmd: b\n  outs:\n  - path: c\n    md5: d3b07384d113edec49eaa6238ad5ff00\n"
    projects.write(root, {"dvc.yaml": "stages: {a: {cmd: b, outs: [c]}}\n", "dvc.lock": lock})
    (out,) = known(root).outputs
    assert str(out.digest) == "md5-dos2unix:d3b07384d113edec49eaa6238ad5ff00"


CLOUD = """
outs:
- path: versioned
  files:
  - relpath: a.txt
    size: 2
    md5: 60b725f10c9c85c70d97880dfe8191b3
    cloud: {backup: {etag: abc, version_id: v1}}
  - relpath: x/b.txt
    size: 3
    md5: 3b5d5c3712955042212316173ccf37be
    version_id: v2
    remote: backup
  hash: md5
  push: false
"""


def test_cloud_versioned_outputs(tmp_path):
    root = projects.make(tmp_path / "p")
    single = (
        "outs:\n- path: one\n  md5: 60b725f10c9c85c70d97880dfe8191b3\n  size: 2\n  hash: md5\n"
        "  cloud:\n    backup:\n      etag: tag\n      version_id: w\n  remote: backup\n"
    )
    projects.write(root, {"v.dvc": CLOUD.replace("    remote: backup\n", ""), "one.dvc": single})
    one, versioned = assert_same(root).outputs
    assert one.version is not None
    assert (one.version.remote, one.version.etag, one.version.version_id) == ("backup", "tag", "w")
    assert versioned.files is not None
    assert [(each.path, each.version and each.version.version_id) for each in versioned.files] == [
        ("a.txt", "v1"),
        ("x/b.txt", "v2"),
    ]


def test_outputs_outside_of_the_repository(tmp_path):
    root = projects.make(tmp_path / "p")
    projects.configure(root, "remote.away.url", str(tmp_path / "away"))
    outside = tmp_path / "outside.txt"
    projects.write(
        root,
        {
            "dvc.yaml": "stages:\n  a:\n    cmd: b\n    outs:\n"
            f"    - {outside}: {{cache: false}}\n    - ../beside: {{cache: false}}\n"
            f"    - remote://away/x: {{cache: false}}\n    - {root}/sub/in.txt\n    deps: [https://u:secret@example.org/x?token=t]\n"
            "    wdir: sub\n",
            "sub/k": "",
        },
    )
    dvc = assert_same(root)
    assert [out.path for out in dvc.outputs] == [str(outside), "beside", str(tmp_path / "away/x"), "sub/in.txt"]
    assert "secret" not in repr(dvc.stages[0].deps[0].path)


def test_imports(tmp_path):
    source = projects.make(tmp_path / "source")
    projects.write(source, {"data.txt": "data\n"})
    projects.add(source, "data.txt")
    from git import Repo as Git

    Git(source).git.add("--all")
    Git(source).git.commit("-m", "more")
    projects.write(tmp_path, {"elsewhere/url.txt": "url\n"})
    root = projects.make(tmp_path / "p")
    with projects.repo(root) as repo:
        repo.imp(str(source), "data.txt", out=str(root / "data.txt"))
        repo.imp_url(str(tmp_path / "elsewhere/url.txt"), str(root / "url.txt"))
    dvc = assert_same(root)
    data, url = dvc.stages
    assert data.imported
    assert url.imported
    assert data.frozen
    repository = data.deps[0].repository
    assert repository is not None
    assert repository.rev_lock == Git(source).head.commit.hexsha
    assert url.deps[0].external
    assert [out.imported for out in dvc.outputs] == [True, True]


def test_dvc_files_that_dvc_does_not_see(tmp_path):
    root = projects.make(tmp_path / "p")
    pointer = "outs:\n- md5: d3b07384d113edec49eaa6238ad5ff00\n  hash: md5\n  path: {}\n"
    projects.write(
        root,
        {
            "seen.txt.dvc": pointer.format("seen.txt"),
            "left/out.dvc": pointer.format("out"),
            "git/ignored.dvc": pointer.format("ignored"),
            "gitfile.dvc": pointer.format("gitfile"),
            "nested/.dvc/config": "",
            "nested/in.dvc": pointer.format("in"),
            "folder.dvc/x": "",
            ".dvcignore": "left\n",
            ".gitignore": "/git/\ngitfile.dvc\n",
            "sub/.dvcignore": "*.dvc\n!keep.dvc\n",
            "sub/drop.dvc": pointer.format("drop"),
            "sub/keep.dvc": pointer.format("keep"),
            "tracked.dvc": pointer.format("tracked"),
            "tracked/inner.dvc": "no YAML: [",
        },
    )
    (root / "link.dvc").symlink_to("seen.txt.dvc")
    (root / "linked").symlink_to("sub")
    dvc = known(root)
    assert {stage.file for stage in dvc.stages} - {"link.dvc"} == {"seen.txt.dvc", "sub/keep.dvc", "tracked.dvc"}
    assert dvc.nested == ("nested",)
    assert dvc.ignored == {"gitfile.dvc": ".gitignore", "sub/drop.dvc": ".dvcignore"}
    assert ours(dvc) == theirs(root)


def test_a_repository_without_git(tmp_path):
    root = projects.make(tmp_path / "p", git=False)
    projects.write(root, {"a": "1"})
    projects.add(root, "a")
    assert_same(root)


def test_a_project_inside_a_repository_sees_what_reaches_into_it(tmp_path):
    root = projects.make(tmp_path / "mono")
    projects.write(
        root,
        {
            "dvc.yaml": "stages:\n  a: {cmd: x, wdir: one, outs: [model]}\n  b: {cmd: x, outs: [two/model]}\n",
            "one/in.dvc": "outs:\n- {path: in}\n",
            "two/in.dvc": "outs:\n- {path: in}\n",
        },
    )
    with projects.hermetic(root):
        dvc = graph().get(DvcProject(root=str(root / "one")))
    assert dvc is not None
    assert dvc.root == str(root)
    assert [(stage.address, stage.outs[0].path) for stage in dvc.stages] == [
        ("../dvc.yaml:a", "model"),
        ("in.dvc", "in"),
    ]


def test_a_subdirectory_with_a_repository_of_its_own(tmp_path):
    root = projects.make(tmp_path / "mono")
    sub = projects.init(root / "sub", subdir=True)
    projects.write(sub, {"a": "1"})
    projects.add(sub, "a")
    assert_same(sub)
    assert known(root).nested == ("sub",)


def test_no_repository(tmp_path):
    assert graph().get(DvcProject(root=str(tmp_path))) is None


BROKEN = {
    "x.dvc": ("outs:\n- md5: abc\n  path: a\n", "x.dvc:2:3", "'abc' is no MD5"),
    "y.dvc": ("outs:\n- path: a\n  size: big\n", "y.dvc:3:3", "expected `int | null`, got `str`"),
    "z.dvc": ("outs: [\n", "z.dvc", ""),
    "w.dvc": ("outs:\n- path: a\n  surprise: 1\n", "w.dvc:2:3", "object contains unknown field `surprise`"),
    "v.dvc": (
        "outs:\n- path: a\n  hash: sha3\n  md5: d3b07384d113edec49eaa6238ad5ff00\n",
        "v.dvc:2:3",
        "the hash 'sha3' is unknown",
    ),
    "u/dvc.yaml": ("stages:\n  a: {cmd: '${none}'}\n", "u/dvc.yaml:2:3", "'none' is not among the variables"),
    "t/dvc.yaml": ("stages:\n  a: {cmd: x, outs: [1]}\n", "t/dvc.yaml:2:22", ""),
    "s/dvc.yaml": ("vars: [/etc/hostname]\n", "s/dvc.yaml:1:1", "outside the repository"),
    "r/dvc.yaml": ("stages:\n  a: {cmd: '${a..b}'}\n", "r/dvc.yaml:2:3", "is no expression"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_cannot_be_read_is_a_problem_with_its_place(tmp_path, name):
    root = projects.make(tmp_path / "p")
    text, where, what = BROKEN[name]
    projects.write(root, {name: text, "good.dvc": "outs:\n- {path: good}\n"})
    dvc = known(root)
    (problem,) = dvc.problems
    assert problem.file == name
    assert problem.where.startswith(where)
    assert what in problem.what
    assert [stage.address for stage in dvc.stages] == ["good.dvc"]
    if "outside" not in what and "hash" not in what and "MD5" not in what:
        with pytest.raises(Exception):  # noqa: B017, PT011 - DVC refuses it too, with one of its many exceptions
            theirs(root)


def test_a_link_out_of_the_repository_is_named_and_not_followed(tmp_path):
    root = projects.make(tmp_path / "p")
    projects.write(tmp_path, {"outside.dvc": "outs:\n- {path: a}\n"})
    (root / "link.dvc").symlink_to(tmp_path / "outside.dvc")
    dvc = known(root)
    assert dvc.stages == ()
    assert [(each.file, each.what) for each in dvc.problems] == [("link.dvc", "is a link out of the repository")]


@pytest.mark.parametrize("level", ["system", "global", "repo", "local"])
def test_settings_of_all_levels(tmp_path, level):
    root = projects.make(tmp_path / "p")
    projects.configure(root, "cache.dir", "../shared cache", level)
    projects.configure(root, "cache.type", "reflink,hardlink", level)
    projects.configure(root, "core.remote", "Main", level)
    projects.configure(root, "remote.main.url", "s3://me:word@bucket/path?x=1", level)
    projects.configure(root, "remote.main.secret_access_key", "do not show", level)
    projects.configure(root, "remote.near.url", "~/near", level)
    projects.configure(root, "remote.far.url", "remote://near/deep", level)
    config = known(root).config
    with projects.repo(root) as repo:
        assert config.cache.folder == repo.cache.local_cache_dir
        assert list(config.cache.types) == repo.config["cache"]["type"]
        assert config.remote == repo.config["core"]["remote"]
        assert set(config.urls) == set(repo.config["remote"])
        assert config.urls["near"] == repo.config["remote"]["near"]["url"]
        assert config.urls["far"] == repo.cloud.get_remote("far").path
    assert config.urls["main"] == "s3://bucket/path"
    assert "do not show" not in repr(config)


def test_later_levels_lay_themselves_over_earlier_ones(tmp_path):
    root = projects.make(tmp_path / "p")
    projects.configure(root, "core.remote", "one", "global")
    projects.configure(root, "remote.r.url", "/one", "global")
    projects.configure(root, "core.remote", "two")
    projects.configure(root, "remote.r.url", "two", "local")
    config = known(root).config
    assert config.remote == "two"
    with projects.repo(root) as repo:
        assert config.urls["r"] == repo.config["remote"]["r"]["url"] == str(root / "two")


def test_folders_deeper_than_python_recurses(tmp_path):
    root = projects.make(tmp_path / "p", git=False)
    deep = "/".join(["d"] * 1200)
    with projects.hermetic(root):
        for _ in range(1200):  # step by step: the whole path is longer than the system takes at once
            Path("d").mkdir()
            os.chdir("d")
        Path("x.dvc").write_text("outs:\n- {path: x}\n")
        os.chdir(root)
    try:
        assert [stage.file for stage in known(root).stages] == [f"{deep}/x.dvc"]
    finally:
        subprocess.run(["rm", "-rf", str(root / "d")], check=True)  # pytest's own cleaning recurses
