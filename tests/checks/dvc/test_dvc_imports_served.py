"""`dvc.imports` of what servers hold: real HTTP and S3 on loopback, imported by the real DVC."""

import socket

import pytest
from support.audits import audited, kinds, only
from support.badservers import answers, closed_port, serving
from support.dvc_projects import configure, dvc, make
from support.webservers import Page, pages

IMPORTS = {"check": "dvc.imports"}
BRIEFLY = {**IMPORTS, "with": {"timeout_s": 5}}


@pytest.fixture
def root(tmp_path):
    return make(tmp_path / "project")


@pytest.fixture
def web():
    """Pages that a test may change, and the URL of their server."""
    served = {"/a.csv": Page(b"1,2\n", '"one"'), "/b.csv": Page(b"3,4\n", '"two"')}
    with pages(served) as url:
        yield served, url


def import_url(root, line):
    dvc(root, f"import-url -q {line}")


def redirect(root, name, old, new):
    """Make an import say that it came from another server."""
    file = root / f"{name}.dvc"
    file.write_text(file.read_text().replace(old, new))


def test_what_is_served_as_it_was_passes(root, web):
    _, url = web
    for line in (f"{url}/a.csv", f"{url}/b.csv other.csv", f"{url}/a.csv partial.csv --no-download"):
        import_url(root, line)
    result = only(audited(root, IMPORTS))
    assert (result.outcome, result.summary) == ("pass", "3 imports, all pinned; at the source: 3 unchanged")


def test_another_etag_is_a_change_and_nothing_there_is_gone(root, web):
    served, url = web
    import_url(root, f"{url}/a.csv")
    import_url(root, f"{url}/b.csv")
    served["/a.csv"] = Page(b"5,6\n", '"three"')
    del served["/b.csv"]
    result = only(audited(root, IMPORTS))
    assert (result.outcome, kinds(result.violations)) == ("fail", [("a.csv", "changed"), ("b.csv", "gone")])
    changed, gone = result.violations
    assert (changed.message, changed.severity) == (f"{url}/a.csv is not what was imported", "warning")
    assert changed.repair == "dvc update a.csv.dvc"
    assert gone.message == f"{url}/b.csv is not there any more"
    assert result.summary == "2 imports, all pinned; at the source: 1 gone, 1 changed"


@pytest.mark.parametrize("status", [401, 403, 500, 503])
def test_a_server_that_refuses_or_is_broken_does_not_make_the_file_gone(root, web, status):
    """DVC itself says "deleted" of all of these."""
    served, url = web
    import_url(root, f"{url}/a.csv")
    served["/a.csv"] = Page(status=status)
    result = only(audited(root, IMPORTS))
    assert (result.outcome, kinds(result.violations)) == ("error", [("a.csv", "unreachable")])
    assert result.violations[0].message.startswith(f"{url}/a.csv cannot be asked: the server answers {status} ")


def test_a_server_without_etags_pins_nothing_but_the_size(root, web):
    served, url = web
    served["/bare.csv"] = Page(b"1,2\n")
    import_url(root, f"{url}/bare.csv")
    result = only(audited(root, IMPORTS))
    assert (result.outcome, kinds(result.violations)) == ("warn", [("bare.csv", "weak-pin")])


def test_one_server_that_hangs_costs_no_other_its_answer(root, web):
    _, url = web
    import_url(root, f"{url}/a.csv")
    import_url(root, f"{url}/b.csv")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        redirect(root, "b.csv", url, f"http://127.0.0.1:{silent.getsockname()[1]}")
        result = only(audited(root, BRIEFLY))
    assert (result.outcome, kinds(result.violations)) == ("error", [("b.csv", "unreachable")])
    assert "did not answer within 5 s" in result.violations[0].message
    assert result.summary == "2 imports, all pinned; at the source: 1 not reached, 1 unchanged"


def test_a_server_that_is_not_there_cannot_be_asked(root, web):
    _, url = web
    import_url(root, f"{url}/a.csv")
    redirect(root, "a.csv", url, f"http://127.0.0.1:{closed_port()}")
    result = only(audited(root, IMPORTS))
    assert (result.outcome, kinds(result.violations)) == ("error", [("a.csv", "unreachable")])
    assert "Connect call failed" in result.violations[0].message


def test_secrets_in_a_url_are_used_and_not_shown(root, web):
    served, url = web
    served["/a.csv"] = Page(b"1,2\n", '"one"', allowed="Basic bWU6c2VzYW1l")
    secret = url.replace("http://", "http://me:sesame@")
    import_url(root, f"{secret}/a.csv?token=sesame")
    assert only(audited(root, IMPORTS)).outcome == "pass"
    for page in (Page(b"5,6\n", '"three"', allowed="Basic bWU6c2VzYW1l"), Page(status=500), Page(status=404)):
        served["/a.csv"] = page
        report = audited(root, IMPORTS)
        assert only(report).violations
        assert "sesame" not in str(report)
        assert f"{url}/a.csv" in only(report).violations[0].message


