"""The page in a real Chromium, opened from disk as a person opens it."""

from __future__ import annotations

import re
import shutil
from itertools import pairwise
from urllib.parse import quote

import pytest
from support import drifts, reports, signals
from support.reports import HOSTILE, failing

from audit.sinks.html import render

SAMPLES = {**reports.SAMPLES, "drift": drifts.drift, "wide": drifts.wide, "signals": signals.signals}
NAMES = ("wave", "spectrogram", "axis")
VISIBLE = "all => all.map((one) => one.checkVisibility())"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("reports")
    for name, sample in SAMPLES.items():
        (place / f"{name}.html").write_bytes(render(sample()))
    return place


class Tab:
    """A page in a browser, with all that it asked for and complained about."""

    def __init__(self, browser, folder, **options):
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.page = self.context.new_page()
        self.folder = folder
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, sample, anchor=""):
        self.page.goto(f"file://{self.folder}/{sample}.html{anchor and '#' + quote(anchor)}")
        return self.page

    def shown(self, selector):
        """How many of these can be seen."""
        return self.page.locator(selector).filter(visible=True).count()


@pytest.fixture
def tab(browser, folder):
    opened = []

    def make(**options):
        opened.append(Tab(browser, folder, **options))
        return opened[-1]

    yield make
    for one in opened:
        one.context.close()


@pytest.mark.parametrize("sample", SAMPLES)
def test_it_opens_without_a_complaint_and_asks_for_nothing_but_itself(tab, sample):
    one = tab()
    page = one.open(sample)
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    assert page.evaluate("typeof window.pwned") == "undefined"
    assert page.title().startswith(SAMPLES[sample]().verdict.capitalize())
    assert one.complaints == []
    assert [url for url in one.requests if not url.startswith("data:image/svg+xml,")] == [page.url]


def test_search_finds_a_violation_among_ten_thousand_and_gives_the_page_back(tab):
    one = tab()
    page = one.open("many")
    page.fill("#page-search", "Utterance-0012 SPEAKER-00")
    page.locator("#page-status", has_text="Showing 1 of 8 rules").wait_for()
    found = int(re.search(r"([\d,]+) violation", page.inner_text("#page-status"))[1])
    assert 0 < found < 100
    assert one.shown(".entries > li, .compact tbody tr") == found
    page.fill("#page-search", "no such thing")
    page.locator(".nothing").wait_for()
    page.click("#page-clear")
    assert one.shown(".rule") == 8
    assert page.locator(".compact tr[hidden]").count() == 0
    assert page.evaluate("document.activeElement.id") == "page-search"


def test_search_by_rule_shows_the_rule_whole(tab):
    one = tab()
    page = one.open("failing")
    page.fill("#page-search", "16k-mono")
    page.locator("#page-status", has_text="Showing 1 of 9 rules, 4 violations").wait_for()
    page.keyboard.press("Escape")
    assert one.shown(".rule") == 9


def test_outcomes_are_filtered_together_and_alone(tab):
    one = tab()
    page = one.open("failing")
    page.get_by_role("button", name="warn").click()
    assert one.shown(".rule") == 1
    page.get_by_role("button", name="fail").click()
    assert one.shown(".rule") == 3
    assert page.inner_text("#page-status") == "Showing 3 of 9 rules"
    page.get_by_role("button", name="warn").click()
    assert one.shown(".rule.fail") == one.shown(".rule") == 2


@pytest.mark.parametrize("scripts", [True, False])
def test_a_link_opens_its_rule(tab, scripts):
    page = tab(java_script_enabled=scripts).open("failing", "drift[val]")
    rule = page.locator(".rule.warn")
    rule.locator(".kind").wait_for()
    assert 0 <= rule.bounding_box()["y"] < 200


def test_a_link_opens_its_violation_out_of_thousands_and_out_of_a_filter(tab):
    last = max(SAMPLES["many"]().results[-3].violations, key=lambda found: found.subject)
    one = tab()
    page = one.open("many", last.key)
    row = page.locator(f"[id='{last.key}']")
    assert row.is_visible()
    assert last.subject in row.inner_text()
    page.get_by_role("button", name="skip").click()
    assert not row.is_visible()
    page.evaluate("location.hash = ''")
    page.evaluate(f"location.hash = '{last.key}'")
    row.wait_for()
    assert row.evaluate("row => row.getBoundingClientRect().top < innerHeight")


