import os
import unicodedata

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st
from support.collisions import MD5, ONE, TWO
from support.engine import graph

from audit.checks.data.lock import DataLock
from audit.errors import CannotLook, FormatError, NotApplicable
from audit.facts.dataset_lock import Found, Standing, Twins
from audit.formats import lock, lock_data
from audit.formats.lock_data import LockedFile, content_digest, lock_dataset
from audit.records.dataset import Dataset
from audit.records.findings import Figure, Summary, Violation
from audit.records.obstacle import Obstacle
from audit.records.project import Project
from audit.records.words import Change, Kind, Severity, Trigger


def digest(content):
    return blake3(content).hexdigest()


def standing(recorded, found, **more):
    """A dataset whose files are given by their contents."""
    locked = {path: LockedFile(blake3=digest(content), size=len(content)) for path, content in recorded.items()}
    there = {path: Found(len(content), digest(content)) for path, content in found.items()}
    return Standing(
        name="clips",
        path="clips",
        recorded=locked,
        recorded_digest=content_digest((path, file.blake3) for path, file in locked.items()),
        found=there,
        digest=content_digest((path, file.blake3) for path, file in there.items()),
        **more,
    )


def judged(facts):
    return list(DataLock(dataset="clips").evaluate(standing=facts))


def violations(facts):
    return [one for one in judged(facts) if isinstance(one, Violation)]


def named(facts):
    return {(one.subject, one.kind) for one in violations(facts)}


def test_what_is_as_locked_passes():
    found = judged(standing({"a": b"1", "b": b"22"}, {"a": b"1", "b": b"22"}))
    assert found == [
        Figure(name="files", value=2),
        Figure(name="bytes", value=3),
        Figure(name="declared_pairs", value=0),
        Summary(text="clips: 2 files as locked"),
    ]


def test_each_way_to_differ_is_named():
    facts = standing({"a": b"1", "b": b"2", "c": b"3"}, {"a": b"1", "b": b"two", "d": b"4"})
    assert named(facts) == {("b", "changed"), ("c", "missing"), ("d", "extra")}
    assert Summary(text="clips: 3 files locked; 1 changed, 1 missing, 1 extra") in judged(facts)


def test_a_changed_file_shows_both_digests_and_how_it_changed():
    facts = standing({"a": b"1"}, {})
    facts = Standing(
        name="clips", path="clips", recorded=facts.recorded, found={"a": Found(3, digest(b"one"), Change.ROTTED)}
    )
    (violation,) = violations(facts)
    assert (violation.expected, violation.found) == (f"blake3:{digest(b'1')}", f"blake3:{digest(b'one')}")
    assert violation.change is Change.ROTTED
    assert "(1 byte, now 3); if it is meant to be, `audit lock data` records it" in violation.message
    assert violation.repair is None


def test_a_renamed_file_is_one_violation():
    (violation,) = violations(standing({"a": b"1", "b": b"2"}, {"a": b"1", "c": b"2"}))
    assert (violation.subject, violation.kind, violation.expected, violation.found) == ("b", "renamed", "b", "c")


def test_equal_contents_are_not_taken_for_renames():
    facts = standing({"a": b"", "b": b""}, {"c": b"", "d": b""})
    assert named(facts) == {("a", "missing"), ("b", "missing"), ("c", "extra"), ("d", "extra")}


def test_field_case_c13_names_that_differ_in_their_normal_form():
    composed, decomposed = "clips/se\u00f1or.png", "clips/sen\u0303or.png"
    found = violations(standing({decomposed: b"x"}, {composed: b"x"}))
    assert [(one.subject, one.kind, one.severity) for one in found] == [
        (composed, "normalisation", Severity.WARNING),
        ("clips", "names", Severity.ERROR),
    ]
    assert "1 file matches after NFC; byte names differ" in found[1].message


