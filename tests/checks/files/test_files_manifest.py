"""`files.manifest` on checksum files and files of hashdeep, beside the real tools."""

import hashlib
import os
import shutil
import subprocess
import unicodedata

import pytest
from blake3 import blake3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.judging import covered, figures, judge, named, summary, violations

from audit.checks.files.manifest import Manifest
from audit.errors import CannotLook, FormatError
from audit.facts.content import FileContent
from audit.facts.manifest import Lead, Listed, ManifestState
from audit.facts.manifest_listing import Manifest as Listing
from audit.facts.manifest_listing import Source
from audit.formats.manifest.listing import Line
from audit.records.digests import Digest
from audit.records.door import EntryType
from audit.records.words import Severity

FILES = {"a.txt": b"alpha", "sub/b c.txt": b"beta", "sub/\n\\.bin": b"\0", "empty": b""}


def write(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def sums(root, names, *options, tool="sha256sum"):
    return subprocess.run([tool, *options, "--", *names], cwd=root, capture_output=True, check=True).stdout


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "p"
    write(root / "data", FILES)
    return root


@pytest.mark.parametrize(
    ("name", "tool", "options"),
    [
        ("SHA256SUMS", "sha256sum", []),
        ("MD5SUMS", "md5sum", ["-z"]),
        ("sums.sha1", "sha1sum", ["-b"]),
        ("sums", "sha512sum", ["--tag"]),
    ],
)
def test_files_as_listed_pass(root, name, tool, options):
    write(root / "data", {name: sums(root / "data", FILES, *options, tool=tool)})
    check = Manifest(manifest=f"data/{name}", extra="forbid")
    found = judge(check, root)
    assert violations(found) == []
    assert figures(found) == {"files": 4, "extra_files": 0}
    assert summary(found) == f"4 files of data/{name} as listed"
    assert covered(check, root) == tuple(sorted(f"data/{each}" for each in FILES))


def test_blake3_is_read(root):
    lines = "".join(f"{blake3(FILES[name]).hexdigest()}  {name}\n" for name in ("a.txt", "empty"))
    write(root / "data", {"B3SUMS": lines, "sums": lines})
    assert violations(judge(Manifest(manifest="data/B3SUMS"), root)) == []
    assert violations(judge(Manifest(manifest="data/sums", algorithm="blake3"), root)) == []
    assert named(judge(Manifest(manifest="data/sums", algorithm="sha256"), root)) == [
        ("data/a.txt", "changed"),
        ("data/empty", "changed"),
    ]
    with pytest.raises(FormatError, match="sha256 or blake3"):
        judge(Manifest(manifest="data/sums"), root)


def test_each_file_is_named_with_what_became_of_it(root):
    write(root / "data", {"SHA256SUMS": sums(root / "data", FILES)})
    write(root / "data", {"a.txt": b"alphA", "sub/new.txt": b"new", ".hidden": b""})
    (root / "data/empty").unlink()
    (root / "data/sub/b c.txt").unlink()
    (root / "data/sub/b c.txt").mkdir()
    found = judge(Manifest(manifest="data/SHA256SUMS", extra="forbid"), root)
    assert named(found) == [
        ("data/.hidden", "extra"), ("data/a.txt", "changed"), ("data/empty", "missing"),
        ("data/sub/b c.txt", "type"), ("data/sub/new.txt", "extra"),
    ]  # fmt: skip
    changed = violations(found)[1]
    assert changed.expected == hashlib.sha256(b"alpha").hexdigest()
    assert changed.found == hashlib.sha256(b"alphA").hexdigest()
    assert summary(found) == "4 files of data/SHA256SUMS: 1 changed, 2 extra, 1 missing, 1 type"


def test_files_that_are_not_listed_are_allowed_by_default(root):
    write(root / "data", {"SHA256SUMS": sums(root / "data", ["a.txt"])})
    found = judge(Manifest(manifest="data/SHA256SUMS"), root)
    assert violations(found) == []
    assert figures(found) == {"files": 1, "extra_files": 0}


def test_records_of_git_and_dvc_are_not_extra(root):
    write(root / "data", {"SHA256SUMS": sums(root / "data", FILES)})
    write(root / "data", {".git/HEAD": "x", ".gitignore": "x", "a.txt.dvc": "x", ".dvc/config": "x"})
    assert violations(judge(Manifest(manifest="data/SHA256SUMS", extra="forbid"), root)) == []


def test_what_the_audit_itself_writes_is_not_extra(root):
    write(root, {"audit.yaml": "version: 1\n", ".audit/state.db": "", "SHA256SUMS": sums(root, ["data/a.txt"])})
    shutil.rmtree(root / "data/sub")
    (root / "data/empty").unlink()
    write(root, {"reports/20260101T000000Z-launch/report.html": "", "reports/.gitignore": "*"})
    (root / "reports/latest").symlink_to("20260101T000000Z-launch")
    assert violations(judge(Manifest(manifest="SHA256SUMS", extra="forbid"), root)) == []
    write(root, {"reports/2026.csv": ""})
    assert named(judge(Manifest(manifest="SHA256SUMS", extra="forbid"), root)) == [("reports/2026.csv", "extra")]


def test_paths_may_start_from_another_folder(root):
    write(root, {"lists/sums.sha256": sums(root, ["data/a.txt"])})
    assert named(judge(Manifest(manifest="lists/sums.sha256"), root)) == [("lists/data/a.txt", "missing")]
    assert violations(judge(Manifest(manifest="lists/sums.sha256", root="."), root)) == []
    with pytest.raises(CannotLook, match="no such folder"):
        judge(Manifest(manifest="lists/sums.sha256", root="nowhere", extra="forbid"), root)


def test_lines_that_are_not_understood_are_named(root):
    good = sums(root / "data", ["a.txt"]).decode()
    write(root / "data", {"SHA256SUMS": f"# of today\n{good}\n{good[1:]}text\n"})
    found = violations(judge(Manifest(manifest="data/SHA256SUMS"), root))
    assert [(one.subject, one.kind) for one in found] == [
        ("data/SHA256SUMS#line=4", "malformed"),
        ("data/SHA256SUMS#line=5", "malformed"),
    ]
    assert "63 hex digits" in found[0].message


def test_a_file_listed_twice_must_be_listed_alike(root):
    good = sums(root / "data", ["a.txt", "empty"]).decode()
    write(root / "data", {"SHA256SUMS": good + good + f"{'0' * 64}  ./a.txt\n"})
    assert named(judge(Manifest(manifest="data/SHA256SUMS"), root)) == [("data/a.txt", "conflict")]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../../outside.txt", "sub/../../../outside.txt", "C:\\x", "..\\outside.txt"]
)
def test_unsafe_paths_are_named_and_not_opened(root, path):
    (root.parent / "outside.txt").write_bytes(b"secret")
    write(
        root / "data",
        {"SHA256SUMS": f"{hashlib.sha256(b'secret').hexdigest()}  {path}\n" + sums(root / "data", ["a.txt"]).decode()},
    )
    check = Manifest(manifest="data/SHA256SUMS")
    assert named(judge(check, root)) == [("data/SHA256SUMS#line=1", "unsafe-path")]
    assert covered(check, root) == ("data/a.txt",)


