"""Tables of boxes, written by hand."""

import csv
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.annotations import boxes_csv, values
from audit.formats.annotations.boxes_csv import parse
from audit.records.labels import AnnotatedPicture, Box, Remark, Unit

HEAD = "filename,width,height,class,xmin,ymin,xmax,ymax\n"


def said(text, **how):
    return parse(text.encode(), "b.csv", **how)


def refused(text, **how):
    with pytest.raises(FormatError) as caught:
        said(text, **how)
    return str(caught.value)


def test_the_plain_table():
    found = said(HEAD + "a.jpg,40,100,cat,1,2,11,22.5\nb.jpg,8,8,3,0,0,8,8\na.jpg,40,100,dog,0,0,1,1\n")
    assert found.pictures == (
        AnnotatedPicture(
            path="a.jpg",
            width=40,
            height=100,
            boxes=(
                Box(label="cat", x=1, y=2, w=10, h=20.5, where=2),
                Box(label="dog", x=0, y=0, w=1, h=1, where=4),
            ),
        ),
        AnnotatedPicture(path="b.jpg", width=8, height=8, boxes=(Box(label=3, x=0, y=0, w=8, h=8, where=3),)),
    )
    assert (found.unit, found.noun, found.classes) == (Unit.PIXELS, "line", None)


def test_a_row_without_corners_is_a_picture_without_a_box():
    picture = said("image,x1,y1,x2,y2,label\na.jpg,,,,,\n").pictures[0]
    assert (picture.path, picture.boxes, picture.width) == ("a.jpg", (), None)


def test_columns_may_be_declared():
    text = "id,class,LabelName,XMin,YMin,XMax,YMax\na.jpg,no,cat,0,0,.5,1\n"
    found = said(text, columns={"path": "id", "label": "LabelName"}, unit=Unit.SHARES)
    assert found.pictures[0].boxes[0].label == "cat"
    assert found.unit is Unit.SHARES
    assert "no column 'nom'" in refused(text, columns={"path": "nom"})


def test_quotes_commas_and_line_ends():
    found = said('filename,class,xmin,ymin,xmax,ymax\r\n"a,b.jpg","c\nd",0,0,1,1\r\n\r\ne.jpg,f,0,0,1,1\r\n')
    assert [(each.path, each.boxes[0].where) for each in found.pictures] == [("a,b.jpg", 3), ("e.jpg", 5)]


def test_sizes_that_differ_between_rows_are_remarks():
    found = said(HEAD + "a.jpg,40,100,cat,1,2,3,4\na.jpg,100,,cat,1,2,3,4\n")
    what = "gives the size 100x?, an earlier line of the same picture 40x100"
    assert found.remarks == (Remark(kind="size-differs", where="line 3", what=what),)


def test_a_number_with_leading_zeros_is_a_name():
    assert said(HEAD + "a.jpg,1,1,007,0,0,1,1").pictures[0].boxes[0].label == "007"


@pytest.mark.parametrize("path", ["/a.jpg", "../a.jpg", "C:a.jpg", ""])
def test_unsafe_paths_are_said_to_be(path):
    assert said(HEAD + f"{path},1,1,cat,0,0,1,1").pictures[0].unsafe


def test_what_is_no_such_table_is_refused_with_its_line():
    assert "no line of headings" in refused("")
    assert refused("a,b\n").startswith("b.csv:1: no column for the path")
    assert "no column for the ymax" in refused(HEAD.replace("ymax", "end"))
    assert "two columns 'class'" in refused(HEAD.replace("width", "CLASS"))
    assert refused(HEAD + "a.jpg,1,1,cat,0,0,1\n") == "b.csv:2: 7 values, where the heading has 8"
    assert refused(HEAD + "a.jpg,1,1,cat,0,0,1,\n") == "b.csv:2: ymax is '', no number"
    assert refused(HEAD + "a.jpg,1.5,1,cat,0,0,1,1\n") == "b.csv:2: width is '1.5', no whole number"
    assert "not CSV" in refused(HEAD + 'a.jpg,"1"x\n')
    assert "a value of more than" in refused(HEAD + "x" * 100_000)
    assert "a line of more than" in refused("," * 2_000_000)
    with pytest.raises(FormatError, match=r"b\.csv: not UTF-8"):
        parse(HEAD.encode() + b"\xff", "b.csv")


def test_corners_too_far_apart_are_refused():
    assert refused(HEAD + "a.jpg,1,1,cat,-1e308,0,1e308,1\n")


def test_a_file_too_large_is_refused_unread(monkeypatch):
    monkeypatch.setattr(boxes_csv, "LIMIT", 10)
    assert "more than 10 bytes" in refused(HEAD)


@given(st.binary(max_size=200) | st.text("a1.,-\"'\r\n\0", max_size=80).map(lambda text: (HEAD + text).encode()))
def test_any_bytes(data):
    with suppress(FormatError):
        parse(data, "b.csv")


def test_rows_are_bounded(monkeypatch):
    monkeypatch.setattr(values, "MAX_ROWS", 3)
    assert "more than 3 lines" in refused(HEAD + "a.jpg,,,,,,,\n" * 3)


def test_a_value_is_bounded_whatever_other_libraries_allow():
    before = csv.field_size_limit(1 << 30)
    try:
        assert "a value of more than" in refused(HEAD + "x" * 200_000)
    finally:
        csv.field_size_limit(before)
