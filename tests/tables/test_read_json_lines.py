"""JSON Lines: the types are those of JSON, and what is none is counted with its line."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.reading import staged

from audit.errors import CannotLook

LEAVES = st.none() | st.booleans() | st.integers(-(2**80), 2**80) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    LEAVES | st.text(max_size=4),
    lambda some: st.lists(some, max_size=2) | st.dictionaries(st.text(max_size=2), some, max_size=2),
    max_leaves=4,
)


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(["a", "b", ""]), VALUES, min_size=1), min_size=1, max_size=8))
def test_every_value_comes_back(rows):
    with tempfile.TemporaryDirectory() as folder:
        read = staged(Path(folder), {"t.jsonl": lines(rows)})
        frame, types = read.frame, read.types
        for name, kind in types.items():
            wanted = [row.get(name) for row in rows]
            found = frame.get_column(name).to_list()
            if kind in {"integer", "boolean", "null"}:
                assert found == wanted
                assert [type(one) for one in found] == [type(one) for one in wanted]
            elif kind == "float":
                assert found == [None if one is None else float(one) for one in wanted]
            elif kind in {"list", "struct"}:
                assert [one if one is None else json.loads(one) for one in found] == wanted
            elif kind == "string":
                assert [
                    one if type(two) is str or one is None else json.loads(one)
                    for one, two in zip(found, wanted, strict=True)
                ] == wanted
                mixed = (
                    len({"number" if type(one) in {int, float} else type(one) for one in wanted if one is not None}) > 1
                )
                assert any(one.kind == "mixed" and one.column == name for one in read.remarks) == mixed


def test_types_are_those_of_json(tmp_path):
    rows = [
        {"word": "001", "n": 1, "when": "2020-01-01", "f": 1, "flag": True},
        {"word": "2", "f": 2.5, "nest": {"x": [1]}},
    ]
    read = staged(tmp_path, {"t.jsonl": lines(rows)})
    assert read.types == {
        "word": "string", "n": "integer", "when": "date", "f": "float", "flag": "boolean", "nest": "struct",
    }  # fmt: skip
    assert not read.remarks


def test_lines_that_are_no_objects_are_counted_and_empty_ones_are_not(tmp_path):
    text = '{"a": 1}\n\n[1]\nnull\n{"a": 2\n  \n{"a": 9007199254740993}\n{"a": null}'
    read = staged(tmp_path, {"t.jsonl": text})
    assert [row[0] for row in read.rows] == [1, 9007199254740993, None]
    assert read.kinds == [("not-json", None, 3, (3, 4, 5)), ("inexact", "a", 1, (7,))]


def test_mixed_types_are_counted(tmp_path):
    read = staged(tmp_path, {"t.ndjson": lines([{"a": 1}, {"a": "x"}, {"a": 2.5}, {"a": [1]}])})
    assert read.rows == [("1",), ("x",), ("2.5",), ("[1]",)]
    assert read.kinds == [("mixed", "a", 2, (2, 4))]
    assert "2 numbers, 1 string, 1 list" in read.remarks[0].message


def test_what_python_writes_for_nan_is_missing(tmp_path):
    read = staged(tmp_path, {"t.jsonl": lines([{"a": float("nan")}, {"a": 1.5}])})
    assert (read.rows, read.remarks) == ([(None,), (1.5,)], ())


@pytest.mark.parametrize(
    ("text", "reason"), [("", "is empty"), ("[\n1\n]\n", "no line is a JSON object"), ("{}\n", "its objects are empty")]
)
def test_what_is_no_table(tmp_path, text, reason):
    with pytest.raises(CannotLook, match=reason):
        staged(tmp_path, {"t.jsonl": text})


def test_a_line_without_end_is_refused(tmp_path):
    with pytest.raises(CannotLook, match="a line is longer than 64 MiB"):
        staged(tmp_path, {"t.jsonl": b"[" * (70 << 20)})


def test_deep_nesting_and_long_digits_are_no_crash(tmp_path):
    deep = b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    long = b'{"a": ' + b"9" * 5000 + b"}\n"
    read = staged(tmp_path, {"t.jsonl": b'{"a": 1}\n' + deep + long})
    assert [one.kind for one in read.remarks][:1] == ["not-json"]
    assert read.table.rows == 2


@pytest.mark.parametrize(
    "inner", [b"[" * 400 + b"]" * 400, b"[" * 700 + b"NaN" + b"]" * 700, b'{"a": ' * 900 + b"1" + b"}" * 900]
)
def test_nesting_that_a_reader_decodes_but_nobody_can_walk_is_left_out(tmp_path, inner):
    read = staged(tmp_path, {"t.jsonl": b'{"a": ' + inner + b'}\n{"a": [[[1]]]}\n'})
    assert (read.kinds, read.rows) == ([("not-json", None, 1, (1,))], [("[[[1]]]",)])


@pytest.mark.parametrize("line", [r'{"a": "\ud800"}', r'{"\udc00": 1, "a": NaN}', r'{"a": ["x\ud800y"], "b": NaN}'])
def test_half_a_pair_of_surrogates_is_no_text(tmp_path, line):
    read = staged(tmp_path, {"t.jsonl": line + '\n{"a": "\\ud83d\\ude00"}\n'})
    assert (read.kinds, read.rows) == ([("not-json", None, 1, (1,))], [("😀",)])


def test_whole_numbers_beyond_all_floats_stay_as_they_are(tmp_path):
    huge = "1" + "0" * 400
    read = staged(tmp_path, {"t.jsonl": f'{{"a": {huge}, "b": [-{huge}]}}\n{{"a": 1.5}}\n'})
    assert read.rows == [(huge, f"[-{huge}]"), ("1.5", None)]
    assert read.kinds == [("inexact", "a", 1, (1,))]


def test_shards_and_folders(tmp_path):
    read = staged(tmp_path, {"d/k=2/b.jsonl": '{"b": 2}\n', "d/k=1/a.jsonl": '{"a": 1}\n'}, "d")
    assert read.frame.to_dict(as_series=False) == {"a": [1, None], "b": [None, 2], "k": [1, 2]}


def test_more_keys_than_any_table_has_are_refused(tmp_path):
    with pytest.raises(CannotLook, match="has 100,001 columns"):
        staged(tmp_path, {"t.jsonl": lines([{str(number): 1 for number in range(100_001)}])})
