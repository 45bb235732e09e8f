"""A clip over time: what is loud, clipped, silent or high can be seen, whatever the file holds."""

from __future__ import annotations

import base64
import io
import os

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from audit.errors import FormatError
from audit.records.portraits import ClipPortrait
from audit.signals.audio import portrait as module
from audit.signals.audio.portrait import portrait

RATE = 16_000
SECOND = np.arange(RATE) / RATE


def tone(hertz, level=0.5):
    return level * np.sin(2 * np.pi * hertz * SECOND)


def stored(samples, rate=RATE, **options):
    out = io.BytesIO()
    soundfile.write(out, samples, rate, **{"format": "WAV", "subtype": "PCM_16", **options})
    return out.getvalue()


def drawn(data):
    with io.FileIO(os.memfd_create("clip"), "r+") as file:
        file.write(data)
        return portrait(file)


def pixels(some):
    """The spectrogram's levels of grey, (rows, columns), the highest frequency first."""
    with Image.open(io.BytesIO(base64.b64decode(some.spectrogram))) as picture:
        picture.verify()
    with Image.open(io.BytesIO(base64.b64decode(some.spectrogram))) as picture:
        return np.asarray(picture.convert("L"), int)


def test_a_tone_fills_its_range_and_shines_at_its_frequency():
    some = drawn(stored(tone(3_000)))
    assert (some.sample_rate_hz, some.channels, some.seconds, some.whole, some.peak) == (RATE, 1, 1.0, True, 0.5)
    assert len(some.low) == len(some.high) == 600
    assert {*some.low} == {-50}
    assert {*some.high} == {50}
    grey = pixels(some)
    assert grey.shape == (96, 300)
    assert abs((95 - int(grey.mean(axis=1).argmax())) * RATE / 2 / 96 - 3_000) < 100
    assert grey[:50].max() < 10


def test_a_picture_of_sound_stored_with_twice_its_rate_is_dark_above_half():
    noise = np.random.default_rng(0).normal(0, 0.1, RATE)
    spectrum = np.fft.rfft(noise)
    spectrum[len(spectrum) // 2 :] = 0
    grey = pixels(drawn(stored(np.fft.irfft(spectrum), subtype="FLOAT")))
    assert grey[:44].max() < 10
    assert grey[50:].mean() > 60


def test_the_channel_that_differs_is_seen():
    some = drawn(stored(np.stack([tone(1_000, 0.1), tone(5_000, 0.8)], axis=1)))
    assert some.channels == 2
    assert (min(some.low), max(some.high)) == (-80, 80)
    assert pixels(some)[30:40].max() > 100


def test_flat_tops_are_marked_and_a_tone_that_just_fits_is_not():
    clipped = np.clip(tone(100, 3.0), -1, 32_767 / 32_768)
    assert len(drawn(stored(clipped)).clipped) > 150
    assert drawn(stored(tone(100, 0.999))).clipped == ()
    half = np.concatenate([tone(100), clipped])
    assert min(drawn(stored(half)).clipped) >= 300


def test_silence_is_flat_and_dark():
    some = drawn(stored(np.zeros(RATE)))
    assert (some.peak, {*some.low, *some.high}) == (0, {0})
    assert pixels(some).max() < 10


@pytest.mark.parametrize("frames", [1, 2, 3, 63, 599, 601])
def test_the_shortest_clips_are_drawn(frames):
    some = drawn(stored(np.full(frames, 0.25)))
    assert len(some.low) == min(frames, 600)
    assert pixels(some).shape == (96, 300)


def test_what_is_no_number_or_beyond_full_scale_stays_within():
    wild = tone(400, 5.0)
    wild[:3] = [np.nan, np.inf, -np.inf]
    some = drawn(stored(wild, subtype="FLOAT"))
    assert some.peak == 1e6
    assert (some.low[0], some.high[0]) == (-100, 100)
    assert drawn(stored(tone(400, 5.0), subtype="FLOAT")).peak == 5.0


def test_a_cut_clip_is_drawn_as_far_as_it_goes():
    data = stored(tone(440))
    assert 0.4 < drawn(data[: len(data) // 2]).seconds < 0.6


@pytest.mark.parametrize(("form", "subtype"), [("FLAC", "PCM_16"), ("OGG", "VORBIS"), ("MP3", "MPEG_LAYER_III")])
def test_other_formats_are_drawn(form, subtype):
    assert drawn(stored(tone(440), format=form, subtype=subtype)).seconds >= 1


def test_of_a_long_clip_the_beginning_is_drawn(monkeypatch):
    monkeypatch.setattr(module, "MOST_SAMPLES", 8_000)
    some = drawn(stored(np.stack([tone(440)] * 2, axis=1)))
    assert (some.seconds, some.whole) == (0.25, False)


def test_noise_on_all_channels_stays_within_an_exhibit():
    some = drawn(stored(np.random.default_rng(0).uniform(-1, 1, (RATE, 2))))
    assert len(some.spectrogram) < 30_000


def test_the_same_clip_gives_the_same_bytes():
    data = stored(tone(440))
    assert drawn(data) == drawn(data)


@pytest.mark.parametrize("data", [b"", b"RIFF", b"no sound at all", stored(np.zeros(0))])
def test_where_there_is_nothing_to_draw_it_says_so(data):
    with pytest.raises(FormatError, match=r"cannot be decoded|holds no samples"):
        drawn(data)


MIXED = (stored(tone(440)[:400]), stored(tone(440)[:4000], format="FLAC"))


@given(st.sampled_from(MIXED), st.lists(st.tuples(st.integers(0, 800), st.integers(0, 255)), max_size=20))
@settings(max_examples=60, deadline=None)
def test_any_bytes_give_a_portrait_or_none(data, changes):
    hostile = bytearray(data)
    for at, value in changes:
        hostile[at % len(hostile)] = value
    try:
        some = drawn(bytes(hostile))
    except FormatError:
        return
    assert isinstance(some, ClipPortrait)
    assert 0 < len(some.low) == len(some.high) <= 600
    assert all(-100 <= low <= high <= 100 for low, high in zip(some.low, some.high, strict=True))
