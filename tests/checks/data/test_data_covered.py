from collections.abc import Mapping

import pytest
from support.engine import graph

from audit.checks.data.covered import DataCovered
from audit.checks.data.lock import DataLock
from audit.checks.files.manifest import Manifest
from audit.errors import CannotLook, NotApplicable
from audit.facts.coverage import Covers, DatasetCoverage
from audit.formats import lock
from audit.records.check import Check, Covered, Request
from audit.records.dataset import Dataset
from audit.records.findings import Figure, Summary, Violation
from audit.records.project import PlannedRule, Project
from audit.records.words import Kind, Severity, Trigger


class Says(Request[Covered]):
    paths: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    raises: str = ""

    def collect(self, _):
        if self.raises == "skip":
            raise NotApplicable("no DVC repository holds this folder")
        if self.raises:
            raise CannotLook(self.raises)
        return Covered(paths=self.paths, datasets=self.datasets)


class Verifies(Check):
    """Claims what it is told to."""

    says: Says

    def needs(self, _: Project) -> Mapping[str, Request]:
        return {}

    def covers(self, _: Project) -> Request[Covered]:
        return self.says


class LooksOnly(Check):
    """Compares nothing with a record."""

    def needs(self, _: Project) -> Mapping[str, Request]:
        return {}


def rule(check, name="dvc-hash"):
    return PlannedRule(id=name, check="toy.check", severity=Severity.ERROR, asks=check)


def verifies(name="dvc-hash", **claims):
    return rule(Verifies(says=Says(**claims)), name)


def fill(root, *paths):
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(path)


def findings(root, datasets, *rules):
    declared = tuple(
        entry if isinstance(entry, Dataset) else Dataset(name=name, path=entry, kind=Kind.FILES)
        for name, entry in datasets.items()
    )
    own = rule(DataCovered(), "data-covered")
    project = Project(root=str(root), name="p", trigger=Trigger.LAUNCH, datasets=declared, rules=(*rules, own))
    facts = graph()
    return list(own.asks.evaluate(**{name: facts.get(need) for name, need in own.asks.needs(project).items()}))


def violations(*args):
    return [found for found in findings(*args) if isinstance(found, Violation)]


@pytest.mark.parametrize("path", ["data", "data/a.csv", "."])
def test_a_dataset_that_a_rule_covers_passes(tmp_path, path):
    fill(tmp_path, "data/a.csv")
    found = findings(tmp_path, {"train": "data/a.csv"}, verifies(paths=(path,)))
    assert not [one for one in found if isinstance(one, Violation)]
    assert Figure(name="uncovered_files", value=0) in found
    assert Summary(text="1 file of 1 dataset compared with a record") in found


def test_a_dataset_that_no_rule_covers_fails(tmp_path):
    fill(tmp_path, *(f"clips/{name}.wav" for name in "abcdef"))
    (violation,) = violations(
        tmp_path, {"clips": "clips/**/*.wav"}, verifies(paths=("clips/a.wav", "other")), rule(LooksOnly())
    )
    assert (violation.subject, violation.kind, violation.severity, violation.unseen) == (
        "clips/**/*.wav",
        "uncovered",
        "error",
        False,
    )
    assert (violation.expected, violation.found, violation.repair) == (6, 1, None)
    assert "5 of 6 files of 'clips'" in violation.message
    assert "clips/b.wav, clips/c.wav, clips/d.wav and 2 more; add a rule " in violation.message
    assert "{id: clips-lock, check: data.lock, with: {dataset: clips}}" in violation.message


def test_a_name_that_only_begins_like_a_covered_one_is_not_covered(tmp_path):
    fill(tmp_path, "data2/a")
    assert violations(tmp_path, {"train": "data2"}, verifies(paths=("data",)))


def test_a_rule_that_does_not_run_covers_nothing(tmp_path):
    fill(tmp_path, "data/a")
    idle = PlannedRule(id="dvc-hash", check="dvc.hash", severity=Severity.ERROR, skip="runs on nightly")
    broken = PlannedRule(id="dvc-two", check="dvc.hash", severity=Severity.ERROR, error="no such thing")
    (violation,) = violations(tmp_path, {"train": "data"}, idle, broken)
    assert violation.kind == "uncovered"
    assert "do not run: dvc-hash (runs on nightly), dvc-two (no such thing); or add a rule" in violation.message


def test_a_rule_that_can_only_note_covers_nothing(tmp_path):
    fill(tmp_path, "data/a")
    noting = PlannedRule(id="n", check="toy.check", severity=Severity.NOTE, asks=Verifies(says=Says(paths=("data",))))
    assert [one.kind for one in violations(tmp_path, {"train": "data"}, noting)] == ["uncovered"]


def test_files_of_a_dataset_covered_whole_count_for_others_that_share_them(tmp_path):
    fill(tmp_path, "data/a", "data/b", "else/c")
    locked = verifies(datasets=("all",))
    assert not violations(tmp_path, {"all": "data", "part": "data/a"}, locked)
    assert [one.subject for one in violations(tmp_path, {"all": "data", "rest": "else"}, locked)] == ["else"]


