import os
import socket
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.engine import graph

from audit.errors import CannotLook, NotApplicable
from audit.facts.dataset import DatasetFiles, Expansion
from audit.facts.dataset_walk import RECORDS
from audit.host import Host
from audit.records.dataset import Dataset
from audit.records.digests import Stamp
from audit.records.words import Kind


def fill(root, *paths):
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(path.encode("utf-8", "surrogateescape"))


def expand(root, path):
    return graph().get(Expansion(root=str(root), path=path))


def paths(root, path):
    return [file.path for file in expand(root, path).files]


def obstacles(root, path):
    return {place.path: place.what for place in expand(root, path).obstacles}


def dataset(path, **fields):
    return Dataset(name="clips", path=path, kind=Kind.FILES, **fields)


def files_of(root, path, **fields):
    return graph().get(DatasetFiles(root=str(root), dataset=dataset(path, **fields)))


def test_a_file_has_its_path_its_place_and_its_stamp(tmp_path):
    fill(tmp_path, "data/a.csv")
    (file,) = files_of(tmp_path, "data/a.csv").files
    seen = (tmp_path / "data/a.csv").stat()
    assert file.path == "data/a.csv"
    assert file.location == str(tmp_path / "data/a.csv")
    assert file.stamp == Stamp(seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)


def test_a_folder_takes_everything_below_it_but_records(tmp_path):
    fill(tmp_path, "data/b", "data/.hidden/x", "data/a/b/c", "data/b.dvc", "data/.gitignore", "other")
    assert paths(tmp_path, "data") == ["data/.hidden/x", "data/a/b/c", "data/b"]


def test_the_project_itself_takes_no_record(tmp_path):
    fill(tmp_path, *(f"{name}/x" if name in {".git", ".dvc", ".audit"} else name for name in sorted(RECORDS)), "a")
    assert paths(tmp_path, ".") == ["a"]


def test_a_record_named_to_the_letter_is_taken(tmp_path):
    fill(tmp_path, "data/x.dvc", "data/.dvc/y")
    assert paths(tmp_path, "data/x.dvc") == ["data/x.dvc"]
    assert paths(tmp_path, "data/.dvc") == ["data/.dvc/y"]
    assert paths(tmp_path, "data/*.dvc") == []


def test_files_are_sorted_by_the_bytes_of_their_paths(tmp_path):
    names = ["a/b", "a.b", "A", "\N{LATIN SMALL LETTER Z WITH CARON}", os.fsdecode(b"\xff"), "\U0001f600", "\ue000"]
    fill(tmp_path, *(f"d/{name}" for name in names))
    assert paths(tmp_path, "d") == sorted((f"d/{name}" for name in names), key=os.fsencode)


NAMES = st.sampled_from(["a", "b", "ab", ".a", "a.wav", "b.wav", ".b.wav", "[1]"])
PARTS = st.sampled_from(["**", "*", "?", "a*", "*.wav", "[ab]", "[!a]*", ".*", ".a", "a", "[[]1]", "*b*"])


def reference(root, pattern):
    """What pathlib takes, the dot rule applied name by name, a folder standing for everything below it."""
    parts = pattern.split("/")
    matched = set(root.glob(pattern)) if parts[-1] != "**" else set(root.glob(pattern)) | set(root.glob(f"{pattern}/*"))
    files = (Path(folder) / name for folder, _, names in os.walk(root) for name in names)
    return sorted(
        (
            str(file.relative_to(root))
            for file in files
            if any(hit in matched and dots_said(root, hit, file, parts) for hit in (file, *file.parents))
        ),
        key=os.fsencode,
    )


def dots_said(root, hit, file, parts):
    """Whether a way through the pattern says each dot name of the hit, and none lies between it and the file."""
    names = hit.relative_to(root).parts
    return not any(name.startswith(".") for name in file.relative_to(hit).parts) and said(names, parts)


def said(names, parts):
    if not parts:
        return not names
    if parts[0] == "**":
        return said(names, parts[1:]) or bool(names and not names[0].startswith(".") and said(names[1:], parts))
    fits = names and (Path(names[0]).match(parts[0]) and (not names[0].startswith(".") or parts[0].startswith(".")))
    return bool(fits and said(names[1:], parts[1:]))


