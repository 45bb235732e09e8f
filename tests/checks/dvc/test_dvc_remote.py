"""`dvc.remote` against a folder and against a server that speaks S3."""

import shutil
import socket

import git
import pytest
from support.audits import audited, kinds, only
from support.dvc_projects import add, configure, dvc, make, md5, object_path, paste, write
from support.git_projects import GitProject
from support.webservers import Page, pages

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
    listing = root.parent / "store/files/md5/7b/c6553fc7eb8f02339bc29006b3599a.dir"
    assert found.repair == f"rm -f ../{listing.relative_to(root.parent)} && dvc push -r store data.dvc"
    assert "does not look beyond the listing" in found.message
    assert paste(root, found.repair) == 0
    assert only(audited(root, REMOTE)).outcome == "pass"


def test_what_the_cache_lacks_too_cannot_be_pushed(root):
    """It comes from the workspace, if that is as recorded; if not, no command is known to work."""
    (root.parent / "store/files/md5/f0/cf2a92516045024a0c99147b28f05b").unlink()
    object_path(root, md5("beta\n")).unlink()
    (found,) = only(audited(root, REMOTE)).violations
    assert found.repair.startswith("dvc commit data.dvc && rm -f ")
    assert "nor in the local cache" in found.message
    content = (root / "data/b.txt").read_bytes()
    write(root, {"data/b.txt": "bets\n"})
    assert only(audited(root, REMOTE)).violations[0].repair is None
    write(root, {"data/b.txt": content})
    assert paste(root, found.repair) == 0
    assert only(audited(root, REMOTE)).outcome == "pass"


def test_what_is_missing_with_its_listing_is_pushed(root):
    for file in (root.parent / "store/files/md5").rglob("??????????????????????????????*"):
        file.unlink()
    result = only(audited(root, REMOTE))
    assert {one.repair for one in result.violations} == {"dvc push -r store data.dvc"}
    dvc(root, "push -q -r store data.dvc")
    assert only(audited(root, REMOTE)).outcome == "pass"


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


@pytest.mark.parametrize(
    "settings",
    [
        {"remote.store.configpath": "aws"},
        {"remote.store.url": "remote://base/p", "remote.base.url": "s3://bucket", "remote.base.configpath": "aws"},
    ],
    ids=["its own", "that of the remote it builds on"],
)
@pytest.mark.parametrize("name", ["store", "STORE"])
def test_a_setting_of_the_project_never_starts_a_program(root, settings, name):
    canary = root.parent / "canary"
    (root / "aws").write_text(f"[default]\ncredential_process = touch {canary}\n")
    (root / "data.dvc").write_text((root / "data.dvc").read_text() + f"  remote: {name}\n")
    for key, value in {"remote.store.url": "s3://bucket/p", **settings}.items():
        configure(root, key, value)
    result = only(audited(root, REMOTE))
    assert result.outcome == "error"
    assert "can start a program" in result.violations[0].message
    assert not canary.exists()


def test_a_command_of_the_project_is_not_run_and_one_of_the_users_own_may_be(root, monkeypatch):
    theirs = root.parent / "theirs"
    monkeypatch.setenv("DVC_GLOBAL_CONFIG_DIR", str(theirs))
    write(theirs, {"config": "['remote \"store\"']\n    bearer_token_command = token\n"})
    configure(root, "remote.store.url", "webdav://127.0.0.1:1/p")
    (found,) = only(audited(root, REMOTE)).violations
    assert "bearer_token_command" not in found.message
    for level in ("repo", "local"):
        configure(root, "remote.store.bearer_token_command", f"touch {root.parent / 'canary'}", level=level)
        (found,) = only(audited(root, REMOTE)).violations
        assert found.message == "its bearer_token_command comes with the project, and is a program to run"
        settings = root / f".dvc/config{'.local' if level == 'local' else ''}"
        settings.write_text("".join(line for line in settings.open() if "bearer" not in line))
    assert not (root.parent / "canary").exists()


def test_nothing_is_written_into_the_project_or_where_its_settings_say(root):
    """DVC's own caches hold pickles: what a project prepared must not be opened."""
    configure(root, "core.site_cache_dir", str(root / "prepared"))
    shutil.rmtree(root / ".dvc/tmp")
    (root / ".dvc/.gitignore").unlink()
    shutil.rmtree(root / "prepared", ignore_errors=True)
    before = sorted((root / ".dvc").rglob("*"))
    assert only(audited(root, REMOTE)).outcome == "pass"
    assert sorted((root / ".dvc").rglob("*")) == before
    assert not (root / "prepared").exists()


def test_what_was_imported_from_a_url_is_pushed_and_from_a_repository_is_not(root):
    source = make(root.parent / "source")
    write(source, {"a.txt": "theirs\n"})
    add(source, "a.txt")
    GitProject(source, git.Repo(source)).commit()
    write(root.parent, {"shelf/b.txt": "shelved\n"})
    dvc(root, f"import -q {source} a.txt")
    dvc(root, "import-url -q ../shelf/b.txt")
    dvc(root, "import-url -q ../shelf/b.txt partial.txt --no-download")
    digest = md5("shelved\n")
    lacking = [(f"remote:store/files/md5/{digest[:2]}/{digest[2:]}", "missing")]
    assert kinds(only(audited(root, REMOTE)).violations) == lacking
    dvc(root, "push -q")
    assert only(audited(root, REMOTE)).summary == "store has all 4 objects"


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
    assert "does not look beyond the listing" in found.message
    assert paste(root, found.repair) == 0
    assert only(audited(root, REMOTE)).outcome == "pass"


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


def test_a_web_server_that_lacks_one_is_told_from_one_that_refuses(root):
    """C06 over http; whatever the server answers, and if nobody does."""
    objects = [md5("alpha\n"), md5("beta\n"), "7bc6553fc7eb8f02339bc29006b3599a.dir"]
    served = {f"/store/files/md5/{oid[:2]}/{oid[2:]}": Page(b"x") for oid in objects}
    with pages(served) as url:
        configure(root, "remote.store.url", f"{url}/store")
        assert only(audited(root, REMOTE)).outcome == "pass"
        lost = f"/store/files/md5/{objects[1][:2]}/{objects[1][2:]}"
        del served[lost]
        assert [one.kind for one in only(audited(root, REMOTE)).violations] == ["missing"]
        served[lost] = Page(status=403)
        refused = only(audited(root, REMOTE))
    gone = only(audited(root, {**REMOTE, "with": {"timeout_s": 30}}))
    for result in (refused, gone):
        assert (result.outcome, [one.kind for one in result.violations]) == ("error", ["unreachable"])
    assert "403" in refused.violations[0].message
