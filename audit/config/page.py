"""The page of a check: its docstring, and its parameters as a table; Markdown."""

from __future__ import annotations

from audit.catalog import load_check, page
from audit.records.check import Check
from audit.records.parameters import Parameter, parameters


def markdown(name: str) -> str:
    """The page of a check. Raises `ConfigError` if there is none of that name."""
    check = load_check(name)
    return f"# {name}\n\n{page(name).strip()}\n\n## Parameters\n\n{_parameters(check)}\n"


def _parameters(check: type[Check]) -> str:
    rows = [_row(parameter) for parameter in parameters(check)]
    if not rows:
        return "It takes none."
    table = "\n".join(("| Parameter | Type | If left out | Meaning |", "| --- | --- | --- | --- |", *rows))
    kinds = " or ".join(sorted(check.accepts))
    return f"{table}\n\nIts datasets are of kind {kinds}." if kinds else table


def _row(parameter: Parameter) -> str:
    cells = (f"`{parameter.name}`", parameter.type, parameter.default or "must be given", parameter.description)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
