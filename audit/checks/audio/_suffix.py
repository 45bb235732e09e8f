"""Names of clips held against what the files are."""

from __future__ import annotations

_NAMED = {
    ("WAV", "RF64"): ("wav", "wave", "bwf", "rf64"),
    ("W64",): ("w64",),
    ("AIFF",): ("aif", "aiff", "aifc"),
    ("FLAC",): ("flac",),
    ("OGG",): ("ogg", "oga", "opus", "spx"),
    ("NIST",): ("sph", "nist"),
    ("MP3",): ("mp3", "mp2", "mp1", "mpga"),
    ("MP4",): ("m4a", "m4b", "mp4"),
    ("ADTS",): ("aac", "adts"),
}
_CONTAINERS = {suffix: containers for containers, suffixes in _NAMED.items() for suffix in suffixes}


def promised(path: str) -> tuple[str, ...]:
    """The containers for which the name's suffix stands; none if it is not one that stands for any."""
    return _CONTAINERS.get(path.rpartition(".")[2].lower(), ())
