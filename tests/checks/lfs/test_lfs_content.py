"""`lfs.content` on real repositories."""

import hashlib
import os
import shutil
import subprocess

import pytest
from support.git_projects import HERMETIC, GitProject
from support.judging import covered, figures, judge, named, summary, violations

from audit.checks.lfs.content import Content
from audit.errors import CannotLook, NotApplicable
from audit.facts.content import FileContent
from audit.facts.lfs import Lead, Lfs, LfsFile, Pointer
from audit.records.digests import Digest
from audit.records.door import EntryType
from audit.records.words import Severity

ATTRIBUTES = "*.bin filter=lfs diff=lfs merge=lfs -text\n*.onnx filter=lfs -text\n"
VERSION = "version https://git-lfs.github.com/spec/v1\n"


def pointer(content=b"", *, oid=None, size=None):
    oid = oid or hashlib.sha256(content).hexdigest()
    return f"{VERSION}oid sha256:{oid}\nsize {len(content) if size is None else size}\n"


@pytest.fixture
def make(tmp_path):
    """A repository whose `*.bin` are committed as pointers to the contents, which then stand in the work tree."""

    def make(contents, root=tmp_path / "repo", **files):
        committed = {name: pointer(content) if content else b"" for name, content in contents.items()}
        made = GitProject.make(root, {".gitattributes": ATTRIBUTES, **committed, **files})
        for name, content in contents.items():
            made.write(name, content)
        return made

    return make


def test_content_as_committed_passes(make):
    contents = {"a.bin": b"alpha" * 99, "sub/b é\n.bin": b"beta", "empty.bin": b"", os.fsdecode(b"\xff.bin"): b"raw"}
    made = make(contents, **{"notes.txt": "no data"})
    found = judge(Content(), made.root)
    assert violations(found) == []
    assert figures(found) == {"files": 4, "sparse_files": 0}
    assert summary(found) == "4 files of Git LFS with the content that was committed"
    assert covered(Content(), made.root) == tuple(sorted(contents))


def test_a_project_in_a_folder_of_the_repository_sees_its_own_files(make):
    made = make({"top.bin": b"1", "part/in.bin": b"2"})
    made.write("top.bin", "changed")
    assert violations(judge(Content(), made.root / "part")) == []
    assert covered(Content(), made.root / "part") == ("in.bin",)


def test_pointers_in_place_of_data(make):  # field case C09, a
    text = pointer(oid="a" * 64, size=48605698)
    assert len(text) == 133
    made = make({}, **{"model.onnx": text})
    (one,) = violations(judge(Content(), made.root))
    assert (one.subject, one.kind, one.severity) == ("model.onnx", "pointer", Severity.ERROR)
    assert one.message == "pointer, not content: expected 48605698 bytes, found 133"
    assert (one.expected, one.found) == (48605698, 133)
    assert one.repair == "git lfs pull --include=model.onnx"


def test_conflict_markers_in_a_pointer(make):  # field case C09, b
    text = (
        pointer(b"x").replace("oid", "<<<<<<< HEAD\noid", 1)
        + f"=======\noid sha256:{'b' * 64}\nsize 2\n>>>>>>> other\n"
    )
    made = make({}, **{"model.onnx": text})
    (one,) = violations(judge(Content(), made.root))
    assert (one.kind, one.message) == ("malformed", "malformed pointer (conflict markers)")
    made.write("model.onnx", b"data" * 999)
    (one,) = violations(judge(Content(), made.root))
    assert (one.kind, one.message) == ("malformed", "malformed pointer (conflict markers), committed")


def test_a_file_cut_by_4_gib(make):  # field case C11
    made = make({}, **{"big.bin": pointer(oid="c" * 64, size=4361285557)})
    with made.write("big.bin", b"").open("r+b") as file:
        file.truncate(66318261)
    (one,) = violations(judge(Content(), made.root))
    assert (one.kind, one.expected, one.found) == ("truncated", 4361285557, 66318261)
    assert one.message == "cut short: expected 4361285557 bytes, found 66318261; the difference is exactly 4 GiB x 1"


