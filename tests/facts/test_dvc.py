"""What the audit knows of a DVC project is what DVC itself knows of it."""

from __future__ import annotations

import posixpath
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
                    "params": [(dep.fs_path, list(dep.params)) for dep in stage.deps if isinstance(dep, ParamsDependency)],
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
    assert {"each@a", "list@true", "list@None", "fromvar@True", "composite@0", "grid@cnn-2", "grid@model1-1"} <= set(names)


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
    projects.stage(root, "in-w", "cp in.txt o.txt", wdir="w", deps=["in.txt"], outs_no_cache=["o.txt"], metrics=["m.json"])
    (root / "w" / "m.json").write_text("{}")
    projects.repro(root, "fold")
    dvc = assert_same(root)
    fold = next(stage for stage in dvc.stages if stage.name == "fold")
    assert fold.params[0].recorded == {"lr": 0.1}
    assert fold.outs[0].is_dir
    assert fold.locked is not None
    assert next(stage for stage in dvc.stages if stage.name == "in-w").locked is None
