"""Instants and spans in words, exact to the last tick."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from audit.records.table import Column, ColumnType

_DIGITS = {"ms": 3, "us": 6, "ns": 9}
_DAY_S = 86_400


def iso(column: Column, ticks: float) -> str:
    """A timestamp (in UTC if it has a zone), date or time of day as ISO 8601; empty for others and beyond year 9999."""
    if column.type is ColumnType.DATE:
        return _day(int(ticks))
    digits = _DIGITS.get(column.unit or "ns", 9)
    whole, rest = divmod(int(ticks), 10**digits)
    part = f".{rest:0{digits}d}".rstrip("0") if rest else ""
    if column.type is ColumnType.TIME:
        return f"{_clock(whole)}{part}"
    if column.type is not ColumnType.TIMESTAMP:
        return ""
    day = _day(whole // _DAY_S)
    return f"{day}T{_clock(whole % _DAY_S)}{part}{'Z' if column.zone else ''}" if day else ""


def _day(days: int) -> str:
    try:
        return (date(1970, 1, 1) + timedelta(days=days)).isoformat()
    except OverflowError:
        return ""


def _clock(seconds: int) -> str:
    return datetime.fromtimestamp(seconds % _DAY_S, UTC).strftime("%H:%M:%S")
