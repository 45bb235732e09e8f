"""A sealed folder is trusted as a whole, exactly as long as each of its files would be."""

import os
import time

import pytest
from support.audits import audited, kinds, only
from support.dvc_projects import add, make, write

HASH = {"check": "dvc.hash"}


@pytest.fixture
def root(tmp_path):
    """A folder that was read, settled, and sealed."""
    root = make(tmp_path / "project")
    write(root, {"data/a.txt": "alpha\n", "data/sub/b.txt": "beta\n"})
    add(root, "data")
    time.sleep(2.1)  # what was touched within the clock's grain of being read is not trusted
    assert covered(root) == (2, 0)
    return root


def covered(root, **settings):
    """Files read and files trusted."""
    coverage = audited(root, HASH, **settings).envelope.coverage
    return coverage.files_read, coverage.files_trusted


def test_a_sealed_folder_is_trusted_and_says_the_same(root):
    cold = audited(root, HASH, deep=True)
    warm = audited(root, HASH)
    assert (warm.envelope.coverage.files_read, warm.envelope.coverage.files_trusted) == (0, 2)
    assert warm.envelope.body_digest == cold.envelope.body_digest


def test_deep_breaks_no_seal_and_trusts_none(root):
    assert covered(root, deep=True) == (2, 0)
    assert covered(root) == (0, 2)


@pytest.mark.parametrize("again", [1, 2])
def test_whatever_moves_breaks_the_seal(root, again):
    file = root / "data/a.txt"
    before = file.stat()
    content = file.read_bytes()
    file.write_bytes(b"alphb\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    for _ in range(again):
        assert kinds(only(audited(root, HASH)).violations) == [("data/a.txt", "changed")]
    file.write_bytes(content)
    assert only(audited(root, HASH)).outcome == "pass"


@pytest.mark.parametrize("change", ["extra", "missing", "ignored", "recorded"])
def test_so_does_another_file_another_record_or_another_ignore(root, change):
    if change == "extra":
        write(root, {"data/c.txt": "c"})
    elif change == "missing":
        (root / "data/sub/b.txt").unlink()
    elif change == "ignored":
        write(root, {".dvcignore": "b.txt\n"})
    else:
        record = root / "data.dvc"
        record.write_text(record.read_text().replace("md5: ", "md5: 0", 1).replace(".dir", "", 1)[:-1] + "\n")
    assert only(audited(root, HASH)).outcome != "pass"


def test_what_differs_is_never_sealed(root):
    write(root, {"data/a.txt": "other\n"})
    time.sleep(2.1)
    for _ in range(3):
        assert kinds(only(audited(root, HASH)).violations) == [("data/a.txt", "changed")]