def test_the_keyboard_reaches_everything(tab):
    one = tab()
    page = one.open("failing")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip-link"
    assert one.page.locator(".skip-link").is_visible()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "page-tasks"
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "document.activeElement.closest('.tasks a, .copy, #page-search, .only button, summary')?.tagName"
            )
        )
        if reached[-1] == "SUMMARY":
            break
    assert {"A", "BUTTON", "INPUT", "SUMMARY"} <= set(reached)
    rule = page.locator(".rule details").first
    assert rule.get_attribute("open") is not None
    page.keyboard.press("Enter")
    assert rule.get_attribute("open") is None
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


@pytest.mark.parametrize("sample", ["failing", "many"])
def test_it_is_complete_without_scripts(tab, sample):
    one = tab(java_script_enabled=False)
    page = one.open(sample)
    text = page.locator("main").text_content()
    for rule in SAMPLES[sample]().results:
        assert all(found.subject in text for found in rule.violations)
    assert one.shown(".tools") == one.shown(".copy") == 0
    closed = page.locator(".rule.skip").first
    assert not closed.locator(".about").is_visible()
    closed.locator("summary").first.click()
    assert closed.locator(".about").is_visible()


def test_colours_follow_the_system_and_the_choice(tab):
    one = tab(color_scheme="dark")
    page = one.open("failing")
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(paper)
    page.check("#page-theme-light")
    light = page.evaluate(paper)
    assert dark != light
    page.reload()
    assert page.evaluate(paper) == light
    page.check("#page-theme-auto")
    assert page.evaluate(paper) == dark


