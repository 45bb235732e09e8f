"""`dvc.imports` of Git repositories and of files of this machine, held against what the real DVC imports and says."""

import re

import pytest
from support.audits import audited, kinds, only
from support.dvc_projects import add, configure, dvc, hermetic, make, md5, repo, write
from support.git_projects import HERMETIC, GitProject
from support.webservers import files, self_signed

IMPORTS = {"check": "dvc.imports"}
PINS = {**IMPORTS, "with": {"ask": False}}


@pytest.fixture(autouse=True)
def _hermetic(monkeypatch):
    for name, value in HERMETIC.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def root(tmp_path):
    return make(tmp_path / "project")


@pytest.fixture
def source(tmp_path):
    """A Git and DVC repository with a file of each, a branch, a plain tag and an annotated one."""
    project = GitProject.make(tmp_path / "source", {"plain.txt": "plain\n"})
    make_dvc(project)
    for name in ("branch", "other"):
        project.git("branch", name)
    project.git("tag", "plain")
    project.git("tag", "--annotate", "signed", "-m", "signed")
    return project


def make_dvc(project):
    from support.dvc_projects import init

    init(project.root)
    write(project.root, {"data/a.txt": "alpha\n"})
    add(project.root, "data")
    project.commit("Data")


def move_on(project, message="more"):
    project.write("plain.txt", f"{message}\n")
    return project.commit(message)


def imported(root, line):
    dvc(root, f"import -q {line}")


def update_says(root):
    """The imports from repositories that `dvc status` would update."""
    with repo(root) as opened:
        return {
            name.removesuffix(".dvc")
            for name, said in opened.status().items()
            for each in said
            if isinstance(each, dict) and "update available" in each.get("changed deps", {}).values()
        }


def test_nothing_imported_is_nothing_to_judge(root):
    write(root, {"a.txt": "a\n"})
    add(root, "a.txt")
    result = only(audited(root, IMPORTS))
    assert (result.outcome, result.reason) == ("skip", "nothing is imported")


def test_without_dvc_there_is_nothing_to_judge(tmp_path):
    assert only(audited(GitProject.make(tmp_path / "p", {"a": "a"}).root, IMPORTS)).outcome == "skip"


def test_fresh_imports_of_every_kind_pass(root, source):
    for name, rev in {
        "none": "",
        "tag": "plain",
        "annotated": "signed",
        "branch": "branch",
        "commit": source.head,
    }.items():
        imported(root, f"{source.root} data -o {name} {f'--rev {rev}' if rev else ''}")
    imported(root, f"{source.root} plain.txt -o short.txt --rev {source.head[:9]}")
    imported(root, f"file://{source.root} data -o by-url")
    imported(root, "../source data -o relative")
    imported(root, f"{source.root} data -o partial --no-download")
    result = only(audited(root, IMPORTS))
    assert (result.outcome, result.violations) == ("pass", ())
    assert result.summary == "9 imports, all pinned; at the source: 9 unchanged"
    assert update_says(root) == set()


def test_what_moved_on_is_what_dvc_would_update(root, source):
    """A branch that still stands on the commit proves nothing about the revision that was asked for."""
    pinned = source.head
    for name, rev in {"none": "", "tag": "plain", "annotated": "signed", "branch": "branch", "main": "main"}.items():
        imported(root, f"{source.root} data -o {name} {f'--rev {rev}' if rev else ''}")
    imported(root, f"{source.root} data -o commit --rev {pinned}")
    moved = move_on(source)
    source.git("tag", "--force", "--annotate", "signed", "-m", "again")
    result = only(audited(root, IMPORTS))
    assert kinds(result.violations) == [("annotated", "changed"), ("main", "behind"), ("none", "behind")]
    assert {name for name, _ in kinds(result.violations)} == update_says(root)
    assert result.outcome == "warn"
    tag, main, _ = result.violations
    assert f"the tag signed of {source.root} was moved: it is {moved[:12]} now, and was {pinned[:12]}" == tag.message
    assert f"main of {source.root} is {moved[:12]} now; the import stays at {pinned[:12]}" == main.message
    assert (main.severity, main.expected, main.found) == ("note", pinned, moved)
    assert (main.repair, tag.repair) == (None, "dvc update annotated.dvc")
    assert result.summary == "6 imports, all pinned; at the source: 1 changed, 2 moved on, 3 unchanged"


def test_a_branch_that_is_not_there_any_more(root, source):
    imported(root, f"{source.root} data --rev branch")
    source.git("branch", "-D", "branch")
    (found,) = only(audited(root, IMPORTS)).violations
    assert (found.kind, found.severity) == ("revision", "warning")
    assert "has no branch or tag 'branch' any more" in found.message


