"""COCO's JSON, written by hand."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.annotations import coco
from audit.formats.annotations.coco import parse
from audit.records.labels import Box, Remark, Unit

IMAGE = {"id": 1, "file_name": "a.jpg", "width": 40, "height": 100, "license": 3, "date_captured": "x"}
BOX = {"id": 7, "image_id": 1, "category_id": 2, "bbox": [1, 2.5, 3, 4], "segmentation": [[1, 2, 3]], "iscrowd": 0}
CAT = {"id": 2, "name": "cat", "supercategory": "animal"}


def said(images=(IMAGE,), annotations=(BOX,), categories=(CAT,), **more):
    file = {"images": list(images), "annotations": list(annotations), "categories": list(categories), **more}
    return parse(json.dumps(file).encode(), "c.json")


def refused(data):
    with pytest.raises(FormatError) as caught:
        parse(data if isinstance(data, bytes) else json.dumps(data).encode(), "c.json")
    return str(caught.value)


def test_the_plain_file():
    found = said(info={"year": 2017})
    (picture,) = found.pictures
    assert (picture.path, picture.unsafe, picture.width, picture.height) == ("a.jpg", "", 40, 100)
    assert picture.boxes == (Box(label=2, x=1, y=2.5, w=3, h=4, where=7),)
    assert (found.unit, found.inclusive, found.classes, found.remarks) == (Unit.PIXELS, False, {2: "cat"}, ())


def test_a_picture_without_a_box_is_still_listed():
    assert said(annotations=()).pictures[0].boxes == ()


def test_a_caption_is_no_box_but_is_counted():
    captions = [{"id": 1, "image_id": 1, "caption": "a cat"}, {"id": 2, "image_id": 1, "bbox": []}]
    picture = said(annotations=captions).pictures[0]
    assert (picture.boxes, picture.others) == ((), 2)


def test_ids_that_point_nowhere_are_remarks():
    found = said(annotations=[BOX, BOX | {"id": 8, "image_id": 99}])
    assert found.remarks == (
        Remark(kind="no-picture", where="annotations[1]", what="belongs to the picture 99, which is not listed"),
    )
    assert len(found.pictures[0].boxes) == 1


def test_a_category_that_is_not_there_is_no_crash():
    found = said(annotations=[BOX | {"category_id": 5}])
    assert found.pictures[0].boxes[0].label not in found.classes


def test_ids_that_stand_twice_are_remarks_and_the_last_picture_gets_the_boxes():
    found = said(images=[IMAGE, IMAGE | {"file_name": "b.jpg"}], annotations=[BOX, BOX], categories=[CAT, CAT])
    assert [(each.kind, each.where) for each in found.remarks] == [
        ("id-twice", "images[1]"),
        ("id-twice", "annotations[1]"),
        ("id-twice", "categories[1]"),
    ]
    assert [len(each.boxes) for each in found.pictures] == [0, 2]


def test_ids_may_be_words():
    found = said(images=[IMAGE | {"id": "x"}], annotations=[BOX | {"image_id": "x", "id": None}])
    assert found.pictures[0].boxes[0].where == "annotations[0]"


def test_without_categories_the_classes_are_not_known():
    assert parse(b'{"images": [], "annotations": []}', "c.json").classes is None


def test_a_byte_order_mark_is_left_out():
    assert parse(b'\xef\xbb\xbf{"images": [], "annotations": []}', "c.json").pictures == ()


@pytest.mark.parametrize("path", ["/etc/passwd", "../a.jpg", "a/../../b", "C:\\a.jpg", "a\0.jpg", "..\\a.jpg", ""])
def test_unsafe_paths_are_said_to_be(path):
    assert said(images=[IMAGE | {"file_name": path}]).pictures[0].unsafe


def test_what_is_no_such_file_is_refused_with_its_place():
    assert "c.json" in refused(b"[]")
    assert "images" in refused({"annotations": []})
    assert "$.images[0].width" in refused({"images": [IMAGE | {"width": "wide"}], "annotations": []})
    three = {"images": [IMAGE], "annotations": [BOX, BOX | {"bbox": [1, 2, 3]}]}
    assert refused(three).startswith("c.json: annotations[1].bbox: ")
    assert refused({"images": [], "annotations": [BOX | {"bbox": [1, 2, 3, 4, 5]}]})
    assert refused(b'{"images": [], "annotations": [{"image_id": 1, "bbox": [NaN, 1, 1, 1]}]}')
    assert refused(b'{"images": [], "annotations": [{"image_id": 1, "bbox": [1e999, 1, 1, 1]}]}')


def test_depth_cannot_crash_it():
    assert refused(b'{"x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}")


def test_a_file_too_large_is_refused_unread(monkeypatch):
    monkeypatch.setattr(coco, "LIMIT", 10)
    assert "more than 10 bytes" in refused(b" " * 11)


@given(st.binary(max_size=300))
def test_any_bytes(data):
    with suppress(FormatError):
        parse(data, "c.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from([*IMAGE, *BOX]), inner, max_size=5),
    max_leaves=10,
)


@given(JSON, JSON, JSON)
def test_any_json(image, annotation, category):
    file = {"images": [IMAGE, image], "annotations": [BOX, annotation], "categories": [category]}
    with suppress(FormatError):
        parse(json.dumps(file).encode(), "c.json")


@given(st.text(st.characters(), min_size=64, max_size=80))
def test_any_file_name_even_of_lone_surrogates(path):
    with suppress(FormatError):
        said(images=[IMAGE | {"file_name": path}])


def test_a_lone_surrogate_is_refused():
    name = '"' + "\\ud800" + "a" * 100 + '"'
    assert refused(b'{"annotations": [], "images": [{"id": 1, "file_name": %b}]}' % name.encode())
