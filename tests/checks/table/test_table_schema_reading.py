"""`table.schema` tells what reading a table met, with the lines, though nothing is declared."""

import pytest
from support.schemas import judged, lines

from audit.records.words import Outcome

MET = {
    "ragged": (b"a,b\n1,2\n3\n4,5\n", "ragged", Outcome.FAIL),
    "not utf-8": (b"a,b\n1,x\n2,M\xfcller\n3,\xff\xfe\n", "encoding", Outcome.FAIL),
    "one name twice": (b"a,a\n1,2\n", "duplicate-name", Outcome.FAIL),
    "large beside missing": (b"a,b\n9223372036854775807,1\n,2\n", "inexact", Outcome.FAIL),
    "leading zeros": (b"zip,b\n01234,1\n56789,2\n", "leading-zeros", Outcome.PASS),
    "a word for missing": (b"code,b\nNA,1\nxy,2\nyz,3\n", "missing-word", Outcome.WARN),
    "mixed": (b"n,b\n1,1\n2,1\n3,1\n4,1\nfive,1\n", "mixed", Outcome.WARN),
}


@pytest.mark.parametrize("case", MET)
def test_what_reading_met(tmp_path, case):
    content, kind, outcome = MET[case]
    (tmp_path / "t.csv").write_bytes(content)
    result = judged(tmp_path, ["t.csv"])
    assert [one.kind for one in result.violations] == [kind]
    assert result.outcome is outcome
    assert "line" in result.violations[0].message


def test_lines_that_are_no_json(tmp_path):
    (tmp_path / "t.jsonl").write_bytes(b'{"a": 1}\n{"a": \n{"a": 2}\n')
    result = judged(tmp_path, ["t.jsonl"])
    assert (result.outcome, [one.kind for one in result.violations]) == (Outcome.FAIL, ["not-json"])
    assert "line 2" in result.violations[0].message
    assert result.summary.startswith("2 rows of 1 column, 1 row left out")


def test_what_a_declared_string_settles_is_a_note(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"zip,b\n01234,1\n56789,2\n")
    result = judged(tmp_path, ["t.csv"], columns={"zip": {"type": "string", "pattern": "[0-9]{5}"}})
    assert [one[:2] for one in lines(result)] == [("note", "leading-zeros")]
    assert result.outcome is Outcome.PASS


def test_text_that_reads_as_numbers_is_the_string_that_it_is_declared_to_be(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"code,b\n1234,1\n567,2\n")
    rule = {"type": "string", "pattern": "[0-9]{4}", "max_length": 4}
    result = judged(tmp_path, ["t.csv"], columns={"code": rule})
    assert [one[:2] for one in lines(result)] == [("error", "pattern"), ("note", "type")]


def test_values_that_a_reader_repeats_can_be_kept_out(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"name,b\n007 Bond,1\n8,1\n9,1\n10,1\n")
    (tmp_path / "u.csv").write_bytes(b"name,b\n007,1\n8,1\n9,1\n10,1\n")
    for file in ("t.csv", "u.csv"):
        assert "007" in str(judged(tmp_path, [file]))
        assert "007" not in str(judged(tmp_path, [file], show_values=False))


def test_what_the_other_table_has_in_the_same_column_is_said_as_a_note(tmp_path):
    (tmp_path / "train.csv").write_bytes(b"land,b\nNA,1\nxy,2\nyz,3\n")
    (tmp_path / "t.csv").write_bytes(b"land,b\nNA,1\nxy,2\nyz,3\n")
    result = judged(tmp_path, ["train.csv", "t.csv"], infer="train")
    assert [one[:2] for one in lines(result)] == [("note", "missing-word")]


def test_zeros_that_one_table_alone_keeps_are_told_by_the_type(tmp_path):
    (tmp_path / "train.csv").write_bytes(b"zip,b\n01234,1\n56789,2\n")
    (tmp_path / "t.csv").write_bytes(b"zip,b\n1234,1\n56789,2\n")
    result = judged(tmp_path, ["train.csv", "t.csv"], infer="train")
    assert [one[:2] for one in lines(result)] == [("warning", "type")]
