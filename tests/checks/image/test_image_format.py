"""`image.format` on real files."""

import os

import pytest
from PIL import Image, ImageCms
from support.audits import audited, kinds, only
from support.picture_headers import picture, saved

from audit.records.words import Outcome, Severity

DATASETS = {"pictures": {"path": "pictures", "kind": "image"}}
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 48605698\n".encode()


def file(mode="RGB", size=(8, 8), form="JPEG", turned=0, **options):
    if turned:
        options["exif"] = Image.Exif()
        options["exif"][0x0112] = turned
    return saved(picture(mode, size), form, **options)


@pytest.fixture
def judged(tmp_path):
    def judged(files, datasets=DATASETS, **settings):
        for name, data in files.items():
            path = tmp_path / (name if "/" in name else f"pictures/{name}")
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        return only(audited(tmp_path, {"check": "image.format", "with": settings}, datasets=datasets))

    return judged


def test_pictures_as_declared_pass(judged):
    files = {f"{name}.jpg": file(size=(40, 30)) for name in "ab"}
    found = judged(files, width=40, height=30, mode="RGB", bits=8, channels=3, format="JPEG", frames=1, profile=False)
    assert (found.outcome, found.violations) == (Outcome.PASS, ())
    assert found.summary == "2 pictures as declared"
    assert found.figures["pictures"] == 2
    assert (found.figures["turned"], found.figures["min_width_px"], found.figures["max_height_px"]) == (0, 40, 30)


def test_a_few_of_print_and_palette_among_rgb_are_named(judged):
    files = {f"{number}.jpg": file() for number in range(8)}
    files |= {"c.jpg": file("CMYK"), "p.png": file("P", form="PNG"), "r.png": file("RGBA", form="PNG")}
    found = judged(files)
    assert found.outcome is Outcome.FAIL
    assert found.summary == "3 of 11 pictures wrong, with modes CMYK, P, RGBA"
    assert [(one.subject, one.kind, one.found) for one in found.violations] == [
        ("pictures/c.jpg", "minority", "CMYK"),
        ("pictures/p.png", "minority", "P"),
        ("pictures/r.png", "minority", "RGBA"),
    ]
    assert found.violations[0].message == "mode CMYK, unlike 8 of 11 pictures with RGB"
    assert kinds(judged({}, mode="RGB").violations) == [
        (f"pictures/{one}", "mode") for one in ("c.jpg", "p.png", "r.png")
    ]
    assert judged({}, mode=["RGB", "RGBA", "P", "CMYK"]).outcome is Outcome.PASS
    assert judged({}, uniform=False).outcome is Outcome.PASS


def test_two_sizes_for_one_file(judged):
    files = {"a.jpg": file(size=(100, 40), turned=6)}
    found = judged(files, width=40, height=100)
    (one,) = found.violations
    assert (found.outcome, one.kind, one.found, one.severity) == (Outcome.WARN, "orientation", 6, Severity.WARNING)
    assert one.message == "EXIF orientation 6, not 1: stored 100 x 40, upright 40 x 100"
    assert found.summary == "1 picture as declared; 1 with orientation other than 1"
    assert judged({}, width=40, height=100, orientation=[1, 6]).outcome is Outcome.PASS
    stored = judged({}, width=40, height=100, as_stored=True, orientation=6)
    assert (stored.outcome, stored.violations[0].kind) == (Outcome.FAIL, "size")
    assert stored.violations[0].message == (
        "width 100, not 40; height 40, not 100 (stored 100 x 40, upright 40 x 100, orientation 6)"
    )
    assert judged({}, width=100, height=40, as_stored=True, orientation=6).outcome is Outcome.PASS
    assert kinds(judged({}, orientation=1).violations) == [("pictures/a.jpg", "orientation")]
    assert judged({}, orientation=1).outcome is Outcome.FAIL


@pytest.mark.parametrize("turned", [1, 2, 3, 4])
def test_what_is_mirrored_or_on_its_head_keeps_its_sides(judged, turned):
    found = judged({"a.jpg": file(size=(100, 40), turned=turned)}, width=100, height=40, orientation=turned)
    assert (found.outcome, found.violations) == (Outcome.PASS, ())


def test_sides_have_bounds(judged):
    files = {"small.jpg": file(size=(9, 20)), "good.jpg": file(size=(10, 20)), "large.jpg": file(size=(31, 41))}
    found = judged(files, min_width=10, max_width=30, max_height=40)
    assert [(one.subject, one.expected, one.found) for one in found.violations] == [
        ("pictures/large.jpg", "30, 40", "31 x 41"),
        ("pictures/small.jpg", 10, "9 x 20"),
    ]
    assert found.violations[1].message == "width 9, less than 10"
    assert [one.type for one in found.exhibits] == ["bars", "histogram", "pictures"]


def test_sixteen_bits_among_eight_warn_and_depths_of_a_palette_do_not(judged):
    deep = b"P6 4 4 65535\n" + bytes(96)
    plain = b"P6 4 4 255\n" + bytes(48)
    found = judged({"a.ppm": plain, "b.ppm": plain, "c.ppm": deep})
    (one,) = found.violations
    assert (found.outcome, one.severity, one.expected, one.found) == (Outcome.WARN, Severity.WARNING, "8", "16")
    assert one.message == "16 bits a channel, unlike 2 of 3 pictures with 8"


def test_palettes_of_few_colours_are_palettes(judged):
    files = {f"{bits}.png": file("P", form="PNG", bits=bits) for bits in (1, 2, 4, 8)}
    assert judged(files).outcome is Outcome.PASS
    assert kinds(judged({}, bits=8).violations) == [(f"pictures/{bits}.png", "bits") for bits in (1, 2, 4)]


