"""Make the clips and their labels: all arithmetic is on whole numbers, so every machine makes the same bytes."""

from __future__ import annotations

import csv
import json
import sys
import wave
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LOUDNESS = 9_000  # of 32,767


def main() -> None:
    """Write data/clips/SPLIT/WORD-NUMBER.wav and data/labels.csv as params.json says."""
    params = json.loads((HERE / "params.json").read_text(encoding="utf-8"))
    rate_hz, length = params["rate_hz"], params["rate_hz"] * params["clip_ms"] // 1000
    rows = [("path", "split", "word")]
    for period, (split, word) in enumerate(planned(params), start=24):  # samples: no two clips sound alike
        name = f"data/clips/{split}/{word}-{period}.wav"
        write(HERE / name, rate_hz, (height(at % period, period) for at in range(length)))
        rows.append((name, split, word))
    with (HERE / "data/labels.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def planned(params: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The split and the word of each clip; a word's clips are neighbours in pitch."""
    for word in params["words"]:
        for split, count in params["clips"].items():
            yield from [(split, word)] * count


def height(at: int, period: int) -> int:
    """A triangle wave, in whole numbers."""
    return LOUDNESS - 4 * LOUDNESS * abs(at - period // 2) // period


def write(file: Path, rate_hz: int, samples: Iterator[int]) -> None:
    """One clip: mono, 16 bit."""
    file.parent.mkdir(parents=True, exist_ok=True)
    frames = array("h", samples)
    if sys.byteorder == "big":
        frames.byteswap()
    with wave.open(str(file), "wb") as clip:
        clip.setnchannels(1)
        clip.setsampwidth(2)
        clip.setframerate(rate_hz)
        clip.writeframes(frames.tobytes())


if __name__ == "__main__":
    main()
