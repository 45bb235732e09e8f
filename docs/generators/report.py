"""docs/report.schema.json and the tables of docs/report.md, from the records in audit/records/report.py."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from audit.records import findings, report

PAGE = "docs/report.md"
SCHEMA = "docs/report.schema.json"
ADDRESS = "https://reproaudit.readthedocs.io/en/stable/report.schema.json"
ORDER = ("Report", "Body", "Result", "ReportedViolation", "Exhibit", "Selection", "WaiverState", "Envelope", "Coverage")
_BLOCK = re.compile(r"(?<=<!-- records -->\n).*(?=<!-- /records -->)", re.DOTALL)


def pages(root: Path) -> dict[str, bytes]:
    """The schema, and the page with its tables anew; the rest of the page is written by hand."""
    made = schema()
    tables = "\n".join(table(name, made["$defs"][name]) for name in ORDER)
    page, blocks = _BLOCK.subn(lambda _: f"\n{tables}\n", (root / PAGE).read_text(encoding="utf-8"))
    if blocks != 1:
        raise ValueError(f"{PAGE} has {blocks} blocks for the tables, not one")
    return {SCHEMA: f"{json.dumps(made, indent=2, ensure_ascii=False)}\n".encode(), PAGE: page.encode()}


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the report.

    Fields may be added within a version, so unknown ones are allowed to a reader.
    """
    made = msgspec.json.schema(report.Report)
    documented = {**field_docs(report), **field_docs(findings)}
    for name, record in made["$defs"].items():
        record.pop("additionalProperties", None)
        for field, kind in record.get("properties", {}).items():
            kind["description"] = documented[name][field]
    made["$defs"]["Report"]["properties"]["schema"]["const"] = report.SCHEMA
    made["$defs"]["Report"]["required"].append("schema")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": ADDRESS, **made}


def field_docs(module: Any) -> dict[str, dict[str, str]]:
    """The string that follows each field of each class, by class and field."""
    classes = [node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.ClassDef)]
    return {one.name: dict(_documented(one)) for one in classes}


def _documented(one: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, doc in zip(one.body, one.body[1:], strict=False):
        match field, doc:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())


def table(name: str, record: dict[str, Any]) -> str:
    """A record as a section of Markdown."""
    rows = [
        f"| `{field}` | {spelled(kind)} | {kind['description'].replace('|', '&#124;')} |"
        for field, kind in record["properties"].items()
    ]
    head = [f"### {name}", "", record["description"], "", "| field | type | meaning |", "| --- | --- | --- |"]
    return "\n".join([*head, *rows, ""])


def spelled(kind: dict[str, Any]) -> str:
    """A type in words; records link to their section."""
    if "const" in kind:
        return f"`{kind['const']}`"
    if "anyOf" in kind:
        return " or ".join(spelled(one) for one in kind["anyOf"])
    if "$ref" in kind:
        return _referred(kind["$ref"].rpartition("/")[2])
    if kind.get("type") == "array":
        return f"list of {spelled(kind['items'])}"
    if kind.get("type") == "object":
        return f"map of {spelled(kind['additionalProperties'])}"
    types = kind.get("type", "anything")
    return types if isinstance(types, str) else " or ".join(types)


def _referred(name: str) -> str:
    made = msgspec.json.schema(report.Report)["$defs"][name]
    return ", ".join(f"`{word}`" for word in made["enum"]) if "enum" in made else f"[{name}](#{name.lower()})"