def test_what_must_be_alike_can_be_said(judged):
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    files = {f"{name}.jpg": file(icc_profile=profile) for name in "abc"}
    files |= {"d.jpg": file(icc_profile=profile, size=(9, 8)), "e.png": file(form="PNG")}
    assert judged(files).outcome is Outcome.PASS
    found = judged({}, uniform=["size", "format", "profile"])
    assert [(one.subject, one.kind, one.severity) for one in found.violations] == [
        ("pictures/d.jpg", "minority", Severity.ERROR),
        ("pictures/e.png", "minority", Severity.ERROR),
    ]
    assert found.violations[1].message == (
        "format PNG, unlike 4 of 5 pictures with JPEG; no colour profile, unlike 4 of 5 pictures with a colour profile"
    )
    assert kinds(judged({}, profile=True).violations) == [("pictures/e.png", "profile")]


def test_validation_stored_as_training_is(judged):
    files = {f"train/{name}.jpg": file(size=(32, 32)) for name in "ab"}
    files |= {"val/a.jpg": file(size=(30, 30)), "val/b.png": file("L", (32, 32), "PNG")}
    datasets = {name: {"path": name, "kind": "image"} for name in ("train", "val")}
    found = judged(files, datasets, dataset="val", same_as="train", uniform=False)
    assert [(one.subject, one.kind, one.severity) for one in found.violations] == [
        ("val/a.jpg", "unlike", Severity.WARNING),
        ("val/b.png", "unlike", Severity.ERROR),
    ]
    assert found.violations[0].message == "size 30 x 30, which no picture of train has: 32 x 32"
    assert found.violations[1].expected == "RGB, JPEG"
    assert judged({}, datasets, dataset="train", same_as="train").outcome is Outcome.PASS
    varied = {"train/c.jpg": file(size=(31, 32))}  # sizes that vary anyhow tell nothing of another one
    found = judged(varied, datasets, dataset="val", same_as="train", uniform=False)
    assert kinds(found.violations) == [("val/b.png", "unlike")]


def test_nothing_passes_or_fails_by_a_dataset_that_is_not_known(judged):
    files = {"train/a.jpg": file("L"), "train/b.jpg": b"\xff\xd8\xff", "val/a.jpg": file()}
    datasets = {name: {"path": name, "kind": "image"} for name in ("train", "val")}
    found = judged(files, datasets, dataset="val", same_as="train")
    assert found.outcome is Outcome.ERROR
    assert kinds(found.violations) == [("train/b.jpg", "reference")]


def test_a_name_that_lies_warns(judged):
    found = judged({"a.jpg": file(form="PNG"), "b.tif": file(form="TIFF"), "c": file(form="PNG"), "d.x": file()})
    (one,) = found.violations
    assert (found.outcome, one.subject, one.kind) == (Outcome.WARN, "pictures/a.jpg", "suffix")
    assert one.message == "is PNG, though its name says JPEG"
    assert judged({}, suffix=False).outcome is Outcome.PASS


def test_frames_are_noted_or_judged(judged):
    some = [picture("L", (8, 8)).rotate(90 * turn) for turn in range(3)]
    found = judged({"a.gif": saved(some[0], "GIF", save_all=True, append_images=some[1:])})
    (note,) = found.violations
    assert (found.outcome, note.kind, note.severity, note.found) == (Outcome.PASS, "frames", Severity.NOTE, 3)
    assert judged({}, frames=1).outcome is Outcome.FAIL
    assert judged({}, frames=3).violations == ()


def test_a_bomb_is_a_violation(judged):
    bomb = file(form="BMP")
    bomb = bomb[:18] + (60_000).to_bytes(4, "little") * 2 + bomb[26:]
    found = judged({"a.bmp": bomb})
    (one,) = found.violations
    assert (found.outcome, one.kind, one.found) == (Outcome.FAIL, "bomb", 3_600_000_000)
    assert judged({"a.bmp": file(form="BMP")}, max_pixels=63).outcome is Outcome.FAIL


def test_what_is_no_picture_fails_and_nothing_else_is_said_of_it(judged):
    files = {"a.jpg": file(), "cut.jpg": file()[:50], "empty.jpg": b"", "html.jpg": b"<html>", "pointer.jpg": POINTER}
    found = judged(files | {"zeros.jpg": bytes(9000)})
    assert found.outcome is Outcome.FAIL
    assert [kind for _, kind in kinds(found.violations)] == ["truncated", "empty", "unknown", "pointer", "empty"]


@pytest.mark.parametrize(("name", "data"), [("b.eps", b"%!PS-Adobe-3.0"), ("b.txt", b"hello"), ("b.jpg", b"8BPS")])
def test_what_is_not_read_is_no_pass(judged, name, data):
    found = judged({"a.jpg": file(), name: data})
    assert found.outcome is Outcome.ERROR
    assert [subject for subject, _ in kinds(found.violations)] == [f"pictures/{name}"]


def test_what_cannot_be_opened_is_no_pass(judged, tmp_path):
    (tmp_path / "pictures").mkdir()
    os.mkfifo(tmp_path / "pictures" / "fifo.jpg")
    found = judged({"a.jpg": file()})
    assert found.outcome is Outcome.ERROR
    assert kinds(found.violations) == [("pictures/fifo.jpg", "unreadable")]


def test_no_picture_is_no_pass(judged):
    assert judged({}).outcome is Outcome.ERROR
