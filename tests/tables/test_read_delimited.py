"""Delimited text: every value as Python's `csv` gives it, every row, and its line."""

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.reading import staged

from audit.errors import CannotLook

PIECES = [*"ab \t,;|\"'\n\r\\\x00é漢\u2028\ufeff01.-+eT", "NA", "null", "nan", "2020-01-02"]
NASTY = st.text(st.sampled_from(PIECES[:-4]), max_size=4) | st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


def _written(rows, delimiter=",", **style):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, **style).writerows(rows)
    return text.getvalue()


@settings(deadline=None)
@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(NASTY, min_size=width, max_size=width), min_size=1, max_size=12)
    ),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\r\n", "\n"]),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
)
@example([["a\r\nb"], ["\r"]], ",", "\n", csv.QUOTE_ALL)
def test_every_value_is_that_of_pythons_csv(rows, delimiter, end, quoting):
    names = [f"name {number}" for number in range(len(rows[0]))]
    text = _written(
        [names, *([f"w{cell}" for cell in row] for row in rows)], delimiter, quoting=quoting, lineterminator=end
    )
    with tempfile.TemporaryDirectory() as folder:
        read = staged(Path(folder), {"t.csv": text}, delimiter=delimiter, header=True)
        assert read.rows == [tuple(f"w{cell}" for cell in row) for row in rows]
        assert not read.remarks
        assert [one.name for one in read.table.columns] == names


@settings(deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from(["", "1", "x", "y\nz", '"', "07"]), min_size=1, max_size=4), min_size=1, max_size=14
    )
)
def test_rows_of_another_width_are_counted_with_the_lines_at_which_they_begin(rows):
    text = _written([["a", "b"], *rows], lineterminator="\n")
    wanted, ragged, begin = [], [], 1
    reader = csv.reader(io.StringIO(text, newline=""))
    for number, row in enumerate(reader):
        if number and row:
            (wanted.append(row) if len(row) == 2 else ragged.append(begin))
        begin = reader.line_num + 1
    with tempfile.TemporaryDirectory() as folder:
        read = staged(Path(folder), {"t.csv": text}, delimiter=",", header=True)
        assert read.table.rows == len(wanted)
        found = [one for one in read.remarks if one.kind == "ragged"]
        assert [one.count for one in found] == ([len(ragged)] if ragged else [])
        assert [one.lines for one in found] == ([tuple(ragged[:10])] if ragged else [])


@settings(deadline=None)
@given(st.lists(st.sampled_from(["1", "x\ny", "oh", "007", "NA", ""]), min_size=1, max_size=30))
def test_remarks_name_the_lines_of_their_values(values):
    text = _written([["k", "v"], *([str(number), value] for number, value in enumerate(values))], lineterminator="\n")
    begins, at = [], 2
    for value in values:
        begins.append(at)
        at += 1 + value.count("\n")
    with tempfile.TemporaryDirectory() as folder:
        read = staged(Path(folder), {"t.csv": text})
        for one in read.remarks:
            where = {"missing-word": {"NA"}, "leading-zeros": {"007"}, "mixed": {"x\ny", "oh"}}[one.kind]
            expected = [line for line, value in zip(begins, values, strict=True) if value in where]
            assert (one.count, one.lines) == (len(expected), tuple(expected[:10]))
        words = set(values) & {"x\ny", "oh"}
        assert any(one.kind == "missing-word" for one in read.remarks) == ("NA" in values and bool(words))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_end_of_line_ends_a_line(tmp_path, end):
    read = staged(tmp_path, {"t.csv": f"a,b{end}1,x{end}2{end}3,NA{end}"})
    assert read.rows == [(1, "x"), (3, "NA")]
    assert read.kinds == [("ragged", None, 1, (3,)), ("missing-word", "b", 1, (4,))]