def test_other_schemes_are_not_asked(root, web):
    _, url = web
    schemes = ("ssh", "hdfs", "webdav", "gdrive", "oss", "file", "nonsense", "remote")
    for scheme in schemes:
        import_url(root, f"{url}/a.csv {scheme}.csv")
    configure(root, "remote.far.url", "ssh://127.0.0.1:1/far")
    for scheme in schemes[:-1]:
        redirect(root, f"{scheme}.csv", "http:", f"{scheme}:")
    redirect(root, "remote.csv", url, "remote://far")
    result = only(audited(root, IMPORTS))
    assert result.outcome == "error"
    assert kinds(result.violations) == [(f"{scheme}.csv", "unreachable") for scheme in sorted(schemes)]
    (remote,) = (one.message for one in result.violations if one.subject == "remote.csv")
    why = "it has the scheme 'ssh'; only azure, gs, http, https, s3 are asked"
    assert remote == f"ssh://127.0.0.1:1/far/a.csv cannot be asked: {why}"


@pytest.fixture
def store(root, s3, bucket):
    """The bucket as remote `store`, with a file and a folder in it."""
    configure(root, "remote.store.url", "s3://data")
    configure(root, "remote.store.endpointurl", s3)
    for key in ("a.txt", "set/x.txt", "set/y/z.txt"):
        bucket.put_object(Bucket="data", Key=key, Body=key.encode())
    return bucket


def test_what_s3_holds_as_it_was_passes_and_then_changes(root, store, s3, tmp_path):
    configure(root, "remote.own.url", str(tmp_path / "own"))
    import_url(root, "remote://store/a.txt")
    import_url(root, "remote://store/set")
    import_url(root, "remote://store/set partial --no-download")
    import_url(root, "remote://store/set sent --to-remote -r own")
    import_url(root, f"s3://data/a.txt direct.txt --fs-config endpointurl={s3}")
    result = only(audited(root, IMPORTS))
    assert (result.outcome, result.summary) == ("pass", "5 imports, all pinned; at the source: 5 unchanged")
    store.put_object(Bucket="data", Key="set/y/z.txt", Body=b"other")
    store.delete_object(Bucket="data", Key="a.txt")
    assert kinds(only(audited(root, IMPORTS)).violations) == [
        ("a.txt", "gone"),
        ("direct.txt", "gone"),
        ("partial", "changed"),
        ("sent", "changed"),
        ("set", "changed"),
    ]


def test_where_versions_are_kept_what_was_imported_stays(root, store, s3):
    store.put_bucket_versioning(Bucket="data", VersioningConfiguration={"Status": "Enabled"})
    for key in ("a.txt", "b.txt", "set/x.txt", "set/y/z.txt"):
        store.put_object(Bucket="data", Key=key, Body=key.encode())
    for name in ("a.txt", "b.txt", "set"):
        import_url(root, f"s3://data/{name} --version-aware --fs-config endpointurl={s3}")
    assert only(audited(root, IMPORTS)).violations == ()
    first = {name: store.head_object(Bucket="data", Key=name)["VersionId"] for name in ("a.txt", "set/x.txt")}
    store.put_object(Bucket="data", Key="a.txt", Body=b"other")
    store.put_object(Bucket="data", Key="set/x.txt", Body=b"other")
    store.delete_object(Bucket="data", Key="b.txt")
    result = only(audited(root, IMPORTS))
    assert kinds(result.violations) == [("a.txt", "behind"), ("b.txt", "behind"), ("set", "behind")]
    assert (result.outcome, result.violations[0].severity) == ("pass", "note")
    for name, version in first.items():
        store.delete_object(Bucket="data", Key=name, VersionId=version)
    result = only(audited(root, IMPORTS))
    assert kinds(result.violations) == [("a.txt", "gone"), ("b.txt", "behind"), ("set", "gone")]


@pytest.mark.usefixtures("store")
def test_a_store_that_refuses_cannot_be_asked(root):
    import_url(root, "remote://store/a.txt")
    with serving(answers("403 Forbidden")) as url:
        configure(root, "remote.store.endpointurl", url)
        result = only(audited(root, IMPORTS))
    assert (result.outcome, kinds(result.violations)) == ("error", [("a.txt", "unreachable")])
    assert "very-secret" not in str(result)


