"""The same thing, as different libraries, widths and formats spell it, has the same schema."""

from datetime import UTC
from zoneinfo import ZoneInfo

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.schemas import judged, lines

from audit.records.words import Outcome

STAMPS = pd.Series(pd.to_datetime(["2024-06-01T12:00:00", "2024-06-02T12:00:00"]))
NUMBERS = pa.array([1, 2])

SAME = {
    "UTC of two classes": (STAMPS.dt.tz_localize(UTC), STAMPS.dt.tz_localize(ZoneInfo("UTC"))),
    "UTC of two names": (pa.array([1, 2], pa.timestamp("us", "UTC")), pa.array([1, 2], pa.timestamp("us", "+00:00"))),
    "an offset and its zone": (
        pa.array([1, 2], pa.timestamp("us", "+01:00")),
        pa.array([1, 2], pa.timestamp("us", "Etc/GMT-1")),
    ),
    "nullable integers": (pd.Series([1, 2]), pd.Series([1, 2], dtype="Int64")),
    "short integers": (NUMBERS, NUMBERS.cast(pa.int8())),
    "unsigned integers": (NUMBERS, NUMBERS.cast(pa.uint64())),
    "short floats": (NUMBERS.cast(pa.float64()), NUMBERS.cast(pa.float32())),
    "decimals": (NUMBERS.cast(pa.float64()), NUMBERS.cast(pa.decimal128(21, 2))),
    "objects and strings": (pd.Series(["a", "b"], dtype=object), pd.Series(["a", "b"], dtype="string")),
    "large strings": (pa.array(["a", "b"]), pa.array(["a", "b"], pa.large_string())),
    "categories": (pd.Series(["a", "b"]), pd.Series(["a", "b"], dtype="category")),
    "nullable booleans": (pd.Series([True, False]), pd.Series([True, False], dtype="boolean")),
    "large lists": (pa.array([[1], [2]]), pa.array([[1], [2]], pa.large_list(pa.int64()))),
}


def _write(path, values):
    column = pa.Array.from_pandas(values) if isinstance(values, pd.Series) else values
    pq.write_table(pa.table({"x": column}), path)


@pytest.mark.parametrize("case", SAME)
def test_two_spellings_of_one_type_pass(tmp_path, case):
    for name, values in zip(("train", "val"), SAME[case], strict=True):
        _write(tmp_path / f"{name}.parquet", values)
    result = judged(tmp_path, ["train.parquet", "val.parquet"], infer="train")
    assert (result.outcome, lines(result)) == (Outcome.PASS, [])


def test_text_and_columns_of_the_same_values_pass(tmp_path):
    frame = pl.DataFrame(
        {
            "n": [1, 2],
            "f": [0.5, 1.5],
            "b": [True, False],
            "w": ["a", "b"],
            "d": pl.Series(["2024-06-01", "2024-06-02"]).str.to_date(),
            "t": pl.Series(["2024-06-01T12:00:00", "2024-06-02T12:00:00"]).str.to_datetime(),
            "z": pl.Series(["2024-06-01T12:00:00Z", "2024-06-02T12:00:00Z"]).str.to_datetime(),
        }
    )
    frame.write_parquet(tmp_path / "train.parquet")
    frame.with_columns(pl.col("z").dt.strftime("%+")).write_csv(tmp_path / "val.csv")
    result = judged(tmp_path, ["train.parquet", "val.csv"], infer="train")
    assert (result.outcome, lines(result)) == (Outcome.PASS, [])
    result = judged(tmp_path, ["val.csv", "train.parquet"], infer="val")
    assert (result.outcome, lines(result)) == (Outcome.PASS, [])