def test_an_empty_line_is_a_row_only_where_there_is_one_column(tmp_path):
    assert staged(tmp_path / "one", {"t.csv": "id\n1\n\n3\n\n\n"}).rows == [(1,), (None,), (3,)]
    assert staged(tmp_path / "two", {"t.csv": "id,x\n1,2\n\n3,4\n\n"}).rows == [(1, 2), (3, 4)]
    assert staged(tmp_path / "top", {"t.csv": "\n\nid,x\n1,2\n"}).rows == [(1, 2)]


def test_nothing_is_missing_and_a_quoted_nothing_is_a_word(tmp_path):
    read = staged(tmp_path, {"t.csv": 'a,b\n"",1\n,""\nx,3\n'})
    assert read.rows == [("", 1), (None, None), ("x", 3)]


@pytest.mark.parametrize(
    ("text", "delimiter", "width"),
    [
        ("a;b\n1,5;2\n2,5;3\n", ";", 2),
        ("a\tb c\n1\t2,3\n4\t5,6\n", "\t", 2),
        ("a|b|c\n1|2|3\n", "|", 3),
        ("a,b\n1;2;3,4\n", ",", 2),
        ("text\nno, really\nyes\n", ",", 1),
    ],
)
def test_the_delimiter_is_found(tmp_path, text, delimiter, width):
    read = staged(tmp_path, {"t.csv": text})
    assert len(read.columns) == width
    assert read.rows == staged(tmp_path, {"t.csv": text}, delimiter=delimiter).rows


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("name,x\nann,1\n", True),
        ("ann,x\nbob,y\n", True),
        ("0,1,2\n0.5,0.25,1\n", True),
        ("country,2019,2020\nchad,1,2\n", True),
        ("x,1\n3,4\n5,6\n", True),
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", False),
        ("-1,2\n3,4\n", False),
        ("setosa,1\nsetosa,2\n", False),
        ("7,8\n9,10\n", True),
    ],
)
def test_the_header_is_found(tmp_path, text, header):
    read = staged(tmp_path, {"t.csv": text})
    assert read.table.rows == text.count("\n") - header
    assert (next(iter(read.columns)) == "column_1") != header


def test_a_header_that_cannot_be_told_is_to_be_declared(tmp_path):
    with pytest.raises(CannotLook, match="whether the first row is a header cannot be told") as error:
        staged(tmp_path, {"t.csv": "7,1\n9,10\n"})
    assert "reading: {header: true}" in error.value.hint
    assert staged(tmp_path, {"t.csv": "7,1\n9,10\n"}, header=True).rows == [(9, 10)]
    assert staged(tmp_path, {"t.csv": "7,1\n9,10\n"}, header=False).rows == [(7, 1), (9, 10)]


def test_what_is_declared_holds(tmp_path):
    text = "a:b\n'x:y':?\n'':2\n".encode("utf-16")
    read = staged(tmp_path, {"t.csv": text}, delimiter=":", quote="'", missing=("?",))
    assert read.rows == [("x:y", None), ("", 2)]
    assert staged(tmp_path, {"t.csv": '"a",b\n"1,2\n'}, quote="").rows == [('"1', 2)]


def test_columns_of_any_name(tmp_path):
    names = ["<b>", 'a "b"', "x\ny", "", "", "a", "a", "a (2)"]
    read = staged(tmp_path, {"t.csv": _written([names, ["w"] * 8])})
    assert list(read.columns) == ["<b>", 'a "b"', "x\ny", "", " (2)", "a", "a (3)", "a (2)"]
    assert [(one.kind, one.column) for one in read.remarks] == [("duplicate-name", ""), ("duplicate-name", "a")]


def test_shards_are_read_in_their_order_and_by_the_names_of_their_columns(tmp_path):
    files = {"d/2.csv": "b,a\n2,x\n", "d/10.csv": "a,b\nu,1\n", "d/3.csv": "a,b\nNA,3\n"}
    read = staged(tmp_path, files, "d")
    assert read.rows == [("u", 1), ("x", 2), ("NA", 3)]
    assert [(one.kind, one.file, one.lines) for one in read.remarks] == [("missing-word", "d/3.csv", (2,))]