def test_links_stay_in_the_project(root):
    outside = root.parent / "outside"
    write(outside, {"a.txt": b"alpha"})
    (root / "data/out.txt").symlink_to(outside / "a.txt")
    (root / "data/folder").symlink_to(outside)
    (root / "data/in.txt").symlink_to("a.txt")
    (root / "data/dead.txt").symlink_to("nowhere")
    hexed = hashlib.sha256(b"alpha").hexdigest()
    names = ["out.txt", "folder/a.txt", "in.txt", "dead.txt"]
    write(root / "data", {"SHA256SUMS": "".join(f"{hexed}  {name}\n" for name in names)})
    found = violations(judge(Manifest(manifest="data/SHA256SUMS"), root))
    assert [(one.subject, one.kind, one.unseen) for one in found] == [
        ("data/dead.txt", "missing", False), ("data/folder/a.txt", "outside", True), ("data/out.txt", "outside", True),
    ]  # fmt: skip


def test_what_is_no_file_is_named(root):
    os.mkfifo(root / "data/pipe")
    write(root / "data", {"SHA256SUMS": f"{'0' * 64}  pipe\n"})
    assert named(judge(Manifest(manifest="data/SHA256SUMS"), root)) == [("data/pipe", "type")]


def test_a_pointer_in_place_of_content(root):
    text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 48605698\n"
    write(root / "data", {"SHA256SUMS": f"{'a' * 64}  model.onnx\n", "model.onnx": text})
    (one,) = violations(judge(Manifest(manifest="data/SHA256SUMS"), root))
    assert (one.kind, one.repair) == ("pointer", "git lfs pull --include=data/model.onnx")
    assert one.message == "Git LFS pointer, not content: expected 48605698 bytes, found 133"


