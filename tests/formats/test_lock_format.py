import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.errors import FormatError
from audit.formats.lock import SCHEMA, parse, render

BYTES = st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF, categories=["Cs"])
TEXT = st.text(st.characters(exclude_categories=["Cs"]) | BYTES)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)
SECTIONS = st.dictionaries(TEXT.filter(lambda name: name != "schema"), VALUES, max_size=3)


@given(SECTIONS)
def test_what_is_written_is_read_back(sections):
    assert parse(render(sections)) == sections


@given(SECTIONS)
def test_the_order_of_keys_makes_no_difference(sections):
    assert render(dict(reversed(sections.items()))) == render(sections)


def test_a_file_is_a_line():
    lock = render({"data": {"clips": {"content": {"b": {"size": 1, "blake3": "x"}, "a": {"blake3": "y"}}, "files": 2}}})
    assert lock.decode() == (
        "{\n"
        '  "data": {\n'
        '    "clips": {\n'
        '      "content": {\n'
        '        "a": {"blake3": "y"},\n'
        '        "b": {"blake3": "x", "size": 1}\n'
        "      },\n"
        '      "files": 2\n'
        "    }\n"
        "  },\n"
        f'  "schema": "{SCHEMA}"\n'
        "}\n"
    )


def test_what_is_long_stands_one_a_line():
    lines = render({"profiles": {"edges": list(range(100))}}).decode().splitlines()
    assert lines[2:5] == ['    "edges": [', "      0,", "      1,"]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "is not JSON"),
        (b"\xff\xfe\xff", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "is no lock of audit"),
        (b"{}", "is no lock of audit"),
        (b'{"schema": 1}', "is no lock of audit"),
        (b'{"schema": "dvc/2"}', "is no lock of audit"),
        (b'{"schema": "reproaudit/lock/2", "data": {}}', "was written by another version"),
        (b'{"schema": "reproaudit/lock/1", "data": {}, "data": {}}', "the key 'data' stands twice"),
        (b'{"schema": "reproaudit/lock/1", "data": NaN}', "NaN is no number"),
        (b'{"schema": "reproaudit/lock/1", "data": ' + b"1" * 5000 + b"}", "is not JSON"),
        (b'{\n<<<<<<< ours\n"data": 1\n=======\n>>>>>>> theirs\n}', "has merge conflicts"),
    ],
)
def test_what_is_no_lock_is_said_to_be_none(data, what):
    with pytest.raises(FormatError, match=what) as caught:
        parse(data)
    assert caught.value.where == "audit.lock"
    assert caught.value.hint


def test_a_section_of_a_later_audit_stays():
    assert parse(json.dumps({"schema": SCHEMA, "weights": {"a": 1}}).encode()) == {"weights": {"a": 1}}


def test_a_long_text_stays_in_one_piece():
    section = {"profiles": {"edges": "1 " * 500, "other": "é" * 300}}
    text = render(section)
    assert parse(text) == section
    assert text.count(b"\n") == 7
