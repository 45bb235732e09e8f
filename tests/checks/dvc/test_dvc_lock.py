"""`dvc.lock` says of a pipeline what the real `dvc status` says, and why."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import dvc_projects as projects
from support.audits import audited, only

LOCK = {"check": "dvc.lock"}

PIPELINE = """
stages:
  prepare:
    cmd: cat src/* > prepared.txt
    deps: [src]
    outs: [prepared.txt]
  train:
    cmd: cp prepared.txt model; echo 1 > metrics.txt
    deps: [prepared.txt, train.py]
    params: [lr, net.depth, other.json: [seed]]
    outs: [model]
    metrics: [metrics.txt: {cache: false}]
  each:
    foreach: [a, b]
    do: {cmd: "echo ${item} ${word} > ${item}.out", deps: [train.py], outs: ["${item}.out"]}
"""


def ran(root: Path) -> Path:
    """A pipeline that was just run."""
    projects.make(root)
    projects.write(
        root,
        {
            "src/1.txt": "one\n",
            "src/2.txt": "two\n",
            "train.py": "print()\n",
            "params.yaml": "lr: 0.1\nnet: {depth: 3}\nword: w\n",
            "other.json": '{"seed": 1}',
            "dvc.yaml": PIPELINE,
        },
    )
    projects.repro(root)
    return root


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    return ran(tmp_path_factory.mktemp("pipeline") / "p")


@pytest.fixture
def root(tmp_path, pipeline):
    return copied(pipeline, tmp_path / "project")


def copied(source: Path, target: Path) -> Path:
    return Path(shutil.copytree(source, target, symlinks=True))


def locked(root: Path) -> Any:
    return only(audited(root, LOCK))


def told(root: Path) -> dict[str, tuple[str, Any, Any]]:
    return {each.subject: (each.kind, each.expected, each.found) for each in locked(root).violations}


def test_a_pipeline_that_just_ran_passes(root):
    result = locked(root)
    assert (result.outcome, result.summary) == ("pass", "4 stages as dvc.lock has them")
    assert result.figures == {"stages": 4, "stale_stages": 0}
    assert projects.status(root) == {}


def test_a_changed_dependency_is_named_with_the_stages_that_read_it(root):
    projects.write(root, {"train.py": "print(1)\n"})
    result = locked(root)
    assert result.outcome == "fail"
    assert result.summary == "3 of 4 stages would run again: train, each@a, each@b"
    assert [each.subject for each in result.violations] == [
        f"train.py#stage={name}" for name in ("each@a", "each@b", "train")
    ]
    violation = result.violations[2]
    assert (violation.kind, violation.repair) == ("dependency", "dvc repro train each@a each@b")
    assert violation.expected == projects.md5("print()\n")
    assert violation.found == projects.md5("print(1)\n")


def test_one_command_runs_all_stages_that_are_stale(root):
    projects.write(root, {"train.py": "print(1)\n", "src/1.txt": "changed\n"})
    assert locked(root).repair == "dvc repro prepare train each@a each@b"
    assert projects.paste(root, locked(root).repair) == 0
    assert locked(root).outcome == "pass"


FEATURES = """
stages:
  features: {cmd: cat raw/* > features.txt, deps: [raw], outs: [features.txt]}
  fit: {cmd: cp features.txt fitted; cat fit.py >> fitted, deps: [features.txt, fit.py], outs: [fitted]}
"""


@pytest.fixture
def sourced(tmp_path):
    """A pipeline that starts from a folder that DVC tracks."""
    root = projects.make(tmp_path / "sourced")
    projects.write(root, {"raw/a.txt": "a\n", "raw/b.txt": "b\n", "fit.py": "1\n", "dvc.yaml": FEATURES})
    projects.add(root, "raw")
    projects.repro(root)
    return root


@pytest.mark.parametrize("damage", [{"raw/a.txt": "A\n"}, {"raw/.DS_Store": "x"}, {"raw/a.txt": None}])
def test_what_dvc_tracks_is_brought_back_and_not_recorded_as_it_is(sourced, damage):
    before = (sourced / "raw.dvc").read_bytes()
    for name, content in damage.items():
        if content is None:
            (sourced / name).unlink()
        else:
            projects.write(sourced, {name: content})
    (found,) = locked(sourced).violations
    assert (found.subject, found.kind, found.repair) == ("raw#stage=features", "dependency", None)
    assert "DVC tracks it too, and it is not as recorded: bring that back first" in found.message
    projects.dvc(sourced, "checkout --force raw.dvc")
    assert locked(sourced).outcome == "pass"
    assert (sourced / "raw.dvc").read_bytes() == before


def test_a_stage_does_not_run_while_its_sources_are_damaged(sourced):
    projects.write(sourced, {"raw/a.txt": "A\n", "fit.py": "2\n"})
    result = locked(sourced)
    assert result.repair is None
    code = next(each for each in result.violations if each.subject == "fit.py#stage=fit")
    assert code.message.endswith("before it runs again, bring back what is not as recorded: raw")
    projects.dvc(sourced, "checkout --force raw.dvc")
    assert locked(sourced).repair == "dvc repro fit"
    assert projects.paste(sourced, locked(sourced).repair) == 0
    assert locked(sourced).outcome == "pass"


def test_new_data_that_was_added_is_a_reason_to_run(sourced):
    projects.write(sourced, {"raw/c.txt": "c\n"})
    projects.add(sourced, "raw")
    assert locked(sourced).repair == "dvc repro features"


def test_a_clone_without_data_gets_no_command_that_would_fail(sourced):
    shutil.rmtree(sourced / "raw")
    for name in ("features.txt", "fitted"):
        (sourced / name).unlink()
    shutil.rmtree(sourced / ".dvc/cache")
    result = locked(sourced)
    assert {each.subject for each in result.violations} == {
        "raw#stage=features",
        "features.txt#stage=features",
        "features.txt#stage=fit",
        "fitted#stage=fit",
    }
    assert result.repair is None


def test_parameters_are_named_with_both_values(root):
    projects.write(root, {"params.yaml": "lr: 0.2\nnet: {width: 3}\nword: w\n", "other.json": '{"seed": [1, 2]}'})
    assert told(root) == {
        "params.yaml:lr#stage=train": ("parameter", 0.1, 0.2),
        "params.yaml:net.depth#stage=train": ("missing", 3, None),
        "other.json:seed#stage=train": ("parameter", 1, "[1, 2]"),
    }


def test_a_command_that_a_variable_changed(root):
    projects.write(root, {"params.yaml": "lr: 0.1\nnet: {depth: 3}\nword: x\n"})
    assert told(root)["dvc.yaml#stage=each@a"] == ("command", "echo a w > a.out", "echo a x > a.out")


def test_what_dvc_lock_does_not_know(root):
    text = (root / "dvc.yaml").read_text()
    text = text.replace("[src]", "[src, params.yaml]").replace("outs: [model]", "outs: [model, log.txt]")
    projects.write(root, {"dvc.yaml": text + "  new: {cmd: x, deps: [train.py]}\n  free: {cmd: y}\n"})
    found = {subject: kind for subject, (kind, _, _) in told(root).items()}
    assert found == {
        "params.yaml#stage=prepare": "new",
        "log.txt#stage=train": "unrecorded",
        "dvc.yaml#stage=new": "unlocked",
        "dvc.yaml#stage=free": "always",
    }


def test_what_dvc_lock_knows_too_much_is_a_note(root):
    text = (root / "dvc.yaml").read_text().replace("deps: [prepared.txt, train.py]", "deps: [prepared.txt]")
    projects.write(root, {"dvc.yaml": text.replace("prepare:", "ready:")})
    found = {each.subject: (each.kind, str(each.severity)) for each in locked(root).violations}
    assert found["train.py#stage=train"] == ("leftover", "note")
    assert found["dvc.yaml#stage=prepare"] == ("leftover", "note")
    assert found["dvc.yaml#stage=ready"] == ("unlocked", "error")


def test_missing_dependencies_parameters_and_outputs(root):
    for name in ("train.py", "other.json", "model"):
        (root / name).unlink()
    found = {each.subject: (each.kind, str(each.severity)) for each in locked(root).violations}
    assert found["train.py#stage=train"] == ("missing", "error")
    assert found["other.json#stage=train"] == ("missing", "error")
    assert found["model#stage=train"] == ("missing", "warning")


def test_a_frozen_stage_is_said_to_be_frozen(root):
    projects.write(root, {"train.py": "changed\n"})
    projects.dvc(root, "freeze train")
    (frozen,) = [each for each in locked(root).violations if each.subject == "dvc.yaml#stage=train"]
    assert (frozen.kind, str(frozen.severity)) == ("frozen", "note")
    assert "train.py" in frozen.message


def test_a_stage_that_runs_every_time_is_no_failure(root):
    text = (root / "dvc.yaml").read_text().replace("deps: [src]", "deps: [src]\n    always_changed: true")
    projects.write(root, {"dvc.yaml": text})
    result = locked(root)
    assert result.outcome == "pass"
    assert [(each.subject, each.kind) for each in result.violations] == [("dvc.yaml#stage=prepare", "always")]
    assert projects.status(root) == {"prepare": ["always changed"]}


def test_no_pipeline_is_skipped(tmp_path):
    root = projects.make(tmp_path / "p")
    projects.write(root, {"a": "1"})
    projects.add(root, "a")
    assert locked(root).outcome == "skip"


def test_what_cannot_be_read_is_an_error(root):
    projects.write(root, {"other.json": "{"})
    result = locked(root)
    assert result.outcome == "error"
    assert [each.kind for each in result.violations] == ["unread"]


def test_a_broken_dvc_yaml_is_an_error_with_its_place(root):
    projects.write(root, {"dvc.yaml": "stages:\n  a: {cmd: '${nothing}'}\n"})
    result = locked(root)
    assert result.outcome == "error"
    assert "dvc.yaml:2:3: 'nothing' is not among the variables" in result.violations[0].message


def test_a_dependency_that_leads_out_of_the_project_is_not_followed(root, tmp_path):
    (tmp_path / "secret").write_text("s")
    (root / "train.py").unlink()
    (root / "train.py").symlink_to(tmp_path / "secret")
    result = locked(root)
    assert result.outcome == "error"
    assert {each.kind for each in result.violations} == {"unread"}


def test_a_pipeline_in_a_folder_is_called_as_dvc_calls_it(tmp_path):
    root = projects.make(tmp_path / "p")
    projects.write(root, {"sub/dvc.yaml": "stages: {go: {cmd: cp in out, deps: [in], outs: [out]}}\n", "sub/in": "1"})
    projects.repro(root, "sub/dvc.yaml")
    assert locked(root).outcome == "pass"
    projects.write(root, {"sub/in": "2"})
    (violation,) = locked(root).violations
    assert (violation.subject, violation.repair) == ("sub/in#stage=sub/dvc.yaml:go", "dvc repro sub/dvc.yaml:go")


def test_a_folder_that_dvc_refuses_to_digest(root):
    projects.write(root, {"src/.dvcignore": "2.txt"})
    (violation,) = locked(root).violations
    assert (violation.subject, violation.kind) == ("src#stage=prepare", "unread")
    with pytest.raises(Exception, match="should not be in collected dir"):
        projects.status(root)


changes = st.lists(
    st.sampled_from(
        [
            ("write", "train.py", "changed"),
            ("write", "src/1.txt", "changed"),
            ("write", "src/3.txt", "new"),
            ("write", ".dvcignore", "src/2.txt"),
            ("write", "src/.git", "left out"),
            ("write", "params.yaml", "lr: 0.3\nnet: {depth: 3}\nword: w\n"),
            ("write", "params.yaml", "lr: 1e-1\nnet: {depth: 3.0}\nword: w\n"),
            ("write", "params.yaml", "net: 7\nword: w2\n"),
            ("write", "other.json", '{"seed": true}'),
            ("remove", "train.py", ""),
            ("remove", "src/2.txt", ""),
            ("remove", "other.json", ""),
            ("remove", "a.out", ""),
            ("remove", "metrics.txt", ""),
            ("edit", "deps: [prepared.txt, train.py]", "deps: [prepared.txt, train.py, src/1.txt]"),
            ("edit", "params: [lr,", "params: [lr, word,"),
            ("edit", "cat src/*", "cat  src/*"),
            ("edit", "foreach: [a, b]", "foreach: [a, c]"),
            ("edit", "outs: [model]", "outs: [model]\n    frozen: true"),
            ("edit", "outs: [prepared.txt]", "outs: [prepared.txt]\n    always_changed: true"),
            ("edit", "- lr", "- lr"),
        ]
    ),
    max_size=3,
    unique=True,
)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes=changes)
def test_whatever_changes_dvc_status_says_the_same(tmp_path_factory, pipeline, changes):
    root = copied(pipeline, tmp_path_factory.mktemp("lock") / "p")
    for what, name, content in changes:
        if what == "write":
            projects.write(root, {name: content})
        elif what == "remove":
            (root / name).unlink(missing_ok=True)
        else:
            text = (root / "dvc.yaml").read_text()
            projects.write(root, {"dvc.yaml": text.replace(name, content)})
    assert ours(root) == theirs(root)


def theirs(root: Path) -> dict[str, set[str]]:
    """What `dvc status` says, less what becomes of outputs that are there: that is for `dvc.hash` to say."""
    found: dict[str, set[str]] = {}
    for stage, entries in projects.status(root).items():
        said = found.setdefault(stage, set())
        for entry in entries:
            if entry == "changed command":
                said.add("command")
            elif entry == "always changed":
                said.add("always")
            else:
                for path, what in entry.get("changed deps", {}).items():
                    said |= {f"{path}:{name}" for name in what} if isinstance(what, dict) else {path}
                said |= {path for path, what in entry.get("changed outs", {}).items() if what == "deleted"}
    return {stage: said for stage, said in found.items() if said}


def ours(root: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for each in locked(root).violations:
        path, _, stage = each.subject.partition("#stage=")
        if each.kind in {"leftover", "frozen"}:
            continue
        if each.kind == "unlocked":  # DVC lists all that such a stage reads and lacks
            found.setdefault(stage, set()).update({"train.py", f"{stage.partition('@')[2]}.out"})
        else:
            found.setdefault(stage, set()).add(each.kind if path == "dvc.yaml" else path)
    return found


def test_a_url_that_the_lock_still_lists_is_shown_without_its_secrets(root):
    text = (root / "dvc.lock").read_text()
    url = "https://me:s3cret@host/x?token=s3cret"
    projects.write(root, {"dvc.lock": text.replace("    deps:\n", f"    deps:\n    - path: {url}\n", 1)})
    result = locked(root)
    assert "s3cret" not in str(result)
    assert any(each.subject.startswith("https://host/x#stage=") for each in result.violations)


def test_settings_that_make_no_sense_are_an_error_with_their_line(root):
    projects.write(root, {".dvc/config": "[core\n"})
    result = locked(root)
    assert result.outcome == "error"
    assert ".dvc/config:1" in (result.reason or "")
