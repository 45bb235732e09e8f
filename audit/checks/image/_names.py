"""What the suffixes of pictures say they are."""

from __future__ import annotations

_SUFFIXES = {
    "JPEG": ("jpg", "jpeg", "jpe", "jfif", "mpo"),
    "PNG": ("png", "apng"),
    "GIF": ("gif",),
    "BMP": ("bmp", "dib"),
    "WEBP": ("webp",),
    "TIFF": ("tif", "tiff"),
    "PPM": ("ppm", "pgm", "pbm", "pnm", "pfm"),
    "JPEG2000": ("jp2", "j2k", "jpf", "jpx", "j2c", "jpc"),
    "AVIF": ("avif", "avifs"),
    "HEIF": ("heic", "heif", "hif"),
    "QOI": ("qoi",),
}
_NAMES = {suffix: name for name, suffixes in _SUFFIXES.items() for suffix in suffixes}


def named(path: str) -> str:
    """The format that a path's suffix promises; empty where it promises none that is known."""
    stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return _NAMES.get(suffix.lower(), "") if stem and dot else ""
