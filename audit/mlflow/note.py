"""An audit in a few lines of Markdown, as MLflow shows beside a run."""

from __future__ import annotations

import re

from audit.mlflow import names
from audit.records.report import Report, Result
from audit.records.text import plain
from audit.records.words import Outcome

MAX_RULES = 20
_MAX_WORDS = 150
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+.!~=|:-])")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"})


def note(report: Report) -> str:
    """The verdict, how many rules came to which outcome, and the rules that need a person."""
    body = report.body
    counts = ", ".join(f"{count} {escaped(name)}" for name, count in body.counts.items() if count)
    lines = [f"**{body.verdict}** on {body.trigger}, as of {escaped(body.as_of)}: {counts}", ""]
    needy = [one for one in body.results if one.outcome in {Outcome.FAIL, Outcome.ERROR, Outcome.WARN}]
    lines += [_line(one) for one in needy[:MAX_RULES]]
    if len(needy) > MAX_RULES:
        lines.append(f"- and {len(needy) - MAX_RULES} more")
    lines += ["", "The whole report: `report.html` among the artifacts."]
    return names.value("\n".join(lines), names.MAX_TAG)


def _line(result: Result) -> str:
    return f"- {result.outcome} **{escaped(result.rule)}** {escaped(result.reason or result.summary)}".rstrip()


def escaped(text: str) -> str:
    """One line of text in which nothing is markup, a link or HTML.

    Backslashes go before the characters that both CommonMark (2.4, backslash escapes)
    and Showdown, which MLflow draws with, unescape; the rest become entities.
    """
    short = " ".join(plain(text[:_MAX_WORDS]).split())
    return _MARKUP.sub(r"\\\1", short).translate(_ENTITIES)
