"""Speak the commands: clips of 16 kHz, 16 bit, mono, a manifest beside them, and two faults planted on purpose.

espeak-ng (https://github.com/espeak-ng/espeak-ng) speaks, at 22,050 Hz; what it says is resampled by the discrete
Fourier transform. Its version decides the very samples, so this project records its data itself: `audit lock data`.
"""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

HERE = Path(__file__).parent
COMMANDS = ("switch on the light", "switch off the light", "open the window", "close the window", "what time is it")
VOICES = {"train": ("en-us", "en-gb", "en-us+f3", "en-gb-scotland"), "val": ("en-gb-x-rp", "en-us+f4")}
RATE_HZ = 16_000

HALVED = "data/train/en-gb-open-the-window.wav"
"""Recorded by another machine: stored at 8 kHz, which only its header tells."""

TELEPHONE = "data/train/en-us-what-time-is-it.wav"
"""Came by telephone: stored at 16 kHz, with nothing above 4 kHz, which no header tells."""

Samples = NDArray[np.float64]


def main() -> None:
    """Write data/SPLIT/VOICE-COMMAND.wav and data/SPLIT.jsonl."""
    for split in VOICES:
        (HERE / "data" / split).mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(line) + "\n" for line in spoken(split)]
        (HERE / f"data/{split}.jsonl").write_text("".join(lines), encoding="utf-8")


def spoken(split: str) -> Iterator[dict[str, str | float]]:
    """Every command by every voice of the split, written; what the manifest says of it."""
    for voice in VOICES[split]:
        for command in COMMANDS:
            name = f"data/{split}/{voice}-{command.replace(' ', '-')}.wav"
            samples, rate_hz = recorded(name, *speak(voice, command))
            soundfile.write(HERE / name, samples, rate_hz, subtype="PCM_16")
            yield {"audio_filepath": f"{split}/{Path(name).name}", "duration": len(samples) / rate_hz, "text": command}


def speak(voice: str, command: str) -> tuple[Samples, int]:
    """What espeak-ng says, and its rate in Hz."""
    said = subprocess.run(["espeak-ng", "-v", voice, "--stdout", command], check=True, capture_output=True)
    samples, rate_hz = soundfile.read(io.BytesIO(said.stdout))
    return samples, rate_hz


def recorded(name: str, samples: Samples, rate_hz: int) -> tuple[Samples, int]:
    """A clip as it was stored: at 16 kHz, but for the two that were not."""
    if name == HALVED:
        return resampled(samples, rate_hz, RATE_HZ // 2), RATE_HZ // 2
    if name == TELEPHONE:
        samples, rate_hz = resampled(samples, rate_hz, RATE_HZ // 2), RATE_HZ // 2
    return resampled(samples, rate_hz, RATE_HZ), RATE_HZ


def resampled(samples: Samples, rate_hz: int, to_hz: int) -> Samples:
    """The samples at another rate: its spectrum cut, or filled up with zeros."""
    length = round(len(samples) * to_hz / rate_hz)
    return np.fft.irfft(np.fft.rfft(samples), length) * (length / len(samples))


if __name__ == "__main__":
    main()
