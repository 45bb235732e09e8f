"""Columns by their names, to the letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def nameless(values: pl.Series) -> pl.Series:
    """The values alone: methods of a series go by its name, and take that for a pattern as well."""
    return values.alias("")


def exactly(name: str) -> pl.Expr:
    """The column of that name: `pl.col` takes `*`, and what begins with `^` and ends with `$`, for patterns."""
    from polars import selectors

    return selectors.by_name(name).as_expr()