def test_what_could_not_be_read_is_no_difference_and_no_pass():
    facts = standing(
        {"a": b"1", "sub/b": b"2", "c": b"3"},
        {"a": b"1"},
        obstacles=(Obstacle("sub", "cannot be read: permission denied"),),
    )
    facts = Standing(
        name="clips",
        path="clips",
        recorded=facts.recorded,
        found={**facts.found, "c": Found(0, "", None, "changed while it was being read")},
        obstacles=facts.obstacles,
    )
    assert named(facts) == {("sub", "unreadable"), ("c", "unreadable")}
    assert all(one.unseen for one in violations(facts))


def test_a_link_to_nothing_is_a_missing_file_or_an_extra_name():
    gone = (Obstacle("a", "is a link to nothing", gone=True), Obstacle("z", "is a link to nothing", gone=True))
    found = violations(standing({"a": b"1"}, {}, obstacles=gone))
    assert [(one.subject, one.kind, one.unseen) for one in found] == [("a", "missing", False), ("z", "extra", False)]


def test_a_dataset_that_is_not_locked_fails_with_the_next_step():
    for locked, said in ((True, "does not have the dataset 'clips'"), (False, "there is no audit.lock")):
        violation, summary = judged(Standing(name="clips", path="clips", locked=locked))
        assert summary == Summary(text="clips: not recorded yet")
        assert (violation.subject, violation.kind, violation.repair) == ("clips", "unrecorded", "audit lock data")
        assert said in violation.message
        assert violation.severity is Severity.ERROR


def test_two_contents_of_one_md5_fail():
    facts = standing({"a": b"1"}, {"a": b"1"}, twins=(Twins("5" * 32, ("a", "other/b")), Twins("6" * 32, ("other/c",))))
    (violation,) = violations(facts)
    assert (violation.subject, violation.kind, violation.found) == ("a", "collision", f"md5:{'5' * 32}")
    assert "other/b" in violation.message


@given(
    recorded=st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([b"1", b"2", b"3"])),
    found=st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([b"1", b"2", b"3"])),
)
def test_it_passes_exactly_if_all_is_the_same(recorded, found):
    bad = violations(standing(recorded, found))
    assert bool(bad) == (recorded != found)
    told = {one.subject for one in bad} | {one.found for one in bad if one.kind == "renamed"}
    assert told == {path for path in recorded.keys() | found.keys() if recorded.get(path) != found.get(path)}


# On real files.


def fill(root, files):
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)


def write_lock(root, **datasets):
    section = lock_data.write({name: lock_dataset(content) for name, content in datasets.items()})
    (root / "audit.lock").write_bytes(lock.render({"data": section}))


def locked_file(content, **more):
    return LockedFile(blake3=digest(content), size=len(content), **more)


def looked_at(root, path="clips", **fields):
    dataset = Dataset(name="clips", path=path, kind=Kind.FILES, **fields)
    project = Project(root=str(root), name="p", trigger=Trigger.LAUNCH, datasets=(dataset,))
    check, facts = DataLock(dataset="clips"), graph()
    found = check.evaluate(**{name: facts.get(request) for name, request in check.needs(project).items()})
    return [one for one in found if isinstance(one, Violation)], facts.get(check.covers(project)).datasets


def test_a_real_dataset_passes_and_is_covered(tmp_path):
    fill(tmp_path, {"clips/a": b"1", "clips/sub/b": b"2" * 200_000})
    write_lock(tmp_path, clips={"clips/a": locked_file(b"1"), "clips/sub/b": locked_file(b"2" * 200_000)})
    assert looked_at(tmp_path) == ([], ("clips",))


def test_a_flipped_byte_fails_though_size_and_time_stay(tmp_path):
    fill(tmp_path, {"clips/a": b"1", "clips/b": b"2"})
    write_lock(tmp_path, clips={"clips/a": locked_file(b"1"), "clips/b": locked_file(b"2")})
    before = (tmp_path / "clips/b").stat()
    fill(tmp_path, {"clips/b": b"3"})
    os.utime(tmp_path / "clips/b", ns=(before.st_atime_ns, before.st_mtime_ns))
    ((violation,), _) = looked_at(tmp_path)
    assert (violation.subject, violation.kind, violation.found) == ("clips/b", "changed", f"blake3:{digest(b'3')}")


