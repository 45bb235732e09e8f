"""`dvc.cache` on caches that the real DVC filled."""

import shutil

import pytest
from support.audits import audited, kinds, only
from support.dvc_projects import add, configure, dvc, make, md5, object_path, paste, write

CACHE = {"check": "dvc.cache"}


@pytest.fixture
def root(tmp_path):
    root = make(tmp_path / "project")
    write(root, {"data/a.txt": "alpha\n", "data/b.txt": "beta\n", "one.txt": "data\n"})
    add(root, "data", "one.txt")
    return root


def below(root, digest, suffix=""):
    return f"cache:files/md5/{digest[:2]}/{digest[2:]}{suffix}"


def damage(file, content):
    mode = file.stat().st_mode
    file.chmod(0o644)
    file.write_text(content)
    file.chmod(mode)


def test_a_whole_cache_passes(root):
    result = only(audited(root, CACHE))
    assert (result.outcome, result.summary) == ("pass", "4 objects hold what their names say")


def test_c02_content_that_no_longer_matches_its_name(root):
    damage(object_path(root, "6137cde4893c59f76f005a8123d8e8e6"), "data\nbreak\n")
    result = only(audited(root, CACHE))
    (found,) = result.violations
    assert (found.subject, found.kind) == (below(root, "6137cde4893c59f76f005a8123d8e8e6"), "damaged")
    assert (found.expected, found.found) == ("6137cde4893c59f76f005a8123d8e8e6", "75b6aa2d0e674d7867bc298f8784157b")
    assert "one.txt" in found.message
    assert found.repair == "rm -f .dvc/cache/files/md5/61/37cde4893c59f76f005a8123d8e8e6 && dvc commit one.txt.dvc"
    assert paste(root, found.repair) == 0
    assert only(audited(root, CACHE)).outcome == "pass"


def test_damage_that_the_workspace_has_too_is_not_taken_from_there(root):
    damage(object_path(root, md5("data\n")), "break\n")
    write(root, {"one.txt": "break\n"})
    (found,) = only(audited(root, CACHE)).violations
    assert found.repair == "rm -f .dvc/cache/files/md5/61/37cde4893c59f76f005a8123d8e8e6"


@pytest.mark.parametrize("lost", ["*", "*.dir", "f0/*"])
def test_what_the_cache_lacks_comes_from_a_workspace_that_is_as_recorded(root, lost):
    before = (root / "data.dvc").read_bytes()
    for file in [file for file in (root / ".dvc/cache/files/md5").rglob(lost) if file.is_file()]:
        file.unlink()
    result = only(audited(root, CACHE))
    assert result.outcome == "fail"
    assert result.repair.startswith("dvc commit ")
    assert "\n" not in result.repair
    assert paste(root, result.repair) == 0
    assert only(audited(root, CACHE)).outcome == "pass"
    assert (root / "data.dvc").read_bytes() == before


def test_a_fetch_is_a_try_and_one_for_all(root):
    configure(root, "remote.store.url", str(root.parent / "store"))
    configure(root, "core.remote", "store")
    dvc(root, "push -q")
    shutil.rmtree(root / ".dvc/cache")
    shutil.rmtree(root / "data")
    (root / "one.txt").unlink()
    result = only(audited(root, CACHE))
    assert sorted(result.repair.split()) == ["data.dvc", "dvc", "fetch", "one.txt.dvc"]
    assert {one.message.partition("; ")[2].partition("; ")[2] for one in result.violations} == {
        "the remote may have it"
    }
    assert paste(root, result.repair) == 0
    assert only(audited(root, CACHE)).outcome == "pass"


def test_a_damaged_object_that_nothing_needs_is_found_in_all_of_the_cache_alone(root):
    write(root, {"one.txt": "newer\n"})
    add(root, "one.txt")
    damage(object_path(root, md5("data\n")), "other\n")
    assert only(audited(root, CACHE)).outcome == "fail"
    assert only(audited(root, {**CACHE, "with": {"scope": "referenced"}})).outcome == "pass"


def test_members_and_listings_that_are_needed_must_be_there(root):
    object_path(root, md5("beta\n")).unlink()
    result = only(audited(root, CACHE))
    assert kinds(result.violations) == [(below(root, md5("beta\n")), "missing")]
    assert "data/b.txt" in result.violations[0].message
    listing = next((root / ".dvc/cache/files/md5").rglob("*.dir"))
    listing.unlink()
    result = only(audited(root, CACHE))
    assert [one.kind for one in result.violations] == ["missing"]
    assert result.violations[0].subject.endswith(".dir")


def test_a_damaged_listing_is_found_and_its_members_are_not_taken_from_it(root):
    listing = next((root / ".dvc/cache/files/md5").rglob("*.dir"))
    damage(listing, "[]")
    result = only(audited(root, CACHE))
    assert result.outcome == "error"  # which members are needed, nobody can tell
    assert {one.kind for one in result.violations} == {"damaged", "unlisted"}


def test_with_a_remote_the_repair_fetches_after_the_damaged_object_is_gone(root):
    configure(root, "remote.store.url", str(root.parent / "store"))
    damage(object_path(root, md5("data\n")), "x\n")
    (root / "one.txt").unlink()
    (found,) = only(audited(root, CACHE)).violations
    first, second = found.repair.split(" && ")
    assert first.startswith("rm -f ")
    assert second == "dvc fetch one.txt.dvc"


def test_an_object_that_cannot_be_read_is_no_pass(root):
    import os

    file = object_path(root, md5("data\n"))
    file.unlink()
    os.mkfifo(file)
    result = only(audited(root, {**CACHE, "with": {"scope": "referenced"}}))
    assert result.outcome == "error"
    assert ("unreadable" in {one.kind for one in result.violations}) is True


def test_no_dvc_is_skipped(tmp_path):
    assert only(audited(tmp_path, CACHE)).outcome == "skip"
