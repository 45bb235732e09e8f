"""One table in every format, by every library: the same columns of the same types, in the same order."""

import io
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.engine import graph
from support.reading import dataset, staged

from audit.errors import CannotLook
from audit.facts.tables.opened import TableSource
from audit.records.table import Source
from audit.tables.table import Table

moment = datetime.fromisoformat


def opened(root, path, **said):
    facts = graph()
    source = facts.get(TableSource(root=str(root), dataset=dataset(path, **said)))
    return facts, source, Table(source)


def types(table):
    return {one.name: (str(one.type), one.zone) for one in table.columns}


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=5).map("w".__add__)
MOMENTS = st.datetimes(moment("1900-01-01"), moment("2200-01-01"))
COLUMNS = {
    "integer": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "string": WORDS,
    "date": MOMENTS.map(datetime.date),
    "timestamp": MOMENTS,
    "aware": MOMENTS.map(lambda one: one.replace(tzinfo=UTC)),
}


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(*(st.none() | one for one in COLUMNS.values())), min_size=1, max_size=10))
def test_a_table_is_the_same_in_every_format(rows):
    schema = [
        pl.Int64(),
        pl.Float64(),
        pl.Boolean(),
        pl.String(),
        pl.Date(),
        pl.Datetime("us"),
        pl.Datetime("us", "UTC"),
    ]
    frame = pl.DataFrame(rows, schema=dict(zip(COLUMNS, schema, strict=True)), orient="row")
    frame = frame.select(
        [name for name in COLUMNS if frame[name].null_count() < len(rows)]
    )  # text has no type for nothing
    if not frame.columns:
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        frame.write_parquet(root / "t.parquet")
        frame.write_ipc(root / "t.arrow")
        frame.write_ipc_stream(root / "s.arrow")
        frame.write_csv(
            root / "t.csv",
            datetime_format="%Y-%m-%dT%H:%M:%S%.6f%:z"
            if "aware" in frame.columns and "timestamp" not in frame.columns
            else None,
        )
        lines = frame.with_columns(pl.col(pl.Date, pl.Datetime).dt.to_string("iso:strict")) if frame.columns else frame
        lines.write_ndjson(root / "t.jsonl")
        known = None
        for name in ("t.parquet", "t.arrow", "s.arrow", "t.jsonl", "t.csv"):
            facts, _, table = opened(root, name)
            known = known or types(table)
            assert types(table) == known, name
            assert table.frame.collect().equals(frame, null_equal=True), name
            facts.host.close()


def parquet(frame):
    out = io.BytesIO()
    pq.write_table(frame, out) if isinstance(frame, pa.Table) else frame.to_parquet(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("kind", "spellings"),
    [
        ("integer", [pd.array([1, None], "Int64"), pa.array([1, None], pa.int8()), pa.array([1, None], pa.uint32())]),
        ("float", [pd.array([1.5, None], "Float64"), pa.array([1.5, None], pa.float32()), pd.Series([1.5, None])]),
        ("string", [pd.Series(["a", None], dtype=object), pd.array(["a", None], "string")]),
        ("string", [pa.array(["a", None], pa.large_utf8()), pa.array(["a", None], pa.string_view())]),
        ("boolean", [pd.array([True, None], "boolean"), pa.array([True, None])]),
        ("categorical", [pd.Categorical(["a", None]), pa.array(["a", None]).dictionary_encode()]),
        ("timestamp", [pd.Series(["2020-01-01", None], dtype="datetime64[ns]")]),
        ("timestamp", [pa.array([0, None], pa.timestamp("ms"))]),
        ("date", [pa.array([0, None], pa.date32())]),
        ("duration", [pd.Series([1, None], dtype="timedelta64[ns]"), pa.array([1, None], pa.duration("s"))]),
        ("float", [pa.array(["1.25", None], pa.string()).cast(pa.decimal128(10, 2))]),
        ("list", [pa.array([[1], None]), pa.array([[1, 2], None], pa.list_(pa.int64(), 2))]),
        ("struct", [pa.array([{"x": 1}, None])]),
        ("binary", [pa.array([b"x", None])]),
        ("null", [pa.nulls(2)]),
    ],
)  # fmt: skip
def test_spellings_of_one_thing_are_one_type(tmp_path, kind, spellings):
    for number, values in enumerate(spellings):
        frame = (
            pa.table({"v": values})
            if isinstance(values, pa.Array)
            else pa.Table.from_pandas(pd.DataFrame({"v": values}))
        )
        pq.write_table(frame, tmp_path / f"{number}.parquet")
        _, _, table = opened(tmp_path, f"{number}.parquet")
        assert str(table.column("v").type) == kind


@pytest.mark.parametrize(
    ("zone", "called"),
    [
        ("UTC", "UTC"),
        ("Etc/UTC", "UTC"),
        ("+00:00", "UTC"),
        ("+02:00", "+02:00"),
        ("Europe/Berlin", "Europe/Berlin"),
        (None, None),
    ],
)
def test_a_zone_is_called_by_what_it_does(tmp_path, zone, called):
    pq.write_table(pa.table({"v": pa.array([0], pa.timestamp("us", tz=zone))}), tmp_path / "t.parquet")
    assert opened(tmp_path, "t.parquet")[2].column("v").zone == called


