"""The YAML loader: what YAML 1.2 says, where it is stricter, and that nothing crashes it."""

import math
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.yaml import CORE, RUAMEL, load, parse


def where(text, **options):
    with pytest.raises(FormatError) as caught:
        parse(text, "f.yaml", **options)
    return caught.value.where.removeprefix("f.yaml").removeprefix(":"), str(caught.value)


CORE_SCALARS = [
    ("", None), ("~", None), ("null", None), ("Null", None), ("NULL", None), ("nULL", "nULL"),
    ("true", True), ("True", True), ("FALSE", False), ("tRUE", "tRUE"),
    ("on", "on"), ("off", "off"), ("yes", "yes"), ("no", "no"), ("y", "y"), ("N", "N"),
    ("0", 0), ("-19", -19), ("+12", 12), ("017", 17), ("0o17", 15), ("0x1F", 31), ("-0", 0),
    ("-0o17", "-0o17"), ("-0x1F", "-0x1F"), ("0b11", "0b11"), ("1_000", "1_000"), ("0O17", "0O17"),
    ("1:30", "1:30"), ("12:30:45", "12:30:45"), ("190:20:30.15", "190:20:30.15"),
    ("1e-4", 1e-4), ("1e3", 1000.0), ("1.", 1.0), (".5", 0.5), ("-.5e3", -500.0), ("+1.5E+2", 150.0), ("0.", 0.0),
    (".inf", math.inf), ("-.INF", -math.inf), ("+.Inf", math.inf), ("inf", "inf"), ("nan", "nan"), ("-.nan", "-.nan"),
    (".", "."), ("+", "+"), ("1e", "1e"), ("e3", "e3"), ("1.2.3", "1.2.3"), (".e3", ".e3"),
    ("2001-12-14", "2001-12-14"), ("2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"),
    ("=", "="), ("<<", "<<"), ("\u0661", "\u0661"), ("1\u0661", "1\u0661"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), CORE_SCALARS)
def test_plain_scalars_mean_what_the_core_schema_says(text, value):
    found = parse(f"key: {text}\n", "f.yaml")["key"]
    assert (type(found), found) == (type(value), value)


def test_nan_is_read():
    assert math.isnan(parse(".NaN", "f.yaml"))


@pytest.mark.parametrize("text", ["'1'", '"1"', "|-\n  1\n", ">-\n  1\n"])
def test_quoted_and_block_scalars_are_text(text):
    assert parse(f"key: {text}", "f.yaml") == {"key": "1"}


@pytest.mark.parametrize("data", ["", "\n", "# only a comment\n", "---\n", "---\n...\n", "\ufeff", b"\xef\xbb\xbf"])
def test_an_empty_document_is_null(data):
    assert parse(data, "f.yaml") is None
    assert load(data, "f.yaml").marks[()] is not None


def test_merge_key_is_a_plain_key():
    text = "base: &b {x: 1}\nthing:\n  <<: *b\n"
    assert parse(text, "f.yaml") == {"base": {"x": 1}, "thing": {"<<": {"x": 1}}}


def test_keys_may_be_any_scalar():
    assert list(parse("{3: a, 2.5: b, true: c, ~: d, e: f}", "f.yaml")) == [3, 2.5, True, None, "e"]


def test_an_anchor_may_be_set_again():
    assert parse("- &a 1\n- *a\n- &a 2\n- *a\n", "f.yaml") == [1, 1, 2, 2]


def test_marks_point_at_keys_and_items():
    document = load("a: 1\nb:\n  - x\n  - {y: z}\n", "f.yaml")
    places = {path: tuple(mark) for path, mark in document.marks.items()}
    assert places == {
        (): (1, 1), ("a",): (1, 1), ("b",): (2, 1), ("b", 0): (3, 5), ("b", 1): (4, 5), ("b", 1, "y"): (4, 6),
    }  # fmt: skip
    assert len(document.marks) == 6
    assert ("b", -1) not in document.marks
    assert ("b", 1, "no") not in document.marks
    assert ("a", 0) not in document.marks


def test_columns_count_characters_and_skip_the_byte_order_mark():
    assert load("\ufeff{é: 1, k: 2}", "f.yaml").marks[("k",)] == (1, 8)


