"""What was measured of a clip, held against what a rule lets pass."""

from __future__ import annotations

import math
from collections.abc import Iterator

from audit.records.audio_decoded import DecodedAudio, Sound
from audit.records.base import Record
from audit.records.findings import Scalar
from audit.records.labels import Weight
from audit.records.words import Severity

_LOWEST_DBFS = -200.0


class Limits(Record):
    """What is let pass, as the parameters of `audio.content` say it; None where anything is."""

    silence_dbfs: float
    max_silence: float
    max_clipped: float
    max_dc: float
    min_peak_dbfs: float | None
    max_peak_dbfs: float | None
    min_loudness_lufs: float | None
    max_loudness_lufs: float | None
    min_bandwidth_hz: float | None
    min_bandwidth_share: float
    max_hum_db: float
    identical_channels: Weight


class Remark(Record):
    """Something wrong with what a clip holds."""

    kind: str
    message: str
    severity: Severity
    expected: Scalar = None
    found: Scalar = None


def dbfs(level: float) -> float:
    """A level in dB relative to full scale, which is a magnitude of 1.0; -200 for silence."""
    return max(20 * math.log10(level), _LOWEST_DBFS) if level > 0 else _LOWEST_DBFS


def remarks(clip: DecodedAudio, sound: Sound, limits: Limits) -> Iterator[Remark]:
    """All that is wrong; of a silent clip only that."""
    loudest = round(dbfs(sound.loudest), 1)
    if loudest < limits.silence_dbfs:
        level = f"nowhere louder than {loudest:.4g} dBFS" if loudest > _LOWEST_DBFS else "no sample moves"
        message = f"is silent: {level}"
        yield Remark(kind="silent", message=message, severity=Severity.ERROR, found=loudest)
        return
    yield from _levels(sound, limits)
    yield from _waves(sound, limits)
    yield from _channels(sound, limits)
    yield from _mains(sound, limits)
    yield from _bandwidth(clip, sound, limits)


def _levels(sound: Sound, limits: Limits) -> Iterator[Remark]:
    if sound.silent > limits.max_silence:
        message = f"is silent for {sound.silent:.0%} of its length (below -60 dBFS)"
        yield _warning("silence", message, limits.max_silence, sound.silent)
    yield from _bounded("peak", "dBFS", dbfs(sound.peak), (limits.min_peak_dbfs, limits.max_peak_dbfs))
    if sound.loudness_lufs is not None:
        bounds = (limits.min_loudness_lufs, limits.max_loudness_lufs)
        yield from _bounded("loudness", "LUFS", sound.loudness_lufs, bounds)


def _bounded(kind: str, unit: str, value: float, bounds: tuple[float | None, float | None]) -> Iterator[Remark]:
    """Tell a value below the first bound or above the second."""
    value = round(value, 1)
    low, high = bounds
    if low is not None and value < low:
        message = f"has a {kind} of {value:.4g} {unit}, below {low:.4g} {unit}"
        yield Remark(kind=kind, message=message, severity=Severity.ERROR, expected=low, found=value)
    if high is not None and value > high:
        message = f"has a {kind} of {value:.4g} {unit}, above {high:.4g} {unit}"
        yield Remark(kind=kind, message=message, severity=Severity.ERROR, expected=high, found=value)


def _waves(sound: Sound, limits: Limits) -> Iterator[Remark]:
    if sound.clipped > limits.max_clipped:
        at = dbfs(sound.clipped_at)
        message = f"is clipped: {sound.clipped:.2%} of its samples lie in flat tops at {at:.3g} dBFS"
        yield _warning("clipping", message, limits.max_clipped, sound.clipped)
    if abs(sound.dc) > limits.max_dc:
        message = f"does not swing around 0, but around {sound.dc:+.3g} of full scale (DC offset)"
        yield _warning("dc-offset", message, limits.max_dc, sound.dc)


def _channels(sound: Sound, limits: Limits) -> Iterator[Remark]:
    if sound.alike == "inverted":
        yield _warning("inverted", "has one channel that is the other inverted: mixed to mono, nothing is left")
    elif sound.alike and limits.identical_channels != "ok":
        severity = Severity(limits.identical_channels)
        yield Remark(kind="identical", message="has the same sound in all channels", severity=severity)


def _mains(sound: Sound, limits: Limits) -> Iterator[Remark]:
    if sound.hum_hz and sound.hum_db > limits.max_hum_db:
        message = f"hums: lines of the mains at {sound.hum_hz} Hz, {-sound.hum_db:.0f} dB below the whole, all through"
        yield _warning("hum", message, limits.max_hum_db, sound.hum_db)


def _bandwidth(clip: DecodedAudio, sound: Sound, limits: Limits) -> Iterator[Remark]:
    """What the sample rate promises and the sound does not hold."""
    rate = clip.sample_rate_hz
    least = limits.min_bandwidth_hz or limits.min_bandwidth_share * rate / 2
    if sound.repeats > 1:
        yield _warning("image", _repeated(rate, sound), rate, rate / sound.repeats)
    elif sound.mirrored:
        yield _warning("image", _mirrored(rate, sound), rate, rate / 2)
    elif sound.bandwidth_hz is not None and sound.bandwidth_hz < least:
        hertz = float(f"{sound.bandwidth_hz:.2g}")
        message = (
            f"has an effective bandwidth of {_khz(hertz)}, though its sample rate of {rate:,} Hz could hold "
            f"{_khz(rate / 2)}: the spectrum falls by {sound.edge_db:.0f} dB there"
        )
        yield _warning("bandwidth", message, least, hertz)


def _repeated(rate: int, sound: Sound) -> str:
    before = rate / sound.repeats
    return (
        f"has each sample {sound.repeats} times in a row: it was made from {_khz(before)} without a low-pass "
        f"(an image at {before - sound.strongest_hz:,.0f} Hz; {sound.above_quarter:.1%} of its power above "
        f"{_khz(rate / 4)})"
    )


def _mirrored(rate: int, sound: Sound) -> str:
    return (
        f"mirrors its spectrum at {_khz(rate / 4)}: it was made from {_khz(rate / 2)} without a low-pass "
        f"(an image at {rate / 2 - sound.strongest_hz:,.0f} Hz; {sound.above_quarter:.1%} of its power above it)"
    )


def _warning(kind: str, message: str, expected: float | None = None, found: float | None = None) -> Remark:
    said = (None if one is None else float(f"{one:.4g}") for one in (expected, found))
    expected, found = said
    return Remark(kind=kind, message=message, severity=Severity.WARNING, expected=expected, found=found)


def _khz(hertz: float) -> str:
    return f"{hertz / 1000:.3g} kHz"
