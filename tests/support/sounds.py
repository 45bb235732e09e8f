"""Sounds made for tests: tones, noise, voices, and what resamplers, converters and microphones make of them."""

from __future__ import annotations

import io

import numpy as np
import soundfile

RATE = 16_000


def tone(hertz=1000.0, seconds=1.0, rate=RATE, level=0.5):
    """A sine."""
    return level * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate)


def noise(seconds=1.0, rate=RATE, level=0.1, seed=0):
    """White noise of this RMS."""
    return level * np.random.default_rng(seed).standard_normal(round(seconds * rate))


def voice(pitch=90.0, seconds=3.0, rate=RATE, seed=0):
    """A voice as a source and a filter make it: pulses that waver, formants, breath, and pauses between words."""
    chance = np.random.default_rng(seed)
    frames = round(seconds * rate)
    time = np.arange(frames) / rate
    wavering = pitch * (1 + 0.15 * np.sin(2 * np.pi * 0.7 * time) + 0.02 * chance.standard_normal(frames).cumsum() / 99)
    phase = np.cumsum(wavering / rate)
    pulses = np.diff(np.floor(phase), prepend=0) + 0.01 * chance.standard_normal(frames)
    hertz = np.fft.rfftfreq(frames, 1 / rate)
    formants = sum(gain / (1 + ((hertz - at) / wide) ** 2) for at, wide, gain in _FORMANTS)
    sound = np.fft.irfft(np.fft.rfft(pulses) * formants, frames)
    words = np.clip(3 * np.sin(2 * np.pi * 1.3 * time) + 1, 0, 1)
    return 0.5 * words * sound / np.abs(sound).max()


_FORMANTS = ((500, 80, 1.0), (1500, 120, 0.4), (2500, 160, 0.2), (3500, 200, 0.1), (5500, 1500, 0.02))


def resampled(samples, before, after):
    """At another rate, through a perfect low-pass."""
    frames = round(len(samples) * after / before)
    spectrum = np.fft.rfft(samples)
    kept = np.zeros(frames // 2 + 1, complex)
    count = min(len(spectrum), len(kept))
    kept[:count] = spectrum[:count]
    return np.fft.irfft(kept, frames) * (frames / len(samples))


def softened(samples, hertz, order, rate=RATE):
    """Through a low-pass that falls gently: `order` times 6 dB for each octave."""
    response = 1 / np.sqrt(1 + (np.fft.rfftfreq(len(samples), 1 / rate) / hertz) ** (2 * order))
    return np.fft.irfft(np.fft.rfft(samples) * response, len(samples))


def repeated(samples, times=2):
    """Each sample so many times."""
    return np.repeat(samples, times)


def interpolated(samples):
    """At twice the rate, on straight lines."""
    return np.interp(np.arange(2 * len(samples)) / 2, np.arange(len(samples)), samples)


def spread(samples):
    """At twice the rate, with zeros between."""
    out = np.zeros(2 * len(samples))
    out[::2] = samples
    return out


def rounded(samples):
    """As integers of 16 bits hold it."""
    return np.clip(np.round(np.asarray(samples) * 32768), -32768, 32767) / 32768


def wav(samples, rate=RATE, subtype="PCM_16"):
    """A WAV file."""
    out = io.BytesIO()
    soundfile.write(out, samples, rate, subtype=subtype, format="WAV")
    return out.getvalue()
