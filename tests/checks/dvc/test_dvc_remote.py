"""`dvc.remote` against a folder and against a server that speaks S3."""

import shutil
import socket

import pytest
from support.audits import audited, kinds, only
from support.dvc_projects import add, configure, dvc, make, md5, object_path, write

REMOTE = {"check": "dvc.remote"}
MISSING = "remote:store/files/md5/f0/cf2a92516045024a0c99147b28f05b"


@pytest.fixture
def root(tmp_path):
    root = make(tmp_path / "project", config={"core.remote": "store", "remote.store.url": str(tmp_path / "store")})
    write(root, {"data/a.txt": "alpha\n", "data/b.txt": "beta\n"})
    add(root, "data")
    dvc(root, "push -q")
    return root


def test_a_remote_that_has_it_all_passes(root):
    result = only(audited(root, REMOTE))
    assert (result.outcome, result.summary) == ("pass", "store has all 3 objects")


def test_c06_a_listing_on_the_remote_proves_nothing(root):
    (root.parent / "store/files/md5/f0/cf2a92516045024a0c99147b28f05b").unlink()
    result = only(audited(root, REMOTE))
    (found,) = result.violations
    assert (result.outcome, result.summary) == ("fail", "store: 1 of 3 objects missing")
    assert (found.subject, found.kind) == (MISSING, "missing")
    assert "data/b.txt" in found.message
    assert found.repair == "dvc push -r store data.dvc"


def test_c06_without_any_listing_nobody_can_enumerate(root):
    for folder in (root / ".dvc/cache", root.parent / "store"):
        next(folder.rglob("*.dir")).unlink()
    result = only(audited(root, REMOTE))
    assert result.outcome == "error"
    assert ("data", "unlisted") in kinds(result.violations)
    assert "cannot enumerate" in next(one.message for one in result.violations if one.kind == "unlisted")


def test_a_remote_that_is_not_there_is_an_error_not_everything_missing(root):
    shutil.rmtree(root.parent / "store")
    result = only(audited(root, REMOTE))
    assert (result.outcome, kinds(result.violations)) == ("error", [("remote:store/", "unreachable")])


def test_what_is_never_pushed_is_not_asked_for_and_a_remote_of_its_own_is(root):
    configure(root, "remote.other.url", str(root.parent / "other"))
    (root.parent / "other").mkdir()
    write(root, {"mine.txt": "m\n", "theirs.txt": "t\n"})
    add(root, "mine.txt", "theirs.txt")
    for name, line in (("mine.txt.dvc", "  push: false\n"), ("theirs.txt.dvc", "  remote: other\n")):
        file = root / name
        file.write_text(file.read_text() + line)
    digest = md5("t\n")
    assert kinds(only(audited(root, REMOTE)).violations) == [
        (f"remote:other/files/md5/{digest[:2]}/{digest[2:]}", "missing")
    ]


def test_no_remote_at_all_is_a_violation(tmp_path):
    root = make(tmp_path / "project")
    write(root, {"a.txt": "a\n"})
    add(root, "a.txt")
    assert kinds(only(audited(root, REMOTE)).violations) == [("a.txt", "no-remote")]


def test_a_setting_of_the_project_never_starts_a_program(root):
    canary = root.parent / "canary"
    (root / "aws").write_text(f"[default]\ncredential_process = touch {canary}\n")
    configure(root, "remote.store.url", "s3://bucket/p")
    configure(root, "remote.store.configpath", "aws")
    result = only(audited(root, REMOTE))
    assert result.outcome == "error"
    assert "can start a program" in result.violations[0].message
    assert not canary.exists()


@pytest.fixture
def pushed(tmp_path, s3, bucket):
    root = make(
        tmp_path / "project",
        config={"core.remote": "store", "remote.store.url": "s3://data/project", "remote.store.endpointurl": s3},
    )
    write(root, {f"data/{number}.txt": f"{number}\n" for number in range(30)})
    add(root, "data")
    dvc(root, "push -q")
    return root, bucket


def test_s3_has_it_all_and_then_lacks_one(pushed):
    root, client = pushed
    assert only(audited(root, REMOTE)).summary == "store has all 31 objects"
    digest = md5("7\n")
    client.delete_object(Bucket="data", Key=f"project/files/md5/{digest[:2]}/{digest[2:]}")
    (found,) = only(audited(root, REMOTE)).violations
    assert "data/7.txt" in found.message


def test_an_s3_bucket_that_is_gone_is_an_error(pushed):
    root, _ = pushed
    configure(root, "remote.store.url", "s3://nowhere/project")
    result = only(audited(root, REMOTE))
    assert (result.outcome, [one.kind for one in result.violations]) == ("error", ["unreachable"])
    assert "very-secret" not in str(result)


def test_a_server_that_never_answers_is_given_up_in_time(pushed):
    root, _ = pushed
    with socket.create_server(("127.0.0.1", 0)) as silent:
        configure(root, "remote.store.endpointurl", f"http://127.0.0.1:{silent.getsockname()[1]}")
        result = only(audited(root, {**REMOTE, "with": {"timeout_s": 8}}))
    assert result.outcome == "error"
    assert "did not answer within 8 s" in result.violations[0].message


def test_the_cache_may_lack_what_the_remote_has(root):
    object_path(root, md5("beta\n")).unlink()
    assert only(audited(root, REMOTE)).outcome == "pass"