def test_a_dataset_without_a_lock_is_unrecorded_and_not_covered(tmp_path):
    fill(tmp_path, {"clips/a": b"1"})
    ((violation,), covered) = looked_at(tmp_path)
    assert (violation.kind, covered) == ("unrecorded", ())
    write_lock(tmp_path, other={})
    ((violation,), covered) = looked_at(tmp_path)
    assert (violation.kind, covered) == ("unrecorded", ())


def test_data_that_was_locked_and_is_gone_is_missing_not_skipped(tmp_path):
    write_lock(tmp_path, clips={"clips/a": locked_file(b"1")})
    for optional in (False, True):
        ((violation,), _) = looked_at(tmp_path, optional=optional)
        assert (violation.subject, violation.kind) == ("clips/a", "missing")
        assert violation.message == "locked, but not there; bring it back"


def test_a_mistyped_path_is_not_taken_for_data_that_is_gone(tmp_path):
    fill(tmp_path, {"clips/a.wav": b"1", "clips/b.wav": b"2", "other/a.wav": b"1", "far.wav": b"3"})
    content = {path: locked_file(b"1") for path in ("clips/a.wav", "clips/gone.wav", "../x/far.wav")}
    write_lock(tmp_path, clips=content)
    found, _ = looked_at(tmp_path, "clip/*.wav")
    assert {(one.subject, one.kind) for one in found} == {
        ("clips/a.wav", "unmatched"),
        ("clips/gone.wav", "missing"),
        ("../x/far.wav", "missing"),
    }
    (one,) = (one for one in found if one.kind == "unmatched")
    assert "the dataset's path no longer matches it" in one.message
    write_lock(tmp_path, clips={"clips/a.wav": locked_file(b"1")})
    found, _ = looked_at(tmp_path, "other/*.wav")
    assert {(one.subject, one.kind) for one in found} == {("clips/a.wav", "unmatched"), ("other/a.wav", "extra")}


@pytest.mark.parametrize("locked", [{}, {"clips": {}}])
def test_data_that_is_neither_there_nor_locked(tmp_path, locked):
    write_lock(tmp_path, **locked)
    with pytest.raises(CannotLook, match="matches no file"):
        looked_at(tmp_path)
    with pytest.raises(NotApplicable):
        looked_at(tmp_path, optional=True)


def test_a_remote_dataset_cannot_be_looked_at(tmp_path):
    with pytest.raises(CannotLook, match="remote"):
        looked_at(tmp_path, "s3://bucket/x.parquet")


def test_a_lock_that_is_none_cannot_be_looked_at(tmp_path):
    fill(tmp_path, {"clips/a": b"1", "audit.lock": b"{}"})
    with pytest.raises(FormatError, match="no lock of audit"):
        looked_at(tmp_path)
    (tmp_path / "audit.lock").unlink()
    (tmp_path / "audit.lock").symlink_to("clips/a")
    with pytest.raises(CannotLook):
        looked_at(tmp_path)


def test_a_name_in_another_normal_form_on_a_real_disk(tmp_path):
    name = "clips/sen\u0303or.png"
    fill(tmp_path, {unicodedata.normalize("NFC", name): b"x"})
    write_lock(tmp_path, clips={name: locked_file(b"x")})
    found, _ = looked_at(tmp_path)
    assert {one.kind for one in found} == {"normalisation", "names"}


def test_a_changed_file_that_keeps_its_md5_is_a_collision(tmp_path):
    fill(tmp_path, {"clips/a": TWO})
    write_lock(tmp_path, clips={"clips/a": locked_file(ONE, md5=MD5)})
    found, _ = looked_at(tmp_path)
    assert {(one.subject, one.kind) for one in found} == {("clips/a", "changed"), ("clips/a", "collision")}


def test_a_lock_with_two_contents_for_one_md5_is_a_collision(tmp_path):
    fill(tmp_path, {"clips/a": ONE, "clips/b": TWO})
    write_lock(tmp_path, clips={"clips/a": locked_file(ONE, md5=MD5), "clips/b": locked_file(TWO, md5=MD5)})
    found, _ = looked_at(tmp_path)
    assert [(one.subject, one.kind) for one in found] == [("clips/a", "collision")]