def test_a_commit_that_was_rewritten_away_is_loose_and_then_gone(root, source):
    source.git("switch", "--quiet", "--orphan", "lonely")
    source.write("plain.txt", "lonely\n")
    source.git("add", "plain.txt")
    source.git("commit", "--quiet", "-m", "lonely")
    imported(root, f"{source.root} plain.txt --rev lonely")
    source.git("commit", "--quiet", "--amend", "-m", "rewritten")
    assert kinds(only(audited(root, IMPORTS)).violations) == [("plain.txt", "unreferenced")]
    source.git("reflog", "expire", "--expire=now", "--all")
    source.git("gc", "--quiet", "--prune=now")
    result = only(audited(root, IMPORTS))
    assert (result.outcome, kinds(result.violations)) == ("fail", [("plain.txt", "gone")])


def test_revisions_that_only_git_can_reckon(root, source):
    move_on(source)
    imported(root, f"{source.root} data -o before --rev HEAD~1")
    source.git("tag", "--annotate", "v1", "-m", "v1")
    move_on(source, "after")
    imported(root, f"{source.root} data -o described --rev {source.git('describe')}")
    assert kinds(only(audited(root, IMPORTS)).violations) == [("before", "behind")]


def test_an_import_without_a_commit_is_not_pinned(root, source):
    imported(root, f"{source.root} data --no-exec")
    imported(root, f"{source.root} data -o edited")
    file = root / "edited.dvc"
    file.write_text(file.read_text().replace(source.head, "main"))
    result = only(audited(root, PINS))
    assert (result.outcome, kinds(result.violations)) == ("fail", [("data", "unpinned"), ("edited", "unpinned")])
    assert result.violations[0].message == f"nothing pins it to a commit of {source.root} (data.dvc:3:3)"
    assert result.violations[0].repair == "dvc update data.dvc"
    assert result.summary == "2 imports, 2 not pinned; sources not asked"


def test_the_way_that_is_suggested_pins_it(root, source):
    imported(root, f"{source.root} data --no-exec")
    dvc(root, "update -q data.dvc")
    assert only(audited(root, IMPORTS)).outcome == "pass"


def test_a_repository_that_is_not_there_cannot_be_asked(root, source):
    imported(root, f"{source.root} data")
    source.root.rename(source.root.with_name("moved"))
    result = only(audited(root, IMPORTS))
    assert (result.outcome, kinds(result.violations)) == ("error", [("data", "unreachable")])
    assert result.summary == "1 import, pinned; at the source: 1 not reached"
    assert only(audited(root, PINS)).outcome == "pass"


@pytest.mark.usefixtures("source")
def test_a_relative_url_is_taken_from_where_dvc_is_called(root):
    """DVC takes it from the current folder: imported from within another, it works from there alone."""
    from dvc.cli import main

    (root / "sub").mkdir()
    with hermetic(root / "sub"):
        assert main(["import", "-q", "../../source", "data"]) == 0
    (found,) = only(audited(root, IMPORTS)).violations
    assert (found.subject, found.kind) == ("sub/data", "unreachable")
    assert found.message == f"../../source cannot be asked: there is no folder {root.parent.parent}/source"


def point_to(file, url):
    """Another source, whether DVC wrote the old one on the same line or, as it is long, on the next."""
    text, count = re.subn(r"url:\s+\S+", lambda _: f"url: {url}", file.read_text())
    assert count == 1
    file.write_text(text)


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c 'touch {canary}'",
        "ext::sh -c touch% {canary}",
        "--upload-pack=touch {canary}",
        "fd::17",
        "git://127.0.0.1:1/x",
        "http://127.0.0.1:1/x",
    ],
)
def test_a_hostile_url_runs_nothing(root, source, url):
    imported(root, f"{source.root} data")
    file, canary = root / "data.dvc", root.parent / "canary"
    point_to(file, f"{url.format(canary=canary)!r}")
    result = only(audited(root, IMPORTS))
    assert (result.outcome, kinds(result.violations)) == ("error", [("data", "unreachable")])
    assert not canary.exists()


@pytest.mark.parametrize(
    "rev", ["--output=canary", "$(touch canary)", "HEAD@{upstream}", "\0", "-", "^{/.*}", "main..x"]
)
def test_a_hostile_revision_runs_nothing(root, source, rev):
    imported(root, f"{source.root} data --rev main")
    file = root / "data.dvc"
    file.write_text(file.read_text().replace("rev: main", f"rev: {rev!r}"))
    audited(root, IMPORTS)
    assert list(root.parent.rglob("canary")) == []


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return self_signed(tmp_path_factory.mktemp("tls") / "server.pem")


