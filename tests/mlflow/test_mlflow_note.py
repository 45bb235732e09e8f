from __future__ import annotations

import re

import pytest
from support import reports

from audit.mlflow import names
from audit.mlflow.note import MAX_RULES, escaped, note
from audit.records.words import Outcome, Verdict


def test_the_verdict_comes_first_and_then_what_needs_a_person() -> None:
    lines = note(reports.failing()).splitlines()
    assert lines[0] == r"**fail** on launch, as of 2026\-11\-30: 2 fail, 1 warn, 4 pass, 2 skip, 1 waived"
    assert lines[2] == r"- fail **dvc\-hash** 27 of 50,412 files are not what was recorded"
    assert not any("git" in line for line in lines)


def test_a_rule_that_could_not_look_says_why() -> None:
    assert r"- error **dvc\-remote** remote 'store' \(s3\://speech\-data/dvc\)\: no answer" in note(
        reports.incomplete()
    )


MARKUP = (
    "[a](https://example.org)",
    "![a](https://example.org/a.png)",
    "<https://example.org>",
    "`a` *b* _c_ ~~d~~ # e | f",
    "1. a\n2. b\n\n    c\n---\n> d",
    "&lt;b&gt; \\<i>",
)


@pytest.mark.parametrize("number", range(len(reports.HOSTILE + MARKUP)))
def test_nothing_a_project_says_is_markup(number: int) -> None:
    from markdown_it import MarkdownIt

    text = (reports.HOSTILE + MARKUP)[number]
    markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    html = markdown.render(f"- **{escaped(text)}** {escaped(text)}")
    assert re.findall(r"<(\w+)", html) == ["ul", "li", "strong"]


def test_an_address_is_not_made_a_link() -> None:
    assert escaped("https://example.org @team") == r"https\://example\.org &#64;team"


def test_a_note_is_bounded() -> None:
    many = [reports.result(f"rule-{n}", "dvc.hash", Outcome.FAIL, "[x](y) " * 400) for n in range(500)]
    text = note(reports.report(Verdict.FAIL, many))
    assert len(text) <= names.MAX_TAG
    few = [reports.result(f"rule-{n}", "dvc.hash", Outcome.FAIL, "gone") for n in range(MAX_RULES + 3)]
    assert "- and 3 more" in note(reports.report(Verdict.FAIL, few))
