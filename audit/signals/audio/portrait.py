"""A clip as a report shows it: how loud it is over time, and at what frequencies."""

from __future__ import annotations

import base64
import io
import os
from typing import TYPE_CHECKING, Any

from audit.errors import FormatError
from audit.records.portraits import ClipPortrait
from audit.signals.drawing import LEVELS, png

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_SAMPLES = 1 << 23
"""Samples that are drawn, of all channels together: nine minutes of one channel at 16 kHz."""

COLUMNS = 600
BLOCK = 1 << 18
_LOUDEST = 1e6
_PERCENT = 100

_NEAR = 0.98
"""Of full scale, from which on equal samples are taken for clipped."""

_ACROSS, _DOWN = 300, 96
_WINDOW_S = 0.032
_WINDOWS = (64, 4096)
_PER_COLUMN = 4
_CHANNELS = 8
_RANGE_DB = 70.0
_QUIETEST_DB = -60.0
"""The loudest of a clip has the brightest colour; of one that is quieter than this, none has."""


def portrait(file: io.FileIO) -> ClipPortrait:
    """Decode an open file as far as it goes and up to `MOST_SAMPLES`; `FormatError` where there is nothing to draw."""
    import soundfile

    os.lseek(file.fileno(), 0, os.SEEK_SET)
    try:
        with soundfile.SoundFile(file.fileno(), closefd=False) as sound:
            rate, samples, whole = sound.samplerate, *_samples(sound, soundfile.LibsndfileError)
    except soundfile.LibsndfileError as error:
        raise FormatError(f"cannot be decoded: {error.error_string}") from None
    if not len(samples):
        raise FormatError("holds no samples")
    peak = float(max(-samples.min(), samples.max(), 0.0))
    low, high = _envelope(samples, max(1.0, peak))
    return ClipPortrait(
        sample_rate_hz=rate,
        channels=samples.shape[1],
        seconds=round(len(samples) / rate, 6),
        whole=whole,
        low=low,
        high=high,
        peak=float(f"{peak:.4g}"),
        clipped=_clipped(samples),
        spectrogram=base64.b64encode(png(_spectrogram(samples, rate))).decode(),
    )


def _samples(sound: Any, failed: type[Exception]) -> tuple[NDArray[np.float32], bool]:
    """The samples (frames, channels), finite, as far as they can be decoded; and whether none are left."""
    import numpy as np

    most = MOST_SAMPLES // sound.channels
    blocks = [np.empty((0, sound.channels), np.float32)]
    frames, ended = 0, False
    while frames < most and not ended:
        try:
            block = sound.read(max(1, min(BLOCK // sound.channels, most - frames)), dtype="float32", always_2d=True)
        except failed:
            break
        frames, ended = frames + len(block), not len(block)
        blocks.append(block)
    samples = np.nan_to_num(np.concatenate(blocks), nan=0.0, posinf=_LOUDEST, neginf=-_LOUDEST)
    return np.clip(samples, -_LOUDEST, _LOUDEST), frames < most


def _edges(frames: int) -> NDArray[np.intp]:
    """Where each column of the waveform begins."""
    import numpy as np

    columns = min(COLUMNS, frames)
    return np.arange(columns) * frames // columns


def _envelope(samples: NDArray[np.float32], full: float) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The least and the greatest sample of each column, in hundredths of `full`."""
    import numpy as np

    edges = _edges(len(samples))
    low = np.minimum.reduceat(samples.min(axis=1), edges)
    high = np.maximum.reduceat(samples.max(axis=1), edges)
    low, high = (np.rint(each / full * _PERCENT).astype(int) for each in (low, high))
    return tuple(low.tolist()), tuple(high.tolist())


def _clipped(samples: NDArray[np.float32]) -> tuple[int, ...]:
    """The columns in which a channel has three equal samples in a row near full scale."""
    import numpy as np

    loud = np.abs(samples[2:]) >= _NEAR
    flat = (loud & (samples[2:] == samples[1:-1]) & (samples[1:-1] == samples[:-2])).any(axis=1)
    places = np.flatnonzero(flat) + 1
    return tuple(np.unique(np.searchsorted(_edges(len(samples)), places, side="right") - 1).tolist())


def _spectrogram(samples: NDArray[np.float32], rate: int) -> NDArray[np.uint8]:
    """Levels (`_DOWN`, `_ACROSS`): the power in Hann windows of 32 ms, the loudest of each cell, the highest on top."""
    import numpy as np

    size = min(len(samples), int(np.clip(1 << round(np.log2(rate * _WINDOW_S)), *_WINDOWS)))
    window = np.hanning(size + 2)[1:-1].astype(np.float32)
    starts = np.linspace(0, len(samples) - size, _ACROSS * _PER_COLUMN).astype(int)
    places = starts[:, None] + np.arange(size)
    power = np.zeros((len(starts), size // 2 + 1))
    for channel in samples.T[:_CHANNELS]:
        power += np.abs(np.fft.rfft(channel[places] * window)) ** 2
    bins = np.arange(_DOWN) * power.shape[1] // _DOWN
    cells = np.maximum.reduceat(power, bins, axis=1).reshape(_ACROSS, _PER_COLUMN, _DOWN).mean(axis=1)
    return _levels(cells.T[::-1], (float(window.sum()) / 2) ** 2)


def _levels(power: NDArray[np.float64], full: float) -> NDArray[np.uint8]:
    """Levels of the palette; `full` is the power of a sine of full scale."""
    import numpy as np

    decibels = 10 * np.log10(np.maximum(power / full, 1e-20))
    top = max(float(decibels.max()), _QUIETEST_DB)
    shares = np.clip(1 + (decibels - top) / _RANGE_DB, 0, 1)
    return np.rint(shares * (LEVELS - 1)).astype(np.uint8)
