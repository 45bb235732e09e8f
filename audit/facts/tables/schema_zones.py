"""Time zones by what they do: the offsets from UTC, not the names."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_FIRST, _LAST = 1970, 2038
_MIDDLE = 15
_BASIC = 4  # digits of an offset without a colon
_ZULU = frozenset({"Z", "z", "UTC", "utc", "Zulu", "GMT"})


@cache
def equal(one: str, other: str) -> bool:
    """Whether both zones have the same offset from UTC in the middle of every month from 1970 to 2037.

    `UTC`, `Etc/UTC`, `+00:00` and `Z` are; `Asia/Kolkata` and `Asia/Calcutta` are;
    `Europe/Berlin` and `+01:00` are not. A name that nobody knows equals itself alone.
    """
    if one == other:
        return True
    here, there = _zone(one), _zone(other)
    return here is not None and there is not None and all(here.utcoffset(at) == there.utcoffset(at) for at in _months())


def _months() -> Iterator[datetime]:
    return (datetime(year, month, _MIDDLE) for year in range(_FIRST, _LAST) for month in range(1, 13))  # noqa: DTZ001


def _zone(name: str) -> tzinfo | None:
    if name in _ZULU:
        return UTC
    if name[:1] in {"+", "-"}:
        return _offset(name)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _offset(name: str) -> tzinfo | None:
    digits = name[1:]
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) == _BASIC else digits.partition(":")[::2]
    if not (hours + minutes).isdecimal() or not (hours + minutes).isascii():
        return None
    try:
        away = timedelta(hours=int(hours), minutes=int(minutes or 0))
        return timezone(-away if name[0] == "-" else away)
    except (ValueError, OverflowError):
        return None
