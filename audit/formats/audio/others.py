"""Files that hold no sound, or sound in a format that is not read, told by how they begin."""

from __future__ import annotations

from audit.records.signals import Fault

_UNREAD = {
    b"caff": "Core Audio file (CAF)",
    b".snd": "Sun/NeXT file (AU)",
    b"\x30\x26\xb2\x75\x8e\x66\xcf\x11": "Windows Media file (ASF, WMA)",
    b"#!AMR": "AMR file",
    b"\x1aE\xdf\xa3": "Matroska or WebM file",
    b"ADIF": "file of AAC in ADIF",
    b"\x0b\x77": "file of Dolby Digital (AC-3)",
    b"MAC ": "Monkey's Audio file",
    b"wvpk": "WavPack file",
    b"Creative Voice File": "Creative Voice file",
    b"ajkg": "Shorten file",
    b"TTA1": "True Audio file",
    b"DSD ": "DSD file",
    b"FLV": "Flash video",
}
"""Formats that may hold sound, by how they begin."""

_FOREIGN = {
    b"PK\x03\x04": "ZIP archive",
    b"\x1f\x8b": "gzip archive",
    b"BZh": "bzip2 archive",
    b"\xfd7zXZ": "xz archive",
    b"(\xb5/\xfd": "Zstandard archive",
    b"7z\xbc\xaf\x27\x1c": "7z archive",
    b"\x89PNG": "PNG picture",
    b"\xff\xd8\xff": "JPEG picture",
    b"GIF8": "GIF picture",
    b"%PDF": "PDF document",
    b"\x93NUMPY": "NumPy array",
    b"\x89HDF": "HDF5 file",
    b"\x80\x04\x95": "pickle",
    b"SQLite format 3": "SQLite database",
    b"PAR1": "Parquet table",
}
_TEXT = (b"<!doctype", b"<html", b"<?xml", b"<error", b"{")


def other(head: bytes) -> Fault | None:
    """What a file is that begins so; None if that is not known."""
    for sign, name in _UNREAD.items():
        if head.startswith(sign):
            return Fault(kind="unknown", what=f"is a {name}, which is not read")
    for sign, name in _FOREIGN.items():
        if head.startswith(sign):
            return Fault(kind="foreign", what=f"is a {name}, no sound")
    if head.lstrip().lower().startswith(_TEXT):
        return Fault(kind="foreign", what="is text, no sound: what a server says instead of a file?")
    return None
