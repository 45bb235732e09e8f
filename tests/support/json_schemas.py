"""Values that fit a JSON Schema, for the keywords that our schemas use."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st


def values(part: dict[str, Any], whole: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that fit a part of a schema."""
    if "$ref" in part:
        return st.deferred(lambda: values(_target(whole, part["$ref"]), whole))
    if "anyOf" in part:
        return st.one_of(values(option, whole) for option in part["anyOf"])
    if "enum" in part:
        return st.sampled_from(part["enum"])
    return _TYPES[part["type"]](part, whole) if "type" in part else st.none() | st.integers(0, 9) | st.text(max_size=3)


def _target(whole: dict[str, Any], reference: str) -> dict[str, Any]:
    part = whole
    for step in reference.removeprefix("#/").split("/"):
        part = part[step]
    return part


def _text(part: dict[str, Any], _: dict[str, Any]) -> st.SearchStrategy[str]:
    if "pattern" in part:
        return st.from_regex(part["pattern"])
    return st.text(min_size=part.get("minLength", 0), max_size=part.get("maxLength", part.get("minLength", 0) + 5))


def _whole(part: dict[str, Any], _: dict[str, Any]) -> st.SearchStrategy[int | float]:
    low = max(part.get("minimum", -(2**63)), part.get("exclusiveMinimum", -(2**63)) + 1)
    high = min(part.get("maximum", 2**63 - 1), part.get("exclusiveMaximum", 2**63) - 1)
    return st.integers(low, high) | st.integers(low, high).map(float).filter(lambda value: low <= value <= high)


def _number(part: dict[str, Any], _: dict[str, Any]) -> st.SearchStrategy[float]:
    return st.floats(
        part.get("minimum", part.get("exclusiveMinimum")),
        part.get("maximum", part.get("exclusiveMaximum")),
        exclude_min="exclusiveMinimum" in part,
        exclude_max="exclusiveMaximum" in part,
        allow_nan=False,
        allow_infinity=False,
    )


def _list(part: dict[str, Any], whole: dict[str, Any]) -> st.SearchStrategy[list[Any]]:
    low = part.get("minItems", 0)
    return st.lists(values(part.get("items", {}), whole), min_size=low, max_size=part.get("maxItems", low + 3))


def _mapping(part: dict[str, Any], whole: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    known = {name: values(inner, whole) for name, inner in part.get("properties", {}).items()}
    required = {name: known.pop(name) for name in part.get("required", ())}
    fixed = st.fixed_dictionaries(required, optional=known)
    rest = part.get("additionalProperties", True)
    if rest is False:
        return fixed
    keys = values({"type": "string", **part.get("propertyNames", {})}, whole)
    return st.dictionaries(keys, values({} if rest is True else rest, whole), max_size=2) | fixed


_TYPES = {
    "array": _list,
    "boolean": lambda _, __: st.booleans(),
    "integer": _whole,
    "null": lambda _, __: st.none(),
    "number": _number,
    "object": _mapping,
    "string": _text,
}
