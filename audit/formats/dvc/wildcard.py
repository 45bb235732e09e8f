"""One line of a `.dvcignore` as a regular expression that is linear in the length of a name.

DVC hands its lines to pathspec's gitignore patterns and matches them from the start
of a path relative to the repository. The same language is accepted here; what a
star matches is taken at its leftmost place and never reconsidered (as CPython's
`fnmatch` does), so no hostile pattern can take exponential time.

Source: https://git-scm.com/docs/gitignore and `pathspec/patterns/gitignore/spec.py`.
"""

from __future__ import annotations

import re

MAX_GAPS = 2
"""`**` that stand for any number of folders, in one pattern; each multiplies the time that a match may take."""

_ANY_BELOW = "^(?:.+/)?"
_INNER_GAP = "(?:/.+)?"
_END = "(?:/|$)"
_ANYTHING = "."
_NOTHING = "(?!)"


def regex(pattern: str) -> str | None:
    """Translate a pattern without its `!`; None where Git discards it; `ValueError` where it makes no sense."""
    segments = pattern.split("/")
    only_folders = not segments[-1]
    segments = _normalised(segments)
    if not segments:
        raise ValueError("no pattern is left")
    if all(segment == "**" for segment in segments) or segments in (["**", "*"], ["**", "*", "**"]):
        # `**/` and `*/` are spelled by pathspec as a slash, which no relative path starts with
        return _NOTHING if only_folders or len(segments) > 2 else _ANYTHING  # noqa: PLR2004 - "**", "*", "**"
    if sum(segment == "**" for segment in segments[:-1]) > MAX_GAPS:
        raise ValueError(f"more than {MAX_GAPS} times `**`")
    return _joined(segments)


def _normalised(segments: list[str]) -> list[str]:
    """Spell out what the ends mean: no slash before the last name: anywhere; a slash at the end: all below."""
    if not segments[0]:
        segments = segments[1:]
    elif (len(segments) == 1 or (len(segments) == 2 and not segments[1])) and segments[0] != "**":  # noqa: PLR2004 - "name/"
        segments = ["**", *segments]
    if segments and not segments[-1]:
        segments = [*segments[:-1], "**"]
    return [each for at, each in enumerate(segments) if not (at and each == segments[at - 1] == "**")]


def _joined(segments: list[str]) -> str | None:
    parts = [_ANY_BELOW] if segments[0] == "**" else ["^"]
    slash = ""
    for at, segment in enumerate(segments):
        last = at == len(segments) - 1
        if segment == "**":
            parts.append("/" if last else _INNER_GAP if at else "")
            slash = "/" if at else ""
            continue
        name = "[^/]+" if segment == "*" else _name(segment)
        if name is None:
            return None
        parts += [slash, name, _END if last else ""]
        slash = "/"
    return "".join(parts)


def _name(glob: str) -> str | None:
    """Translate one name; each star but the last takes the shortest that lets the part after it match."""
    parts = _fixed_parts(glob)
    if parts is None:
        return None
    first, *rest = parts
    if not rest:
        return first
    *middle, last = rest
    return first + "".join(f"(?>[^/]*?{part})" for part in middle) + "[^/]*" + last


def _fixed_parts(glob: str) -> list[str] | None:
    """Translate the parts between stars, in which every sign matches one character."""
    parts, at = [""], 0
    while at < len(glob):
        sign = glob[at]
        at += 1
        if sign == "*":
            parts.append("")
        elif sign == "?":
            parts[-1] += "[^/]"
        elif sign == "[":
            end = _bracket_end(glob, at)
            if end is None:
                return None
            parts[-1] += _bracket(glob[at:end])
            at = end + 1
        elif sign == "\\":
            if at == len(glob):
                raise ValueError("a backslash at the end escapes nothing")
            parts[-1] += re.escape(glob[at])
            at += 1
        else:
            parts[-1] += re.escape(sign)
    return parts


def _bracket_end(glob: str, start: int) -> int | None:
    at = start + (glob[start : start + 1] in {"!", "^"})
    at += glob[at : at + 1] == "]"
    end = glob.find("]", at)
    return None if end < 0 else end


def _bracket(inside: str) -> str:
    """Translate `[...]`; a backslash in it is a character like any other."""
    negated = inside[:1] in {"!", "^"}
    signs, ranges, at = inside[negated:], [], 0
    while at < len(signs):
        low = high = signs[at]
        if signs[at + 1 : at + 2] == "-" and at + 2 < len(signs):
            high = signs[at + 2]
            at += 2
        if high < low:
            raise ValueError(f"the range {low}-{high} is empty")
        ranges.append(f"{re.escape(low)}-{re.escape(high)}")
        at += 1
    return f"[{'^' if negated else ''}{''.join(ranges)}]"
