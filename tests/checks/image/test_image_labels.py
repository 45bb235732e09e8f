"""`image.labels` on real files."""

import json

import pytest
from PIL import Image
from support.audits import audited, kinds, only

from audit.records.words import Outcome, Severity

DATASETS = {"pictures": {"path": "data/images/*.jpg"}}
COCO = "data/coco.json"


@pytest.fixture
def picture(tmp_path):
    def picture(name, size=(100, 40), *, orientation=1, folder="data/images"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        exif = Image.Exif()
        exif[0x0112] = orientation
        Image.new("RGB", size).save(tmp_path / folder / name, format="JPEG", exif=exif)

    return picture


@pytest.fixture
def coco(tmp_path):
    def coco(*pictures, categories=({"id": 1, "name": "cat"},), name=COCO):
        """Each picture is its path, its size, and its boxes: of class 1, or with the class as a fifth number."""
        images, annotations = [], []
        for at, (path, size, *boxes) in enumerate(pictures):
            width, height = size or (None, None)
            images.append({"id": at, "file_name": path, "width": width, "height": height})
            for x, y, w, h, *label in boxes:
                number, category = len(annotations) + 1, label[0] if label else 1
                annotations.append({"id": number, "image_id": at, "category_id": category, "bbox": [x, y, w, h]})
        content = {"images": images, "annotations": annotations, "categories": categories}
        (tmp_path / name).write_text(json.dumps(content))

    return coco


@pytest.fixture
def voc(tmp_path):
    def voc(name, picture, *boxes, size=(100, 40)):
        (tmp_path / "data" / "voc").mkdir(parents=True, exist_ok=True)
        corners = ("xmin", "ymin", "xmax", "ymax")
        said = [
            f"<object><name>cat</name><bndbox>"
            f"{''.join(f'<{each}>{at}</{each}>' for each, at in zip(corners, box, strict=True))}</bndbox></object>"
            for box in boxes
        ]
        sides = f"<size><width>{size[0]}</width><height>{size[1]}</height></size>"
        content = f"<annotation><filename>{picture}</filename>{sides}{''.join(said)}</annotation>"
        (tmp_path / "data" / "voc" / name).write_text(content)

    return voc


def judged(folder, annotations=COCO, **settings):
    rule = {"check": "image.labels", "with": {"annotations": annotations, **settings}}
    return only(audited(folder, rule, datasets=DATASETS))


def test_annotations_that_fit_pass(picture, coco, tmp_path):
    picture("a.jpg")
    picture("b.jpg", (30, 30))
    coco(("images/a.jpg", (100, 40), (0, 0, 100, 40), (99.5, 1, 0.8, 2)), ("images/b.jpg", None, (1, 2, 3, 4)))
    found = judged(tmp_path)
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.summary == "3 boxes on 2 pictures agree"
    assert found.figures == {
        "annotation_files": 1,
        "pictures": 2,
        "pictures_listed": 2,
        "boxes": 3,
        "paths_relative_to": "its own folder",
    }
    assert found.exhibits[0].data == {"labels": ["cat"], "values": [3]}


def test_a_picture_that_exif_turns_has_two_sizes(picture, coco, tmp_path):
    picture("a.jpg", (100, 40), orientation=6)
    coco(("a.jpg", (40, 100), (0, 50, 40, 50)))
    assert judged(tmp_path).outcome is Outcome.PASS
    found = judged(tmp_path, sides="stored")
    assert kinds(found.violations) == [("data/images/a.jpg", "outside"), ("data/images/a.jpg", "size")]
    assert found.violations[1].message == (
        "data/coco.json says 40x100, but it is 100x40 as stored and 40x100 upright (EXIF orientation 6)"
    )
    assert (found.violations[1].expected, found.violations[1].found) == ("40x100", "100x40")
    assert [one.type for one in found.exhibits] == ["bars", "pictures"]
    coco(("a.jpg", (100, 40), (50, 0, 50, 40)))
    assert judged(tmp_path).outcome is Outcome.FAIL
    assert judged(tmp_path, sides="stored").outcome is Outcome.PASS


@pytest.mark.parametrize("orientation", [1, 2, 3, 4])
@pytest.mark.parametrize("sides", ["upright", "stored"])
def test_a_picture_that_is_mirrored_or_upside_down_has_one(picture, coco, tmp_path, orientation, sides):
    picture("a.jpg", (100, 40), orientation=orientation)
    coco(("a.jpg", (100, 40), (0, 0, 100, 40)))
    assert judged(tmp_path, sides=sides).outcome is Outcome.PASS


def test_missing_and_unlabelled(picture, coco, tmp_path):
    picture("a.jpg")
    picture("b.jpg")
    coco(("a.jpg", (100, 40), (0, 0, 9, 9)), ("gone.jpg", (100, 40), (0, 0, 9, 9)))
    found = judged(tmp_path)
    assert kinds(found.violations) == [("data/images/b.jpg", "unlabelled"), ("data/images/gone.jpg", "missing")]
    assert found.violations[0].severity is Severity.WARNING
    assert found.violations[1].message == "is not there (listed in data/coco.json, picture 2)"
    assert len(judged(tmp_path, unlabelled="ok").violations) == 1


def test_boxes_that_stick_out_are_one_violation_for_each_picture(picture, coco, tmp_path):
    picture("a.jpg")
    coco(("a.jpg", (100, 40), (90, 0, 11, 5), (-1, 0, 5, 5), (0, 0, 5, 41), (0, -0.7, 5, 5), (0, 0, 100.4, 40.4)))
    (one,) = judged(tmp_path).violations
    assert (one.subject, one.kind, one.found) == ("data/images/a.jpg", "outside", 4)
    assert one.message == (
        "4 boxes outside the picture of 100x40 (data/coco.json: annotation 1: 11x5 at 90,0, annotation 2: 5x5 at "
        "-1,0, annotation 3: 5x41 at 0,0, ...)"
    )


def test_boxes_without_an_area_and_boxes_twice(picture, coco, tmp_path):
    picture("a.jpg")
    coco(("a.jpg", (100, 40), (1, 1, 0, 5), (9, 9, -2, 3), (1, 1, 5, 5), (1, 1, 5, 5)))
    found = judged(tmp_path)
    assert [(one.kind, one.found, one.severity) for one in found.violations] == [
        ("degenerate", 2, Severity.ERROR),
        ("duplicate", 1, Severity.WARNING),
    ]


def test_classes_without_a_name_and_contradictions(picture, coco, tmp_path):
    picture("a.jpg")
    coco(("a.jpg", (100, 40), (1, 1, 5, 5, 7), (2, 2, 5, 5, 7)))
    (one,) = judged(tmp_path).violations
    assert (one.subject, one.kind) == (COCO, "class")
    assert one.message == "classes without a name (class 7: 2 boxes)"
    content = json.loads((tmp_path / COCO).read_text())
    content["annotations"][1] |= {"image_id": 99, "id": 1, "category_id": 1}
    content["annotations"][0]["category_id"] = 1
    (tmp_path / COCO).write_text(json.dumps(content))
    assert kinds(judged(tmp_path).violations) == [(COCO, "id-twice"), (COCO, "no-picture")]


def test_a_picture_without_a_box(picture, coco, tmp_path):
    picture("a.jpg")
    coco(("a.jpg", (100, 40)))
    found = judged(tmp_path)
    assert (found.outcome, [(one.kind, one.severity) for one in found.violations]) == (
        Outcome.PASS,
        [("empty", Severity.NOTE)],
    )
    assert judged(tmp_path, empty="error").outcome is Outcome.FAIL
    assert judged(tmp_path, empty="ok").violations == ()


def test_a_picture_twice_in_one_file(picture, coco, tmp_path):
    picture("a.jpg")
    coco(("a.jpg", (100, 40), (1, 1, 5, 5)), ("a.jpg", (100, 40), (2, 2, 5, 5)))
    assert [one.kind for one in judged(tmp_path).violations] == ["twice"]
    coco(("a.jpg", (100, 40), (1, 1, 5, 5)))
    coco(("a.jpg", (100, 40), (2, 2, 5, 5)), name="data/other.json")
    assert judged(tmp_path, "data/*.json").outcome is Outcome.PASS


def test_shares_where_pixels_should_be(picture, coco, tmp_path):
    picture("a.jpg")
    coco(("a.jpg", (100, 40), (0.1, 0.1, 0.5, 0.5)))
    assert kinds(judged(tmp_path).violations) == [(COCO, "unit")]


def test_unsafe_paths_are_not_opened_and_nothing_is_said_to_be_unlabelled(picture, coco, tmp_path):
    picture("a.jpg")
    picture("b.jpg")
    coco(("a.jpg", (100, 40), (0, 0, 9, 9)), ("../../etc/x.jpg", (1, 1)), ("/x.jpg", (1, 1)))
    found = judged(tmp_path)
    assert kinds(found.violations) == [(COCO, "unsafe-path")]
    assert found.violations[0].message.startswith(
        "lists 2 paths that were not opened: picture 2: '../../etc/x.jpg' leads out of its folder, picture 3: '/x.jpg' "
    )


def test_what_is_not_understood_is_no_pass(picture, tmp_path):
    picture("a.jpg")
    (tmp_path / COCO).write_text('{"images": []}')
    found = judged(tmp_path)
    assert (found.outcome, kinds(found.violations)) == (Outcome.ERROR, [(COCO, "unreadable")])
    (tmp_path / COCO).write_text('{"images": [], "annotations": []}')
    assert judged(tmp_path).violations[0].message.startswith("lists no picture")
    (tmp_path / "data" / "notes.md").write_text("")
    assert judged(tmp_path, "data/notes.md").outcome is Outcome.ERROR
    assert judged(tmp_path, "data/none.json").outcome is Outcome.ERROR


def test_pictures_whose_size_is_not_known_are_no_pass(picture, coco, tmp_path):
    picture("a.jpg")
    (tmp_path / "data" / "images" / "b.jpg").write_text("no picture at all")
    coco(("a.jpg", (100, 40), (0, 0, 9, 9)), ("b.jpg", (100, 40), (0, 0, 9, 9)))
    found = judged(tmp_path)
    assert (found.outcome, kinds(found.violations)) == (Outcome.ERROR, [("data/images/b.jpg", "unknown")])


def test_vocs_last_pixel_belongs_to_the_box(picture, voc, tmp_path):
    picture("a.jpg")
    voc("a.xml", "a.jpg", (1, 1, 100, 40), (0, 0, 99, 39), (5, 5, 5, 5))
    assert judged(tmp_path, "data/voc").outcome is Outcome.PASS
    voc("a.xml", "a.jpg", (1, 1, 101, 40), (9, 5, 8, 5), size=(40, 100))
    found = judged(tmp_path, "data/voc")
    assert kinds(found.violations) == [("data/images/a.jpg", kind) for kind in ("degenerate", "outside", "size")]


def test_two_files_of_vocs_for_one_picture(picture, voc, tmp_path):
    picture("a.jpg")
    voc("a.xml", "a.jpg", (1, 1, 9, 9))
    voc("b.xml", "a.jpg", (1, 1, 9, 9))
    (one,) = judged(tmp_path, "data/voc/*.xml").violations
    assert (one.kind, one.found) == ("twice", 2)


def test_vocs_classes_against_a_list(picture, voc, tmp_path):
    picture("a.jpg")
    voc("a.xml", "a.jpg", (1, 1, 9, 9))
    (tmp_path / "names.txt").write_text("dog\ncat\n")
    assert judged(tmp_path, "data/voc", classes="names.txt").outcome is Outcome.PASS
    (tmp_path / "names.txt").write_text("dog\n")
    assert kinds(judged(tmp_path, "data/voc", classes="names.txt").violations) == [("data/voc/a.xml", "class")]
    assert judged(tmp_path, "data/voc", classes="none.txt").outcome is Outcome.ERROR


@pytest.fixture
def yolo(tmp_path):
    def yolo(name, text, folder="data/labels"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / name).write_text(text)

    return yolo


@pytest.mark.parametrize("folder", ["data/labels", "data/images", "elsewhere/txt"])
def test_yolos_files_find_their_pictures(picture, yolo, tmp_path, folder):
    picture("a.jpg")
    yolo("a.txt", "0 0.5 0.5 1 1\n1 0.333333 0.666667 0.666667 0.666667\n", folder)
    yolo("classes.txt", "cat\ndog\n", folder)
    found = judged(tmp_path, folder)
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.figures["paths_relative_to"] == "the names of the label files"


def test_what_is_wrong_in_yolos_files(picture, yolo, tmp_path):
    for name in "abcd":
        picture(f"{name}.jpg")
    yolo("a.txt", "0 0.5 0.5 1.1 1\n")
    yolo("b.txt", "2 0.5 0.5 0.1 0.1\n")
    yolo("c.txt", "")
    yolo("gone.txt", "0 0.5 0.5 0.1 0.1\n")
    (tmp_path / "data.yaml").write_text("names: [cat, dog]\n")
    assert kinds(judged(tmp_path, "data/labels", classes="data.yaml").violations) == [
        ("data/images/a.jpg", "outside"),
        ("data/images/c.jpg", "empty"),
        ("data/images/d.jpg", "unlabelled"),
        ("data/labels/b.txt", "class"),
        ("data/labels/gone.txt", "missing"),
    ]


def test_a_label_file_of_two_folders_pictures_belongs_to_neither(picture, yolo, tmp_path):
    picture("a.jpg", folder="data/images/x")
    picture("a.jpg", folder="data/images/y")
    yolo("a.txt", "0 0.5 0.5 1 1\n")
    rule = {"check": "image.labels", "with": {"annotations": "data/labels"}}
    found = only(audited(tmp_path, rule, datasets={"pictures": {"path": "data/images/**/*.jpg"}}))
    assert kinds(found.violations) == [("data/labels/a.txt", "missing")]


def test_tables_in_pixels_and_in_shares(picture, tmp_path):
    picture("a.jpg")
    table = tmp_path / "data" / "boxes.csv"
    heads = "filename,width,height,class,xmin,ymin,xmax,ymax\n"
    table.write_text(f"{heads}a.jpg,100,40,cat,0,0,100,40\na.jpg,100,40,cat,0,0,101,40\n")
    assert kinds(judged(tmp_path, "data/boxes.csv").violations) == [("data/images/a.jpg", "outside")]
    table.write_text(f"{heads}a.jpg,,,cat,0,0,1,1\na.jpg,,,cat,0.5,0,1.1,1\na.jpg,,,cat,0,0,0.1,0.1\n")
    (one,) = judged(tmp_path, "data/boxes.csv").violations
    assert (one.kind, one.found) == ("outside", 1)
    table.write_text("img_name,class,xmin,ymin,xmax,ymax\na.jpg,cat,0,0,9,9\n")
    assert judged(tmp_path, "data/boxes.csv").outcome is Outcome.ERROR
    assert judged(tmp_path, "data/boxes.csv", columns={"path": "img_name"}).outcome is Outcome.PASS