CONTRAST = """() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => channels(colour).slice(0, 3).map((value) => value / 255)
    .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, place) => sum + value * [0.2126, 0.7152, 0.0722][place], 0);
  const behind = (element) => {
    for (let place = element; place; place = place.parentElement) {
      const colour = getComputedStyle(place).backgroundColor;
      if ((channels(colour)[3] ?? 1) === 1) return colour;
    }
  };
  const poor = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility() || element.closest("script")) continue;
    const [dim, bright] = [light(getComputedStyle(element).color), light(behind(element))].sort((a, b) => a - b);
    const ratio = (bright + 0.05) / (dim + 0.05);
    if (ratio < 4.5) poor.add(`${ratio.toFixed(2)} ${element.outerHTML.slice(0, 80)}`);
  }
  return [...poor];
}"""
"""Contrast of all text with what lies behind it (WCAG 2.2, success criterion 1.4.3: 4.5 to 1)."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("sample", ["passing", "failing", "incomplete", "drift"])
def test_all_text_stands_out(tab, sample, scheme):
    page = tab(color_scheme=scheme).open(sample)
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    assert page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_incomplete_is_never_green(tab, scheme):
    page = tab(color_scheme=scheme).open("incomplete")
    for selector, part in (
        (".word", "color"),
        (".seal", "color"),
        (".verdict", "borderLeftColor"),
        (".verdict", "backgroundColor"),
    ):
        colour = page.evaluate(f"getComputedStyle(document.querySelector('{selector}')).{part}")
        red, green, blue = map(int, re.findall(r"\d+", colour)[:3])
        assert green < red
        assert green < blue


def test_landmarks_and_headings_lead_through_the_page(tab):
    page = tab().open("failing")
    for role in ("banner", "main", "contentinfo", "search", "status"):
        assert page.get_by_role(role).count() >= 1
    levels = page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map((heading) => Number(heading.localName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.get_by_role("heading", name="keyword-spotting Fail").count() == 1
    named = "one.labels?.length || one.textContent.trim() || one.ariaLabel"
    unnamed = page.evaluate(f"[...document.querySelectorAll('button, a, input')].filter((one) => !({named})).length")
    assert unnamed == 0


@pytest.mark.parametrize("sample", ["failing", "incomplete", "hostile", "drift", "signals"])
def test_a_phone_shows_it_without_scrolling_sideways(tab, sample):
    page = tab(viewport={"width": 390, "height": 844}).open(sample)
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scripts", [True, False])
def test_paper_shows_everything_and_no_controls(tab, scripts):
    one = tab(java_script_enabled=scripts)
    page = one.open("failing")
    if scripts:
        page.get_by_role("button", name="warn").click()
    page.emulate_media(media="print", color_scheme="dark")
    everything = page.locator(".evidence, .rest table, .reading .columns, .plot table")
    assert everything.evaluate_all("all => all.map((one) => one.checkVisibility())") == [True] * (9 + 1 + 1 + 2)
    assert one.shown(".tools") == one.shown(".theme") == one.shown(".copy") == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def names(page):
    return page.locator(".overview tbody th code").all_inner_texts()


def test_an_overview_is_sorted_by_click_and_by_keyboard(tab):
    page = tab().open("drift")
    heads = page.locator(".overview thead th[data-sort]")
    worst_first = names(page)
    assert worst_first[:3] == ["feature_0005", "snr_db", "feature_0003"]
    assert page.locator(".overview th[aria-sort]").all_inner_texts() == ["outcome"]
    heads.filter(has_text="column").get_by_role("button").click()
    assert names(page) == sorted(worst_first)
    assert heads.first.get_attribute("aria-sort") == "ascending"
    page.keyboard.press("Enter")
    assert names(page) == sorted(worst_first, reverse=True)
    assert heads.first.get_attribute("aria-sort") == "descending"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert [name.startswith(("f", "s")) for name in names(page)[:3]] == [True] * 3
    assert page.locator(".overview tbody td.num:nth-child(4)").first.inner_text() == "0.21 D"
    heads.filter(has_text="effect").get_by_role("button").click()
    effects = [float(text.split()[0]) for text in page.locator(".overview tbody td:nth-child(4)").all_inner_texts()]
    assert effects == sorted(effects, reverse=True)


def test_search_finds_one_column_of_a_thousand_and_gives_all_back(tab):
    one = tab()
    page = one.open("wide")
    assert one.shown(".overview tbody tr") == 1_000
    page.fill("#page-search", "feature_0500")
    page.locator(".shown", has_text="1 of 1,000 columns").wait_for()
    assert one.shown(".overview tbody tr") == 1
    assert one.shown(".rule") == 1
    page.fill("#page-search", "drift")
    page.locator(".shown", has_text="columns").filter(has_not_text="1 of").wait_for()
    page.keyboard.press("Escape")
    assert one.shown(".overview tbody tr") == 1_000


def test_an_overview_is_a_plain_table_without_scripts(tab):
    one = tab(java_script_enabled=False)
    one.open("drift")
    assert one.shown(".overview tbody tr") == 14
    assert one.shown(".overview button") == 0
    assert one.shown(".overview .sketch") == 14


def test_two_distributions_differ_in_more_than_colour(tab):
    page = tab().open("drift")
    style = "getComputedStyle(document.querySelector('.canvas .s{}')).{}"
    for part in ("fill", "strokeDasharray"):
        assert page.evaluate(style.format(0, part)) != page.evaluate(style.format(1, part))
    assert "page-hatch" in page.evaluate(style.format(1, "fill"))


def test_copying_takes_what_is_seen(tab):
    one = tab(permissions=["clipboard-read", "clipboard-write"])
    page = one.open("failing")
    page.get_by_role("button", name="Copy").first.click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == failing().results[4].violations[0].repair


@pytest.mark.parametrize("width", [390, 1280])
def test_pictures_and_clips_are_shown_in_their_places(tab, width):
    page = tab(viewport={"width": width, "height": 900}).open("signals")
    assert page.evaluate("[...document.images].map((one) => one.naturalWidth)") == [160] * (1 + len(HOSTILE))
    wave, spectrogram, axis = (page.locator(f".clip .{name}").first.bounding_box() for name in NAMES)
    assert wave["x"] == spectrogram["x"] == axis["x"]
    assert wave["width"] == spectrogram["width"] == axis["width"] > width / 2 - 40
    assert wave["y"] + wave["height"] < spectrogram["y"] < axis["y"]
    page.emulate_media(media="print")
    assert page.locator(".wave, .spectrogram, .sheet img").evaluate_all(VISIBLE) == [True] * (2 * 5 + 1 + len(HOSTILE))
