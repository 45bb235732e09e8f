"""Exhibits of clips and pictures made by hand, and a report that has them, its names hostile."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
from PIL import Image
from support.reports import HOSTILE, report, result, violation

from audit.records.findings import Exhibit
from audit.records.report import Report
from audit.records.words import Outcome, Verdict
from audit.signals.drawing import LEVELS, png


def clip(path: str = "data/a.wav", **changes: Any) -> Exhibit:
    """A clip of 8 kHz beside those of 16 kHz, clipped in two of its six hundred parts."""
    levels = np.add.outer(np.arange(96), np.arange(300)) % LEVELS
    high = [at % 100 for at in range(600)]
    data = {
        "path": path,
        "reason": "sample rate 8000 Hz, not 16000 Hz",
        "sample_rate_hz": 8_000,
        "channels": 1,
        "seconds": 1.42,
        "whole": True,
        "low": [-one for one in high],
        "high": high,
        "peak": 0.99,
        "clipped": [99, 199],
        "spectrogram": base64.b64encode(png(levels.astype(np.uint8))).decode(),
        "band_hz": 8_000.0,
    }
    return Exhibit(type="clip", title=path, data={**data, **changes})


def jpeg(width: int = 160, height: int = 107) -> str:
    """A small picture, base64."""
    out = io.BytesIO()
    Image.linear_gradient("L").resize((width, height)).convert("RGB").save(out, "JPEG")
    return base64.b64encode(out.getvalue()).decode()


def sheet(*paths: str, **changes: Any) -> Exhibit:
    """A sheet of pictures; the last has nothing to show."""
    shown = {"jpeg": jpeg(), "width": 160, "height": 107, "cut": True, **changes}
    pictures: list[dict[str, Any]] = [{"path": path, "reason": "ends after 3 bytes", **shown} for path in paths]
    pictures.append({"path": "data/empty.jpg", "reason": "is empty: 0 bytes"})
    return Exhibit(type="pictures", title="Pictures with something wrong", data={"pictures": pictures})


def signals() -> Report:
    """Two rules that show what they found."""
    clips = tuple(clip(path, reason=path) for path in ("data/clips/0001.wav", *HOSTILE[:4]))
    heard = violation("clips-16k", "audio.format", "data/clips/0001.wav", "rate", "sample rate 8000 Hz")
    seen = violation("pictures-whole", "image.integrity", "data/a.jpg", "truncated", "ends after 3 bytes")
    return report(
        Verdict.FAIL,
        [
            result("clips-16k", "audio.format", Outcome.FAIL, "1 clip wrong", violations=(heard,), exhibits=clips),
            result(
                "pictures-whole",
                "image.integrity",
                Outcome.FAIL,
                "1 picture cut",
                violations=(seen,),
                exhibits=(sheet("data/a.jpg", *HOSTILE),),
            ),
        ],
    )
