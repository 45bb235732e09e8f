"""What the demonstration's project holds: every byte follows from the names, so that two of them are alike."""

from __future__ import annotations

import hashlib
import io
import math
import struct
import wave
from collections.abc import Iterator

WORDS = ("yes", "no", "up", "down")
RATE_HZ = 16_000

ENCODER = "pretrained/encoder.bin"
VOCABULARY = "downloads/vocabulary.txt"

_AUDIT = """\
version: 1
name: keyword-spotting
extends: [core]

datasets:
  train: {path: "data/clips/train/*.wav", role: train}
  val: {path: "data/clips/val/*.wav", role: val}
  labels: {path: data/labels.csv}
  vocabulary: {path: downloads/vocabulary.txt, kind: files}

rules:
  - id: downloads
    check: files.manifest
    with: {manifest: downloads/SHA256SUMS}
    on: [commit, launch, nightly]
    why: The vocabulary fixes the output layer; with another one the labels mean something else.

  # The packs look at these every night; this project is small enough to look before each launch.
  - id: dvc-cache
    on: [launch, nightly]
  - id: dvc-remote
    on: [launch, nightly]
"""

_PREPARE = """\
import csv
import json
from pathlib import Path

rate = json.loads(Path("params.json").read_text())["features"]["rate_hz"]
rows = csv.reader(Path("data/labels.csv").read_text().splitlines())
Path("data/index.txt").write_text("".join(f"{clip} {word} {rate}\\n" for clip, word in rows))
"""

_STAGES = """\
stages:
  index:
    cmd: python3 prepare.py
    deps: [data/labels.csv, prepare.py]
    params:
      - params.json: [features.rate_hz]
    outs: [data/index.txt]
"""

SETTINGS = """\
[core]
    analytics = false
    remote = storage
[cache]
    dir = cache
    type = "reflink,copy"
['remote "storage"']
    url = ../../storage
"""
"""DVC's settings: the project stays whole wherever its folder is moved to, whatever the user's own settings are."""


def files() -> dict[str, bytes]:
    """All files by their paths, as they are before anything is recorded."""
    vocabulary = "".join(f"{word}\n" for word in WORDS).encode()
    clips = dict(_clips())
    return clips | {
        "data/labels.csv": "".join(_label(path) for path in sorted(clips)).encode(),
        VOCABULARY: vocabulary,
        "downloads/SHA256SUMS": f"{hashlib.sha256(vocabulary).hexdigest()}  vocabulary.txt\n".encode(),
        ENCODER: b"".join(struct.pack("<f", math.sin(step)) for step in range(5000)),
        ".gitattributes": b"pretrained/*.bin filter=lfs diff=lfs merge=lfs -text\n",
        "params.json": params(RATE_HZ),
        "prepare.py": _PREPARE.encode(),
        "dvc.yaml": _STAGES.encode(),
        "audit.yaml": _AUDIT.encode(),
    }


def params(rate_hz: int) -> bytes:
    """The parameters of the pipeline, for that sample rate."""
    return f'{{"features": {{"rate_hz": {rate_hz}}}}}\n'.encode()


def pointer(content: bytes) -> bytes:
    """The Git LFS pointer to the content (git-lfs, docs/spec.md)."""
    digest = hashlib.sha256(content).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n".encode()


def _label(path: str) -> str:
    name = path.rpartition("/")[2]
    return f"{name},{name.partition('_')[0]}\n"


def _clips() -> Iterator[tuple[str, bytes]]:
    for split, count in (("train", 3), ("val", 1)):
        for number in range(count):
            for pitch, word in enumerate(WORDS):
                pitch_hz = 200 + 90 * pitch + 7 * number + len(split)
                yield f"data/clips/{split}/{word}_{split}{number}.wav", _tone(pitch_hz)


def _tone(pitch_hz: int) -> bytes:
    """A quarter of a second of a sine, 16-bit mono."""
    samples = [round(9000 * math.sin(2 * math.pi * pitch_hz * step / RATE_HZ)) for step in range(RATE_HZ // 4)]
    stream = io.BytesIO()
    with wave.open(stream, "wb") as clip:
        clip.setnchannels(1)
        clip.setsampwidth(2)
        clip.setframerate(RATE_HZ)
        clip.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return stream.getvalue()
