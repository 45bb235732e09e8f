"""The tables of `benchmarks/tables.py`: deterministic, as wide and as mixed as what people train on.

25 columns: 15 floats (normal, heavy-tailed, zero-inflated, one of 32 bit, two with nulls), 5 strings of 3 to 1,000
levels, 3 integers, a timestamp and a label. Validation is a quarter of train, drawn from the same distributions,
so that an audit of it must be silent.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BLOCK = 1_000_000
"""Rows made at once, each block from a seed of its own."""

LEVELS = (3, 10, 50, 200, 1000)


def pair(folder: Path, rows: int) -> None:
    """`train.parquet` of so many rows and `val.parquet` of a quarter of them; made once."""
    for name, some, seed in (("train", rows, 1), ("val", rows // 4, 2)):
        _write(folder / f"{name}.parquet", (_block(count, (seed, start)) for start, count in _blocks(some)))


def wide(folder: Path, columns: int, rows: int) -> None:
    """The same pair with many columns: four floats to each integer."""
    for name, some, seed in (("train", rows, 1), ("val", rows // 4, 2)):
        _write(folder / f"{name}.parquet", iter([_wide(some, columns, seed)]))


def _blocks(rows: int) -> Iterator[tuple[int, int]]:
    for start in range(0, rows, BLOCK):
        yield start, min(BLOCK, rows - start)


def _write(path: Path, tables: Iterator[pa.Table]) -> None:
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    draft, first = path.with_suffix(".making"), next(tables)
    with pq.ParquetWriter(draft, first.schema) as writer:
        writer.write_table(first)
        for table in tables:
            writer.write_table(table)
    draft.rename(path)


def _wide(rows: int, columns: int, seed: int) -> pa.Table:
    draw = np.random.default_rng(seed)
    return pa.table(
        {
            f"c{number:04}": draw.integers(0, 1000, rows) if number % 5 == 4 else draw.normal(size=rows)
            for number in range(columns)
        }
    )


def _block(rows: int, seed: tuple[int, int]) -> pa.Table:
    draw = np.random.default_rng(seed)
    columns = {**_floats(draw, rows), **_strings(draw, rows), **_integers(draw, rows)}
    columns["seen_at"] = pa.array(draw.integers(1_700_000_000, 1_730_000_000, rows) * 1_000_000, pa.timestamp("us"))
    columns["label"] = pa.array(draw.integers(0, 2, rows))
    return pa.table(columns)


def _floats(draw: np.random.Generator, rows: int) -> dict[str, pa.Array]:
    found = {f"normal_{number}": pa.array(draw.normal(number, 1 + number, rows)) for number in range(7)}
    found |= {f"gamma_{number}": pa.array(draw.gamma(number + 1.0, 2.0, rows)) for number in range(2)}
    found |= {f"heavy_{number}": pa.array(draw.standard_t(3, rows)) for number in range(2)}
    found["zeros"] = pa.array(np.where(draw.random(rows) < 0.7, 0.0, draw.exponential(1.0, rows)))
    found["single"] = pa.array(draw.normal(size=rows).astype(np.float32))
    for number in range(2):
        found[f"gaps_{number}"] = pa.array(draw.normal(size=rows), mask=draw.random(rows) < 0.05)
    return found


def _strings(draw: np.random.Generator, rows: int) -> dict[str, pa.Array]:
    found = {}
    for levels in LEVELS:
        shares = 1.0 / np.arange(1, levels + 1) ** 0.7
        codes = draw.choice(levels, rows, p=shares / shares.sum()).astype(np.int32)
        words = pa.array([f"level-{number:04}" for number in range(levels)])
        found[f"levels_{levels}"] = pa.DictionaryArray.from_arrays(pa.array(codes), words).cast(pa.string())
    return found


def _integers(draw: np.random.Generator, rows: int) -> dict[str, pa.Array]:
    return {
        "age": pa.array(draw.integers(18, 90, rows)),
        "clicks": pa.array(draw.poisson(4.0, rows).astype(np.int32)),
        "amount_cents": pa.array(draw.integers(0, 10_000_000, rows)),
    }
