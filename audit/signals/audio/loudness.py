"""Loudness of programmes: ITU-R BS.1770-4, with its filter applied in the frequency domain.

The two stages of the K-weighting are biquads that BS.1770-4 gives for 48 kHz; for other rates their analogue
prototypes are mapped anew (B. De Man, 2014). Their power response weighs the spectrum of each frame, which for gating
blocks of 400 ms comes to the same within 0.1 LU.
"""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_SHELF = (1681.974450955533, 3.999843853973347, 0.7071752369554196)
_HIGH_PASS = (38.13547087602444, 0.5003270373238773)
"""Frequency in Hz, gain in dB of the shelf, Q."""

_OFFSET = -0.691
_ABSOLUTE, _RELATIVE = -70.0, -10.0
_BLOCK_S, _STEP_S = 0.4, 0.1
_SURROUND = {5: (1, 1, 1, 1.41, 1.41), 6: (1, 1, 1, 0, 1.41, 1.41)}
"""Weights of channels in the usual order: left, right, centre, (low frequencies), surround left and right."""


def weights(rate: int, hertz: Floats) -> Floats:
    """The power response of the K-weighting at these frequencies, for sound of this sample rate."""
    import numpy as np

    at = np.exp(-2j * np.pi * hertz / rate)
    both = _response(*_shelf(rate), at) * _response(*_high_pass(rate), at)
    return np.abs(both) ** 2


def integrated(weighted: Floats, frame_s: float) -> float | None:
    """The gated loudness, in LUFS, of mean squares (channels, frames); None where nothing passes the gates."""
    import numpy as np

    gains = np.array(_SURROUND.get(len(weighted), (1,) * len(weighted)))
    size, step = max(1, round(_BLOCK_S / frame_s)), max(1, round(_STEP_S / frame_s))
    sums = [0.0, *accumulate((gains @ weighted).tolist())]
    blocks = [(sums[end] - sums[end - size]) / size for end in range(size, len(sums), step)]
    loud = [each for each in blocks if each > _power(_ABSOLUTE)]
    if not loud:
        return None
    gate = sum(loud) / len(loud) * 10 ** (_RELATIVE / 10)
    loud = [each for each in loud if each > gate]
    return _OFFSET + 10 * math.log10(sum(loud) / len(loud))


def _power(lufs: float) -> float:
    return float(10 ** ((lufs - _OFFSET) / 10))


def _response(top: tuple[float, ...], bottom: tuple[float, ...], at: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """The transfer function of a biquad, its coefficients in powers of 1/z, at points 1/z."""
    import numpy as np

    return np.polyval(top[::-1], at) / np.polyval(bottom[::-1], at)


def _shelf(rate: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    hertz, gain_db, q = _SHELF
    k = math.tan(math.pi * min(hertz / rate, 0.49))
    high = 10 ** (gain_db / 20)
    middle = high**0.4996667741545416
    a0 = 1 + k / q + k * k
    top = (high + middle * k / q + k * k, 2 * (k * k - high), high - middle * k / q + k * k)
    return tuple(each / a0 for each in top), (1.0, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0)


def _high_pass(rate: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    hertz, q = _HIGH_PASS
    k = math.tan(math.pi * min(hertz / rate, 0.49))
    a0 = 1 + k / q + k * k
    return (1.0, -2.0, 1.0), (1.0, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0)