def test_a_shard_of_other_columns_is_named(tmp_path):
    with pytest.raises(CannotLook, match=r"d/2.csv: has not the columns of d/1.csv: 'c'"):
        staged(tmp_path, {"d/1.csv": "a,b\n1,2\n", "d/2.csv": "a,c\n1,2\n"}, "d")


def test_folders_name_columns(tmp_path):
    files = {"d/day=1/k=01/x.csv": "a\n1\n", "d/day=2/k=__HIVE_DEFAULT_PARTITION__/x.csv": "a\n2\n"}
    read = staged(tmp_path, files, "d")
    assert read.rows == [(1, 1, "01"), (2, 2, None)]
    assert not read.remarks


def test_bytes_that_are_not_utf8_are_counted_and_stay_distinct(tmp_path):
    read = staged(tmp_path, {"t.csv": b"a,b\ncaf\xe9,1\ncaf\xe8,2\nok,3\n"})
    assert read.rows == [("caf\\xe9", 1), ("caf\\xe8", 2), ("ok", 3)]
    assert read.kinds == [("encoding", "a", 2, (2, 3))]
    assert staged(tmp_path, {"t.csv": "a\ncafé\n".encode("latin-1")}, encoding="latin-1").rows == [("café",)]


def test_a_first_row_without_end_is_refused(tmp_path):
    with pytest.raises(CannotLook, match="its first row is longer than 1 MiB"):
        staged(tmp_path, {"t.csv": "a," + "n" * (3 << 20) + "\n1,2\n"})


def test_names_that_are_not_utf_8_stay_distinct_and_are_told(tmp_path):
    text = "größe,gräße,b\n1,2,3\n"
    read = staged(tmp_path, {"t.csv": text.encode("latin-1")})
    assert list(read.columns) == [r"gr\xf6\xdfe", r"gr\xe4\xdfe", "b"]
    assert read.kinds == [("encoding", None, 2, (1,))]
    assert not staged(tmp_path, {"t.csv": text.encode("latin-1")}, encoding="latin-1").remarks
    assert not staged(tmp_path, {"t.csv": text + "\ufffd,1,1\n"}).remarks


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_mark_of_the_byte_order_tells_the_encoding(tmp_path, encoding):
    read = staged(tmp_path, {"t.csv": "ä,b\né,1\n".encode(encoding)})
    assert (list(read.columns), read.rows) == (["ä", "b"], [("é", 1)])


def test_a_declared_encoding_that_does_not_fit_is_no_table(tmp_path):
    with pytest.raises(CannotLook, match="is not of the encoding ascii"):
        staged(tmp_path, {"t.csv": "a\né\n"}, encoding="ascii")
    with pytest.raises(CannotLook, match="no encoding is called 'utf-9'"):
        staged(tmp_path, {"t.csv": "a\né\n"}, encoding="utf-9")


def test_an_empty_file_is_no_table_and_a_header_alone_has_no_rows(tmp_path):
    for content in ("", "\n", "\ufeff"):
        with pytest.raises(CannotLook, match="is empty"):
            staged(tmp_path, {"t.csv": content})
    read = staged(tmp_path, {"t.csv": "a,b\n"})
    assert (read.rows, read.types) == ([], {"a": "null", "b": "null"})
    assert staged(tmp_path, {"t.csv": "a,b"}).rows == []


def test_a_row_without_end_is_refused_in_bounded_memory(tmp_path):
    with pytest.raises(CannotLook, match="a row is longer than 4 MiB"):
        staged(tmp_path, {"t.csv": b'a,b\n"' + b"x\n" * (6 << 20)})


def test_many_columns(tmp_path):
    names = [f"c{number}" for number in range(3000)]
    read = staged(tmp_path, {"t.csv": _written([names, range(3000), range(3000)])})
    assert read.types == dict.fromkeys(names, "integer")
    assert read.table.rows == 2


def test_more_columns_than_any_table_has_are_refused(tmp_path):
    with pytest.raises(CannotLook, match="has 300,001 columns"):
        staged(tmp_path, {"t.csv": "," * 300_000 + "\n"})
