"""Names of groups that a split keeps apart are told from levels that are spelled otherwise."""

import numpy as np
import pytest
from support.audits import audited, only
from support.pairs import DATASETS, drift, write
from support.schemas import held, lines

from audit.measures.held_out import named_for_groups, names_groups

ROWS = 3_000


@pytest.mark.parametrize("name", ["user", "user_id", "PatientID", "speaker", "id", "session-key", "customers"])
def test_columns_that_name_groups(name):
    assert named_for_groups(name)


@pytest.mark.parametrize("name", ["width", "paid", "video", "solid", "userful", "amount", "identity", ""])
def test_columns_that_do_not(name):
    assert not named_for_groups(name)


CODES = [f"q{place:03}" for place in range(20)]


@pytest.mark.parametrize(
    ("column", "here", "there", "groups"),
    [
        ("code", CODES[:10], CODES[10:], True),
        ("code", CODES[:4], CODES[4:], False),
        ("user", CODES[:1], CODES[1:], True),
        ("code", [code.upper() for code in CODES], CODES, False),
        ("user", [code.upper() for code in CODES], CODES, False),
        ("code", [code.replace("q", "q-") for code in CODES], CODES, False),
        ("code", [f"{place}" for place in range(20)], [f"{place:03}" for place in range(20)], False),
        ("city", ["oslo", "rome", "riga", "bern", "lima"], ["wien", "bonn", "genf", "kiel", "graz"], False),
        ("user", [], CODES, False),
    ],
)
def test_names_of_groups(column, here, there, groups):
    assert names_groups(column, here, there) is groups


def _users(users, seed):
    draw = np.random.default_rng(seed)
    return {"user": draw.choice(users, ROWS), "x": draw.normal(size=ROWS)}


WORDS = [f"u{place:04}" for place in range(300)]


@pytest.mark.parametrize("users", [WORDS, list(range(300))], ids=["words", "numbers"])
def test_a_split_by_users_is_not_a_drift_of_users(tmp_path, users):
    dealt = np.random.default_rng(0).permutation(users)
    tables = (_users(dealt[:225], 1), _users(dealt[225:], 2))
    result = drift(tmp_path, *tables)
    assert [(str(one.severity), one.kind) for one in result.violations if "#user" in one.subject] == [
        ("note", "held-out")
    ]
    assert drift(tmp_path, *tables, tolerances={"user": 0.01}).outcome == "fail"


def test_users_that_are_spelled_otherwise_are_a_drift(tmp_path):
    result = drift(tmp_path, _users(WORDS, 1), _users([user.upper() for user in WORDS], 2))
    assert result.outcome == "fail"


def test_a_price_in_another_unit_is_a_drift_though_no_value_is_shared(tmp_path):
    draw = np.random.default_rng(3)
    cents = {"price": draw.integers(1, 300, ROWS)}
    assert drift(tmp_path, cents, {"price": cents["price"] * 1000}).outcome == "fail"


def test_a_schema_like_that_of_other_users(tmp_path):
    tables = {"train": {"user": WORDS[:40] * 3}, "val": {"user": WORDS[40:60] * 3}}
    assert [one[:2] for one in lines(held(tmp_path, tables, infer="train"))] == [("note", "held-out")]
    assert [one[0] for one in lines(held(tmp_path, tables, infer="train", levels="closed"))] == ["error", "note"]


@pytest.mark.parametrize("users", [WORDS, list(range(300))], ids=["words", "numbers"])
def test_rows_are_not_told_apart_by_the_names_of_users(tmp_path, users):
    write(tmp_path, _users(users[:225], 1), _users(users[225:], 2))
    result = only(audited(tmp_path, {"check": "table.shift"}, datasets=DATASETS))
    assert result.outcome == "pass"
    assert "names groups of which none is in both" in str(result)
