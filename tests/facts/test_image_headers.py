"""The headers of a dataset's pictures, on real files."""

import os

import pytest
from support.engine import graph
from support.picture_headers import picture, saved

from audit.errors import CannotLook
from audit.facts.signals.image_headers import ImageHeaders
from audit.records.dataset import Dataset
from audit.records.words import Kind

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 48605698\n"


@pytest.fixture
def pictures(tmp_path):
    (tmp_path / "pictures").mkdir()

    def pictures():
        dataset = Dataset(name="pictures", path="pictures", kind=Kind.IMAGE)
        return graph().get(ImageHeaders(root=str(tmp_path), dataset=dataset))

    return pictures


def test_pictures_in_the_order_of_their_paths(pictures, tmp_path):
    for name, size in ("b.png", (3, 4)), ("a.png", (5, 6)), ("c.jpg", (7, 8)):
        picture("RGB", size).save(tmp_path / "pictures" / name)
    found = pictures().pictures
    assert [one.path for one in found] == ["pictures/a.png", "pictures/b.png", "pictures/c.jpg"]
    assert [one.header.upright for one in found] == [(5, 6), (3, 4), (7, 8)]
    assert found[0].header.format is found[1].header.format
    assert found[0].size == (tmp_path / "pictures" / "a.png").stat().st_size


def test_what_is_no_picture_says_what_it_is(pictures, tmp_path):
    files = {"empty": "", "pointer": POINTER, "text": "hello", "zeros": "\0" * 5000}
    for name, content in files.items():
        (tmp_path / "pictures" / f"{name}.png").write_text(content)
    faults = {one.path: one.header.faults[0].kind for one in pictures().pictures}
    assert list(faults.values()) == ["empty", "pointer", "unknown", "empty"]


def test_a_header_beyond_the_head_of_the_file_is_read(pictures, tmp_path):
    plain = saved(picture("CMYK", (40, 20)), "JPEG")
    thumbnail = b"\xff\xe1" + (60_000).to_bytes(2, "big") + bytes(59_998)
    (tmp_path / "pictures" / "a.jpg").write_bytes(plain[:2] + thumbnail * 3 + plain[2:])
    (one,) = pictures().pictures
    assert (one.header.format.mode, one.header.upright, one.header.faults) == ("CMYK", (40, 20), ())


def test_what_cannot_be_looked_at_is_unseen(pictures, tmp_path):
    picture("L").save(tmp_path / "pictures" / "a.png")
    os.mkfifo(tmp_path / "pictures" / "fifo.png")
    (tmp_path / "pictures" / "gone.png").symlink_to("nowhere.png")
    found = pictures()
    assert [one.path for one in found.pictures] == ["pictures/a.png"]
    assert [(one.path, one.gone) for one in found.unseen] == [("pictures/fifo.png", False), ("pictures/gone.png", True)]


def test_no_picture_at_all_is_no_pass(pictures):
    with pytest.raises(CannotLook, match="matches no file"):
        pictures()
