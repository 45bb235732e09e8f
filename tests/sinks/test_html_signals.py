"""Clips and pictures on the page: what can be seen is said as well, and nothing in them runs or is fetched."""

from __future__ import annotations

import base64

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import signals
from support.markup import Markup
from support.reports import HOSTILE
from support.signals import clip, jpeg, sheet

from audit.records.findings import Exhibit
from audit.sinks.html import page, render
from audit.sinks.html.exhibits import draw

ROOM = 65_536
SVG = base64.b64encode(b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>").decode()


def taken_apart(exhibit, room=ROOM):
    return Markup(str(draw(exhibit, room)).encode())


def test_a_clip_is_drawn_along_one_axis_of_time_and_said_in_words():
    markup = taken_apart(clip())
    labels = [given["aria-label"] for _, given in markup.tags if given.get("role") == "img"]
    assert labels == [
        "Waveform of data/a.wav: 8,000 Hz, 1 channel, 1.42 s",
        "Spectrogram of data/a.wav, from 0 to 4 kHz",
    ]
    for said in ("sample rate 8000 Hz, not 16000 Hz", "8 kHz", "4 kHz", "0 Hz", "0.5", "1.42 s"):
        assert said in markup.texts
    assert (
        "8,000 Hz, 1 channel, 1.42 s, peak -0.1 dBFS, clipped where it is marked, nothing above 4 kHz (hatched)"
        in markup.text
    )


def test_what_a_lower_sample_rate_cannot_hold_is_hatched_and_as_high_as_it_is():
    tags = dict(taken_apart(clip()).tags)
    assert (tags["rect"]["class"], tags["rect"]["height"]) == ("beyond", "50.0%")
    assert (tags["image"]["y"], tags["image"]["height"]) == ("50.0%", "50.0%")
    whole = dict(taken_apart(clip(sample_rate_hz=16_000)).tags)
    assert "rect" not in whole
    assert (whole["image"]["y"], whole["image"]["height"]) == ("0.0%", "100.0%")


def test_the_strokes_are_those_of_the_samples_and_clipped_parts_are_marked():
    markup = str(draw(clip(low=[-50, 0], high=[25, 0], clipped=[1]), ROOM))
    assert 'class="strokes" d="M0.5 -25V50M1.5 0V0"' in markup
    assert 'class="flat" d="M1.5 -100V100"' in markup
    assert 'class="flat" d=""' in str(draw(clip(clipped=[]), ROOM))


def test_silence_and_an_end_that_is_not_shown_are_said():
    assert "silent" in taken_apart(clip(peak=0)).text
    assert "peak -60.0 dBFS" in taken_apart(clip(peak=0.001)).text
    assert "the first 1.42 s" in taken_apart(clip(whole=False)).text


@pytest.mark.parametrize("seconds", [1e-6, 0.001, 0.42, 1, 9.99, 61, 7_200])
def test_times_of_any_length_have_a_few_round_ticks(seconds):
    ticks = [given["x"] for name, given in taken_apart(clip(seconds=seconds)).tags if name == "text"]
    assert 3 <= len(ticks) <= 6
    assert ticks[0] == "0.00%"
    assert ticks[-1] == "100%"


def test_a_sheet_shows_what_can_be_shown_and_says_what_is_wrong_with_each():
    markup = taken_apart(sheet("data/a.jpg", "data/b.jpg"))
    images = [given for name, given in markup.tags if name == "img"]
    assert [one["alt"] for one in images] == [
        f"data/{name}.jpg, made small, as far as it can be decoded" for name in ("a", "b")
    ]
    assert [(one["width"], one["height"]) for one in images] == [("160", "107")] * 2
    assert markup.texts[-3:] == ["nothing of it can be shown", "data/empty.jpg", "is empty: 0 bytes"]


def test_where_there_is_little_room_the_rest_is_said_to_be_left_out():
    assert "1 more picture in report.json." in taken_apart(clip(), 10_000).text
    assert "2 more pictures in report.json." in taken_apart(clip(), 1_000).text
    assert "svg" not in taken_apart(clip(), 1_000).names
    some = taken_apart(sheet(*"abcdef"), 2 * len(jpeg()) + 500)
    assert "5 more pictures in report.json." in some.text
    assert some.names.count("img") == 2


@pytest.mark.parametrize(
    "exhibit",
    [
        clip(low=[0]),
        clip(low=[], high=[], clipped=[]),
        clip(low=[5] * 600, high=[4] * 600),
        clip(low=[-101] * 600),
        clip(low=[0] * 601, high=[0] * 601),
        clip(clipped=[600]),
        clip(clipped=[-1]),
        clip(seconds=0),
        clip(seconds=float("inf")),
        clip(band_hz=3_999.0),
        clip(peak=-1),
        clip(sample_rate_hz=0, band_hz=0.0),
        clip(sample_rate_hz=10**400),
        clip(spectrogram=SVG),
        clip(spectrogram=jpeg()),
        clip(spectrogram='" onload="alert(1)'),
        sheet("a", jpeg=SVG),
        sheet("a", jpeg="!"),
        sheet("a", width=161),
        sheet("a", height=0),
        Exhibit(type="pictures", title="t", data={"pictures": []}),
    ],
)
def test_what_is_not_what_we_draw_is_shown_as_json(exhibit):
    shown = str(draw(exhibit, ROOM))
    assert shown.startswith('<pre class="scroll"')
    assert not {"img", "svg", "image"} & set(taken_apart(exhibit).names)


def test_no_name_changes_the_structure_of_the_page():
    plain, hostile = (taken_apart(sheet(*(["a"] * len(HOSTILE)))), taken_apart(sheet(*HOSTILE)))
    assert plain.names == hostile.names
    for text in HOSTILE:
        assert taken_apart(clip(text, reason=text)).names == taken_apart(clip()).names


NUMBERS = st.integers() | st.floats()


@given(
    st.sampled_from(sorted(clip().data)),
    NUMBERS | st.text(max_size=20) | st.booleans() | st.none() | st.lists(NUMBERS, max_size=3),
)
@settings(deadline=None)
def test_a_clip_of_any_data_is_drawn_or_shown_as_json(field, value):
    assert str(draw(clip(**{field: value}), ROOM)).startswith(('<pre class="scroll"', '<p class="reason">'))


def test_all_that_is_drawn_lies_in_the_page():
    markup = Markup(render(signals.signals()))
    sources = [*markup.values("src"), *(given["href"] for name, given in markup.tags if name == "image")]
    assert len(sources) == 5 + 1 + len(HOSTILE)
    assert all(one.startswith(("data:image/png;base64,", "data:image/jpeg;base64,")) for one in sources)
    assert all(given.get("alt") for name, given in markup.tags if name == "img")
    assert not any(name.startswith("on") or name == "style" for _, given in markup.tags for name in given)


def test_many_clips_stay_within_the_page():
    one = signals.signals()
    result = msgspec.structs.replace(one.results[0], exhibits=tuple(clip() for _ in range(300)))
    many = msgspec.structs.replace(one, body=msgspec.structs.replace(one.body, results=(result,)))
    assert len(render(many)) <= page.BUDGET
