"""Dates and times in text, in the forms of ISO 8601-1:2019 that do not leave the day or the minute open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import polars as pl

DATE = r"^\d{4}-\d\d-\d\d$"
CLOCK = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?$"
ZONED = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)$"
_OFFSET = r"(Z|[+-]\d\d(?::?\d\d)?)$"
_FINE = r"[.,]\d{6}\d*[1-9]"  # a digit beyond microseconds that says something
_FORMAT = "%Y-%m-%d %H:%M:%S%.f"

Unit = Literal["us", "ns"]


def dates(values: pl.Series) -> pl.Series:
    """Days; null for everything that is none."""
    return _only(values, DATE).str.to_date("%Y-%m-%d", strict=False)


def clocks(values: pl.Series, unit: Unit = "us") -> pl.Series:
    """Moments without an offset, a day alone being its midnight; null for everything that is none."""
    import polars as pl

    days = values.str.contains(DATE)
    whole = values.zip_with(~days.fill_null(value=False), values + " 00:00:00")
    plain = _plain(_only(whole, CLOCK))
    return plain.str.to_datetime(_FORMAT, time_unit=unit, strict=False).cast(pl.Datetime(unit))


def zoned(values: pl.Series, unit: Unit = "us") -> pl.Series:
    """Moments with an offset, in UTC; null for everything that is none."""
    import polars as pl

    plain = _plain(_only(values, ZONED)).str.replace("Z$", "+00:00").str.replace(r"([+-]\d\d)$", "${1}:00")
    parsed = plain.str.to_datetime(f"{_FORMAT}%z", time_unit=unit, strict=False)
    return parsed.cast(pl.Datetime(unit, "UTC"))


def offsets(values: pl.Series) -> set[str]:
    """The offsets that occur, as `+HH:MM`; `Z` is `+00:00`."""
    found = values.str.extract(_OFFSET).drop_nulls().unique().to_list()
    return {"+00:00" if said == "Z" else f"{said[:3]}:{said[3:].removeprefix(':') or '00'}" for said in found}


def is_fine(values: pl.Series) -> bool:
    """Whether a moment is said more exactly than to the microsecond."""
    return bool(values.str.contains(_FINE).any())


def _only(values: pl.Series, form: str) -> pl.Series:
    """The values of that form, null in place of the others."""
    fits = values.str.contains(form).fill_null(value=False)
    return values if fits.all() else values.set(~fits, None)


def _plain(values: pl.Series) -> pl.Series:
    """One spelling of the same moments: a space before the time, a point in it, seconds always."""
    spaced = values.str.replace("T", " ", literal=True).str.replace(",", ".", literal=True)
    return spaced.str.replace(r"^(\S+ \d\d:\d\d)($|Z|[+-])", "${1}:00${2}")
