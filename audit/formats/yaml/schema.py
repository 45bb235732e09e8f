"""What a scalar without quotes means: YAML 1.2's core schema, and ruamel.yaml's reading of it.

Sources: YAML 1.2.2, section 10.3.2; for `RUAMEL`, `resolver.py`, `constructor.py` and
`util.py` of ruamel.yaml 0.19.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import NamedTuple

from audit.errors import FormatError

MAX_DIGITS = 500
"""Characters of one number; beyond 640 digits Python's own guard against slow conversion sets in."""

Scalar = str | int | float | bool | date | None

_WORDS: Mapping[str, float | bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{sign + inf: float(sign + "inf") for sign in ("", "-", "+") for inf in (".inf", ".Inf", ".INF")},
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_STARTS = frozenset("+-.0123456789")

_DECIMAL = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")

_RUAMEL_INT = re.compile(r"[-+]?(0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9_]+)")
_RUAMEL_FLOAT = re.compile(
    r"[-+]?([0-9][0-9_]*\.[0-9_]*([eE][-+]?[0-9]+)?|[0-9][0-9_]*[eE][-+]?[0-9]+|\.[0-9_]+([eE][-+][0-9]+)?)"
)
_RUAMEL_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_RUAMEL_TIME = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt]|[ \t]+)"
    r"([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]*))?"
    r"[ \t]*(Z|[-+][0-9]{1,2}(?::[0-9]{2})?)?"
)


class Schema(NamedTuple):
    """How plain scalars are read, and whether `<<` merges mappings."""

    plain: Callable[[str], Scalar]
    merge: bool


def core(text: str) -> Scalar:
    """Resolve a plain scalar by the core schema; `FormatError` for a number without end."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _STARTS:
        return text
    if _DECIMAL.fullmatch(text):
        return int(_bounded(text))
    if _BASED.fullmatch(text):
        return int(_bounded(text), base=0)
    return float(_bounded(text)) if _FLOAT.fullmatch(text) else text


def ruamel(text: str) -> Scalar:
    """Resolve a plain scalar as ruamel.yaml does for YAML 1.2, and so as DVC does.

    Beyond the core schema: `1_000`, `0b11`, signs before every base, and dates.
    Short of it: `.5e3` is text.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _STARTS:
        return text
    if _RUAMEL_FLOAT.fullmatch(text):
        return _converted(float, text)
    if _RUAMEL_INT.fullmatch(text):
        return _converted(_integer, text)
    return _date(text)


CORE = Schema(core, merge=False)
"""What YAML 1.2 says."""
RUAMEL = Schema(ruamel, merge=True)
"""What DVC reads: for values that are compared with what DVC wrote."""


def _bounded(text: str) -> str:
    if len(text) > MAX_DIGITS:
        raise FormatError(f"a number of more than {MAX_DIGITS} characters", hint="put it in quotes")
    return text


def _converted(kind: Callable[[str], int | float], text: str) -> int | float:
    try:
        return kind(_bounded(text).replace("_", ""))
    except ValueError:
        raise FormatError(f"{text!r} is a number without digits", hint="put it in quotes") from None


def _integer(text: str) -> int:
    digits = text.lstrip("+-")
    value = int(digits, base=0 if digits[:2] in {"0b", "0o", "0x"} else 10)
    return -value if text[0] == "-" else value


def _date(text: str) -> Scalar:
    try:
        if _RUAMEL_DATE.fullmatch(text):
            return date.fromisoformat(text)
        return _time(*found.groups("")) if (found := _RUAMEL_TIME.fullmatch(text)) else text
    except ValueError:
        raise FormatError(f"{text!r} is no date of the calendar", hint="put it in quotes") from None


def _time(*parts: str) -> datetime:
    year, month, day, hour, minute, second, fraction, offset = parts
    sign, (hours, _, minutes) = offset[:1], offset[1:].partition(":")
    zone = f"{sign}{hours:0>2}:{minutes or '00'}" if hours else offset
    return datetime.fromisoformat(f"{year}-{month:0>2}-{day:0>2}T{hour:0>2}:{minute}:{second}.{fraction[:6]:0<6}{zone}")