def test_what_an_alias_stands_for_is_marked_at_its_anchor():
    marks = load("a: &x\n  k: 1\nb: *x\n", "f.yaml").marks
    assert marks[("b",)] == (3, 1)
    assert marks[("b", "k")] == (2, 3)


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("a: 1\nb: 2\na: 3\n", "3:1", "first on line 1"),
        ("{1: a, 1: b}", "1:8", "a second time"),
        ("{1: a, true: b}", "1:8", "a second time"),  # equal in Python, so one would vanish
        ("a: !!str 1", "1:4", "tag"),
        ("a: !!python/object:os.system x", "1:4", "tag"),
        ("!local {a: 1}", "1:1", "tag"),
        ("a: ! 1", "1:4", "tag"),
        ("a: ! [1]", "1:4", "tag"),
        ("? [a]\n: 1", "1:3", "collection as a key"),
        ("{.nan: 1}", "1:2", "nan"),
        ("a: 1\n---\nb: 2\n", "2:1", "second document"),
        ("%YAML 1.1\n---\na: 1\n", "1:1", "YAML 1.1"),
        ("a: *b", "1:4", "before any anchor"),
        ("&a [*a]", "1:5", "inside what it stands for"),
        ("a: [1, 2", "2:1", "flow sequence"),
        ("a: b: c", "1:5", "mapping values are not allowed"),
        ("a:\n\tb: 1", "2:1", "cannot start any token"),
        ("a: \x07", "1:4", "U+0007"),
        ("é: 1\r\n- \x85", "2:3", "U+0085"),
        ("# note\u2028evil: 1", "1:7", "U+2028"),
        ("a: '\ufeff'", "1:5", "U+FEFF"),
        ("a: \udc80", "1:4", "U+DC80"),
        (b"a: \xff", "1:4", "UTF-8"),
        (b"ok: \xc3\xa9\nb: \xc3", "2:4", "UTF-8"),
        ("a: 1".encode("utf-16"), "", "UTF-16"),
        (b"\0\0\xfe\xff\0\0\0a", "", "UTF-32"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_place(text, place, word):
    found, message = where(text)
    assert found == place
    assert word in message


def test_yaml_1_2_may_be_declared():
    assert parse("%YAML 1.2\n---\na: on\n", "f.yaml") == {"a": "on"}


@pytest.mark.parametrize("unit", ["[", "{a: ", "- ", "? ", "{", "[{a: ", "[[],", "{? "])
@pytest.mark.parametrize("count", [150, 1_000_000])
def test_depth_is_bounded(unit, count):
    _, message = where((unit * count)[: 4 * 2**20])
    assert "nest" in message


def test_depth_up_to_the_bound_is_read():
    assert parse("[" * 100 + "]" * 100, "f.yaml")


def billion_laughs(levels, width):
    lines = ["a0: &a0 [" + ", ".join(["lol"] * width) + "]"]
    lines += [f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * width) + "]" for n in range(1, levels)]
    return "\n".join(lines)


def test_alias_expansion_is_bounded():
    tracemalloc.start()
    _, message = where(billion_laughs(40, 9))
    assert "1000000 nodes" in message
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_modest_aliases_are_read():
    assert len(parse(billion_laughs(4, 9), "f.yaml")["a3"]) == 9


def test_size_is_bounded():
    assert "larger than 10 bytes" in where("a: 1234567890", limit=10)[1]
    assert parse(b"a: 1234567", "f.yaml", limit=10) == {"a": 1234567}


@pytest.mark.parametrize("number", ["1" * 5000, "0x" + "f" * 5000, "1." + "1" * 5000, "1" * 5000 + "e1"])
def test_numbers_without_end_are_refused(number):
    place, message = where(f"a: {number}")
    assert place == "1:4"
    assert "500 characters" in message
    assert len(message) < 200


def test_long_keys_do_not_flood_the_message():
    key = "k" * 900
    assert len(where(f"{key}: 1\n{key}: 2\n")[1]) < 300


@given(
    st.binary(max_size=200) | st.text(alphabet="-:?[]{},&*#!|>'\"%@`<= \t\n\rabc01.~_\u00e9\u2028\ufeff", max_size=60)
)
@pytest.mark.parametrize("schema", [CORE, RUAMEL], ids=["core", "ruamel"])
def test_any_bytes_give_a_value_or_a_format_error(schema, data):
    try:
        marks = load(data, "f.yaml", schema=schema).marks
    except FormatError as error:
        place = error.where
    else:
        place = "f.yaml"
        assert marks
        assert all(mark.line >= 1 and mark.column >= 1 for mark in marks.values())
    assert place.startswith("f.yaml")