def test_a_file_is_covered_where_it_really_is(tmp_path):
    fill(tmp_path, "store/v2/a")
    (tmp_path / "data").symlink_to("store/v2")
    assert not violations(tmp_path, {"train": "data"}, verifies(paths=("store/v2",)))


def test_what_is_not_known_is_no_pass_and_no_failure(tmp_path):
    fill(tmp_path, "data/a")
    (violation,) = violations(tmp_path, {"train": "data"}, verifies(raises="the listing is damaged"))
    assert violation.unseen
    assert "the listing is damaged; so the rule dvc-hash cannot tell what is covered" in violation.message
    assert not violations(
        tmp_path, {"train": "data"}, verifies(raises="the listing is damaged"), verifies("two", paths=("data",))
    )


def test_what_hinders_many_rules_is_said_once(tmp_path):
    fill(tmp_path, "data/a", "more/b")
    (tmp_path / "audit.lock").write_bytes(b"<<<<<<< ours\n{}\n=======\n[]\n>>>>>>> theirs\n")
    rules = [rule(DataLock(dataset=name), f"data-lock[{name}]") for name in ("train", "more")]
    (violation,) = violations(tmp_path, {"train": "data", "more": "more"}, *rules)
    assert (violation.subject, violation.unseen) == ("audit.lock", True)
    assert "has merge conflicts (<<<<<<< on line 1); so" in violation.message
    assert "run `audit lock`" in violation.repair
    assert "data-lock[more], data-lock[train] cannot tell what is covered" in violation.message
    assert "2 files of 'train', 'more'" in violation.message


@pytest.mark.parametrize("locked", [None, {}])
def test_a_lock_that_is_not_written_yet_is_told_by_its_rule_alone(tmp_path, locked):
    fill(tmp_path, "data/a", "more/b")
    if locked is not None:
        (tmp_path / "audit.lock").write_bytes(lock.render({"data": locked}))
    locks = rule(DataLock(dataset="train"), "data-lock[train]")
    found = findings(tmp_path, {"train": "data", "more": "more"}, locks)
    assert [one.subject for one in found if isinstance(one, Violation)] == ["more"]
    assert Summary(
        text="2 of 2 files of 2 datasets compared with no record, 1 of them until `audit lock data` is run"
    ) in (found)
    lenient = PlannedRule(id="data-lock", check="data.lock", severity=Severity.WARNING, asks=DataLock(dataset="train"))
    assert [one.subject for one in violations(tmp_path, {"train": "data"}, lenient)] == ["data"]


def test_a_file_that_the_list_of_the_others_leaves_out(tmp_path):
    fill(tmp_path, "data/a", "data/b")
    (tmp_path / "data/SHA256SUMS").write_text(f"{'0' * 64}  a\n")
    listed = rule(Manifest(manifest="data/SHA256SUMS"), "sums")
    (violation,) = violations(tmp_path, {"train": "data/[ab]"}, listed)
    assert violation.message.endswith("data/b; not listed in data/SHA256SUMS, where others of its files are")


def test_a_rule_that_has_nothing_to_judge_covers_nothing(tmp_path):
    fill(tmp_path, "data/a")
    (violation,) = violations(tmp_path, {"train": "data"}, verifies(raises="skip"))
    assert not violation.unseen


def test_a_dataset_that_matches_nothing_cannot_be_looked_at(tmp_path):
    (violation,) = violations(tmp_path, {"train": "data/*.csv"}, verifies(paths=("data",)))
    assert (violation.unseen, violation.kind) == (True, "unknown")
    assert "matches no file" in violation.message


def test_a_place_that_cannot_be_looked_at_is_named(tmp_path):
    fill(tmp_path, "p/data/a", "outside/b")
    (tmp_path / "p/data/l").symlink_to(tmp_path / "outside")
    (violation,) = violations(tmp_path / "p", {"train": "data"}, verifies(paths=("data",)))
    assert (violation.subject, violation.kind, violation.unseen) == ("data/l", "unreadable", True)


def test_nothing_declared_or_there_is_nothing_to_judge(tmp_path):
    with pytest.raises(NotApplicable):
        findings(tmp_path, {})
    with pytest.raises(NotApplicable):
        findings(tmp_path, {"more": Dataset(name="more", path="more", kind=Kind.FILES, optional=True)})


def test_a_figure_of_each_is_kept():
    coverage = Covers(
        datasets=(DatasetCoverage(name="a", path="a", files=5, uncovered=("a/x", "a/y"), rules=("dvc-hash",)),)
    )
    figures = {one.name: one.value for one in DataCovered().evaluate(coverage) if isinstance(one, Figure)}
    assert figures == {"datasets": 1, "files": 5, "uncovered_files": 2}