# -- Unicode normal forms -----------------------------------------------------------------------

NFC, NFD = "se\u00f1or.png", "sen\u0303or.png"


@pytest.mark.parametrize(("listed", "there"), [(NFD, NFC), (NFC, NFD)])
def test_a_name_in_another_normal_form(root, listed, there):  # field case C13
    write(
        root / "data", {f"\u00e9/{there}": b"x", "SHA256SUMS": f"{hashlib.sha256(b'x').hexdigest()}  \u00e9/{listed}\n"}
    )
    found = judge(Manifest(manifest="data/SHA256SUMS"), root)
    (one,) = violations(found)
    assert (one.kind, one.severity, one.message) == (
        "normalisation",
        Severity.WARNING,
        "matches after NFC; byte names differ",
    )
    assert one.subject == f"data/\u00e9/{listed}"
    assert one.expected != one.found
    assert summary(found) == "1 file of data/SHA256SUMS as listed; 1 file matches after NFC; byte names differ"


def test_a_name_in_another_normal_form_is_not_extra_and_its_content_counts(root):
    shutil.rmtree(root / "data")
    write(root / "data", {NFC: b"y", "SHA256SUMS": f"{hashlib.sha256(b'x').hexdigest()}  {NFD}\n"})
    assert named(judge(Manifest(manifest="data/SHA256SUMS", extra="forbid"), root)) == [(f"data/{NFD}", "changed")]


def test_two_names_that_are_one_after_nfc(root):  # field case C13
    shutil.rmtree(root / "data")
    write(root / "data", {NFC: b"x", NFD: b"x"})
    write(root / "data", {"SHA256SUMS": sums(root / "data", [NFC, NFD])})
    (one,) = violations(judge(Manifest(manifest="data/SHA256SUMS", extra="forbid"), root))
    assert (one.subject, one.kind, one.severity) == (f"data/{NFD}", "collision", Severity.WARNING)


# -- cannot look --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("manifest", "content", "reason"),
    [
        ("data/none", None, "there is no manifest"),
        ("data", None, "a folder without bagit.txt"),
        ("../outside", "x", "outside the project"),
        ("/etc/passwd", None, "outside the project"),
        ("data/SHA256SUMS", "", "it lists no file"),
        ("data/SHA256SUMS", "# nothing\n\n", "it lists no file"),
        ("data/a.txt/SHA256SUMS", None, "there is no manifest"),
    ],
)
def test_where_there_is_no_manifest_nothing_passes(root, manifest, content, reason):
    if content is not None:
        write(root, {manifest: content})
    with pytest.raises(CannotLook, match=reason):
        judge(Manifest(manifest=manifest), root)


def test_a_manifest_behind_a_link_out_of_the_project_is_not_read(root):
    (root.parent / "sums").write_text(f"{'0' * 64}  a.txt\n")
    (root / "SHA256SUMS").symlink_to(root.parent / "sums")
    with pytest.raises(CannotLook, match="outside the project"):
        judge(Manifest(manifest="SHA256SUMS"), root)


# -- beside sha256sum --check -------------------------------------------------------------------

NAMES = st.text(alphabet="ab\n\\ *()=\u00e9", min_size=1, max_size=5).filter(
    lambda name: name.strip() and not name.startswith("\\")  # elsewhere that is an absolute path: refused
)
CHANGES = st.sampled_from(["keep", "keep", "edit", "delete", "folder"])


