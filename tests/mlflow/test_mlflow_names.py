from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from audit.mlflow import names

VALID = re.compile(r"^[\w. -]+$")  # a subset of mlflow.utils.validation's


def test_datasets_in_brackets_become_a_part_of_the_name() -> None:
    assert names.clean("drift[val].psi") == "drift.val.psi"


def test_names_that_would_be_alike_are_told_apart_the_same_way_each_time() -> None:
    found = names.unique(["a%", "a&", "A_", "b"])
    assert found["a%"] == "a_"
    assert re.fullmatch(r"a_-[0-9a-f]{8}", found["a&"])
    assert re.fullmatch(r"A_-[0-9a-f]{8}", found["A_"])
    assert found == names.unique(["a%", "a&", "A_", "b"])


def test_a_path_is_no_path_to_mlflow() -> None:
    assert names.clean("../../etc/passwd") == "_.._.._etc_passwd"
    assert names.clean("") == "_"


@given(st.lists(st.text(st.characters(), max_size=400), unique=True, max_size=20))
def test_every_name_is_valid_short_and_its_own(raw: list[str]) -> None:
    from mlflow.utils.validation import _validate_metric_name

    found = names.unique(raw)
    assert list(found) == raw
    assert len({name.casefold() for name in found.values()}) == len(raw)
    for name in found.values():
        assert VALID.match(name)
        assert len(name.encode()) <= names.MAX_NAME_BYTES
        _validate_metric_name(name)


def test_values_are_cut_and_hold_no_control_characters() -> None:
    assert names.value("a" * 300, 10) == "aaaaaaaaa…"
    assert names.value("\x1b[31m\ud800", 50) == "\\x1b[31m\\ud800"
