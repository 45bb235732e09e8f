"""The plan says of every rule what it runs on, or why it does not run."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from support import toys

from audit.config.load import load_config
from audit.engine.plan import plan
from audit.errors import UsageError
from audit.records.project import Project
from audit.records.report import Selection
from audit.records.words import Trigger

DATASETS = """
datasets:
  train: {path: train.csv, role: train}
  val: {path: val.csv, role: val}
  clips: {path: "clips/*.wav"}
  more: {path: "more/*.wav", role: train}
"""
Plan = Callable[..., Project]


@pytest.fixture(autouse=True)
def _toys(tmp_path_factory, monkeypatch):
    with toys.installed(tmp_path_factory.mktemp("site"), monkeypatch):
        yield


@pytest.fixture
def planned(tmp_path) -> Plan:
    def make(rules: str, *, datasets: str = DATASETS, on: Trigger = Trigger.LAUNCH, select=(), skip=()) -> Project:
        (tmp_path / "audit.yaml").write_text(f"version: 1\n{datasets}\nrules: {rules}\n")
        return plan(load_config(tmp_path), on, Selection(select=select, skip=skip))

    return make


def _told(project: Project) -> dict[str, object]:
    return {rule.id: rule.skip or rule.asks for rule in project.rules}


def test_a_rule_that_names_its_dataset_keeps_its_id(planned):
    project = planned("[{id: rate, check: toy.rate, with: {dataset: clips}}]")
    assert _told(project) == {"rate": toys.Rate(dataset="clips")}


def test_a_rule_that_names_none_runs_on_every_dataset_of_a_kind_it_accepts(planned):
    project = planned("[{id: rate, check: toy.rate, with: {subtype: FLOAT}}]")
    assert _told(project) == {
        "rate[clips]": toys.Rate(dataset="clips", subtype="FLOAT"),
        "rate[more]": toys.Rate(dataset="more", subtype="FLOAT"),
    }


def test_a_dataset_that_the_check_can_do_without_is_left_out(planned):
    assert _told(planned("[{id: apart, check: toy.apart}]")) == {"apart": toys.Apart()}


def test_reference_and_current_default_to_train_and_val(planned):
    project = planned("[{id: drift, check: toy.drift}]")
    assert _told(project) == {"drift[train/val]": toys.Drift(reference="train", current="val")}


def test_one_of_the_two_can_be_named(planned):
    project = planned("[{id: drift, check: toy.drift, with: {reference: clips}}]")
    assert _told(project) == {"drift[val]": toys.Drift(reference="clips", current="val")}


def test_several_of_a_role_pair_up_within_their_kind(planned):
    datasets = DATASETS + "  dev: {path: dev.wav, role: val}\n  old: {path: old.csv, role: train}\n"
    project = planned("[{id: drift, check: toy.drift}]", datasets=datasets)
    assert list(_told(project)) == ["drift[more/dev]", "drift[old/val]", "drift[train/val]"]


NO_DATASET = {
    "no such kind": ("toy.rate", "a: {path: x.csv}", "no dataset of kind audio is declared"),
    "no such role": (
        "toy.drift",
        "a: {path: x.csv, role: train}",
        "no dataset of kind audio or table with the role val is declared",
    ),
    "no two of one kind": (
        "toy.drift",
        "a: {path: x.csv, role: train}, b: {path: y.wav, role: val}",
        "no datasets of one kind for reference and current are declared",
    ),
    "none at all": ("toy.rate", "", "no dataset of kind audio is declared"),
}


@pytest.mark.parametrize(("check", "datasets", "reason"), NO_DATASET.values(), ids=NO_DATASET)
def test_what_has_no_dataset_is_skipped_with_the_reason(planned, check, datasets, reason):
    project = planned(f"[{{id: a, check: {check}}}]", datasets=f"datasets: {{{datasets}}}")
    assert _told(project) == {"a": reason}


def test_what_is_switched_off_or_runs_another_time_stays_visible(planned):
    rules = "[{id: off, check: toy.rate, enabled: false}, {id: late, check: toy.rate, on: [commit, nightly]}]"
    assert _told(planned(rules)) == {"off": "switched off (enabled: false)", "late": "runs on commit, nightly"}


def test_launch_and_nightly_are_the_default(planned):
    rules = "[{id: a, check: toy.plain}]"
    runs = {on: planned(rules, on=on).rules[0].asks is not None for on in Trigger}
    assert runs == {"commit": False, "launch": True, "nightly": True}


RULES = """
  - {id: rate, check: toy.rate}
  - {id: plain, check: toy.plain}
  - {id: toy, check: toy.needy, with: {threshold: 1}}
  - {id: late, check: toy.rate, on: [nightly]}
"""
SELECTIONS = {
    "an id": (["plain"], [], {"plain"}),
    "an id that is spread": (["rate"], [], {"rate[clips]", "rate[more]"}),
    "one result": (["rate[more]"], [], {"rate[more]"}),
    "a check": (["toy.rate"], [], {"rate[clips]", "rate[more]"}),
    "a family, and an id of that name": (["toy"], [], {"rate[clips]", "rate[more]", "plain", "toy"}),
    "two words": (["plain", "rate[clips]"], [], {"plain", "rate[clips]"}),
    "all but": ([], ["rate"], {"plain", "toy"}),
    "skip outranks": (["toy"], ["rate[more]", "toy.needy"], {"rate[clips]", "plain"}),
    "what does not run now": (["late"], [], set()),
    "what would be spread if it ran now": (["late[more]"], [], set()),
}


@pytest.mark.parametrize(("select", "skip", "runs"), SELECTIONS.values(), ids=SELECTIONS)
def test_a_selection(planned, select, skip, runs):
    project = planned(RULES, select=tuple(select), skip=tuple(skip))
    assert {rule.id for rule in project.rules if rule.asks} == runs
    assert [rule.id for rule in project.rules] == ["rate[clips]", "rate[more]", "plain", "toy", "late"]
    chosen_out = {rule.skip for rule in project.rules if not rule.asks} - {"runs on nightly"}
    assert chosen_out <= {"not selected"}


UNKNOWN = {
    "plian": "no rule, check or family is called 'plian' (did you mean 'plain'?)",
    "rate[train]": "no rule, check or family is called 'rate[train]' (did you mean 'rate[more]'?)",
    "toy.plane": "no rule, check or family is called 'toy.plane' (did you mean 'toy.plain'?)",
}


@pytest.mark.parametrize("word", UNKNOWN)
@pytest.mark.parametrize("option", ["select", "skip"])
def test_a_word_that_names_nothing(planned, word, option):
    with pytest.raises(UsageError) as caught:
        planned(RULES, **{option: (word,)})
    assert str(caught.value) == UNKNOWN[word]


def test_the_plan_carries_what_checks_may_ask(planned, tmp_path):
    project = planned(RULES, on=Trigger.NIGHTLY)
    assert (project.root, project.name, project.trigger) == (str(tmp_path), tmp_path.name, "nightly")
    assert [dataset.name for dataset in project.datasets] == ["clips", "more", "train", "val"]
    assert project.rules[0].severity == "error"


def test_the_order_of_keys_does_not_change_the_plan(planned):
    first = planned("[{id: a, check: toy.rate}, {id: b, check: toy.drift}]")
    lines = DATASETS.strip().splitlines()
    shuffled = [lines[0], *random.Random(7).sample(lines[1:], 4)]
    second = planned("[{check: toy.rate, id: a}, {check: toy.drift, id: b}]", datasets="\n".join(shuffled))
    assert first == second