@given(
    st.dictionaries(NAMES, st.tuples(st.binary(max_size=4), CHANGES), min_size=1, max_size=6),
    st.sampled_from(["--binary", "--tag"]),
)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_same_files_are_named_as_by_sha256sum(tmp_path_factory, files, option):
    root = tmp_path_factory.mktemp("p", numbered=True)
    write(root, {name: content for name, (content, _) in files.items()})
    manifest = sums(root, files, option)
    for name, (content, change) in files.items():
        if change == "edit":
            write(root, {name: content + b"!"})
        elif change != "keep":
            (root / name).unlink()
        if change == "folder":
            (root / name).mkdir()
    write(root, {"SHA256SUMS": manifest})
    run = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=root, capture_output=True, check=False)
    found = judge(Manifest(manifest="SHA256SUMS"), root)
    assert {name for name, _ in named(found)} == {name for name, (_, change) in files.items() if change != "keep"}
    assert bool(violations(found)) == bool(run.returncode)
    assert len(violations(found)) == run.stdout.count(b"FAILED")


# -- hashdeep -----------------------------------------------------------------------------------


def test_files_of_hashdeep(root):
    rows = "".join(
        f"{len(FILES[name])},{'0' * 32},{hashlib.sha256(FILES[name]).hexdigest()},{name}\n"
        for name in ("a.txt", "empty")
    )
    write(root / "data", {"list.hd": f"%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n{rows}"})
    assert violations(judge(Manifest(manifest="data/list.hd"), root)) == []
    write(root / "data", {"a.txt": b"alp"})
    (one,) = violations(judge(Manifest(manifest="data/list.hd"), root))
    assert (one.kind, one.expected, one.found) == ("truncated", 5, 3)


def test_a_file_cut_by_4_gib(root):  # field case C11
    row = f"4361285557,{'0' * 32},{'0' * 64},big.bin\n"
    write(root / "data", {"list.hd": f"%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n{row}", "big.bin": b""})
    os.truncate(root / "data/big.bin", 66318261)
    (one,) = violations(judge(Manifest(manifest="data/list.hd"), root))
    cut = "cut short: expected 4361285557 bytes, found 66318261; the difference is exactly 4 GiB x 1"
    assert one.message == f"{cut}; get it again from where the list came from"


@pytest.mark.skipif(shutil.which("hashdeep") is None, reason="hashdeep is not installed")
def test_what_the_real_hashdeep_writes_passes(root):
    (root / "data/sub/\n\\.bin").unlink()  # hashdeep does not escape line breaks
    write(root / "data", {"a, b.txt": b"comma"})
    listed = subprocess.run(
        ["hashdeep", "-r", "-l", "-c", "md5,sha1,sha256", "."], cwd=root / "data", capture_output=True, check=True
    )
    write(root / "data", {"list.hd": listed.stdout})
    found = judge(Manifest(manifest="data/list.hd", extra="forbid"), root)
    assert violations(found) == []
    assert figures(found)["files"] == 4


def test_normal_forms_of_the_specimens_differ():
    assert NFC != NFD
    assert unicodedata.normalize("NFC", NFD) == NFC


# -- literal facts: what a test cannot bring about on this disk -------------------------------------

LINE = Line(1, "a.txt", "md5", "0" * 32)


def state(**seen):
    listed = Listed("a.txt", "MD5SUMS", LINE, Lead.INSIDE, EntryType.FILE, "/p/a.txt", **seen)
    listing = Listing(form="checksums", base="", sources=(Source("MD5SUMS", (LINE,)),))
    return ManifestState(manifest=listing, listed=(listed,))


def test_an_unreadable_file_is_an_error():
    (one,) = violations(Manifest(manifest="MD5SUMS").evaluate(state(problem="cannot be read: permission denied")))
    assert (one.kind, one.unseen, one.message) == ("unreadable", True, "cannot be read: permission denied")


def test_two_contents_with_one_digest_do_not_pass():
    content = FileContent(Digest(algorithm="md5", hex="0" * 32), collides=True)
    (one,) = violations(Manifest(manifest="MD5SUMS").evaluate(state(content=content)))
    assert (one.kind, one.severity) == ("digest-collision", Severity.ERROR)


def test_a_path_too_long_for_the_system_is_named(root):
    long = "/".join(["n" * 200] * 20)
    write(root / "data", {"SHA256SUMS": f"{'0' * 64}  {long}\n{'0' * 64}  {'n' * 300}\n"})
    found = violations(judge(Manifest(manifest="data/SHA256SUMS"), root))
    assert {one.kind for one in found} <= {"missing", "unreadable", "unsafe-path"}
    assert len(found) == 2
