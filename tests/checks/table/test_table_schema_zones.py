"""Zones are what they do."""

import pytest

from audit.facts.tables.schema_zones import equal

SAME = [
    ("UTC", "Etc/UTC"),
    ("UTC", "+00:00"),
    ("UTC", "Z"),
    ("Etc/UTC", "-00:00"),
    ("Asia/Kolkata", "Asia/Calcutta"),
    ("+01:00", "Etc/GMT-1"),
    ("+0530", "+05:30"),
]
OTHER = [
    ("UTC", "Europe/Berlin"),
    ("Europe/Berlin", "+01:00"),
    ("Europe/Berlin", "Europe/London"),
    ("UTC", "no zone"),
    ("UTC", "../../etc/passwd"),
    ("UTC", "+99:00"),
    ("UTC", "+x"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_zones_of_equal_offsets_are_equal(one, other):
    assert equal(one, other)
    assert equal(other, one)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_zones_of_other_offsets_differ(one, other):
    assert not equal(one, other)
    assert not equal(other, one)
    assert equal(other, other)