@pytest.mark.parametrize(("now", "kind"), [(b"alphA", "changed"), (b"alp", "truncated"), (b"alpha!", "changed")])
def test_other_content(make, now, kind):
    made = make({"a.bin": b"alpha"})
    made.write("a.bin", now)
    found = judge(Content(), made.root)
    assert named(found) == [("a.bin", kind)]
    assert violations(found)[0].repair == "git restore -- a.bin"
    assert summary(found) == "1 of 1 file of Git LFS wrong"


def test_a_file_that_is_gone(make):
    made = make({"a.bin": b"alpha", "d/b.bin": b"beta"})
    (made.root / "a.bin").unlink()
    shutil.rmtree(made.root / "d")
    assert named(judge(Content(), made.root)) == [("a.bin", "missing"), ("d/b.bin", "missing")]


def test_content_that_reads_like_a_pointer_is_content(make):
    content = pointer(b"inner").encode()
    assert violations(judge(Content(), make({"a.bin": content}).root)) == []


def test_a_pointer_of_the_same_size_as_the_content_is_named_as_one(make):
    content = pointer(b"inner").encode()
    made = make({"a.bin": content})
    made.write("a.bin", pointer(b"other"))
    assert named(judge(Content(), made.root)) == [("a.bin", "pointer")]


def test_blobs_that_should_be_pointers(make):
    made = make({}, **{"a.bin": b"\0data"})
    (one,) = violations(judge(Content(), made.root))
    assert (one.kind, one.found) == ("full-blob", 5)
    assert one.repair == "git add --renormalize -- a.bin"


def test_attributes_of_a_folder_count(make):
    made = make({}, **{"d/.gitattributes": "*.bin -filter\n", "d/a.bin": b"\0data"})
    with pytest.raises(NotApplicable):
        judge(Content(), made.root)


def test_a_merge_that_is_not_concluded(make):
    made = make({"a.bin": b"base"})
    for branch in ("one", "two"):
        made.git("checkout", "--quiet", "--force", "-b", branch, "main")
        made.write("a.bin", pointer(branch.encode()))
        made.commit()
    with pytest.raises(Exception, match="CONFLICT"):
        made.git("-c", "merge.lfs.driver=false", "merge", "one")
    assert named(judge(Content(), made.root)) in ([("a.bin", "malformed")], [("a.bin", "pointer")])
    made.write("a.bin", b"data")
    assert named(judge(Content(), made.root)) == [("a.bin", "unmerged")]


def test_what_a_sparse_work_tree_leaves_out_is_not_missing(make):
    made = make({"in/a.bin": b"alpha", "out/b.bin": b"beta"})
    made.git("checkout", "--quiet", "--force", "main")
    made.git("sparse-checkout", "set", "in")
    made.write("in/a.bin", b"alpha")
    found = judge(Content(), made.root)
    assert violations(found) == []
    assert figures(found) == {"files": 2, "sparse_files": 1}
    assert covered(Content(), made.root) == ("in/a.bin",)


def test_extensions_are_held_against_the_original(make):
    original, stored = hashlib.sha256(b"alpha").hexdigest(), "d" * 64
    text = f"{VERSION}ext-0-zip sha256:{original}\noid sha256:{stored}\nsize 3\n"
    made = make({}, **{"a.bin": text})
    assert named(judge(Content(), made.root)) == [("a.bin", "pointer")]
    made.write("a.bin", b"alpha")
    assert violations(judge(Content(), made.root)) == []
    made.write("a.bin", b"alphA")
    assert named(judge(Content(), made.root)) == [("a.bin", "changed")]


def test_a_pointer_in_another_form_is_noted(make):
    made = make({}, **{"a.bin": pointer(b"alpha").replace("\n", "\r\n")})
    made.write("a.bin", b"alpha")
    (one,) = violations(judge(Content(), made.root))
    assert (one.kind, one.severity) == ("non-canonical", Severity.NOTE)


