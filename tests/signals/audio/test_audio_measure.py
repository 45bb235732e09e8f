"""What is measured of clips: first of all that sound which is as it should be shows nothing."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile
from support.sounds import (
    RATE,
    interpolated,
    noise,
    repeated,
    resampled,
    rounded,
    softened,
    spread,
    tone,
    voice,
)

from audit.signals.audio.measure import Meter, sounds

SHIPPED = sorted(one for one in Path("/usr/share/sounds").rglob("*") if one.suffix in {".wav", ".oga"})
BLOCK = 1 << 16


def measured(samples, rate=RATE, block=BLOCK):
    samples = np.asarray(samples, np.float32)
    samples = samples[:, None] if samples.ndim == 1 else samples
    meter = Meter(rate, samples.shape[1])
    for start in range(0, len(samples), block):
        meter.take(samples[start : start + block])
    return sounds([meter])[0]


def narrow(sound):
    """Whether the bandwidth says that the rate was raised."""
    return sound.bandwidth_hz is not None or sound.repeats > 1 or sound.mirrored


PLAIN = {
    "a tone": rounded(tone()),
    "a tone of floats": tone(),
    "a tone between bins": rounded(tone(997)),
    "two tones": tone(440) / 2 + tone(3100) / 2,
    "white noise": noise(),
    "quiet noise": rounded(noise(level=0.001)),
    "noise through a gentle filter": softened(noise(3), 500, 2),
    "noise averaged over two samples": (noise()[1:] + noise()[:-1]) / 2,
    "much noise averaged over two samples": (noise(30)[1:] + noise(30)[:-1]) / 2,
    "a voice": rounded(voice()),
    "a low voice": rounded(voice(60)),
    "a high voice": rounded(voice(250)),
    "a quiet low voice": rounded(0.01 * voice(60)),
    "a low voice, muffled": rounded(softened(voice(60), 800, 2)),
    "a low voice, very muffled": rounded(softened(voice(60), 800, 4)),
    "a low voice, muffled, in noise": rounded(softened(voice(60), 800, 4) + noise(3, level=0.0005)),
    "a click": np.r_[np.zeros(5000), 0.9, np.zeros(11_000)],
    "a square wave": np.tile(np.repeat([0.05, -0.05], 8), 1000),
    "silence": np.zeros(RATE),
    "one sample": np.array([0.5]),
}


@pytest.mark.parametrize("name", PLAIN)
def test_sound_that_falls_gently_or_is_no_voice_has_its_full_bandwidth(name):
    sound = measured(PLAIN[name])
    assert not narrow(sound)
    assert (sound.clipped, sound.hum_hz, sound.alike) == (0.0, 0, "")


@pytest.mark.parametrize("pitch", [60, 90, 180, 300])
@pytest.mark.parametrize("level", [1.0, 0.05])
def test_telephone_speech_at_a_higher_rate_ends_where_it_did(pitch, level):
    telephone = rounded(level * resampled(voice(pitch), RATE, 8000))
    sound = measured(rounded(resampled(telephone, 8000, RATE)))
    assert sound.bandwidth_hz == pytest.approx(4000, abs=150)
    assert sound.edge_db > 30
    assert sound.above_quarter < 1e-3
    assert measured(resampled(voice(pitch), RATE, 48_000), 48_000).bandwidth_hz == pytest.approx(8000, abs=250)


def test_a_tone_whose_samples_are_repeated_has_its_image():
    sound = measured(repeated(rounded(tone(1000, rate=8000))))
    assert sound.repeats == 2
    assert sound.above_quarter == pytest.approx(0.038, abs=0.001)
    assert sound.strongest_hz == pytest.approx(1000, abs=16)
    assert sound.top_hz == pytest.approx(7000, abs=50)


def test_a_tone_that_was_resampled_well_is_that_tone():
    raised = measured(rounded(resampled(rounded(tone(1000, rate=8000)), 8000, RATE)))
    made = measured(rounded(tone(1000)))
    assert (raised.bandwidth_hz, raised.top_hz) == (made.bandwidth_hz, made.top_hz)
    assert raised.top_hz < 4000
    assert raised.above_quarter < 1e-6


@pytest.mark.parametrize("times", [2, 3, 4, 6])
def test_repeated_samples_are_counted_wherever_they_begin(times):
    speech = repeated(rounded(resampled(voice(), RATE, 8000)), times)
    assert measured(speech, 8000 * times).repeats == times
    assert measured(speech[1:], 8000 * times, block=4096).repeats == times


@pytest.mark.parametrize("raised", [repeated, interpolated, spread])
def test_an_image_shows_even_through_gain_and_noise(raised):
    telephone = rounded(resampled(voice(120), RATE, 8000))
    sound = measured(rounded(0.7 * raised(telephone) + noise(3, level=1e-5)))
    assert sound.mirrored
    assert sound.repeats == 1


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_sounds_show_nothing(path):
    samples, rate = soundfile.read(path, always_2d=True)
    sound = measured(samples, rate)
    assert (sound.repeats, sound.mirrored, sound.clipped, sound.hum_hz) == (1, False, 0.0, 0)
    assert sound.bandwidth_hz is None or sound.bandwidth_hz > 0.6 * rate / 2
    assert abs(sound.dc) < 0.01
    assert sound.silent < 0.7


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
@pytest.mark.parametrize("how", [("en", 50), ("en+m3", 0), ("en+f3", 80), ("en+whisper", 50), ("en+croak", 10)])
def test_speech_of_a_synthesizer(tmp_path, how):
    said, file = "She sells sea shells by the shore, the quick brown fox.", tmp_path / "said.wav"
    subprocess.run(["espeak-ng", "-v", how[0], "-p", str(how[1]), "-w", file, said], check=True)
    samples, rate = soundfile.read(file)
    wide = rounded(resampled(samples, rate, RATE))
    telephone = rounded(resampled(wide, RATE, 8000))
    assert not narrow(measured(samples, rate))
    assert not narrow(measured(wide))
    assert not narrow(measured(rounded(softened(wide, 800, 4))))
    assert measured(rounded(resampled(telephone, 8000, RATE))).bandwidth_hz == pytest.approx(4000, abs=150)
    assert measured(repeated(telephone)).repeats == 2
    assert measured(rounded(0.9 * interpolated(telephone))).mirrored


def test_levels_of_a_sine():
    sound = measured(tone(997, rate=48_000), 48_000)
    assert sound.peak == pytest.approx(0.5, abs=1e-4)
    assert sound.rms == pytest.approx(0.5 / 2**0.5, rel=1e-3)
    assert sound.loudest == pytest.approx(sound.rms, rel=0.01)
    assert sound.loudness_lufs == pytest.approx(-3.01 - 6.02, abs=0.1)


def test_silence_is_what_swings_around_nothing_or_anything():
    sound = measured(np.full(RATE, 0.25) + rounded(noise(level=1e-4)))
    assert sound.loudest < 1e-3
    assert sound.silent == 1.0
    assert sound.dc == pytest.approx(0.25, abs=1e-4)
    half = measured(np.r_[np.zeros(RATE), tone()])
    assert half.silent == pytest.approx(0.5, abs=0.02)


def test_clipping_is_flat_tops_and_no_roundness():
    clipped = measured(np.clip(voice() * 4, -0.5, 0.5))
    assert clipped.clipped_at == 0.5
    assert 0.01 < clipped.clipped < 0.2
    assert measured(np.clip(tone(level=1.2), -1, 1)).clipped > 0.2
    assert measured(np.minimum(tone(300, level=0.9), 0.7)).clipped > 0.1
    slow = measured(np.round(tone(50, level=0.8) * 127) / 127)
    assert slow.clipped == 0.0
    assert measured(rounded(noise(level=2e-5))).clipped == 0.0


def test_clipping_is_counted_over_blocks():
    sound = np.clip(voice() * 4, -0.5, 0.5)
    assert measured(sound, block=4096).clipped == pytest.approx(measured(sound).clipped, rel=0.01)


def test_channels_are_told_apart():
    one, other = noise(seed=1), noise(seed=2)
    assert measured(np.stack([one, one], 1)).alike == "same"
    assert measured(np.stack([one, -one], 1)).alike == "inverted"
    assert measured(np.stack([one, other], 1)).alike == ""
    assert measured(np.stack([one, one, other], 1)).alike == ""
    late = other.copy()
    late[: RATE // 2] = one[: RATE // 2]
    assert measured(np.stack([one, late], 1), block=4096).alike == ""


@pytest.mark.parametrize("mains", [50, 60])
@pytest.mark.parametrize("rate", [8000, 16_000, 44_100])
def test_hum_is_found_below_speech(mains, rate):
    speech = resampled(voice(110), RATE, rate)
    time = np.arange(len(speech)) / rate
    sound = measured(speech + 0.002 * np.sin(2 * np.pi * mains * time) + 5e-4 * np.sin(6 * np.pi * mains * time), rate)
    assert sound.hum_hz == mains
    level = 0.002 / 2**0.5
    assert sound.hum_db == pytest.approx(20 * np.log10(level / sound.rms), abs=2)
    assert measured(speech, rate).hum_hz == 0


@pytest.mark.parametrize("pitch", [100, 120, 125, 150, 240])
def test_a_voice_at_a_multiple_of_the_mains_is_no_hum(pitch):
    assert measured(voice(pitch, 4)).hum_hz == 0


def test_a_note_that_is_held_at_twice_the_mains_is_no_hum():
    assert measured(noise(4, level=0.001) + tone(100, 4) + tone(200, 4) / 2).hum_hz == 0


def test_blocks_make_no_difference():
    sound = np.stack([voice(), 0.5 * voice(120)], 1)
    whole, parts = measured(sound), measured(sound, block=8192)
    for name in ("peak", "rms", "loudest", "silent", "dc", "loudness_lufs", "above_quarter", "top_hz"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), rel=0.02, abs=1e-6)


def test_numbers_beyond_all_sound_leave_finite_figures():
    sound = measured([1e30, -1e30, 0.5, np.nan, np.inf])
    assert sound.peak == 0.5
    assert np.isfinite(sound.rms)
    assert measured(np.array([32767.0, -32768.0] * 500)).peak == 32768.0
