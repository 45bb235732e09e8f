"""Files that polars opens and Arrow's own library refuses: nobody who trains with pandas could read them."""

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.errors import CannotLook
from audit.records.table import Source
from audit.tables.constraints.shape import shape
from audit.tables.table import Table


def test_a_schema_that_arrow_refuses_is_no_table(tmp_path):
    plain = pa.table({"a": [1, 2]})
    pq.write_table(plain.replace_schema_metadata({"ARROW:schema": "AAAA"}), tmp_path / "t.parquet")
    source = Source(files=(str(tmp_path / "t.parquet"),), names=("d/t.parquet",), format="parquet")
    assert Table(source).rows == 2
    with pytest.raises(CannotLook, match=r"d/t\.parquet: cannot be read as a table: corrupted message"):
        shape(Table(source))


def test_a_footer_that_arrow_refuses_is_no_table(tmp_path):
    pl.DataFrame({"k": list(range(12)), "l": ["x"] * 12}).write_ipc(tmp_path / "whole.arrow")
    content = (tmp_path / "whole.arrow").read_bytes()
    spoilt = [
        one
        for one in (flipped(content, place) for place in range(len(content) - 300, len(content) - 10))
        if refused(one)
    ]
    assert spoilt
    for number, one in enumerate(spoilt):
        file = tmp_path / f"{number}.arrow"
        file.write_bytes(one)
        with pytest.raises((CannotLook, pl.exceptions.PolarsError)):
            shape(Table(Source(files=(str(file),), format="ipc")))


def flipped(content, place):
    return content[:place] + bytes([content[place] ^ 0x80]) + content[place + 1 :]


def refused(content):
    try:
        pa.ipc.open_file(content)
    except (pa.ArrowException, OSError):
        return True
    return False


def test_what_polars_writes_of_its_own_types_is_sound(tmp_path):
    frame = pl.DataFrame({"c": ["a", "b"], "e": ["a", "b"], "big": [1, 2], "d": ["1.5", "2"], "n": [[1], []]})
    frame = frame.cast({"c": pl.Categorical, "e": pl.Enum(["a", "b"]), "big": pl.Int128, "d": pl.Decimal(10, 2)})
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_ipc(tmp_path / "t.arrow", compression="zstd")
    for name, kind in (("t.parquet", "parquet"), ("t.arrow", "ipc")):
        assert shape(Table(Source(files=(str(tmp_path / name),), format=kind))).rows == 2
