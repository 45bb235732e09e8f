"""What a file is that cannot be opened as audio, by the bytes it begins with."""

from __future__ import annotations

import re

from audit.records.signals import Fault

_DECODED = (
    (rb"RIFF....WAVE|RIFX....WAVE|RF64....WAVE|BW64....WAVE", "WAV"),
    (rb"FORM....AIF[FC]", "AIFF"),
    (rb"fLaC", "FLAC"),
    (rb"OggS", "Ogg"),
    (rb"riff\x2e\x91\xcf\x11", "Wave64"),
    (rb"caff\0\x01", "CAF"),
    (rb"\.snd|dns\.", "AU"),
    (rb"ID3[\x02-\x04]|\xff[\xe2-\xe7\xf2-\xf7\xfa-\xff]", "MP3"),
)
_OTHERS = (
    (rb"....ftyp", "an MP4 or M4A file, whose AAC or ALAC is not decoded here"),
    (rb"\xff[\xf0\xf1\xf8\xf9]", "AAC, which is not decoded here"),
    (rb"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "a WMA file, which is not decoded here"),
    (rb"\x1a\x45\xdf\xa3", "a Matroska or WebM file, which is not decoded here"),
    (rb"#!AMR", "AMR, which is not decoded here"),
    (rb"wvpk", "WavPack, which is not decoded here"),
    (rb"MAC ", "Monkey's Audio, which is not decoded here"),
    (rb"DSD |FRM8", "DSD, which is not decoded here"),
    (rb"MThd", "MIDI, which holds no sound"),
)
_HINT = "convert it to FLAC or WAV, with ffmpeg for example"


def unopened(head: bytes, size: int, why: str) -> Fault:
    """The fault of a file of `size` bytes that begins with `head` and that libsndfile refuses for a reason."""
    for sign, name in _DECODED:
        if re.match(sign, head, re.DOTALL):
            return _broken(name, size, why, coded=b"Speex   " in head[:64])
    for sign, what in _OTHERS:
        if re.match(sign, head, re.DOTALL):
            return Fault(kind="unsupported", what=f"is {what}: {_HINT}")
    return Fault(kind="unknown", what=f"is no clip of a format that is decoded (it begins with {head[:8].hex(' ')})")


def _broken(name: str, size: int, why: str, *, coded: bool) -> Fault:
    if coded:
        return Fault(kind="unsupported", what=f"is Speex, which is not decoded here: {_HINT}")
    reason = why.strip(" .") or "nothing that can be decoded follows"
    return Fault(kind="corrupt", what=f"begins as {name} does, but of its {size:,} bytes none can be decoded: {reason}")