@settings(max_examples=150, deadline=None)
@given(
    tree=st.lists(st.lists(NAMES, min_size=1, max_size=4).map("/".join), max_size=12),
    pattern=st.lists(PARTS, min_size=1, max_size=4)
    .map("/".join)
    .filter(lambda text: any(sign in text for sign in "*?[")),
)
def test_a_glob_takes_what_pathlib_takes_but_for_dot_names(tmp_path_factory, tree, pattern):
    root = tmp_path_factory.mktemp("tree")
    for path in tree:
        if (
            not any((root / path).is_dir() or parent.is_file() for parent in (root / path).parents)
            and not (root / path).exists()
        ):
            fill(root, path)
    assert paths(root, pattern) == reference(root, pattern)


def test_a_star_twice_within_a_name_is_answered(tmp_path):
    with pytest.raises(CannotLook, match="stand alone"):
        expand(tmp_path, "data/**.wav")


def test_nothing_found_cannot_be_looked_at(tmp_path):
    with pytest.raises(CannotLook, match="matches no file"):
        files_of(tmp_path, "data/*.wav")
    with pytest.raises(CannotLook, match="matches no file"):
        files_of(tmp_path, "data/a.wav")


def test_a_bracket_that_meant_itself_is_explained(tmp_path):
    fill(tmp_path, "take[1].wav")
    with pytest.raises(CannotLook) as caught:
        files_of(tmp_path, "take[1].wav")
    assert "[[]" in caught.value.hint
    assert paths(tmp_path, "take[[]1].wav") == ["take[1].wav"]


def test_an_optional_dataset_may_be_absent(tmp_path):
    with pytest.raises(NotApplicable, match="optional"):
        files_of(tmp_path, "data/*.wav", optional=True)
    fill(tmp_path, "data/a.wav")
    assert files_of(tmp_path, "data/*.wav", optional=True).files


def test_a_remote_dataset_is_for_tables_and_its_secrets_stay_home(tmp_path):
    with pytest.raises(CannotLook) as caught:
        files_of(tmp_path, "s3://user:secret@bucket/x.parquet?token=secret")
    assert "s3://bucket/x.parquet" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_link_within_the_project_is_followed(tmp_path):
    fill(tmp_path, ".dvc/cache/files/md5/aa/bb", "store/clips/x.wav")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.wav").symlink_to("../.dvc/cache/files/md5/aa/bb")
    (tmp_path / "data/more").symlink_to("../store/clips")
    for path in ("data", "data/**/*.wav"):
        found = expand(tmp_path, path)
        assert {file.path: file.location for file in found.files} == {
            "data/a.wav": str(tmp_path / ".dvc/cache/files/md5/aa/bb"),
            "data/more/x.wav": str(tmp_path / "store/clips/x.wav"),
        }
        assert not found.obstacles
        assert found.files[0].stamp.size == (tmp_path / "data/a.wav").stat().st_size


def test_a_link_that_leaves_the_project_is_named_and_not_followed(tmp_path):
    root = tmp_path / "project"
    fill(tmp_path, "outside/x.wav", "project/data/a.wav")
    (root / "data/b.wav").symlink_to(tmp_path / "outside/x.wav")
    (root / "data/c").symlink_to(tmp_path / "outside")
    (root / "data/notes.txt").symlink_to(tmp_path / "outside/x.wav")
    assert paths(root, "data/**/*.wav") == ["data/a.wav"]
    assert set(obstacles(root, "data/**/*.wav")) == {"data/b.wav", "data/c"}
    assert set(obstacles(root, "data")) == {"data/b.wav", "data/c", "data/notes.txt"}
    assert "leaves the project" in obstacles(root, "data")["data/c"]


def test_a_dataset_behind_a_link_out_of_the_project_is_an_obstacle(tmp_path):
    root = tmp_path / "project"
    fill(tmp_path, "outside/train/x.wav", "project/a")
    (root / "data").symlink_to(tmp_path / "outside")
    found = files_of(root, "data/train")
    assert found.files == ()
    assert [place.path for place in found.obstacles] == ["data"]