def test_the_physical_type_stands_beside(tmp_path):
    frame = pa.table(
        {
            "d": pa.array(["1.25"]).cast(pa.decimal128(10, 2)),
            "t": pa.array([0], pa.timestamp("us", tz="UTC")),
            "i": pa.array([1], pa.int32()),
        }
    )
    pq.write_table(frame, tmp_path / "t.parquet")
    assert [one.physical for one in opened(tmp_path, "t.parquet")[2].columns] == [
        "decimal(10, 2)",
        "timestamp[us, UTC]",
        "int32",
    ]


class Forbidden:
    """A door behind which no program is started."""

    def run(self, *_, **__):
        raise AssertionError("a program was started")


def test_columnar_files_are_left_where_they_lie(tmp_path, monkeypatch):
    monkeypatch.setattr("audit.host.host.Host.run", Forbidden.run)
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "t.parquet")
    pl.DataFrame({"a": [1]}).write_ipc(tmp_path / "t.feather")
    for name in ("t.parquet", "t.feather"):
        assert opened(tmp_path, name)[1].files == (str(tmp_path / name),)


def bad(folder, name, content):
    (folder / name).write_bytes(content)
    with pytest.raises(CannotLook) as error:
        _ = opened(folder, name)[2].rows
    assert name in str(error.value)
    assert error.value.hint
    return str(error.value)


def test_bytes_that_are_no_table_are_named(tmp_path):
    whole = parquet(pa.table({"a": list(range(1000))}))
    assert "PAR1" in bad(tmp_path, "cut.parquet", whole[: len(whole) // 2])
    bad(tmp_path, "empty.parquet", b"")
    bad(tmp_path, "junk.parquet", b"PAR1" + b"\xff" * 100 + b"\xff\xff\x00\x00PAR1")
    assert "no columns" in bad(tmp_path, "none.parquet", parquet(pa.table({})))
    assert "more than one occurrence" in bad(
        tmp_path, "twice.parquet", parquet(pa.Table.from_arrays([pa.array([1])] * 2, ["a", "a"]))
    )
    assert "version 1" in bad(tmp_path, "old.feather", b"FEA1....")
    bad(tmp_path, "cut.arrow", b"ARROW1\0\0\xff\xff\xff\xff")
    bad(tmp_path, "junk.arrow", b"nothing of the kind")
    bad(tmp_path, "empty.arrow", b"")


def test_a_file_that_changes_after_it_was_listed_is_not_looked_at(tmp_path):
    (tmp_path / "t.parquet").write_bytes(parquet(pa.table({"a": [1, 2]})))
    source = opened(tmp_path, "t.parquet")[2].source
    assert Table(source).rows == 2
    (tmp_path / "new").write_bytes(parquet(pa.table({"a": [3, 4]})))
    (tmp_path / "new").rename(tmp_path / "t.parquet")
    with pytest.raises(CannotLook, match=r"t\.parquet: has changed since it was listed"):
        _ = Table(source).rows


def test_damaged_pages_are_no_table(tmp_path):
    content = bytearray(parquet(pa.table({"a": list(range(100_000))})))
    content[100:20_000] = b"\xff" * 19_900
    (tmp_path / "t.parquet").write_bytes(content)
    table = opened(tmp_path, "t.parquet")[2]
    with pytest.raises(pl.exceptions.PolarsError):
        table.values("a")


def test_shards_are_one_table_in_the_order_of_their_names(tmp_path):
    for number in (10, 2, 1):
        pl.DataFrame({"a": [number], "b": ["x"]}).write_parquet(tmp_path / f"{number}.parquet")
    assert opened(tmp_path, "*.parquet")[2].values("a").to_list() == [1, 10, 2]


def test_width_order_and_nothing_may_differ_between_shards(tmp_path):
    pq.write_table(
        pa.table({"a": pa.array([1], pa.int32()), "b": pa.array(["x"]).dictionary_encode(), "c": pa.array([0.5])}),
        tmp_path / "1.parquet",
    )
    pq.write_table(pa.table({"b": ["y"], "a": pa.array([2**40]), "c": pa.nulls(1)}), tmp_path / "2.parquet")
    _, _, table = opened(tmp_path, "*.parquet")
    assert table.frame.collect().rows() == [(1, "x", 0.5), (2**40, "y", None)]


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ({"a": [1]}, "lacks the column 'b'"),
        ({"a": [1], "b": ["x"], "c": [1]}, "has a column 'c'"),
        ({"a": ["1"], "b": ["x"]}, "its column 'a' is string, not int64"),
    ],
)
def test_a_shard_of_another_schema_is_named(tmp_path, other, says):
    pl.DataFrame({"a": [1], "b": ["x"]}).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame(other).write_parquet(tmp_path / "2.parquet")
    with pytest.raises(CannotLook, match=f"2.parquet: {says}, unlike 1.parquet"):
        _ = opened(tmp_path, "*.parquet")[2].rows


