"""A later file's rule changes an earlier one field by field, its parameters key by key."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
from hypothesis import given, settings

from audit.config.merge import MergedRule, Said, merge
from audit.config.model import RuleFile
from audit.config.packs import Layer
from audit.config.shapes import fit
from audit.config.source import Source

PACK = """
version: 1
rules:
  - id: rate
    check: toy.rate
    with: {sample_rate_hz: 8000, subtype: FLOAT, limits: {a: 1, b: 2}}
    severity: warning
    on: [commit]
    why: The pack knows.
"""


def test_what_the_later_file_leaves_out_stays(load):
    own = "version: 1\nextends: [pack.yaml]\nrules: [{id: rate, with: {sample_rate_hz: 16000, limits: {c: 3}}}]\n"
    (rule,) = load(own, {"pack.yaml": PACK}).rules
    assert rule.parameters == {"sample_rate_hz": 16000, "subtype": "FLOAT", "limits": {"c": 3}}
    assert (rule.check, rule.severity, rule.on, rule.why) == ("toy.rate", "warning", ("commit",), "The pack knows.")
    assert rule.place == "audit.yaml:3:10"


def test_every_field_can_be_changed(load):
    own = """
version: 1
extends: [pack.yaml]
rules: [{id: rate, severity: note, on: [nightly], why: The house knows better., enabled: false}]
"""
    (rule,) = load(own, {"pack.yaml": PACK}).rules
    assert (rule.severity, rule.on, rule.why, rule.enabled) == ("note", ("nightly",), "The house knows better.", False)


def test_what_was_switched_off_can_be_switched_on(load):
    files = {"a.yaml": PACK, "b.yaml": "version: 1\nrules: [{id: rate, enabled: false}]\n"}
    extends = "version: 1\nextends: [a.yaml, b.yaml]\n"
    assert [rule.enabled for rule in load(extends, files).rules] == [False]
    assert [rule.enabled for rule in load(extends + "rules: [{id: rate, enabled: true}]\n", files).rules] == [True]


def test_another_check_that_takes_the_same_parameters(load):
    files = {"a.yaml": "version: 1\nrules: [{id: x, check: toy.needy, with: {threshold: 1, unit: m}}]\n"}
    own = "version: 1\nextends: [a.yaml]\nrules: [{id: x, with: {threshold: 2}}]\n"
    assert load(own, files).rules[0].parameters == {"threshold": 2, "unit": "m"}


SOURCE = Source("x.yaml", Path(), {}, {})
SAIDS = st.builds(Said, st.integers(0, 3), st.just(SOURCE), st.just(()))
PARTS = st.builds(
    MergedRule,
    SAIDS,
    st.dictionaries(st.sampled_from("abc"), SAIDS),
    st.dictionaries(st.sampled_from("xyz"), SAIDS),
)


@settings(deadline=None)
@given(PARTS, PARTS, PARTS)
def test_how_three_files_are_grouped_does_not_matter(first, second, third):
    assert first.under(second).under(third) == first.under(second.under(third))


@settings(deadline=None)
@given(PARTS)
def test_a_rule_over_itself_is_itself(rule):
    assert rule.under(rule) == rule


ENTRIES = st.fixed_dictionaries(
    {"id": st.sampled_from(["a", "b", "c"])},
    optional={
        "check": st.sampled_from(["toy.plain", "toy.rate"]),
        "severity": st.sampled_from(["error", "note"]),
        "enabled": st.booleans(),
        "with": st.dictionaries(st.sampled_from(["p", "q"]), st.integers(0, 2)),
    },
)
FILES = st.lists(ENTRIES, max_size=3, unique_by=lambda entry: entry["id"])


@settings(deadline=None)
@given(st.lists(FILES, max_size=4))
def test_merging_is_what_a_plain_update_would_do(files):
    stack = [Layer(SOURCE, fit({"version": 1, "rules": rules}, RuleFile)) for rules in files]
    expected: dict[str, dict] = {}
    for entry in (entry for rules in files for entry in rules):
        earlier = expected.get(entry["id"], {})
        expected[entry["id"]] = earlier | entry | {"with": earlier.get("with", {}) | entry.get("with", {})}
    merged = merge(stack)
    assert [rule.id.value for rule in merged] == list(expected)
    assert [_told(rule) for rule in merged] == list(expected.values())


def _told(rule: MergedRule) -> dict:
    return {"id": rule.id.value, "with": rule.values(), **{name: said.value for name, said in rule.fields.items()}}
