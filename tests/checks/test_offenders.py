"""Which offenders a report shows, and what it says of each."""

from __future__ import annotations

from audit.checks._offenders import MOST, offenders
from audit.records.report import ReportedViolation
from audit.records.words import Severity


def found(subject, kind="k", message="m", severity=Severity.ERROR):
    return ReportedViolation(
        subject=subject, kind=kind, severity=severity, message=message, expected=None, found=None, key="0" * 16
    )


def paths(*violations):
    return [one.path for one in offenders(violations)]


def test_one_of_each_kind_comes_before_a_second_and_what_weighs_more_before_the_rest():
    some = [found(f"a{number}", "cut") for number in range(3)]
    noted = found("a9", "trailing", severity=Severity.NOTE)
    assert paths(*some, noted, found("z", "empty")) == ["a0", "z", "a9", "a1", "a2"]


def test_all_that_is_wrong_with_a_file_is_said_of_it_once():
    (one,) = offenders([found("a", "rate", "8 kHz"), found("a", "channels", "2 channels")])
    assert (one.path, one.reason) == ("a", "8 kHz; 2 channels")


def test_they_are_bounded_in_number_and_in_words():
    some = offenders([found(f"{number:05}", message="x" * 10_000) for number in range(5_000)])
    assert len(some) == MOST
    assert max(len(one.reason) for one in some) < 310


def test_the_order_of_violations_changes_nothing():
    some = [found(f"a{number}", kind) for number in range(4) for kind in ("cut", "empty")]
    assert paths(*some) == paths(*reversed(some))
