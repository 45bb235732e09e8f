"""A profile is a function of the rows: how they are stored, read or ordered does not show in it."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, date, datetime, time, timedelta

import msgspec
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.profiles import opened, profiled

from audit.records.profile import TableProfile
from audit.records.table import Source
from audit.tables.profile.profile import profile
from audit.tables.table import Table

ROWS = st.fixed_dictionaries(
    {
        "integer": st.none() | st.integers(-(2**63), 2**63 - 1),
        "float": st.none() | st.floats(),
        "word": st.none() | st.text(max_size=3),
        "flag": st.none() | st.booleans(),
        "time": st.none() | st.datetimes(),
    }
)
SCHEMA = {"integer": pl.Int64, "float": pl.Float64, "word": pl.String, "flag": pl.Boolean, "time": pl.Datetime("us")}


def mixed(rows=3000):
    draw = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "n": draw.standard_normal(rows),
            "i": draw.integers(-5, 5, rows),
            "w": [f"w{one}" for one in draw.integers(0, 40, rows)],
            "t": pl.Series(draw.integers(0, 10**9, rows)).cast(pl.Datetime("ms")),
        }
    )


@settings(deadline=None, max_examples=60)
@given(rows=st.lists(ROWS, max_size=60), data=st.data())
def test_neither_order_nor_files_nor_row_groups_show(tmp_path_factory, rows, data):
    folder = tmp_path_factory.mktemp("shards")
    whole = msgspec.json.encode(profiled(pl.DataFrame(rows, SCHEMA), folder))
    shuffled = pl.DataFrame(data.draw(st.permutations(rows)), SCHEMA)
    cut = data.draw(st.integers(0, len(rows)))
    names = [str(folder / "a.parquet"), str(folder / "b.parquet")]
    shuffled[:cut].write_parquet(names[0], row_group_size=data.draw(st.integers(1, 40)), compression="uncompressed")
    shuffled[cut:].write_parquet(names[1], statistics=False)
    assert msgspec.json.encode(profile(Table(Source(files=tuple(names), format="parquet")))) == whole
    shuffled.write_ipc(folder / "c.arrow")
    assert msgspec.json.encode(profile(Table(Source(files=(str(folder / "c.arrow"),), format="ipc")))) == whole


@pytest.mark.parametrize("threads", ["1", "7"])
def test_neither_threads_nor_seeds_show(tmp_path, threads):
    table = opened(mixed(), tmp_path)
    here = msgspec.json.encode([profile(table)])
    line = [sys.executable, "-m", "audit.facts.processes.table_profile"]
    env = {**os.environ, "POLARS_MAX_THREADS": threads, "PYTHONHASHSEED": threads}
    done = subprocess.run(line, input=msgspec.json.encode(table.source), env=env, capture_output=True, check=True)
    assert done.stdout == here


def test_a_profile_goes_through_json_and_back(tmp_path):
    found = profiled(mixed(), tmp_path)
    assert msgspec.json.decode(msgspec.json.encode(found), type=TableProfile) == found


def test_columns_keep_their_order_and_names_whatever_these_are(tmp_path):
    names = ["*", "^.*$", "", "<b>x</b>", "a\nb", 'q"', "value", "rows", "\0"]
    frame = pl.DataFrame({name: [number, None] for number, name in enumerate(names)})
    found = profiled(frame, tmp_path)
    assert [one.column.name for one in found.columns] == names
    assert [one.minimum for one in found.columns] == list(range(len(names)))


@pytest.mark.parametrize(
    ("unit", "ticks", "text"),
    [
        ("ms", 1_600_000_000_123, "2020-09-13T12:26:40.123"),
        ("us", 1_600_000_000_123_456, "2020-09-13T12:26:40.123456"),
        ("ns", 1_600_000_000_123_456_789, "2020-09-13T12:26:40.123456789"),
        ("ns", -1, "1969-12-31T23:59:59.999999999"),
        ("us", -(2**63), ""),
    ],
)
def test_instants_are_exact(tmp_path, unit, ticks, text):
    found = profiled(pl.DataFrame({"t": pl.Series([ticks]).cast(pl.Datetime(unit))}), tmp_path).columns[0]
    assert (found.minimum, found.maximum, found.earliest) == (ticks, ticks, text)
    assert (found.mean, found.deviation) == (None, None)


def test_one_instant_is_in_one_bin_whatever_the_unit_of_its_clock(tmp_path):
    millis = np.random.default_rng(7).integers(-(10**13), 10**13, 5000)
    bins = []
    for unit, factor in (("ms", 1), ("us", 1000), ("ns", 1_000_000)):
        column = pl.Series(millis[np.abs(millis) < 9 * 10**12] * factor).cast(pl.Datetime(unit, "UTC"))
        bins.append(profiled(pl.DataFrame({"t": column}), tmp_path).columns[0].bins)
    assert bins[0] == bins[1] == bins[2]


def test_times_of_all_kinds(tmp_path):
    frame = pl.DataFrame(
        {
            "zoned": [datetime(2024, 2, 29, 12, tzinfo=UTC)],
            "date": [date(1969, 12, 31)],
            "time": [time(23, 59, 59, 5)],
            "span": [timedelta(seconds=-1)],
        }
    )
    found = {one.column.name: one for one in profiled(frame, tmp_path).columns}
    assert found["zoned"].latest == "2024-02-29T12:00:00Z"
    assert (found["date"].minimum, found["date"].earliest) == (-1, "1969-12-31")
    assert (found["time"].minimum, found["time"].earliest) == (86_399_000_005_000, "23:59:59.000005")
    assert (found["span"].minimum, found["span"].earliest) == (-1_000_000, "")


def test_days_of_which_there_are_many_have_bins_of_their_own(tmp_path):
    days = [date(2024, 1, 1), date(2024, 1, 2), date(2024, 1, 4)]
    found = profiled(pl.DataFrame({"d": days * 1000}), tmp_path).columns[0]
    start = datetime(2024, 1, 1, tzinfo=UTC).timestamp()
    assert found.bins.edges == tuple(start + day * 86_400 for day in range(5))
    assert found.bins.counts == (0, 1000, 1000, 0, 1000, 0)


def test_a_table_without_rows_has_columns(tmp_path):
    found = profiled(mixed(0), tmp_path)
    assert (found.rows, [one.rows for one in found.columns]) == (0, [0, 0, 0, 0])


@pytest.mark.slow
def test_ten_thousand_columns_are_few_bytes(tmp_path):
    draw = np.random.default_rng(9)
    frame = pl.DataFrame({f"c{number}": draw.random(600) for number in range(10_000)})
    found = profiled(frame, tmp_path)
    assert len(found.columns) == 10_000
    assert max(len(one.bins.counts) for one in found.columns) == 16
    assert len(msgspec.json.encode(found)) < 10_000_000


@pytest.mark.slow
def test_five_million_rows_need_little_memory(tmp_path):
    """The process's own peak: a limit of its address space would count what polars only reserves.

    Not `ru_maxrss`, which holds on to the memory of the process that it was forked from.
    """
    draw, rows = np.random.default_rng(11), 5_000_000
    frame = pl.DataFrame({f"n{number}": draw.random(rows) for number in range(3)})
    frame = frame.with_columns(id=pl.int_range(rows).cast(pl.String) + "-of-somebody")
    source = opened(frame, tmp_path).source
    del frame
    code = (
        "import re, sys, msgspec; from audit.records.table import Source; from audit.tables.table import Table; "
        "from audit.tables.profile.profile import profile; "
        "found = profile(Table(msgspec.json.decode(sys.argv[1], type=Source))); "
        "print(found.column('id').distinct, re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])"
    )
    asked = msgspec.json.encode(source).decode()
    done = subprocess.run([sys.executable, "-c", code, asked], capture_output=True, check=True)
    distinct, peak_kib = map(int, done.stdout.split())
    assert distinct == rows
    assert peak_kib < 700 << 10
