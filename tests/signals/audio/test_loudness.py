"""Loudness against what ITU-R BS.1770-4 and EBU Tech 3341 demand of a meter."""

import numpy as np
import pytest
from support.sounds import tone

from audit.signals.audio.loudness import weights
from audit.signals.audio.measure import Meter, sounds

RATE = 48_000


def loudness(*parts, rate=RATE, channels=2):
    """Of a stereo tone of 1 kHz that has these levels, in dBFS, for so many seconds."""
    samples = np.concatenate([tone(1000, seconds, rate, 10 ** (level / 20)) for level, seconds in parts])
    meter = Meter(rate, channels)
    block = np.repeat(samples[:, None], channels, 1).astype(np.float32)
    for start in range(0, len(block), 1 << 16):
        meter.take(block[start : start + (1 << 16)])
    return sounds([meter])[0].loudness_lufs


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([(-23, 5)], -23),
        ([(-33, 5)], -33),
        ([(-36, 10), (-23, 60), (-36, 10)], -23),
        ([(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)], -23),
        ([(-26, 20), (-20, 20.1), (-26, 20)], -23),
    ],
)
def test_the_signals_of_ebu_tech_3341(parts, expected):
    assert loudness(*parts) == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("rate", [8000, 16_000, 44_100, 96_000])
def test_other_rates_weigh_the_same(rate):
    assert loudness((-23, 3), rate=rate) == pytest.approx(-23, abs=0.1)


def test_one_channel_is_3_db_less_and_too_little_is_none():
    assert loudness((-23, 3), channels=1) == pytest.approx(-26, abs=0.1)
    assert loudness((-23, 0.3)) is None
    assert loudness((-90, 3)) is None


def test_the_weighting_is_the_standards_filter():
    """Against the coefficients that BS.1770-4 prints for 48 kHz."""
    hertz = np.array([20.0, 100.0, 997.0, 2000.0, 8000.0])
    at = np.exp(-2j * np.pi * hertz / RATE)
    shelf = np.polyval([1.19839281085285, -2.69169618940638, 1.53512485958697], at) / np.polyval(
        [0.73248077421585, -1.69065929318241, 1], at
    )
    high_pass = np.polyval([1, -2, 1], at) / np.polyval([0.99007225036621, -1.99004745483398, 1], at)
    assert weights(RATE, hertz) == pytest.approx(np.abs(shelf * high_pass) ** 2, rel=1e-3)
