from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct, UnsetType

from audit.records.hints import choices, entry_of, item_of, members, notes, words
from audit.records.words import Role

Short = Annotated[str, Meta(max_length=3, description="short")]


class Point(Struct):
    x: int


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        (int, "a whole number"),
        (bool | None, "true or false or nothing"),
        (str | int | None, "text, a whole number or nothing"),
        (Annotated[Short | UnsetType, Meta(description="outer")], "text"),
        (Role, "one of train, val, test"),
        (Role | None, "one of train, val, test or nothing"),
        (Literal["a", 1] | float, "one of a, 1 or a number"),
        (tuple[int, ...], "a list (a whole number)"),
        (list[Short | None] | None, "a list (text or nothing) or nothing"),
        (dict[str, list[float]], "a mapping (text: a list (a number))"),
        (Point, "a mapping"),
        (Any, "anything"),
    ],
)
def test_words(hint, said):
    assert words(hint) == said


def test_nothing_can_go_without_saying():
    assert words(int | None, nothing=False) == "a whole number"


def test_members_are_without_unions_and_notes():
    assert list(members(Annotated[Short | Annotated[int, Meta(ge=1)] | UnsetType, Meta(title="t")])) == [str, int]


def test_notes_come_from_the_outside_in_and_not_from_what_is_held():
    hint = Annotated[Annotated[list[Short], Meta(min_length=1)] | None, Meta(description="outer")]
    assert list(notes(hint)) == [Meta(description="outer"), Meta(min_length=1)]


def test_choices():
    assert choices(Role | Literal["x", 2] | None) == ["train", "val", "test", "x", 2]
    assert choices(str | int) == []


@pytest.mark.parametrize(
    ("hint", "item"),
    [
        (list[int], int),
        (tuple[int, ...] | None, int),
        (frozenset[str], str),
        (Annotated[Sequence[Point], Meta(min_length=1)], Point),
        (tuple[int, str], None),
        (list, None),
        (dict[str, int], None),
        (str, None),
    ],
)
def test_items_of_a_list(hint, item):
    assert item_of(hint) == item


@pytest.mark.parametrize(
    ("hint", "entry"),
    [(dict[str, int], (str, int)), (Mapping[Short, Point] | None, (Short, Point)), (dict, None), (list[int], None)],
)
def test_entries_of_a_mapping(hint, entry):
    assert entry_of(hint) == entry
