"""Fingerprints against each other."""

from __future__ import annotations

import pytest

from audit.measures.fingerprints import agrees, differences, level


def test_what_is_likeliest_to_change_a_result_comes_first():
    a = {
        "packages": {"numpy": "2.1", "black": "1", "torch": "2.1+cu118"},
        "system": {"kernel": "6.1"},
        "data": {"t": "1"},
    }
    b = {
        "packages": {"numpy": "2.2", "black": "2", "torch": "2.1+cu121"},
        "system": {"kernel": "6.2"},
        "data": {"t": "2"},
    }
    names = [one.name for one in differences([a, b])]
    assert names == ["data.t", "packages.torch", "packages.numpy", "packages.black", "system.kernel"]


def test_the_odd_one_of_three_and_a_field_that_one_lacks():
    found = differences([{"flags": {"A": "1"}}, {"flags": {}}, {"flags": {"A": "1"}}])
    assert [(one.name, one.values) for one in found] == [("flags.A", ("1", None, "1"))]


def test_sections_that_one_does_not_have_are_not_compared():
    assert differences([{"python": {"version": "3.11"}, "data": {"t": "1"}}, {"python": {"version": "3.11"}}]) == []


@pytest.mark.parametrize(
    ("recorded", "found", "wanted", "fits"),
    [
        ("3.11.2", "3.11.9", "minor", True),
        ("3.11.2", "3.12.0", "minor", False),
        ("3.11.2", None, "minor", False),
        (None, "3.11.2", "minor", False),
        ("3.11.2", "3.11.9", "exact", False),
        ("535", "580", "present", True),
        ("535", None, "present", False),
        (None, "580", "present", False),
        ("a", None, "ignore", True),
    ],
)
def test_levels(recorded, found, wanted, fits):
    assert agrees(recorded, found, wanted) is fits


def test_the_last_pattern_that_matches_counts():
    levels = (("system.*", "ignore"), ("system.libc", "minor"))
    assert (level("system.kernel", levels), level("system.libc", levels)) == ("ignore", "minor")
    assert level("packages.numpy", levels) == "exact"
