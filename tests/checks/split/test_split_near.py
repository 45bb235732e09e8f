"""`split.overlap` with `near`: pictures that look alike, texts that share most of their words."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw
from support.splits import folders, result, tables, told

from audit.facts.processes import ask as asking
from audit.measures import perceptual
from audit.measures.minhash import bands, jaccard, shingles
from audit.records.words import Outcome

CHECK = "split.overlap"


def scene(seed, size=160):
    """A picture of some shapes, unlike that of any other seed."""
    rng = np.random.default_rng(seed)
    picture = Image.new("RGB", (size, size), tuple(rng.integers(0, 255, 3).tolist()))
    draw = ImageDraw.Draw(picture)
    for _ in range(12):
        x, y, w, h = rng.integers(0, size, 4).tolist()
        draw.ellipse((x, y, x + w, y + h), fill=tuple(rng.integers(0, 255, 3).tolist()))
    return picture


def saved(picture, form="PNG", **options):
    out = io.BytesIO()
    picture.save(out, form, **options)
    return out.getvalue()


def test_pictures_saved_anew_scaled_or_brightened_are_found_and_others_are_not(tmp_path):
    train = {f"{n}.png": saved(scene(n)) for n in range(40)}
    brighter = scene(2).point(lambda value: min(255, value + 12))
    turned = scene(4).transpose(Image.Transpose.ROTATE_90)
    exif = Image.Exif()
    exif[0x0112] = 6  # shown turned by 90 degrees clockwise
    test = {
        "a.jpg": saved(scene(0), "JPEG", quality=70),
        "b.png": saved(scene(1).resize((90, 90))),
        "c.png": saved(brighter),
        "d.webp": saved(scene(3), "WEBP", quality=80),
        "e.jpg": saved(turned, "JPEG", exif=exif, quality=90),
        **{f"new{n}.png": saved(scene(1000 + n)) for n in range(30)},
    }
    found = result(tmp_path, CHECK, folders(tmp_path, train=train, test=test), near=True)
    assert told(found) == [("data/test#with=train", "near", "warning")]
    assert "5 of 35 (14.3 %) pictures of test are nearly one of train" in found.violations[0].message
    pairs = [(one[0], one[1]) for one in found.exhibits[-1].data["rows"]]
    assert pairs == [(f"data/test/{name}", f"data/train/{n}.png") for n, name in enumerate(list(test)[:5])]
    assert found.outcome is Outcome.WARN


def test_equal_files_are_not_told_twice_and_plain_pictures_are_left_out(tmp_path):
    black, grey = saved(Image.new("L", (50, 50))), saved(Image.new("L", (50, 50), 3))
    datasets = folders(
        tmp_path, train={"a.png": saved(scene(1)), "k.png": black}, test={"b.png": saved(scene(1)), "g.png": grey}
    )
    found = result(tmp_path, CHECK, datasets, near=True)
    assert told(found) == [("data/test#with=train", "overlap", "error")]
    assert found.figures["pictures_left_out"] == 2
    assert found.summary.endswith("no pictures nearly equal (2 too plain or too short to tell)")


def test_a_picture_that_cannot_be_decoded_is_no_pass(tmp_path):
    bomb = b"\x89PNG\r\n\x1a\n" + (13).to_bytes(4, "big") + b"IHDR" + (10**5).to_bytes(4, "big") * 2 + b"\x08\x02\0\0\0"
    bomb += __import__("zlib").crc32(bomb[12:]).to_bytes(4, "big")
    datasets = folders(
        tmp_path,
        train={"a.png": saved(scene(1)), "cut.png": saved(scene(2))[:500]},
        test={"bomb.png": bomb, "text.jpg": "no picture"},
    )
    found = result(tmp_path, CHECK, datasets, near=True)
    assert found.outcome is Outcome.ERROR
    assert [one.subject for one in found.violations] == [
        "data/test/bomb.png",
        "data/test/text.jpg",
        "data/train/cut.png",
    ]


def test_a_decoder_that_dies_costs_only_its_picture(tmp_path, monkeypatch):
    dying = (
        "import sys, os; sys.path.append(sys.argv[1])\n"
        "from audit.facts.processes import each, near_images\n"
        "def prepared(asked):\n"
        "    look = near_images._prepared(asked)\n"
        "    return lambda file: os.abort() if os.fstat(file.fileno()).st_size == 3 else look(file)\n"
        "each.answer_each(each.Paths, prepared) if sys.argv[1].endswith('near_images') else "
        "__import__('runpy').run_module(sys.argv[1], None, '__main__', True)\n"
    )
    monkeypatch.setattr(asking, "_START", dying.replace("sys.argv[1])\n", "sys.argv.pop(1))\n", 1))
    datasets = folders(
        tmp_path,
        train={f"{n}.png": saved(scene(n)) for n in range(5)} | {"3a.png": "bad"},
        test={"a.jpg": saved(scene(4), "JPEG", quality=80)},
    )
    found = result(tmp_path, CHECK, datasets, near=True)
    assert found.outcome is Outcome.ERROR
    assert [one.subject for one in found.violations] == ["data/test#with=train", "data/train/3a.png"]
    assert "signal 6" in found.violations[1].message


def test_files_that_are_no_pictures_cannot_be_compared_so(tmp_path):
    datasets = folders(tmp_path, train={"a.wav": "1"}, test={"b.wav": "2"})
    assert "no picture to compare" in result(tmp_path, CHECK, datasets, near=True).reason


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=12), st.integers(0, 6), st.randoms())
def test_every_twin_within_the_distance_is_found(hashes, distance, random):
    flipped = [code ^ sum(1 << bit for bit in random.sample(range(64), random.randint(0, 8))) for code in hashes]
    thumbs = perceptual.unit(np.tile(np.arange(256, dtype=np.float32), (len(hashes), 1)))
    these = perceptual.Looks(np.asarray(flipped, dtype=np.uint64), thumbs)
    those = perceptual.Looks(np.asarray(hashes, dtype=np.uint64), thumbs)
    found = {place: apart for place, _, apart in perceptual.twins(these, those, distance)}
    least = [min((one ^ other).bit_count() for other in hashes) for one in flipped]
    assert found == {place: apart for place, apart in enumerate(least) if apart <= distance}


TEXT = "the quick brown fox jumps over the lazy dog while the old cat sleeps in the warm evening sun of late may"


def test_texts_that_share_most_of_their_words_are_found(tmp_path):
    other = "nothing of this sentence was ever said by anybody about foxes or dogs or cats in the month of june"
    datasets = tables(
        tmp_path,
        train={"text": [other, TEXT, "yes", None], "n": [1, 2, 3, 4]},
        test={
            "text": [TEXT.upper() + "!", TEXT.replace("late may", "early may"), "yes", other[::-1]],
            "n": [5, 6, 7, 8],
        },
    )
    found = result(tmp_path, CHECK, datasets, near=True, text_column="text")
    assert told(found) == [("data/test.parquet#with=train", "near", "warning")]
    assert "2 of 3 (66.7 %) texts of test are nearly one of train" in found.violations[0].message
    assert "data/test.parquet, row 1 ~ data/train.parquet, row 2 (100 % alike)" in found.violations[0].message
    assert found.figures["texts_left_out"] == 3
    strict = result(tmp_path, CHECK, datasets, near=True, text_column="text", similarity=0.95)
    assert strict.violations[0].found == 1


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [({}, "`text_column`"), ({"text_column": "n"}, "holds no text"), ({"text_column": "x"}, "has no column 'x'")],
)
def test_where_texts_cannot_be_compared_it_says_why(tmp_path, parameters, reason):
    columns = {"text": [TEXT], "n": [1]}
    found = result(tmp_path, CHECK, tables(tmp_path, train=columns, test=columns), near=True, **parameters)
    assert found.outcome is Outcome.ERROR
    assert reason in found.reason


@given(st.lists(st.sampled_from(TEXT.split()), min_size=5, max_size=60))
def test_equal_words_share_all_bands_whatever_stands_between_them(words):
    one, other = " ".join(words), ", ".join(words).upper()
    assert jaccard(shingles(one), shingles(other)) == 1
    assert (bands(one) == bands(other)).all()


def test_texts_of_high_likeness_share_a_band():
    rng = np.random.default_rng(3)
    missed = 0
    for _ in range(200):
        words = [f"w{n}" for n in rng.integers(0, 5000, 120)]
        changed = list(words)
        changed[int(rng.integers(0, 120))] = "changed"
        changed[int(rng.integers(0, 120))] = "changed too"
        likeness = jaccard(shingles(" ".join(words)), shingles(" ".join(changed)))
        shared = (bands(" ".join(words)) == bands(" ".join(changed))).any()
        missed += likeness >= 0.8 and not shared
    assert missed == 0
