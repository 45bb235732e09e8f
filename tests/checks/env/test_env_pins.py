"""`env.pins`: what a lockfile leaves open, and hashes against the archives that they should be of."""

from __future__ import annotations

import hashlib

import pytest
from support.environments import wheel
from support.judging import figures, judge, named, summary, violations

from audit.checks.env.pins import Pins
from audit.errors import CannotLook

SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def held(tmp_path):
    def judged(lock, **settings):
        (tmp_path / "requirements.txt").write_text(lock)
        return judge(Pins(**settings), tmp_path)

    return judged


def told(found):
    return [(one.subject.partition("=")[2], one.kind, str(one.severity)) for one in violations(found)]


def test_a_lock_in_which_all_is_pinned_passes(held):
    found = held(f"a==1.0\nb===2\nc @ git+https://h/r@{SHA}\nd @ https://h/d-1.0-py3-none-any.whl\n")
    assert (told(found), summary(found)) == ([], "4 lines pinned")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a", ("a", "unpinned", "error")),
        ("a>=1", ("a", "unpinned", "error")),
        ("a==1.*", ("a", "unpinned", "error")),
        ("a @ git+https://h/r@main", ("a", "branch", "error")),
        ("a @ git+https://h/r", ("a", "branch", "error")),
        ("numpy @ file:///croot/numpy_123/work", ("numpy", "place", "warning")),
        ("-e .", ("1", "editable", "warning")),
        ("a==2.0rc1", ("a", "prerelease", "note")),
    ],
)
def test_what_is_left_open(held, line, expected):
    assert told(held(f"{line}\n")) == [expected]


def test_an_editable_commit_is_pinned(held):
    assert told(held(f"-e git+https://h/r@{SHA}#egg=a\n")) == []


def test_one_name_with_two_versions(held):
    assert told(held("a==1\na==2\n")) == [("a", "twice", "error")]
    assert told(held('a==1; python_version < "3.9"\na==2; python_version >= "3.9"\n')) == []


def test_hashes_are_all_or_nothing(held):
    hashed = "".join(f"{name}==1 --hash=sha256:{name * 64}\n" for name in "abc")
    assert told(held(hashed)) == []
    found = held(f"{hashed}d==1\n")
    assert told(found) == [("d", "unhashed", "error")]
    assert summary(found) == "1 of 4 lines not pinned; hashes present, verified 0 of 3"
    assert told(held("d==1\n", hashes=True)) == [("d", "unhashed", "error")]
    assert told(held("--require-hashes\nd==1\n")) == [("d", "unhashed", "error")]


def test_a_hash_of_another_artefact_is_found_where_the_archives_are(held, tmp_path):
    local = wheel(tmp_path / "elsewhere", "pkg", "0.1+local")
    plain = wheel(tmp_path / "wheels", "pkg", "0.1")
    digests = {one: hashlib.sha256(one.read_bytes()).hexdigest() for one in (local, plain)}
    lock = f"pkg==0.1 --hash=sha256:{digests[local]}\n"
    found = held(lock)
    assert (told(found), summary(found)) == ([], "1 line pinned; hashes present, verified 0 of 1")
    (wrong,) = violations(held(lock, wheelhouse="wheels"))
    assert (wrong.kind, wrong.message) == ("hash", "no listed hash matches pkg-0.1-py3-none-any.whl")
    both = f"pkg==0.1 \\\n  --hash=sha256:{digests[local]} \\\n  --hash=sha256:{digests[plain]}\n"
    found = held(both, wheelhouse="wheels")
    assert (told(found), figures(found)["verified"]) == ([], 1)


def test_a_wheelhouse_that_is_none_and_a_line_that_cannot_be_read_make_no_pass(held):
    with pytest.raises(CannotLook, match="no folder"):
        held("a==1\n", wheelhouse="nowhere")
    (odd,) = violations(held("a==1\nb == == 2\n"))
    assert odd.unseen
    assert named([odd]) == [("requirements.txt#line=2", "line")]
