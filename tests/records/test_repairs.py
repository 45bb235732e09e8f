"""One command for many, of a bounded length."""

from audit.records.findings import Violation
from audit.records.repairs import MOST, gathered

PULL = "dvc pull --force "


def repairs(*commands, plain=False):
    found = (Violation(subject="a", kind="missing", message="gone", repair=each) for each in commands)
    return [each.repair for each in gathered(found, (PULL,), plain=plain)]


def test_the_same_command_for_all():
    together = f"{PULL}a.dvc b.dvc"
    assert repairs(f"{PULL}a.dvc", f"{PULL}b.dvc", f"{PULL}a.dvc") == [together] * 3


def test_what_is_another_command_or_several_is_left_alone():
    others = [None, "dvc repro a", f"{PULL}a && b"]
    assert repairs(*others, f"{PULL}c") == [*others, f"{PULL}c"]


def test_a_command_is_bounded():
    many = [f"{PULL}{number}" for number in range(MOST + 1)]
    assert set(repairs(*many)) == {PULL + " ".join(map(str, range(MOST))), f"{PULL}{MOST}"}
    assert set(repairs(*many, plain=True)) == {PULL.rstrip()}