def test_stray_pointers_are_found_anywhere(make):
    text = pointer(b"far away")
    made = make({"a.bin": b"alpha"}, **{"tracked.dat": text, ".hidden/x.dat": text})
    made.write("data/untracked.dat", text)
    made.write("data/broken.dat", text.replace("size", "siez"))
    found = judge(Content(), made.root)
    assert named(found) == [
        ("data/broken.dat", "malformed"),
        ("data/untracked.dat", "pointer"),
        ("tracked.dat", "pointer"),
    ]
    assert summary(found) == "1 file of Git LFS with the content that was committed; 3 stray pointers"


def test_stray_pointers_are_found_without_git(tmp_path):
    (tmp_path / "model.onnx").write_text(pointer(b"weights"))
    assert named(judge(Content(), tmp_path)) == [("model.onnx", "pointer")]


def test_links(make, tmp_path):
    made = make({"out.bin": b"alpha", "in.bin": b"alpha", "dead.bin": b"alpha", "d/through.bin": b"alpha"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "through.bin").write_bytes(b"alpha")
    made.write("real.dat", b"alpha")
    for name, target in {"out.bin": outside / "through.bin", "in.bin": "real.dat", "dead.bin": "nowhere"}.items():
        (made.root / name).unlink()
        (made.root / name).symlink_to(target)
    shutil.rmtree(made.root / "d")
    (made.root / "d").symlink_to(outside)
    found = judge(Content(), made.root)
    assert named(found) == [("d/through.bin", "outside"), ("dead.bin", "missing"), ("out.bin", "outside")]
    assert [one.unseen for one in violations(found)] == [True, False, True]


def test_what_is_no_file(make):
    made = make({"a.bin": b"alpha", "b.bin": b"beta"})
    (made.root / "a.bin").unlink()
    (made.root / "b.bin").unlink()
    os.mkfifo(made.root / "a.bin")
    (made.root / "b.bin").mkdir()
    assert named(judge(Content(), made.root)) == [("a.bin", "type"), ("b.bin", "type")]


@pytest.mark.parametrize("tracked", [False, True])
def test_a_project_without_lfs_is_skipped(tmp_path, tracked):
    if tracked:
        GitProject.make(tmp_path, {"a.txt": "text"})
    with pytest.raises(NotApplicable):
        judge(Content(), tmp_path)
    assert covered(Content(), tmp_path) == ()


def test_an_index_that_cannot_be_read_is_an_error(make):
    made = make({"a.bin": b"alpha"})
    (made.root / ".git/index").write_bytes(b"DIRC garbage")
    with pytest.raises(CannotLook):
        judge(Content(), made.root)


def test_an_object_that_the_clone_does_not_hold(make):
    made = make({"a.bin": b"alpha", "b.bin": b"beta"})
    oid = made.git("rev-parse", ":a.bin")
    (made.root / ".git/objects" / oid[:2] / oid[2:]).unlink()
    (one,) = violations(judge(Content(), made.root))
    assert (one.subject, one.kind, one.unseen) == ("a.bin", "unreadable", True)


def test_no_filter_of_the_repository_runs(make, tmp_path):
    made = make({"a.bin": b"alpha"})
    trace = tmp_path / "it-ran"
    for step in ("clean", "smudge", "process"):
        made.git("config", f"filter.lfs.{step}", f"touch {trace}; cat")
    judge(Content(), made.root)
    assert not trace.exists()


@pytest.mark.skipif(shutil.which("git-lfs") is None, reason="git-lfs is not installed")
def test_what_the_real_git_lfs_commits_passes(tmp_path):
    environment = {**os.environ, **HERMETIC, "HOME": str(tmp_path)}

    def run(*args):
        subprocess.run(args, cwd=tmp_path / "r", check=True, capture_output=True, env=environment)

    (tmp_path / "r").mkdir()
    made = GitProject.make(tmp_path / "r")
    run("git", "lfs", "install", "--local")
    run("git", "lfs", "track", "*.bin")
    for name, content in {"a.bin": b"alpha" * 1000, "b.bin": b"", "c.bin": b"c"}.items():
        made.write(name, content)
    run("git", "add", "-A")
    run("git", "commit", "-qm", "data")
    found = judge(Content(), made.root)
    assert violations(found) == []
    assert figures(found)["files"] == 3
    made.write("a.bin", pointer(b"alpha" * 1000))
    assert named(judge(Content(), made.root)) == [("a.bin", "pointer")]
    run("git", "lfs", "checkout", "a.bin")  # what `git lfs pull` does once it has the object
    assert violations(judge(Content(), made.root)) == []


@pytest.fixture
def cloned(tmp_path):
    """A clone whose objects are in a bare remote beside it, pointers in place of content."""
    environment = {**os.environ, **HERMETIC, "HOME": str(tmp_path)}
    made = GitProject.make(tmp_path / "r")
    made.git("lfs", "install", "--local")
    made.write(".gitattributes", ATTRIBUTES)
    for name in NAMES:
        made.write(name, name * 100)
    made.commit()
    made.publish(tmp_path / "remote")
    shutil.rmtree(made.root / ".git/lfs/objects")
    for name in NAMES:
        made.write(name, pointer((name * 100).encode()))
    return made, lambda line: subprocess.run(
        ["bash", "-c", line], cwd=made.root, check=True, capture_output=True, env=environment
    )


NAMES = ["a.bin", "-b.bin", "sub/two words.bin", "$(touch x).bin", "d.bin"]
with_git_lfs = pytest.mark.skipif(shutil.which("git-lfs") is None, reason="git-lfs is not installed")


@with_git_lfs
@pytest.mark.parametrize("many", [2, 5])
def test_one_command_gets_all_content(cloned, many):
    made, paste = cloned
    for name in NAMES[many:]:
        made.write(name, name * 100)
    lines = {one.repair for one in violations(judge(Content(), made.root))}
    assert lines == ({"git lfs pull"} if many > 3 else {"git lfs pull --include=-b.bin,a.bin"})
    paste(lines.pop())
    assert violations(judge(Content(), made.root)) == []


@with_git_lfs
def test_what_pull_would_leave_as_it_is_is_restored(cloned):
    made, paste = cloned
    paste("git lfs pull")
    made.write("a.bin", pointer(b"another version"))
    made.write("-b.bin", "edited")
    (made.root / "d.bin").unlink()
    (line,) = {one.repair for one in violations(judge(Content(), made.root))}
    assert line == "git restore -- -b.bin a.bin d.bin"
    paste(line)
    assert violations(judge(Content(), made.root)) == []


@with_git_lfs
def test_content_committed_to_git_itself_becomes_pointers(cloned):
    made, paste = cloned
    paste("git lfs pull")
    for name in NAMES[:2]:
        made.git(
            "-c", "core.attributesFile=/dev/null", "update-index", "--cacheinfo", f"100644,{raw(made, name)},{name}"
        )
    (line,) = {one.repair for one in violations(judge(Content(), made.root))}
    paste(line)
    assert violations(judge(Content(), made.root)) == []


def raw(made, name):
    return made.git("hash-object", "-w", "--no-filters", "--", name)


def test_a_folder_in_a_files_place_is_not_removed_and_no_side_of_a_merge_taken(make):
    made = make({"a.bin": b"alpha"})
    (made.root / "a.bin").unlink()
    made.write("a.bin/precious.txt", "mine")
    assert [one.repair for one in violations(judge(Content(), made.root))] == [None]


# -- literal facts: what a test cannot bring about on this disk -------------------------------------


def file(**seen):
    one = LfsFile(
        "a.bin", "/p/a.bin", Pointer("0" * 64, 5), sparse=False, lead=Lead.INSIDE, type=EntryType.FILE, **seen
    )
    return Lfs(files=(one,), strays=())


def test_an_unreadable_file_is_an_error():
    content = FileContent(None, problem="cannot be read: permission denied")
    for lfs in (file(content=content), file(problem="cannot be read: permission denied")):
        (one,) = violations(Content().evaluate(lfs))
        assert (one.kind, one.unseen, one.message) == ("unreadable", True, "cannot be read: permission denied")


def test_two_contents_with_one_digest_do_not_pass():
    content = FileContent(Digest(algorithm="sha256", hex="0" * 64), collides=True)
    assert named(Content().evaluate(file(content=content))) == [("a.bin", "digest-collision")]