def test_folders_name_columns_wherever_the_project_lies(tmp_path):
    root = tmp_path / "run=7" / "key=z"
    for key in ("1", "2"):
        place = root / f"d/key={key}"
        place.mkdir(parents=True)
        pl.DataFrame({"a": [int(key)]}).write_parquet(place / "x.parquet")
        pl.DataFrame({"a": [int(key)]}).write_ipc(place / "x.arrow")
    for path in ("d/**/*.parquet", "d/**/*.arrow"):
        assert opened(root, path)[2].frame.collect().rows() == [(1, 1), (2, 2)]


def test_formats_do_not_mix(tmp_path):
    for name in ("1.csv", "2.parquet"):
        (tmp_path / name).write_bytes(b"a\n1\n")
    with pytest.raises(CannotLook, match=r"2.parquet: is of another format than 1.csv"):
        opened(tmp_path, "*")


@pytest.mark.parametrize("suffix", [".xlsx", ".pkl", ".parquet.gz", ".json"])
def test_other_formats_are_refused(tmp_path, suffix):
    (tmp_path / f"t{suffix}").write_bytes(b"x")
    with pytest.raises(CannotLook, match="tables are not read from"):
        opened(tmp_path, f"t{suffix}")


@pytest.mark.parametrize("packed", ["gz", "bz2", "xz", "zst"])
def test_packed_text(tmp_path, packed):
    import bz2
    import gzip
    import lzma

    text = b"a,b\n1,x\n" * 1000
    zst = pa.BufferOutputStream()
    with pa.CompressedOutputStream(zst, "zstd") as out:
        out.write(text)
    content = {
        "gz": gzip.compress,
        "bz2": bz2.compress,
        "xz": lzma.compress,
        "zst": lambda _: zst.getvalue().to_pybytes(),
    }[packed](text)
    assert staged(tmp_path, {f"t.csv.{packed}": content}, header=True).table.rows == 1999
    with pytest.raises(CannotLook, match=f"t.csv.{packed}"):
        staged(tmp_path, {f"t.csv.{packed}": content[: len(content) // 2]}, header=True)
    with pytest.raises(CannotLook, match=f"t.csv.{packed}"):
        staged(tmp_path, {f"t.csv.{packed}": b"no such thing"})


def test_a_file_that_unpacks_to_more_than_there_is_room_ends_with_a_message(tmp_path, monkeypatch):
    import gzip

    monkeypatch.setattr("audit.tables.reading.room._LEFT", 1 << 60)
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * 1_000_000)
    with pytest.raises(CannotLook, match=r"the scratch folder.* has [\d,]+ MiB left") as error:
        staged(tmp_path, {"t.csv.gz": bomb})
    assert "TMPDIR" in error.value.hint


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ({"i": (1, 3)}, [0, 2]),
        ({"i": (1.0,)}, [0]),
        ({"f": (1,)}, [0]),
        ({"s": ("1", " x")}, [0, 1]),
        ({"b": (True,)}, [0]),
        ({"d": ("2020-01-02",)}, [1]),
        ({"c": ("u",)}, [0, 1]),
        ({"c": ("u",), "i": (2,)}, [1]),
        ({"s": ("none",)}, []),
    ],
)
def test_where_takes_rows(tmp_path, where, rows):
    frame = pl.DataFrame(
        {
            "n": [0, 1, 2],
            "i": [1, 2, 3],
            "f": [1.0, 2.5, None],
            "s": ["1", " x", "NA"],
            "b": [True, False, None],
            "c": ["u", "u", "v"],
        },
        schema_overrides={"c": pl.Categorical},
    ).with_columns(d=pl.Series(["2020-01-01", "2020-01-02", None]).str.to_date())
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_csv(tmp_path / "t.csv")
    for name in ("t.parquet", "t.csv"):
        _, _, table = opened(tmp_path, name, where=tuple(where.items()))
        assert table.values("n").to_list() == rows
        assert table.rows == len(rows)


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ({"splt": ("a",)}, r"no column is called 'splt' \(did you mean 'split'\?\)"),
        ({"split": (1,)}, "compares the string column 'split' with 1"),
        ({"n": ("1",)}, "compares the integer column 'n' with '1'"),
        ({"n": (True,)}, "compares the integer column 'n' with True"),
    ],
)
def test_where_that_can_match_nothing_is_an_error(tmp_path, where, says):
    pl.DataFrame({"split": ["a"], "n": [1]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(CannotLook, match=says):
        _ = opened(tmp_path, "t.parquet", where=tuple(where.items()))[2].rows


def test_an_unknown_column_is_told_the_nearest(tmp_path):
    pl.DataFrame({"price": [1]}).write_parquet(tmp_path / "t.parquet")
    table = Table(Source(files=(str(tmp_path / "t.parquet"),), format="parquet"))
    with pytest.raises(CannotLook, match="did you mean 'price'"):
        table.values("prise")