@pytest.fixture
def published(source, certificate, monkeypatch):
    """The source as a network has it: what its references say, and nothing of its objects."""
    monkeypatch.setenv("GIT_SSL_NO_VERIFY", "1")
    bare = source.publish(source.root.with_name("published.git"))
    source.git("push", "--quiet", "--all", "origin")
    source.git("push", "--quiet", "--tags", "origin")
    source.git("-C", str(bare), "update-server-info")
    with files(bare.parent, certificate) as url:
        yield f"{url}/published.git"


def on_network(root, source, url, **revs):
    """Imports as if DVC had cloned from there."""
    for name, rev in revs.items():
        imported(root, f"{source.root} data -o {name} {f'--rev {rev}' if rev else ''}")
        file = root / f"{name}.dvc"
        point_to(file, url)


def republish(source):
    bare = source.root.with_name("published.git")
    source.git("push", "--quiet", "--force", "--tags", "origin", "main")
    source.git("-C", str(bare), "update-server-info")


def test_over_a_network_only_branches_and_tags_can_tell(root, source, published):
    before = move_on(source)
    republish(source)
    on_network(root, source, published, none="", main="main", tag="signed", commit=before, old=f"{before}~1")
    assert kinds(only(audited(root, IMPORTS)).violations) == [("old", "unreachable")]
    after = move_on(source)
    source.git("tag", "--force", "signed")
    republish(source)
    (root / "old.dvc").unlink()
    result = only(audited(root, IMPORTS))
    named = [("commit", "unconfirmed"), ("main", "behind"), ("none", "behind"), ("tag", "changed")]
    assert kinds(result.violations) == named
    assert result.violations[1].message == (
        f"main of {published} is {after[:12]} now; the import stays at {before[:12]} "
        "(whether that commit is still there, only a clone can tell)"
    )


def test_secrets_in_a_url_are_used_and_not_shown(root, source, published):
    secret = published.replace("https://", "https://me:sesame@") + "?token=sesame"
    on_network(root, source, secret, data="")
    report = audited(root, IMPORTS)
    assert "sesame" not in str(report)
    assert published in str(only(report).violations)


def test_a_server_that_never_answers_is_given_up_in_time(root, source):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        on_network(root, source, f"https://127.0.0.1:{silent.getsockname()[1]}/x", data="")
        (found,) = only(audited(root, {**IMPORTS, "with": {"timeout_s": 1}})).violations
    assert found.kind == "unreachable"
    assert "git did not answer within 1 s" in found.message


@pytest.fixture
def shelf(tmp_path):
    """Files outside of every repository."""
    folder = tmp_path / "shelf"
    write(folder, {"a.csv": "1,2\n", "set/x.csv": "x\r\n", "set/y/z.csv": "z\n"})
    return folder


def update_changes(root):
    """The imports whose pin `dvc update --no-download` would write anew."""
    names = sorted(file.name for file in root.glob("*.dvc") if file.is_file())
    before = {name: (root / name).read_bytes().partition(b"outs:")[0] for name in names}
    dvc(root, f"update -q --no-download {' '.join(names)}")
    after = {name: (root / name).read_bytes().partition(b"outs:")[0] for name in names}
    return {name.removesuffix(".dvc") for name in names if before[name] != after[name]}


def test_files_of_this_machine_are_read_again(root, shelf):
    configure(root, "remote.shelf.url", str(shelf))
    write(root, {"own.txt": "own\n"})
    dvc(root, f"import-url -q {shelf}/a.csv")
    dvc(root, f"import-url -q {shelf}/set")
    dvc(root, "import-url -q ../shelf/a.csv relative.csv")
    dvc(root, "import-url -q remote://shelf/set by-remote")
    dvc(root, f"import-url -q {shelf}/set partial --no-download")
    dvc(root, "import-url -q own.txt copy.txt")
    result = only(audited(root, IMPORTS))
    assert (result.outcome, result.summary) == ("pass", "6 imports, all pinned; at the source: 6 unchanged")
    write(shelf, {"set/y/z.csv": "other\n"})
    write(root, {"own.txt": "other\n"})
    result = only(audited(root, IMPORTS))
    changed = {"by-remote", "copy.txt", "partial", "set"}
    assert {name for name, kind in kinds(result.violations) if kind == "changed"} == changed
    assert (result.outcome, len(result.violations)) == ("warn", 4)
    assert result.violations[-1].message == f"{shelf}/set is not what was imported"
    assert update_changes(root) == changed


