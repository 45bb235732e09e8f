"""YOLO's text files, written by hand."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.annotations import values, yolo
from audit.formats.annotations.yolo import Names, class_list, data_yaml, parse
from audit.records.labels import Box, Unit


def boxes(data, names=None):
    return parse(data, "a.txt", "images/a.jpg", names).pictures[0].boxes


def refused(read, *given_):
    with pytest.raises(FormatError) as caught:
        read(*given_)
    return str(caught.value)


def test_the_plain_file():
    found = parse(b"0 0.5 0.5 0.25 0.5\n\n1 0.5 0.5 1 1\r\n", "a.txt", "images/a.jpg", Names({0: "cat"}))
    assert found.pictures[0].path == "images/a.jpg"
    assert found.pictures[0].boxes == (
        Box(label=0, x=0.375, y=0.25, w=0.25, h=0.5, where=1),
        Box(label=1, x=0, y=0, w=1, h=1, where=3),
    )
    assert (found.unit, found.classes) == (Unit.SHARES, {0: "cat"})


def test_an_empty_file_is_a_picture_without_a_box():
    assert boxes(b"") == ()
    assert boxes(b"\n \n") == ()


def test_a_polygon_comes_out_as_the_box_around_it():
    assert boxes(b"3 0.25 0.5 0.75 0.5 0.5 1") == (Box(label=3, x=0.25, y=0.5, w=0.5, h=0.5, where=1),)


def test_classes_may_be_written_with_a_point():
    assert boxes(b"2.0 .5 .5 1 1")[0].label == 2


def test_key_points_follow_the_box_where_they_are_declared():
    names = Names({0: "cat"}, points=3)
    assert boxes(b"0 .5 .5 1 1 .1 .2 2", names) == (Box(label=0, x=0, y=0, w=1, h=1, where=1),)
    assert refused(boxes, b"0 .5 .5 1 1", names) == "a.txt:1: 5 numbers (expected 8)"


@pytest.mark.parametrize("line", [b"0", b"0 1 2 3", b"0 .5 .5 1 1 .9", b"0 .1 .1 .2 .2 .3 .3 .4"])
def test_lines_of_another_length_are_refused_with_their_place(line):
    assert refused(boxes, b"0 .5 .5 1 1\n" + line).startswith("a.txt:2: ")


@pytest.mark.parametrize(
    "line", [b"cat .5 .5 1 1", b"0.5 .5 .5 1 1", b"0 nan .5 1 1", b"0 1e999 .5 1 1", b"0 .5 .5 1 1_"]
)
def test_what_is_no_number_is_refused(line):
    assert "number" in refused(boxes, line)


def test_shares_too_far_apart_are_refused():
    assert refused(boxes, b"0 -1e308 0 1e308 0 0 0")


def test_an_unsafe_picture_is_said_to_be():
    assert parse(b"", "a.txt", "../a.jpg").pictures[0].unsafe


def test_classes_as_a_list_of_lines():
    assert class_list(b"cat\n dog \r\n\n", "classes.txt") == Names({0: "cat", 1: "dog"})
    assert refused(class_list, b"cat\n\ndog", "classes.txt") == "classes.txt:2: a line without a name"
    assert refused(class_list, b"", "classes.txt")


def test_data_yaml():
    assert data_yaml(b"nc: 2\nnames: [cat, dog]\ntrain: x", "d.yaml") == Names({0: "cat", 1: "dog"})
    assert data_yaml(b"names: {0: cat, 7: 12}", "d.yaml").classes == {0: "cat", 7: "12"}
    assert data_yaml(b"nc: 2", "d.yaml").classes == {0: "class_0", 1: "class_1"}
    assert data_yaml(b"names: [person]\nkpt_shape: [17, 3]", "d.yaml").points == 51


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"x: 1",
        b"nc:",
        b"nc: -1",
        b"nc: true",
        b"nc: 999999999",
        b"nc: 3\nnames: [cat]",
        b"names: cat",
        b"names: {a: cat}",
        b"names: [[cat]]",
        b"names: [true]",
        b"names: [cat]\nkpt_shape: 3",
        b"names: [cat]\nkpt_shape: [1]",
        b"names: [cat, [",
    ],
)
def test_what_names_no_classes_is_refused(data):
    assert "d.yaml" in refused(data_yaml, data, "d.yaml")


def test_bounds(monkeypatch):
    monkeypatch.setattr(yolo, "LIMIT", 10)
    monkeypatch.setattr(yolo, "MAX_CLASSES", 2)
    assert "more than 10 bytes" in refused(boxes, b" " * 11)
    assert "more than 2 classes" in refused(class_list, b"a\nb\nc", "classes.txt")
    assert "more than 2 classes" in refused(data_yaml, b"names: [a, b, c]", "d.yaml")


@pytest.mark.parametrize("read", [boxes, lambda data: class_list(data, "c"), lambda data: data_yaml(data, "d")])
@given(data=st.binary(max_size=200) | st.text("0123456789. -e\n", max_size=60).map(str.encode))
def test_any_bytes(read, data):
    with suppress(FormatError):
        read(data)


def test_lines_are_bounded(monkeypatch):
    monkeypatch.setattr(values, "MAX_ROWS", 3)
    assert "more than 3 lines" in refused(boxes, b"0 .5 .5 1 1\n" * 4)
    assert len(boxes(b"0 .5 .5 1 1\n\n\n" * 3)) == 3
