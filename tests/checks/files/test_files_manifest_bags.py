"""`files.manifest` on BagIt bags, made and judged by the reference implementation beside it."""

import hashlib
import logging
import shutil

import bagit
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.judging import covered, figures, judge, named, summary, violations

from audit.checks.files.manifest import Manifest
from audit.errors import CannotLook, FormatError
from audit.records.words import Severity

FILES = {"a.txt": b"alpha", "sub/b c.txt": b"beta", ".hidden": b"", ".git/HEAD": b"x", "x.dvc": b"outs:", "l\nb": b"1"}
CHECK = Manifest(manifest="bag")
DECLARED = "BagIt-Version: {}\nTag-File-Character-Encoding: UTF-8\n"


def write(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def by_hand(root, payload, *, version="1.0", algorithms=("sha256",), **tags):
    """A bag written line by line; `payload` is by the path that the manifest lists."""
    bag = root / "bag"
    write(bag, {name.replace("%0A", "\n").replace("%25", "%"): content for name, content in payload.items()})
    lists = {
        f"manifest-{algorithm}.txt": "".join(
            f"{hashlib.new(algorithm, content).hexdigest()}  {name}\n" for name, content in payload.items()
        )
        for algorithm in algorithms
    }
    write(
        bag,
        {
            "bagit.txt": DECLARED.format(version),
            **lists,
            **{name.replace("_", "."): text for name, text in tags.items()},
        },
    )
    return bag


@pytest.fixture
def root(tmp_path):
    """A project with a bag in it, as `bagit.py` makes one: version 0.97, two algorithms, tag manifests, Oxum."""
    root = tmp_path / "p"
    write(root / "bag", FILES)
    bagit.make_bag(str(root / "bag"), {"Contact-Name": "A"}, checksums=["md5", "sha256"])
    return root


def test_a_bag_as_made_passes(root):
    found = judge(CHECK, root)
    assert violations(found) == []
    assert figures(found) == {"files": 10, "extra_files": 0}  # six of payload, four tag files
    assert summary(found).startswith("10 files of bag/manifest-md5.txt as listed")
    assert violations(judge(Manifest(manifest="bag/bagit.txt"), root)) == []
    assert {"bag/data/a.txt", "bag/data/l\nb", "bag/bag-info.txt"} <= set(covered(CHECK, root))


def test_what_became_of_payload_and_tag_files(root):
    (root / "bag/data/.hidden").unlink()
    write(
        root / "bag",
        {"data/a.txt": b"alphA", "data/new.txt": b"", "bag-info.txt": "Contact-Name: B\n", "untold.txt": ""},
    )
    assert named(judge(CHECK, root)) == [
        ("bag/bag-info.txt", "changed"),
        ("bag/data/.hidden", "missing"),
        ("bag/data/a.txt", "changed"),
        ("bag/data/new.txt", "extra"),
    ]


def test_the_payload_in_numbers(root):
    shutil.rmtree(root / "bag")
    bag = by_hand(root, {"data/a.txt": b"alpha"}, **{"bag-info_txt": "Payload-Oxum: 6.1\n"})
    (one,) = violations(judge(CHECK, root))
    assert (one.subject, one.kind, one.expected, one.found) == ("bag/bag-info.txt", "oxum", "6.1", "5.1")
    write(bag, {"bag-info.txt": "Payload-Oxum: 5.1\n"})
    assert violations(judge(CHECK, root)) == []


def test_every_manifest_of_1_0_lists_every_payload_file(tmp_path):
    bag = by_hand(tmp_path, {"data/a": b"1", "data/b": b"2"}, algorithms=("sha256", "sha512"))
    text = (bag / "manifest-sha512.txt").read_text().splitlines(keepends=True)
    (bag / "manifest-sha512.txt").write_text(text[0])
    (one,) = violations(judge(CHECK, tmp_path))
    assert (one.subject, one.kind) == ("bag/data/b", "unlisted")
    assert "manifest-sha512.txt" in one.message
    write(bag, {"bagit.txt": DECLARED.format("0.97")})
    assert violations(judge(CHECK, tmp_path)) == []


def test_encoded_names(tmp_path):
    by_hand(tmp_path, {"data/100%25": b"1", "data/line%0Abreak": b"2"})
    found = judge(CHECK, tmp_path)
    assert violations(found) == []
    assert covered(CHECK, tmp_path) == ("bag/data/100%", "bag/data/line\nbreak")


def test_files_that_are_left_to_be_fetched(tmp_path):
    bag = by_hand(
        tmp_path,
        {"data/a": b"1", "data/far": b"22"},
        **{
            "fetch_txt": "https://u:secret@example.org/far?k=secret 2 data/far\n",
            "bag-info_txt": "Payload-Oxum: 3.2\n",
        },
    )
    (bag / "data/far").unlink()
    (one,) = violations(judge(CHECK, tmp_path))
    assert (one.subject, one.kind) == ("bag/data/far", "not-fetched")
    assert "secret" not in repr(one)
    write(bag, {"data/far": b"22"})
    assert violations(judge(CHECK, tmp_path)) == []
    write(bag, {"fetch.txt": "https://example.org/x 2 ../../x\nhttps://example.org/y 2 data/y\n"})
    assert named(judge(CHECK, tmp_path)) == [("bag/data/y", "unlisted"), ("bag/fetch.txt#line=1", "malformed")]


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "data/../../outside"])
def test_unsafe_paths_are_not_opened(tmp_path, path):
    bag = by_hand(tmp_path, {"data/a": b"1"})
    with (bag / "manifest-sha256.txt").open("a") as file:
        file.write(f"{'0' * 64} {path}\n")
    assert named(judge(CHECK, tmp_path)) == [("bag/manifest-sha256.txt#line=2", "unsafe-path")]


