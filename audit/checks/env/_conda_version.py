"""How conda orders and matches versions, which is not PEP 440.

Source: conda's `models/version.py` (`VersionOrder`, `VersionSpec`) and its user guide, "Package match specifications".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest

_ALLOWED = re.compile(r"[*.+!_0-9a-z]+")
_PIECES = re.compile(r"\d+|\D+")
_OPERATOR = re.compile(r"(==|!=|<=|>=|~=|<|>|=)?(.*)", re.DOTALL)

_Piece = tuple[int, int, str]
"""A number or letters, such that letters come before numbers, `dev` before all, `post` behind all."""
_Component = tuple[_Piece, ...]
_Key = tuple[_Component, ...]
_ZERO: _Piece = (2, 0, "")


def matches(spec: str, version: str) -> bool:
    """Whether a version fits a specification of conda's: `|` of `,` of terms. `ValueError` for what is none."""
    return any(all(_term(term.strip(), version) for term in some.split(",")) for some in spec.split("|"))


def fuzzy(spec: str) -> bool:
    """Whether it allows more than one version."""
    operator, rest = _split(spec)
    return operator not in {"==", ""} or not rest or any(sign in rest for sign in "*,|")


def _term(term: str, version: str) -> bool:
    operator, asked = _split(term)
    if asked in {"", "*"} and operator in {"", "=", "=="}:
        return True
    bare = asked.removesuffix("*").removesuffix(".")
    starred = asked != bare
    if "*" in bare or not bare or (starred and not _plain(operator, asked)):
        raise ValueError(f"has a version that conda's solvers understand in different ways: {term}")
    if starred:
        operator = {"!=": "!", "": "="}.get(operator, operator)
    return _OPERATORS[operator](version, bare)


def _plain(operator: str, asked: str) -> bool:
    """Whether all solvers read a `*` here alike: `1.2.*` and `1.2*` alone, or `.*` behind what already is a range."""
    return not operator or (operator != "==" and asked.endswith(".*"))


def _split(term: str) -> tuple[str, str]:
    found = _OPERATOR.fullmatch(term.strip())
    return (found[1] or "", found[2].strip()) if found else ("", "")


def _begins(version: str, asked: str) -> bool:
    """Whether its components begin as those asked for: 1.2.3 with 1.2, but not 1.20."""
    (epoch, there, local), (other_epoch, other, other_local) = _parsed(version), _parsed(asked)
    if other_local:
        if _padded(there, other):
            return False
        there, other = local, other_local
    last = len(other) - 1
    head = there[:last]
    if epoch != other_epoch or _padded(head, other[:last]):
        return False
    mine, theirs = there[last] if len(there) > last else (), other[last]
    return _starts(mine, theirs)


def _starts(mine: _Component, theirs: _Component) -> bool:
    """Its last piece may go on where it is letters."""
    at = len(theirs) - 1
    first = [*mine[:at], *[_ZERO] * (at - len(mine))]
    piece, asked = mine[at] if len(mine) > at else _ZERO, theirs[at]
    letters = asked[0] == 1 and piece[0] == 1 and piece[2].startswith(asked[2])
    return tuple(first) == theirs[:at] and (piece == asked or letters)


def _compatible(version: str, asked: str) -> bool:
    return _compare(version, asked) >= 0 and _begins(version, asked.rpartition(".")[0] or asked)


def _compare(version: str, other: str) -> int:
    mine, theirs = _parsed(version), _parsed(other)
    if mine[0] != theirs[0]:
        return 1 if mine[0] > theirs[0] else -1
    return _padded(mine[1], theirs[1]) or _padded(mine[2], theirs[2])


def _padded(mine: Sequence[_Component], theirs: Sequence[_Component]) -> int:
    """Compare component by component, piece by piece; what one lacks is zero."""
    for one, other in zip_longest(mine, theirs, fillvalue=()):
        for piece, against in zip_longest(one, other, fillvalue=_ZERO):
            if piece != against:
                return 1 if piece > against else -1
    return 0


def _parsed(version: str) -> tuple[int, _Key, _Key]:
    """Its epoch, its components, and those behind `+`."""
    said = version.strip().lower().replace("-", "_")
    if not _ALLOWED.fullmatch(said):
        raise ValueError(f"has a version that is not conda's: {version}")
    epoch, _, rest = said.partition("!") if "!" in said else ("0", "!", said)
    if not epoch.isdigit() or "!" in rest:
        raise ValueError(f"has a version that is not conda's: {version}")
    release, _, local = rest.partition("+")
    return int(epoch), _components(release), _components(local) if local else ()


def _components(text: str) -> _Key:
    kept = text.removesuffix("_")
    parts = kept.replace("_", ".").split(".")
    if kept != text:
        parts[-1] += "_"
    return tuple(tuple(_pieces(part)) for part in parts)


def _pieces(part: str) -> list[_Piece]:
    found = [_piece(each) for each in _PIECES.findall(part)]
    return found if part[:1].isdigit() else [_ZERO, *found]


def _piece(text: str) -> _Piece:
    if text.isdigit():
        return 2, int(text), ""
    if text == "post":
        return 3, 0, ""
    return (0, 0, "") if text == "dev" else (1, 0, text)


_OPERATORS: Mapping[str, Callable[[str, str], bool]] = {
    "": lambda version, asked: _compare(version, asked) == 0,
    "==": lambda version, asked: _compare(version, asked) == 0,
    "!=": lambda version, asked: _compare(version, asked) != 0,
    "<=": lambda version, asked: _compare(version, asked) <= 0,
    ">=": lambda version, asked: _compare(version, asked) >= 0,
    "<": lambda version, asked: _compare(version, asked) < 0,
    ">": lambda version, asked: _compare(version, asked) > 0,
    "=": _begins,
    "!": lambda version, asked: not _begins(version, asked),
    "~=": _compatible,
}