def linked_to_cache(tmp_path, name):
    root = tmp_path / "project"
    fill(tmp_path, f"shared/{name}", "project/data/a")
    (root / ".dvc").mkdir()
    (root / ".dvc/config").write_text(f"[cache]\n    dir = {tmp_path}/shared\n", "utf-8")
    (root / "data/x").symlink_to(tmp_path / "shared" / name)
    return root


def test_a_link_to_an_object_of_the_configured_cache_is_followed(tmp_path):
    name = "files/md5/61/37cde4893c59f76f005a8123d8e8e6"
    root = linked_to_cache(tmp_path, name)
    assert [file.location for file in expand(root, "data").files] == [
        str(root / "data/a"),
        str(tmp_path / "shared" / name),
    ]


def test_a_cache_that_is_said_to_be_everywhere_opens_nothing_but_objects(tmp_path):
    root = linked_to_cache(tmp_path, "id_rsa")
    assert paths(root, "data") == ["data/a"]
    assert "leaves the project" in obstacles(root, "data")["data/x"]


def test_links_that_lead_nowhere_or_in_circles_are_named(tmp_path):
    fill(tmp_path, "data/a")
    (tmp_path / "data/gone.wav").symlink_to("nothing")
    (tmp_path / "data/round").symlink_to("round")
    (tmp_path / "data/up").symlink_to("..")
    (tmp_path / "data/one").symlink_to("../store")
    (tmp_path / "data/two").symlink_to("../store")
    fill(tmp_path, "store/x")
    assert obstacles(tmp_path, "data") == {
        "data/gone.wav": "is a link to nothing",
        "data/round": "is a link to nothing",
        "data/two": "is a second link to the same folder; it was followed once",
        "data/up": "is a link to a folder above it",
    }


def test_links_cannot_multiply_a_tree(tmp_path):
    fill(tmp_path, *(f"store/{depth}/x" for depth in range(30)), "data/a")
    for depth in range(29):
        (tmp_path / f"store/{depth}/l").symlink_to(f"../{depth + 1}")
        (tmp_path / f"store/{depth}/r").symlink_to(f"../{depth + 1}")
    (tmp_path / "data/in").symlink_to("../store/0")
    assert len(paths(tmp_path, "data")) == 31
    assert len(obstacles(tmp_path, "data")) == 29


def test_what_is_no_file_is_named_and_hangs_nobody(tmp_path):
    fill(tmp_path, "data/a")
    os.mkfifo(tmp_path / "data/fifo.wav")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "data/s"))
    (tmp_path / "data/linked").symlink_to("fifo.wav")
    assert set(obstacles(tmp_path, "data")) == {"data/fifo.wav", "data/s", "data/linked"}
    assert set(obstacles(tmp_path, "data/*.wav")) == {"data/fifo.wav"}


class Barred(Host):
    """A machine on which one folder may not be read; a test that runs as root has no other."""

    def scan(self, folder):
        if folder.endswith("/barred"):
            raise CannotLook("cannot be read: permission denied", where=folder)
        return super().scan(folder)


def test_a_folder_that_is_barred_is_named(tmp_path):
    fill(tmp_path, "data/a", "data/barred/b")
    facts = graph()
    facts.host = Barred()
    found = facts.get(Expansion(root=str(tmp_path), path="data"))
    assert [file.path for file in found.files] == ["data/a"]
    assert [(place.path, place.what) for place in found.obstacles] == [
        ("data/barred", "cannot be read: permission denied")
    ]


def test_a_path_through_a_file_matches_nothing(tmp_path):
    fill(tmp_path, "data")
    assert paths(tmp_path, "data/a.csv") == []


@pytest.fixture
def deep(tmp_path):
    """A tree deeper than Python's own recursion, which must also be taken down again without it."""
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("x", os.O_CREAT, dir_fd=here))
    os.close(here)
    yield tmp_path
    subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)


def test_a_deep_tree_is_walked(deep):
    assert paths(deep, "**/x") == ["d/" * 1100 + "x"]


def test_equal_paths_are_walked_once(tmp_path):
    fill(tmp_path, "data/a")
    facts = graph()
    one = facts.get(DatasetFiles(root=str(tmp_path), dataset=dataset("data")))
    two = facts.get(DatasetFiles(root=str(tmp_path), dataset=Dataset(name="other", path="data", kind=Kind.TABLE)))
    assert one is two