def test_algorithms_that_are_not_understood_are_named(tmp_path):
    bag = by_hand(tmp_path, {"data/a": b"1"})
    write(bag, {"manifest-sha3-256.txt": f"{'0' * 64} data/a\n"})
    (one,) = violations(judge(CHECK, tmp_path))
    assert (one.subject, one.kind, one.severity) == ("bag/manifest-sha3-256.txt", "unsupported", Severity.WARNING)
    (bag / "manifest-sha256.txt").unlink()
    with pytest.raises(CannotLook, match="without a payload manifest"):
        judge(CHECK, tmp_path)


def test_a_bag_without_payload_is_never_a_pass(tmp_path):
    listed = f"{hashlib.sha256(DECLARED.format('1.0').encode()).hexdigest()} bagit.txt\n"
    by_hand(tmp_path, {}, **{"tagmanifest-sha256_txt": listed})
    with pytest.raises(CannotLook, match="lists no file"):
        judge(CHECK, tmp_path)


def test_a_declaration_that_is_none(tmp_path):
    write(by_hand(tmp_path, {"data/a": b"1"}), {"bagit.txt": "BagIt 1.0\n"})
    with pytest.raises(FormatError, match="declare a bag"):
        judge(CHECK, tmp_path)


# -- beside the reference implementation ----------------------------------------------------------

NAMES = st.text(alphabet="ab%.\u00e9 0AD", min_size=1, max_size=5).filter(lambda name: name.strip(". ") == name)
CHANGES = st.sampled_from(["keep", "keep", "edit", "delete"])


@given(
    st.dictionaries(NAMES, st.tuples(st.binary(max_size=4), CHANGES), min_size=1, max_size=5),
    st.sampled_from(["nothing", "nothing", "add", "tag"]),
)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_bag_is_valid_here_if_it_is_for_bagit(tmp_path_factory, files, more):
    logging.getLogger("bagit").setLevel(logging.CRITICAL)
    root = tmp_path_factory.mktemp("p", numbered=True)
    write(root / "bag", {name: content for name, (content, _) in files.items()})
    bagit.make_bag(str(root / "bag"), checksums=["sha1", "sha512"])
    for name, (content, change) in files.items():
        if change == "edit":
            write(root / "bag/data", {name: content[:-1] + b"!"})
        elif change == "delete":
            (root / "bag/data" / name).unlink()
    if more != "nothing":
        write(root / "bag", {"data/added" if more == "add" else "bag-info.txt": "more"})
    try:
        valid = bagit.Bag(str(root / "bag")).is_valid()
    except bagit.BagError:
        valid = False
    assert valid == (violations(judge(CHECK, root)) == [])
