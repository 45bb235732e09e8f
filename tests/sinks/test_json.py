from __future__ import annotations

import json
import unicodedata

import msgspec
import pytest
from support import reports

from audit.records.report import Report, canonical
from audit.records.words import Verdict
from audit.sinks.json import render


@pytest.mark.parametrize("sample", ["passing", "failing", "incomplete"])
def test_a_report_is_read_back_as_it_was(sample: str) -> None:
    report = reports.SAMPLES[sample]()
    assert msgspec.json.decode(render(report), type=Report) == report


@pytest.mark.parametrize("sample", reports.SAMPLES)
def test_it_is_canonical_but_for_its_layout(sample: str) -> None:
    report = reports.SAMPLES[sample]()
    text = render(report)
    assert json.loads(text) == json.loads(canonical(report))
    assert text.startswith(b'{\n  "body": {\n    "as_of": "2026-11-30",\n')
    assert text.endswith(b"\n}\n")
    assert text == render(report)


def test_nothing_in_it_steers_a_terminal() -> None:
    text = render(reports.hostile()).decode()
    assert not [
        letter for letter in text if letter != "\n" and unicodedata.category(letter) in {"Cc", "Cf", "Zl", "Zp"}
    ]
    assert "שלום" in text
    assert r"data/\u202egpj.exe" in text
    assert r"\udb40\udc41" in text
    assert r"\\xff\\x80.wav" in text


def test_no_character_at_all_steers_a_terminal() -> None:
    letters = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    report = reports.report(Verdict.PASS, [], project=letters)
    text = render(report).decode()
    assert not {unicodedata.category(letter) for letter in text.replace("\n", "")} & {
        "Cc",
        "Cf",
        "Co",
        "Cs",
        "Zl",
        "Zp",
    }
    assert json.loads(text)["body"]["project"] == letters


def test_keys_are_sorted() -> None:
    def ordered(pairs: list[tuple[str, object]]) -> dict[str, object]:
        names = [name for name, _ in pairs]
        assert names == sorted(names)
        return dict(pairs)

    json.loads(render(reports.failing()), object_pairs_hook=ordered)
