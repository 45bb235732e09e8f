"""COCO's JSON as its own library reads it: the same boxes for the same pictures, classes and ids."""

import contextlib
import io
import json
import random

import pytest

from audit.formats.annotations.coco import parse

library = pytest.importorskip("pycocotools.coco", reason="pycocotools is not installed")


def read_by_library(file):
    with contextlib.redirect_stdout(io.StringIO()):
        return library.COCO(str(file))


def told(box):
    return box.where, box.label, box.x, box.y, box.w, box.h


@pytest.mark.parametrize("seed", range(5))
def test_the_same_boxes_for_the_same_pictures(seed, tmp_path):
    draw = random.Random(seed)
    names = [{"id": each, "name": f"class {each}"} for each in range(1, 5)]
    images = [{"id": each, "file_name": f"{each}.jpg", "width": 64, "height": 48} for each in range(20)]
    boxes = [
        {
            "id": number,
            "image_id": draw.randrange(20),
            "category_id": draw.randrange(1, 5),
            "bbox": [round(draw.uniform(-5, 60), 2) for _ in range(4)],
            "area": 1,
            "iscrowd": 0,
        }
        for number in range(200)
    ]
    images.append(images[0] | {"file_name": "again.jpg"})
    file = tmp_path / "coco.json"
    file.write_text(json.dumps({"images": images, "annotations": boxes, "categories": names}))
    theirs, ours = read_by_library(file), parse(file.read_bytes(), "coco.json")
    assert {key: one["name"] for key, one in theirs.cats.items()} == ours.classes
    found = {
        one.path: [(box.where, box.label, box.x, box.y, box.w, box.h) for box in one.boxes] for one in ours.pictures
    }
    for key, image in theirs.imgs.items():
        said = theirs.loadAnns(theirs.getAnnIds(imgIds=[key]))
        assert found[image["file_name"]] == [(one["id"], one["category_id"], *one["bbox"]) for one in said]
    assert sum(map(len, found.values())) == 200