@pytest.mark.usefixtures("store")
def test_a_bucket_that_is_gone(root):
    import_url(root, "remote://store/a.txt")
    configure(root, "remote.store.url", "s3://nowhere")
    assert kinds(only(audited(root, IMPORTS)).violations) == [("a.txt", "gone")]


@pytest.mark.parametrize(
    "settings",
    [
        {"remote.store.configpath": "aws"},
        {"remote.base.url": "s3://data", "remote.base.configpath": "aws", "remote.store.url": "remote://base"},
        {"remote.store.configpath": "../aws"},
    ],
    ids=["its own", "that of the remote it builds on", "beside the DVC repository, in the same Git repository"],
)
def test_a_setting_of_the_project_never_starts_a_program(tmp_path, s3, bucket, settings):
    from support.dvc_projects import init
    from support.git_projects import GitProject

    top = GitProject.make(tmp_path / "top").root
    root = init(top / "project", subdir=True)
    canary = tmp_path / "canary"
    bucket.put_object(Bucket="data", Key="a.txt", Body=b"a")
    configure(root, "remote.store.url", "s3://data")
    configure(root, "remote.store.endpointurl", s3)
    import_url(root, "remote://store/a.txt")
    redirect(root, "a.txt", "remote://store", "remote://Store")
    for folder in (top, root):
        (folder / "aws").write_text(f"[default]\ncredential_process = sh -c 'touch {canary}'\n")
    for name, value in settings.items():
        configure(root, name, value)
    result = only(audited(root, IMPORTS))
    assert (result.outcome, kinds(result.violations)) == ("error", [("a.txt", "unreachable")])
    assert "can start a program" in result.violations[0].message
    assert not canary.exists()


@pytest.mark.usefixtures("store")
def test_a_setting_of_an_import_never_starts_a_program(root, s3):
    import_url(root, f"s3://data/a.txt --fs-config endpointurl={s3}")
    canary, aws = root.parent / "canary", root / "aws"
    aws.write_text(f"[default]\ncredential_process = sh -c 'touch {canary}'\n")
    redirect(root, "a.txt", "fs_config:\n", f"fs_config:\n    configpath: {aws}\n")
    (found,) = only(audited(root, IMPORTS)).violations
    assert "can start a program" in found.message
    assert not canary.exists()


def test_without_dvc_installed_servers_cannot_be_asked(root, web, monkeypatch):
    _, url = web
    import_url(root, f"{url}/a.csv")
    monkeypatch.setattr("audit.facts.dvc_served.find_spec", lambda _: None)
    result = only(audited(root, IMPORTS))
    assert (result.outcome, result.repair) == ("error", "pip install 'reproaudit[dvc]'")


def test_nothing_is_written_into_the_project(root, web):
    _, url = web
    import_url(root, f"{url}/a.csv")
    (root / ".dvc/.gitignore").unlink()
    for path in (root / ".dvc/tmp").rglob("*"):
        path.unlink() if path.is_file() else None
    before = sorted(path for path in (root / ".dvc").rglob("*"))
    assert only(audited(root, IMPORTS)).outcome == "pass"
    assert sorted(path for path in (root / ".dvc").rglob("*")) == before


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ("path: here.csv\n  checksum: abc", "unpinned"),
        (
            "path: s3://data/a\n  etag: 142595094450317547390769661417247614927\n  fs_config: {nonsense: 1}",
            "unreachable",
        ),
        ("path: s3://data/a\n  etag: a\n  fs_config: {endpointurl: .nan}", "unreachable"),
        ("path: s3://data/a\n  etag: a\n  fs_config: {version_aware: true}", "unreachable"),
        ("path: s3://data/a\n  files:\n  - relpath: ../a\n    md5: null\n    version_id: v", "unreachable"),
        ("path: http://[::1\n  etag: a", "unparsed"),
        ("path: remote://nowhere/a\n  etag: a", "unparsed"),
        ("path: remote://broken/a\n  etag: a", "unreachable"),
    ],
)
def test_what_nobody_can_have_imported_is_answered_all_the_same(root, monkeypatch, entry, kind):
    if "broken" in entry:
        (root / ".dvc/config").write_text("['remote \"broken\"']\n    url = http://[x\n")
    out = "outs:\n- path: a.csv\n  md5: d41d8cd98f00b204e9800998ecf8427e\n  size: 0\n"
    (root / "a.csv.dvc").write_text(f"frozen: true\ndeps:\n- {entry}\n{out}")
    with serving(answers("403 Forbidden")) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        result = only(audited(root, BRIEFLY))
    assert [one.kind for one in result.violations] == [kind]
    assert result.outcome == ("fail" if kind == "unpinned" else "error")