def test_a_file_that_was_removed_is_gone(root, shelf):
    dvc(root, f"import-url -q {shelf}/a.csv")
    (shelf / "a.csv").unlink()
    result = only(audited(root, IMPORTS))
    assert (result.outcome, kinds(result.violations)) == ("fail", [("a.csv", "gone")])


def test_a_file_behind_links_is_read_and_one_out_of_the_project_is_not(root, shelf):
    (shelf / "latest.csv").symlink_to("a.csv")
    (shelf / "set/again.csv").symlink_to("x.csv")
    dvc(root, f"import-url -q {shelf}/latest.csv")
    dvc(root, f"import-url -q {shelf}/set")
    write(root.parent, {"elsewhere/private": "private\n"})
    (root / "own.csv").symlink_to(root.parent / "elsewhere/private")
    dvc(root, "import-url -q own.csv copy.csv")
    result = only(audited(root, IMPORTS))
    assert kinds(result.violations) == [("copy.csv", "unreachable")]
    assert "was not followed" in result.violations[0].message


def test_an_import_that_never_ran_is_not_pinned(root, shelf):
    dvc(root, f"import-url -q {shelf}/a.csv --no-exec")
    (found,) = only(audited(root, IMPORTS)).violations
    assert (found.kind, found.message) == ("unpinned", f"nothing pins it to a state of {shelf}/a.csv (a.csv.dvc:3:3)")
    dvc(root, "update -q a.csv.dvc")
    assert only(audited(root, IMPORTS)).outcome == "pass"


def test_an_import_that_is_not_frozen_is_judged_alike(root, shelf):
    dvc(root, f"import-url -q {shelf}/a.csv")
    dvc(root, "unfreeze a.csv.dvc")
    write(shelf, {"a.csv": "other\n"})
    assert kinds(only(audited(root, IMPORTS)).violations) == [("a.csv", "changed")]


def test_a_database_pins_nothing(root):
    entry = "deps:\n- db:\n    query: select 1\n    connection: pg\n    file_format: csv\n"
    (root / "rows.csv.dvc").write_text(f"frozen: true\n{entry}outs:\n- md5: {md5('1')}\n  size: 1\n  path: rows.csv\n")
    result = only(audited(root, IMPORTS))
    assert (result.outcome, kinds(result.violations)) == ("warn", [("rows.csv", "unpinned")])


def test_a_file_that_cannot_be_understood_is_unseen(root, shelf):
    dvc(root, f"import-url -q {shelf}/a.csv")
    (root / "broken.dvc").write_text("deps: [\n")
    result = only(audited(root, IMPORTS))
    assert (result.outcome, kinds(result.violations)) == ("error", [("broken.dvc", "unparsed")])


def test_what_was_imported_without_its_content_is_pulled_and_then_recorded(root, source, tmp_path):
    configure(root, "remote.store.url", str(tmp_path / "store"))
    configure(root, "core.remote", "store")
    (tmp_path / "store").mkdir()
    imported(root, f"{source.root} data --no-download")
    for severity, command in (("warning", "dvc pull data.dvc"), ("error", "dvc commit data.dvc")):
        (found,) = only(audited(root, {"check": "dvc.hash"})).violations
        assert (found.kind, found.severity, found.repair) == ("unrecorded", severity, command)
        dvc(root, f"{command.removeprefix('dvc ')} --force -q")
    assert only(audited(root, {"check": "dvc.hash"})).outcome == "pass"
    assert only(audited(root, IMPORTS)).outcome == "pass"


def test_the_pipeline_and_the_workspace_do_not_speak_of_sources(root, shelf):
    dvc(root, f"import-url -q {shelf}/a.csv")
    write(shelf, {"a.csv": "other\n"})
    results = {
        result.check: result.outcome for result in audited(root, {"check": "dvc.lock"}, {"check": "dvc.hash"}).results
    }
    assert results == {"dvc.lock": "skip", "dvc.hash": "pass"}


def test_a_source_in_a_linked_folder_is_not_read(root, shelf):
    (root / "shelf").mkdir()
    write(root, {"shelf/a.csv": "1,2\n"})
    dvc(root, "import-url -q shelf/a.csv")
    (root / "shelf/a.csv").unlink()
    (root / "shelf").rmdir()
    (root / "shelf").symlink_to(shelf)
    (found,) = only(audited(root, IMPORTS)).violations
    assert (found.subject, found.kind) == ("a.csv", "unreachable")
    why = "a link there leads out of the project, and was not followed"
    assert found.message == f"shelf/a.csv cannot be asked: {why}"
