"""`dvc.hash` on projects that the real DVC made."""

import json
import os
import shutil
from pathlib import Path

import pytest
from support.audits import audited, kinds, only
from support.dvc_projects import add, configure, dvc, init, make, md5, object_path, paste, repro, stage, write

HASH = {"check": "dvc.hash"}


@pytest.fixture
def root(tmp_path):
    return make(tmp_path / "project")


@pytest.fixture
def data(root):
    """Field case C01's folder."""
    configure(root, "core.remote", "store")
    configure(root, "remote.store.url", str(root.parent / "store"))
    write(root, {"data/a.txt": "alpha\n", "data/b.txt": "beta\n"})
    add(root, "data")
    return root


def flip(file: Path, at: int = 0) -> None:
    """Change one byte in place; size and mtime stay."""
    before = file.stat()
    content = bytearray(file.read_bytes())
    content[at] ^= 1
    file.chmod(0o644)
    with file.open("r+b") as stream:
        stream.write(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def hashed(root, **settings):
    return only(audited(root, HASH, **settings))


def test_what_is_as_recorded_passes(data):
    result = hashed(data)
    assert (result.outcome, result.summary) == ("pass", "2 files of 1 output as recorded")
    assert result.figures == {"files": 2, "outputs": 1}


def test_c01_a_damaged_member_is_found_without_deep(data):
    assert hashed(data).outcome == "pass"  # the state has seen it whole
    flip(data / "data/b.txt")
    flip(object_path(data, md5("beta\n")))
    report = audited(data, HASH)
    (result,) = report.results
    (found,) = result.violations
    assert result.outcome == "fail"
    assert result.summary.startswith("1 of 2 files differs")
    assert (found.subject, found.kind) == ("data/b.txt", "changed")
    assert found.expected == "f0cf2a92516045024a0c99147b28f05b"
    assert found.found == md5((data / "data/b.txt").read_bytes())
    assert report.envelope.changes[found.key] == "edited"
    assert "checkout" not in found.repair.split("&&")[0]  # the cache's own object is damaged too
    assert found.repair.startswith("rm -f .dvc/cache/files/md5/f0/cf2a9251")


def test_a_changed_file_is_restored_from_a_whole_cache(data):
    write(data, {"data/b.txt": "bets\n"})
    repair = "find data -type f -exec touch {} + && dvc checkout --force data.dvc"
    assert hashed(data).repair == repair


def test_c02_an_edit_through_a_hard_link_fails_workspace_and_cache(root):
    configure(root, "cache.type", "hardlink")
    write(root, {"data": "data\n"})
    add(root, "data")
    dvc(root, "checkout --relink")
    assert (root / "data").stat().st_nlink == 2
    (root / "data").chmod(0o644)
    with (root / "data").open("a") as stream:
        stream.write("break\n")
    report = audited(root, HASH, {"check": "dvc.cache"})
    by_check = {result.check: result for result in report.results}
    assert kinds(by_check["dvc.hash"].violations) == [("data", "changed")]
    (damaged,) = by_check["dvc.cache"].violations
    assert damaged.expected == "6137cde4893c59f76f005a8123d8e8e6"
    assert damaged.found == "75b6aa2d0e674d7867bc298f8784157b"
    for result in report.results:
        assert not (result.repair or "").startswith("dvc checkout")


LEGACY = "outs:\n- md5: d3b07384d113edec49eaa6238ad5ff00\n  size: 5\n  path: foo\n"
PLAIN = "outs:\n- md5: 2145971cf82058b108229a3a2e3bff35\n  size: 5\n  hash: md5\n  path: foo\n"


def test_c03_a_legacy_digest_of_crlf_text_passes_with_a_note(root):
    write(root, {"foo": b"foo\r\n", "foo.dvc": LEGACY})
    result = hashed(root)
    assert result.outcome == "pass"
    assert [(one.kind, one.severity) for one in result.violations] == [("legacy-hash", "note")]
    assert "CR/LF changes are invisible" in result.violations[0].message


def test_c03_the_control_with_a_plain_digest_passes(root):
    write(root, {"foo": b"foo\r\n", "foo.dvc": PLAIN})
    assert hashed(root).violations == ()


def test_c03_changed_line_ends_warn_for_legacy_and_fail_for_plain(root):
    write(root, {"foo": b"foo\n", "foo.dvc": LEGACY})
    result = hashed(root)
    assert (result.outcome, [one.kind for one in result.violations]) == ("warn", ["legacy-hash", "size"])
    write(root, {"foo.dvc": PLAIN})
    assert hashed(root).outcome == "fail"


def test_c07_droppings_are_named_as_such(data):
    write(data, {"data/.DS_Store": b"\0\0\0\1Bud1"})
    result = hashed(data)
    (found,) = result.violations
    assert result.outcome == "fail"
    assert "0 changed, 0 missing, 1 extra" in result.summary
    assert (found.subject, found.kind) == ("data/.DS_Store", "extra")
    assert "OS metadata; add to .dvcignore" in found.message


def test_c07_what_dvcignore_leaves_out_is_no_difference(data):
    write(data, {"data/.DS_Store": b"\0\0\0\1Bud1", ".dvcignore": ".DS_Store\n"})
    assert hashed(data).outcome == "pass"


def test_c07_gitignore_is_not_dvcignore(data):
    write(data, {"data/.DS_Store": b"\0\0\0\1Bud1", ".gitignore": ".DS_Store\n/data\n"})
    assert hashed(data).outcome == "fail"


def test_c13_a_name_in_another_normal_form_is_no_missing_and_extra_file(root):
    listing = json.dumps([{"md5": md5("x"), "relpath": "sen\u0303or.png"}], sort_keys=True)
    assert md5(listing) == "84bfb739fc6756ae73d9fafdf937fbcb"
    write(
        root, {"data/se\u00f1or.png": "x", "data.dvc": f"outs:\n- md5: {md5(listing)}.dir\n  hash: md5\n  path: data\n"}
    )
    stored = Path(f"{object_path(root, md5(listing))}.dir")
    stored.parent.mkdir(parents=True)
    stored.write_text(listing)
    result = hashed(root)
    assert result.outcome == "fail"
    assert kinds(result.violations) == [("data", "listing"), ("data/se\u00f1or.png", "normalisation")]
    folder, name = result.violations
    assert "1 file matches after NFC; byte names differ" in folder.message
    assert folder.expected == "md5:84bfb739fc6756ae73d9fafdf937fbcb.dir"
    assert folder.found == "md5:8ee8a05e3b7e4c2931a11692182bce46.dir"
    assert name.severity == "warning"


def test_c13_two_names_that_are_one_after_nfc_collide(root):
    write(root, {"data/sen\u0303or.png": "x", "data/se\u00f1or.png": "x"})
    add(root, "data")
    result = hashed(root)
    assert (result.outcome, [one.kind for one in result.violations]) == ("warn", ["collision"])


@pytest.mark.parametrize(
    ("damage", "subject", "kind", "outcome"),
    [
        (lambda data: (data / "a.txt").unlink(), "data/a.txt", "missing", "fail"),
        (shutil.rmtree, "data", "missing", "fail"),
        (lambda data: (data / "new.txt").write_text("n"), "data/new.txt", "extra", "fail"),
        (
            lambda data: ((data / "a.txt").unlink(), (data / "a.txt").symlink_to("nowhere")),
            "data/a.txt",
            "dangling",
            "fail",
        ),
        (
            lambda data: ((data / "a.txt").unlink(), (data / "a.txt").symlink_to("/etc/hostname")),
            "data/a.txt",
            "outside",
            "error",
        ),
        (lambda data: ((data / "a.txt").unlink(), os.mkfifo(data / "a.txt")), "data/a.txt", "type", "fail"),
        (lambda data: ((data / "a.txt").unlink(), (data / "a.txt").mkdir()), "data/a.txt", "type", "fail"),
        (lambda data: (shutil.rmtree(data), data.write_text("file")), "data", "type", "fail"),
        (lambda data: (shutil.rmtree(data), data.symlink_to("gone")), "data", "dangling", "fail"),
        (lambda data: (shutil.rmtree(data), data.symlink_to("/etc")), "data", "outside", "error"),
        (lambda data: (data.parent / ".dvcignore").write_text("a.txt\n"), "data/a.txt", "ignored", "fail"),
        (lambda data: (data.parent / ".dvcignore").write_text("data\n"), "data", "ignored", "fail"),
    ],
)
def test_every_way_to_be_wrong_has_its_kind(data, damage, subject, kind, outcome):
    damage(data / "data")
    result = hashed(data)
    assert (result.outcome, kinds(result.violations)) == (outcome, [(subject, kind)])


def test_a_pointer_in_place_of_data_is_named(data):
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 48605698\n"
    write(data, {"data/a.txt": pointer})
    (found,) = hashed(data).violations
    assert (found.kind, found.message) == ("pointer", "a Git LFS pointer to 48,605,698 bytes, not content")


def test_a_folder_without_its_listing_passes_by_its_own_digest_and_fails_unnamed(data):
    listing = next((data / ".dvc/cache/files/md5").rglob("*.dir"))
    listing.unlink()
    assert hashed(data).outcome == "pass"
    write(data, {"data/a.txt": "alphb\n"})
    (found,) = hashed(data).violations
    assert (found.subject, found.kind, found.repair) == ("data", "changed", "dvc fetch data.dvc")
    assert "cannot be named" in found.message


def test_a_damaged_listing_is_not_believed(data):
    listing = next((data / ".dvc/cache/files/md5").rglob("*.dir"))
    listing.chmod(0o644)
    listing.write_text(json.dumps([{"md5": md5("alpha\n"), "relpath": "a.txt"}]))
    (data / "data/b.txt").unlink()
    assert hashed(data).outcome == "fail"


def test_a_listed_path_that_leaves_the_folder_is_not_opened(root):
    listing = json.dumps([{"md5": md5("x"), "relpath": "../secret"}, {"md5": md5("y"), "relpath": "/etc/hostname"}])
    write(
        root,
        {"secret": "x", "data/.keep": "", "data.dvc": f"outs:\n- md5: {md5(listing)}.dir\n  hash: md5\n  path: data\n"},
    )
    stored = Path(f"{object_path(root, md5(listing))}.dir")
    stored.parent.mkdir(parents=True)
    stored.write_text(listing)
    found = {one.kind for one in hashed(root).violations}
    assert found == {"unsafe-path", "extra"}


@pytest.mark.parametrize("link", ["copy", "hardlink", "symlink"])
def test_every_link_type_passes_and_fires(root, link):
    configure(root, "cache.type", link)
    write(root, {"data/a.txt": "alpha\n", "one.bin": b"\1" * 100})
    add(root, "data", "one.bin")
    dvc(root, "checkout --relink")
    assert hashed(root).outcome == "pass"
    flip(object_path(root, md5(b"\1" * 100)) if link == "symlink" else root / "one.bin")
    result = hashed(root)
    assert ("one.bin", "changed") in kinds(result.violations)


def test_links_into_a_cache_that_is_itself_behind_a_link_are_followed(root):
    (root.parent / "disk").mkdir()
    (root.parent / "cache").symlink_to("disk")
    configure(root, "cache.dir", str(root.parent / "cache"))
    configure(root, "cache.type", "symlink")
    write(root, {"data/a.txt": "alpha\n"})
    add(root, "data")
    assert (root / "data/a.txt").is_symlink()
    assert hashed(root).outcome == "pass"


def test_what_stands_in_a_folder_that_leads_out_of_the_project_is_not_read(root):
    write(root, {"in/a.txt": "alpha\n"})
    add(root, "in/a.txt")
    shutil.move(root / "in", root.parent / "elsewhere")
    (root / "in").symlink_to(root.parent / "elsewhere")
    (root / "b.txt.dvc").write_text((root / "in/a.txt.dvc").read_text() + "wdir: in\n")
    result = hashed(root)
    assert (result.outcome, kinds(result.violations)) == ("error", [("in/a.txt", "outside")])


def test_outputs_of_stages_are_looked_at_with_their_repair(root):
    write(root, {"src.txt": "s\n"})
    stage(root, "copy", "cp src.txt out.txt", deps=["src.txt"], outs=["out.txt"])
    stage(root, "count", "wc -l < src.txt > n.txt", deps=["src.txt"], outs_no_cache=["n.txt"])
    repro(root)
    assert hashed(root).outcome == "pass"
    write(root, {"out.txt": "t\n", "n.txt": "2\n"})
    repairs = {one.subject: one.repair for one in hashed(root).violations}
    assert repairs == {
        "out.txt": "touch out.txt && dvc checkout --force dvc.yaml:copy",
        "n.txt": "touch n.txt && dvc repro dvc.yaml:count",
    }


def test_what_was_never_recorded_warns(root):
    stage(root, "later", "echo x > x.txt", outs=["x.txt"])
    assert kinds(hashed(root).violations) == [("x.txt", "unrecorded")]


def test_a_dvc_file_that_cannot_be_parsed_hides_nothing(data):
    write(data, {"bad.dvc": "outs: [\n", "data/a.txt": "other\n"})
    result = hashed(data)
    assert result.outcome == "error"
    assert kinds(result.violations) == [("bad.dvc", "unparsed"), ("data/a.txt", "changed")]


def test_a_project_within_a_repository_sees_its_own(tmp_path):
    top = make(tmp_path / "top")
    sub = init(top / "sub", subdir=True)
    write(sub, {"d.txt": "d\n"})
    add(sub, "d.txt")
    write(sub, {"d.txt": "e\n"})
    assert kinds(hashed(sub).violations) == [("d.txt", "changed")]


def test_no_dvc_is_skipped(tmp_path):
    (tmp_path / "a.txt").write_text("a")
    result = hashed(tmp_path)
    assert (result.outcome, result.reason) == ("skip", "no DVC repository holds this folder")


def test_an_unreadable_folder_is_an_error_not_a_pass(data, monkeypatch):
    from audit.errors import CannotLook
    from audit.host import files

    real = files.scan

    def denied(folder):
        if folder.endswith("/data/sub"):
            raise CannotLook("permission denied", where=folder)
        return real(folder)

    write(data, {"data/sub/c.txt": "c\n"})
    add(data, "data")
    monkeypatch.setattr(files, "scan", denied)
    result = hashed(data)
    assert result.outcome == "error"
    assert ("data/sub", "unreadable") in kinds(result.violations)


@pytest.mark.parametrize(
    ("pattern", "subjects"), [("*.bin", ["model.bin", "sub/x.bin"]), ("sub/", ["sub/x.bin"]), ("!*", [])]
)
def test_an_output_that_dvcignore_leaves_out_is_named(root, pattern, subjects):
    """DVC refuses every command that touches it."""
    write(root, {"model.bin": "m\n", "sub/x.bin": "x\n"})
    stage(root, "make", "true", outs=["sub/x.bin"])
    dvc(root, "commit --force")
    add(root, "model.bin")
    (root / ".dvcignore").write_text(f"{pattern}\n")
    result = hashed(root)
    assert kinds(result.violations) == [(subject, "ignored") for subject in subjects]
    assert result.outcome == ("fail" if subjects else "pass")


def test_a_clone_without_data_pulls_all_with_one_command_and_counts_every_file(data):
    write(data, {"one.txt": "1\n", "two.txt": "2\n"})
    add(data, "one.txt", "two.txt")
    dvc(data, "push -q")
    for gone in ("data", ".dvc/cache"):
        shutil.rmtree(data / gone)
    for gone in ("one.txt", "two.txt"):
        (data / gone).unlink()
    result = hashed(data)
    assert result.summary == "4 of 4 files differ: 0 changed, 4 missing, 0 extra, in 3 outputs"
    assert result.repair == "dvc pull --force data.dvc one.txt.dvc two.txt.dvc"
    assert paste(data, result.repair) == 0
    assert hashed(data).outcome == "pass"


def test_no_command_where_nothing_can_be_pulled(root):
    write(root, {"one.txt": "1\n"})
    add(root, "one.txt")
    shutil.rmtree(root / ".dvc/cache")
    (root / "one.txt").unlink()
    assert hashed(root).repair is None


def test_no_stage_runs_while_its_source_is_damaged(root):
    write(root, {"in.txt": "1\n"})
    add(root, "in.txt")
    stage(root, "count", "cp in.txt n.txt", deps=["in.txt"], outs_no_cache=["n.txt"])
    repro(root)
    write(root, {"in.txt": "2\n", "n.txt": "3\n"})
    assert hashed(root).repair == "touch in.txt && dvc checkout --force in.txt.dvc"
    assert paste(root, hashed(root).repair) == 0
    assert hashed(root).repair == "touch n.txt && dvc repro dvc.yaml:count"
    assert paste(root, hashed(root).repair) == 0
    assert hashed(root).outcome == "pass"
