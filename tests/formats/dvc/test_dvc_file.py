"""`.dvc` files of imports: where they come from, without the secrets on the way."""

from __future__ import annotations

from audit.formats.dvc import dvcfile
from audit.formats.dvc.output import Database, Dependency, Repository, Version
from audit.formats.dvc.place import Place

PLACE = Place("/p", "/p", "/p/sub/data.dvc", {"store": "s3://bucket/base", "disk": "/mnt/disk"})
OUT = "outs:\n- md5: 6137cde4893c59f76f005a8123d8e8e6\n  size: 5\n  hash: md5\n  path: data\n"


def dependency(text: str) -> Dependency:
    stage = dvcfile.parse(f"deps:\n{text}{OUT}".encode(), PLACE)
    assert stage.imported
    assert stage.outs[0].imported
    (found,) = stage.deps
    return found


def test_an_import_from_a_repository():
    declared = "https://me:secret@example.org/r.git?token=secret"
    found = dependency(
        f"- path: data/x.csv\n  repo:\n    url: {declared}\n"
        "    rev: main\n    rev_lock: d3b07384d113edec49eaa6238ad5ff00d3b07384\n"
    )
    lock = "d3b07384d113edec49eaa6238ad5ff00d3b07384"
    url = "https://example.org/r.git"
    assert found.repository == Repository(url=url, declared=declared, rev="main", rev_lock=lock)
    assert (found.path, found.location) == ("data/x.csv", None)


def test_an_import_from_a_url():
    found = dependency("- path: s3://bucket/key?versionId=v1\n  etag: abc\n  version_id: v1\n  size: 5\n")
    assert found.version == Version(etag="abc", version_id="v1")
    assert (found.path, found.location, found.external, found.digest) == ("s3://bucket/key", None, True, None)


def test_an_import_from_hdfs_or_http_has_a_checksum():
    assert dependency("- path: https://example.org/x\n  checksum: '\"w/1\"'\n").version == Version(checksum='"w/1"')


def test_an_import_from_a_database():
    found = dependency("- db:\n    query: select 1\n    connection: pg\n    file_format: csv\n")
    assert found.database == Database(connection="pg", query="select 1")


def test_imports_from_remotes():
    assert dependency("- path: remote://store/x/y\n  etag: abc\n").path == "s3://bucket/base/x/y"
    disk = dependency("- path: remote://DISK/x\n  md5: 6137cde4893c59f76f005a8123d8e8e6\n")
    assert (disk.location, disk.external, str(disk.digest)) == (
        "/mnt/disk/x",
        True,
        "md5:6137cde4893c59f76f005a8123d8e8e6",
    )


def test_an_import_that_was_not_downloaded_has_no_digest():
    stage = dvcfile.parse(b"deps:\n- path: /mnt/x\n  md5: 6137cde4893c59f76f005a8123d8e8e6\nouts:\n- path: x\n", PLACE)
    assert stage.imported
    assert stage.outs[0].digest is None
