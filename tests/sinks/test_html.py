"""The page as bytes: complete, closed, within its size, the same each time; test_html_browser has it in use."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from html import unescape
from typing import NamedTuple
from urllib.parse import unquote

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import drifts, reports
from support.markup import Markup
from support.reports import HOSTILE, failing, incomplete, many, passing, report, result, violation

from audit.records.findings import Exhibit
from audit.records.report import Report
from audit.records.words import FailOn, Outcome, Severity, Verdict
from audit.sinks.html import page, render
from audit.sinks.html.exhibits import draw
from audit.sinks.html.exhibits import drawn as all_drawn
from audit.sinks.html.rules import Anchors
from audit.sinks.html.text import clip, counts_bytes, duration, lines, moment, number, visible, whole
from audit.sinks.html.words import meaning

SAMPLES = {**reports.SAMPLES, "drift": drifts.drift}
ROW = ["<x>", "number", "D", 0.1, 0.05, 0.5, 0.03, "drift", 0, 0, None, None]


def read(some_report):
    return Markup(render(some_report))


class Drawn(NamedTuple):
    report: Report
    page: bytes
    markup: Markup


@pytest.fixture(scope="module", params=SAMPLES)
def drawn(request):
    """Each sample, drawn and taken apart once."""
    some_report = SAMPLES[request.param]()
    rendered = render(some_report)
    return Drawn(some_report, rendered, Markup(rendered))


def test_the_same_report_gives_the_same_bytes(drawn):
    assert render(drawn.report) == drawn.page


def test_neither_hash_seed_nor_zone_nor_locale_nor_folder_changes_a_byte(tmp_path):
    code = "import sys; from support.reports import failing; from audit.sinks.html import render; "
    code += "sys.stdout.buffer.write(render(failing()))"
    pages = set()
    for seed, zone, language in (("1", "UTC", "C"), ("2", "Asia/Tokyo", "tr_TR.UTF-8")):
        env = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "TZ": zone,
            "LANG": language,
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        pages.add(
            subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, check=True).stdout
        )
    assert pages == {render(failing())}


def test_every_violation_is_there_with_all_that_is_known_of_it(drawn):
    texts = set(drawn.markup.texts)
    for one in drawn.report.results:
        for found in one.violations:
            for told in (found.subject, found.message, found.expected, found.found, found.waived):
                start = "" if told is None else str(lines(told)).split("\n", maxsplit=1)[0][:1_900]
                start = unescape(start)
                assert start in texts or any(start in text for text in texts)


def test_ten_thousand_violations_stay_under_three_megabytes_and_each_is_named():
    some_report = many(10_000)
    rendered = render(some_report)
    assert len(rendered) < 3_000_000
    texts = set(Markup(rendered).texts)
    subjects = {found.subject for one in some_report.results for found in one.violations}
    assert len(subjects) == 10_000
    assert subjects <= texts


def test_nothing_is_fetched(drawn):
    markup = drawn.markup
    assert not set(markup.names) & {"img", "iframe", "object", "embed", "audio", "video", "base", "form"}
    assert markup.values("src") == markup.values("srcset") == markup.values("action") == []
    icon, *links = markup.values("href")
    assert icon.startswith("data:image/svg+xml,")
    assert all(link.startswith("#") for link in links)
    assert "url(" not in markup.code["style"].replace("url(#page-hatch)", "")
    assert "@import" not in markup.code["style"]


def test_the_policy_names_the_one_style_and_the_one_script_by_digest(drawn):
    markup = drawn.markup
    [policy] = [given["content"] for name, given in markup.tags if "http-equiv" in given]
    assert Counter(markup.names)["style"] == Counter(markup.names)["script"] == 1
    for kind in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(markup.code[kind].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy


def test_no_attribute_runs_or_styles(drawn):
    attributes = {name for _, given in drawn.markup.tags for name in given}
    assert not {name for name in attributes if name.startswith("on") or name == "style"}


def test_each_id_is_given_once_and_each_link_leads_somewhere(drawn):
    markup = drawn.markup
    ids = markup.values("id")
    assert [name for name, times in Counter(ids).items() if times > 1] == []
    assert {unquote(link[1:]) for link in markup.values("href")[1:]} <= set(ids)


def test_nothing_unseen_reaches_the_page(drawn):
    unseen = {
        char for char in drawn.page.decode() if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    }
    assert unseen <= {"\n"}


def one_of_each(text):
    """A report in which every string is the given one."""
    found = violation(text, text, text, text, text, expected=text, found=text, repair=text)
    exhibits = (
        Exhibit(type="table", title=text, data={"columns": [text], "rows": [[text]]}),
        Exhibit(type="bars", title=text, data={"labels": [text], "values": [1]}),
        Exhibit(type="text", title=text, data={"text": text}),
        Exhibit(type="unknown", title=text, data={text: text}),
    )
    failure = result(
        text, text, Outcome.FAIL, text, why=text, figures={text: text}, violations=(found,), exhibits=exhibits
    )
    return report(Verdict.FAIL, [failure], project=text, warnings=(text,))


STRUCTURE = read(one_of_each("plain")).names
ANY_TEXT = st.text(st.characters(exclude_categories=()), min_size=1) | st.sampled_from(HOSTILE)


@settings(max_examples=30, deadline=None)
@given(ANY_TEXT)
def test_no_text_changes_the_structure_of_the_page(text):
    # Not a surrogate beyond those of file names: no key can be made over it.
    text = re.sub("[\ud800-\udc7f\udd00-\udfff]", "?", text)
    markup = read(one_of_each(text))
    assert markup.names == STRUCTURE
    assert not any(name.startswith("on") for _, given in markup.tags for name in given)


def test_failures_and_errors_come_first_then_the_order_of_the_plan():
    rules = [given["data-outcome"] for _, given in read(failing()).tags if "data-outcome" in given]
    assert rules == ["fail", "fail", "warn", "pass", "pass", "pass", "pass", "skip", "skip"]
    text = read(failing()).text
    order = [text.rindex(f"\n{name}\n") for name in ("dvc-cache", "dvc-lock", "data-covered", "git-clean")]
    assert order == sorted(order)


def commands(some_report):
    """What stands under "What must be done", in order."""
    section = render(some_report).decode().split('id="page-tasks"')[1].split("</section>")[0]
    return re.findall(r'<pre class="command"[^>]*><code>(.*?)</code>', section, re.DOTALL)


def test_each_repair_is_listed_once_beside_all_that_ask_for_it():
    shared = [
        result(
            name,
            "dvc.hash",
            Outcome.FAIL,
            "1 violation",
            repair="dvc pull",
            violations=(violation(name, "dvc.hash", "data/a", "missing", "gone", repair="dvc pull"),),
        )
        for name in ("one", "two")
    ]
    assert commands(report(Verdict.FAIL, shared)) == ["dvc pull"]
    assert {"#one", "#two"} <= set(read(report(Verdict.FAIL, shared)).values("href"))


def test_a_repair_names_the_first_subjects_that_it_mends_each_once_and_their_number():
    found = tuple(
        violation("r", "c", f"data/{name}", "odd", "odd", repair="mend") for name in ["<b>", "b", "b", "c", "d", "e"]
    )
    section = render(report(Verdict.FAIL, [result("r", "c", Outcome.FAIL, "", violations=found)])).decode()
    names = section.split('class="mended">')[1].split("</p>")[0]
    assert re.sub("</?code>", "", names) == "data/&lt;b&gt;, data/b, data/c and 2 more"


def test_without_an_environment_nothing_is_said_of_it():
    some_report = report(Verdict.PASS, [])
    assert "<dt>Environment</dt>" in render(some_report).decode()
    bare = msgspec.structs.replace(some_report.envelope, environment={})
    assert "<dt>Environment</dt>" not in render(msgspec.structs.replace(some_report, envelope=bare)).decode()


def test_a_repair_of_what_is_waived_is_no_task():
    found = (
        violation("r", "c", "data/a", "missing", "gone", repair="dvc pull a", waived="known"),
        violation("r", "c", "data/b", "missing", "gone", repair="dvc pull b"),
    )
    assert commands(report(Verdict.FAIL, [result("r", "c", Outcome.FAIL, "", violations=found)])) == ["dvc pull b"]


def test_what_has_no_repair_is_listed_with_examples():
    found = tuple(violation("r", "c", f"data/{name}", "odd", "looks odd") for name in "abcd")
    text = read(report(Verdict.FAIL, [result("r", "c", Outcome.FAIL, "4 violations", violations=found)])).text
    assert text.index("data/c") < text.index("and 1 more. No command is known that mends this.") < text.index("data/d")


def test_the_hint_of_an_error_is_a_sentence_and_nothing_in_it_is_a_command_to_copy():
    assert commands(incomplete(with_failure=False)) == ["pip install &#39;reproaudit[data]&#39;"]
    assert "is the network up?" in read(incomplete()).texts


def test_what_could_not_be_looked_at_says_so():
    blind = msgspec.structs.replace(violation("r", "c", "data/a", "unreadable", "no permission"), unseen=True)
    some_report = report(Verdict.INCOMPLETE, [result("r", "c", Outcome.ERROR, "", reason="x", violations=(blind,))])
    assert "could not look" in read(some_report).texts


@pytest.mark.parametrize(
    ("some_report", "said"),
    [
        (passing(), "nothing unwaived weighs error."),
        (failing(), "30 violations weigh error: not everything is what was recorded"),
        (incomplete(), "vouches for nothing as a whole"),
        (incomplete(), "2 rules should have looked and could not."),
        (incomplete(), "The audit was interrupted"),
        (incomplete(), "--select dvc, --select git, --select drift[val]"),
        (incomplete(), "fails already: 1 rule."),
        (report(Verdict.INCOMPLETE, []), "No rule ran."),
        (
            report(Verdict.PASS, [result("r", "c", Outcome.FAIL, "")], fail_on=FailOn.NEVER),
            "1 rule found errors, but this audit was told never to fail.",
        ),
        (
            report(
                Verdict.FAIL,
                [
                    result(
                        "r",
                        "c",
                        Outcome.WARN,
                        "",
                        violations=(violation("r", "c", "s", "k", "m", severity=Severity.WARNING),),
                    )
                ],
                fail_on=FailOn.WARNING,
            ),
            "1 violation weighs warning or more",
        ),
    ],
)
def test_the_verdict_is_said_with_its_meaning(some_report, said):
    assert said in "\n".join(meaning(some_report))
    assert some_report.verdict.capitalize() in read(some_report).texts


def test_only_a_pass_wears_the_sign_of_a_pass():
    [verdict] = [given for _, given in read(incomplete()).tags if "verdict" in (given.get("class") or "").split()]
    assert verdict["class"] == "verdict incomplete"


def test_waivers_that_need_attention_come_first():
    text = read(failing()).text.split("\nWaivers\n")[1]
    assert text.index("expired") < text.index("unused") < text.index("active")


@pytest.mark.parametrize("budget", [300_000, 120_000])
def test_a_page_too_large_says_what_it_leaves_out(monkeypatch, budget):
    monkeypatch.setattr(page, "BUDGET", budget)
    some_report = many(3_000)
    rendered = render(some_report)
    text = Markup(rendered).text
    listed = text.partition("What was looked at")[2]
    shown = sum(found.subject in listed for one in some_report.results for found in one.violations)
    assert len(rendered) <= budget
    assert f"{3_000 - shown:,} violations are counted here and left out of this page" in text


def test_a_command_is_shown_whole_or_not_at_all():
    assert whole("dvc pull") == "dvc pull"
    assert whole("x" * 2_001) == "# a command of 2,001 characters, in report.json"


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("table", {"columns": ["a"], "rows": [[1_000], [None], ["x"]]}, '<td class="num">1,000</td>'),
        ("bars", {"labels": ["a", "b"], "values": [1, -1]}, '<rect x="500.0" width="500.0" height="10"/>'),
        ("bars", {"labels": ["a"], "values": [0]}, '<rect x="0.0" width="0.0" height="10"/>'),
        ("histogram", {"edges": [0, 1, 3], "counts": [2, 1]}, 'd="M0 200V0.0H333.3V100.0H1000.0V200"'),
        ("histogram", {"edges": [0, 1], "series": {"train": [1], "val": [2]}}, 'class="series s1"'),
        (
            "histogram",
            {"edges": [0, 1, 2], "series": {"train": [0.25, 0.75], "val": [1, 0]}},
            '<td class="num">25.00 %</td>',
        ),
        ("histogram", {"edges": [0, 864e9, 1728e9], "counts": [1, 2], "unit": "us"}, ">1970-01-21</text>"),
        ("histogram", {"edges": [0, 1e6, 2e6], "counts": [1, 2], "unit": "us"}, ">1970-01-01 00:00:01</text>"),
        ("histogram", {"edges": [0, 1, 2e20], "counts": [1, 2], "unit": "us"}, ">2e+20</text>"),
        ("histogram", {"edges": [0, 1, 2], "counts": [1, 2], "unit": "<i>"}, '<p class="unit">&lt;i&gt;</p>'),
        ("bars2", {"labels": ["<a>", None], "series": {"train": [3, 1], "val": [0, 4]}}, "<td>&lt;a&gt;</td>"),
        ("bars2", {"labels": ["a", None], "series": {"train": [3, 1], "val": [0, 4]}}, "<td>(missing)</td>"),
        (
            "bars2",
            {"labels": ["a", "b"], "series": {"train": [0.4, 0.6], "val": [0, 1]}},
            '<td class="num">40.00 %</td>',
        ),
        ("bars2", {"labels": ["a", "b"], "series": {"train": [1, 2], "val": [0, 4]}}, 's1" x="1" y="14" width="998.0"'),
        ("text", {"text": "a\n\t<b>"}, "a\n        &lt;b&gt;"),
    ],
)
def test_an_exhibit_is_drawn(kind, data, expected):
    assert expected in draw(Exhibit(type=kind, title="t", data=data), 10_000)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("waveform", {"samples": [1, 2]}),
        ("table", {"columns": "a"}),
        ("table", None),
        ("bars", {"labels": ["a"], "values": []}),
        ("bars", {"labels": ["a"], "values": [float("inf")]}),
        ("histogram", {"edges": [1, 0], "counts": [1]}),
        ("histogram", {"edges": [0, 1]}),
        ("histogram", {"edges": [0, 1], "counts": [-1]}),
        ("histogram", {"edges": [0, 1], "series": {str(n): [1] for n in range(5)}}),
        ("bars2", {"labels": ["a"], "series": {}}),
        ("bars2", {"labels": [], "series": {"train": []}}),
        ("bars2", {"labels": ["a"], "series": {"train": [1, 2]}}),
        ("bars2", {"labels": ["a"], "series": {"train": [-1]}}),
        ("columns", {"names": ["train"], "rows": []}),
        ("columns", {"names": ["train", "val"], "rows": [["x", "number", "D"]]}),
        ("columns", {"names": ["train", "val"], "rows": [[*ROW[:3], float("nan"), *ROW[4:]]]}),
        ("columns", {"names": ["train", "val"], "rows": [[*ROW[:10], [100], None]]}),
    ],
)
def test_what_cannot_be_drawn_is_shown_as_json(kind, data):
    shown = str(draw(Exhibit(type=kind, title="t", data=data), 10_000))
    assert shown.startswith('<pre class="scroll"')
    assert "svg" not in shown


def columns(*rows):
    return Exhibit(type="columns", title="t", data={"names": ["train", "val"], "rows": list(rows)})


def test_the_overview_stands_worst_first_whatever_the_order_of_its_columns():
    rows = [
        drifts.row(1, "steady"),
        drifts.row(3, "moved", moved=True),
        [*ROW[:2], "D", 0.9, 0.05, 0, 0.03, "drift", 0, 0, None, None],
        drifts.row(4, "few", few=True),
        ["odd", "number", "D", None, None, None, None, "<i>", None, None, None, None],
    ]
    for some in (rows, rows[::-1]):
        shown = str(draw(columns(*some), 10_000))
        names = re.findall(r"<th scope=row><code>(.*?)</code>", shown)
        assert names == ["&lt;x&gt;", "moved", "few", "odd", "steady"]
    assert "&lt;i&gt;" in shown
    assert "<i>" not in shown
    assert shown.count("<svg class=sketch") == 3


def test_parts_of_one_overview_become_one_table():
    parts = [columns(drifts.row(number, f"c{number}")) for number in range(3)]
    text, other = Exhibit(type="text", title="t", data={"text": "a"}), columns(drifts.row(3, "c3"))
    pictures = list(all_drawn([*parts, text, other, columns("broken")], 10_000))
    assert [str(one.markup).count("<tr>") for one in pictures] == [1 + 3, 0, 1 + 1, 0]
    assert [one.wide for one in pictures] == [True, False, True, True]


def test_an_overview_says_how_many_columns_it_leaves_out():
    shown = str(draw(columns(*(drifts.row(number, f"c{number}") for number in range(50))), 1_000))
    assert "35 more columns in report.json." in shown


def order(some_report, *parts):
    shown = render(some_report).decode()
    return sorted(parts, key=lambda part: shown.index(part, shown.index('<div class="evidence"')))


def test_what_is_drawn_stands_before_mere_notes_and_many_figures_fold_away():
    note = violation("r", "c.d", "s", "remark", "m", severity=Severity.NOTE)
    heavy = violation("r", "c.d", "s", "changed", "m")
    few = {f"f{number}": number for number in range(page.MANY_FIGURES)}
    made = result("r", "c.d", Outcome.FAIL, "s", violations=(note, heavy), figures=few, exhibits=drifts.pictures()[:1])
    parts = ["<h4>changed", "<figure>", "<h4>remark", "<h4>Figures"]
    assert order(report(Verdict.FAIL, [made]), *reversed(parts)) == parts
    assert b'<details class="more">' not in render(report(Verdict.FAIL, [made]))
    many_more = msgspec.structs.replace(made, figures={**few, "one": 1})
    assert b'<details class="more"><summary>13 numbers' in render(report(Verdict.FAIL, [many_more]))


def test_a_thousand_columns_are_all_on_the_page():
    page = render(drifts.wide())
    assert page.count(b"<th scope=row>") == 1_000
    assert len(page) < 1_000_000


def test_a_long_exhibit_says_what_it_leaves_out():
    table = Exhibit(type="table", title="t", data={"columns": ["a"], "rows": [["x" * 10]] * 50})
    assert "45 more rows in report.json." in draw(table, 100)


def test_links_are_named_once_and_never_like_a_part_of_the_page():
    anchors = Anchors()
    names = [anchors.give(name) for name in ("a", "a", "a-2", "a", "page-rules", "", "a b\u202e", "\udcff")]
    assert names == ["a", "a-2", "a-2-2", "a-3", "_page-rules", "_", "a_b_", "_-2"]


def test_text_is_shown_as_people_read_it():
    assert visible("a\nb\tc\x1b\u202e\udcff") == r"a\nb\tc\x1b\u202e\xff"
    assert visible(None) + visible(True) == "nonetrue"  # noqa: FBT003 - a scalar, not a switch
    assert lines("a\n\tb<\x00\n") == "a\n\\tb&lt;\\x00"
    assert clip("abcdef", 4) == "abcd… (2 more characters)"
    assert [number(given) for given in (1234567, 0.25, "as it is", 1e-9)] == ["1,234,567", "0.25", "as it is", "1e-09"]
    assert [duration(given) for given in (0.4, 12.34, 242, 11_223)] == ["0.40 s", "12.3 s", "4 min 02 s", "3 h 07 min"]
    assert moment("2026-11-30T02:00:07.25Z") == "2026-11-30 02:00:07 UTC"
    assert moment("last night") == "last night"
    assert counts_bytes("total_bytes", 2_048)
    assert not counts_bytes("files", 2_048)
