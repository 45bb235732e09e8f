"""No way to a pass while data differs from its record, or was not looked at."""

import os
import shutil

import pytest
from support.audits import audited, kinds, only
from support.dvc_projects import add, init, make, md5, stage, write

HASH = {"check": "dvc.hash"}
COVERED = {"check": "data.covered"}
FOLDER = md5('[{{"md5": "{}", "relpath": "a.csv"}}]'.format(md5("1\n")))
RECORD = "outs:\n- md5: {}\n  hash: md5\n  path: {}\n"


@pytest.fixture
def root(tmp_path):
    root = make(tmp_path / "project")
    write(root, {"data/a.csv": "1\n", "data/b.csv": "2\n"})
    add(root, "data")
    return root


def covered(root, path="data/**/*.csv"):
    return {result.check: result for result in audited(root, HASH, COVERED, datasets={"train": {"path": path}}).results}


def test_what_dvcignore_hides_in_an_output_is_not_covered_by_it(root):
    write(root, {".dvcignore": "*.tmp.csv\n", "data/c.tmp.csv": "3\n"})
    results = covered(root)
    assert results["dvc.hash"].outcome == "pass"  # to DVC it does not exist
    (found,) = results["data.covered"].violations
    assert "with a record: data/c.tmp.csv; add a rule" in found.message


def test_what_lies_behind_a_link_to_a_folder_is_not_covered(root):
    write(root, {"other/c.csv": "3\n"})
    (root / "data/sub").symlink_to("../other")
    results = covered(root)
    (found,) = results["data.covered"].violations
    assert "with a record: data/sub/c.csv; add a rule" in found.message


def test_a_repository_of_its_own_in_an_output_is_not_covered(root):
    write(root, {"data/sub/.dvc/config": "", "data/sub/c.csv": "3\n"})
    results = covered(root)
    (found,) = results["data.covered"].violations
    assert "with a record: data/sub/c.csv; add a rule" in found.message


def test_what_a_file_manager_drops_needs_no_cover(root):
    write(root, {".dvcignore": ".DS_Store\n", "data/.DS_Store": "x"})
    assert {result.outcome for result in covered(root, "data").values()} == {"pass"}


def test_an_output_is_covered_under_each_of_its_names(root):
    write(root, {"real/a.csv": "1\n"})
    (root / "linked").symlink_to("real")
    write(root, {"linked.dvc": RECORD.format(f"{FOLDER}.dir", "linked")})
    for path in ("real/*.csv", "linked/*.csv"):
        assert {result.outcome for result in covered(root, path).values()} == {"pass"}


@pytest.mark.parametrize("ignore", [".gitignore", ".dvcignore"])
def test_a_record_that_is_ignored_is_told(root, ignore):
    write(root, {ignore: "data.dvc\n/data\n", "data/a.csv": "other\n"})
    result = only(audited(root, HASH))
    assert (result.outcome, kinds(result.violations)) == ("fail", [("data.dvc", "ignored")])


@pytest.mark.parametrize("content", ["", "outs: []\n", "md5: d3b07384d113edec49eaa6238ad5ff00\n", "# nothing\n"])
def test_a_record_that_was_emptied_is_no_pass(root, content):
    write(root, {"data.dvc": content, "data/a.csv": "other\n"})
    result = only(audited(root, HASH))
    assert (result.outcome, kinds(result.violations)) == ("error", [("data.dvc", "unparsed")])


def test_a_lock_without_its_pipeline_is_no_pass(root):
    write(root, {"sub/dvc.lock": "schema: '2.0'\n"})
    result = only(audited(root, HASH))
    assert (result.outcome, kinds(result.violations)) == ("error", [("sub/dvc.lock", "unparsed")])


def test_a_record_without_a_digest_fails_where_there_is_something(root):
    write(root, {"x.csv": "1\n", "x.csv.dvc": "outs:\n- path: x.csv\n", "y.csv.dvc": "outs:\n- path: y.csv\n"})
    result = only(audited(root, HASH))
    assert [(one.subject, one.kind, one.severity) for one in result.violations] == [
        ("x.csv", "unrecorded", "error"),
        ("y.csv", "unrecorded", "warning"),
    ]
    assert "1 not as recorded" in result.summary


def test_records_without_a_repository_are_not_skipped(root):
    shutil.rmtree(root / ".dvc")  # as `cp -r project/* elsewhere` does
    result = only(audited(root, HASH))
    assert (result.outcome, result.reason) == ("error", "'data.dvc' is there, but no DVC repository")


def test_a_repository_whose_folder_is_a_link_is_one(root):
    (root / ".dvc").rename(root / "settings")
    (root / ".dvc").symlink_to("settings")
    assert only(audited(root, HASH)).outcome == "pass"
    write(root, {"data/a.csv": "other\n"})
    assert only(audited(root, HASH)).outcome == "fail"


def test_a_repository_without_outputs_is_skipped_not_passed(tmp_path):
    root = make(tmp_path / "project")
    assert only(audited(root, HASH)).outcome == "skip"
    init(root / "sub", subdir=True)
    assert only(audited(root, HASH)).outcome == "skip"


def test_a_repository_below_is_told_and_is_nothing_wrong(root):
    init(root / "sub", subdir=True)
    result = only(audited(root, HASH))
    assert (result.outcome, kinds(result.violations)) == ("pass", [("sub", "nested")])


@pytest.mark.parametrize("what", ["link out", "link to nothing", "fifo"])
def test_what_is_no_file_is_extra_without_a_listing_too(root, tmp_path, what):
    shutil.rmtree(root / ".dvc/cache")
    assert only(audited(root, HASH)).outcome == "pass"
    extra = root / "data/c.csv"
    if what == "fifo":
        os.mkfifo(extra)
    else:
        (tmp_path / "c.csv").write_text("3\n")
        extra.symlink_to(tmp_path / "c.csv" if what == "link out" else "nowhere")
    result = only(audited(root, HASH))
    assert (result.outcome, kinds(result.violations)) == ("fail", [("data/c.csv", "extra")])


def test_what_is_missing_as_a_whole_is_not_summed_up_as_recorded(root):
    (root / "empty").mkdir()
    add(root, "empty")
    shutil.rmtree(root / "empty")
    result = only(audited(root, HASH))
    assert (result.outcome, kinds(result.violations)) == ("fail", [("empty", "missing")])
    assert result.summary == "2 files of 2 outputs: 1 not as recorded"


def test_a_stage_that_never_ran_is_no_pass(root):
    stage(root, "later", "echo x > x.txt", outs=["x.txt"])
    write(root, {"x.txt": "x\n"})
    assert only(audited(root, HASH)).outcome == "fail"
