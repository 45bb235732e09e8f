"""What headers of clips have in common: formats that files share, and what may be wrong with a length."""

from __future__ import annotations

from functools import lru_cache

from audit.errors import FormatError
from audit.records.audio import AudioFormat
from audit.records.signals import Fault


@lru_cache(256)
def known(container: str, subtype: str, rate: int, channels: int, bits: int | None = None) -> AudioFormat:
    """The one record of this format. Raises what `audible` does."""
    audible(rate, channels)
    return AudioFormat(container=container, subtype=subtype, sample_rate_hz=rate, channels=channels, bits=bits)


def audible(rate: int, channels: int) -> None:
    """Raise `FormatError` where nothing could be heard at this rate, through so many channels."""
    if channels < 1 or rate < 1:
        raise FormatError(f"declares {channels} channels at {rate} Hz")


def used(declared: int | None, there: int) -> tuple[int, tuple[Fault, ...]]:
    """The bytes of sound, of those that are `there`, and what is wrong with them; None declares all of them."""
    if not declared and not there:
        return 0, (Fault(kind="empty", what="holds no sound"),)
    if declared is None:
        return there, ()
    if not declared:
        what = f"declares no sound, though {there} bytes follow: was it written to its end?"
        return 0, (Fault(kind="empty", what=what, expected=0, found=there),)
    return (declared, ()) if declared <= there else (there, (cut(declared, there),))


def cut(declared: int, there: int) -> Fault:
    """Fewer bytes of sound are there than declared."""
    what = f"is cut: {declared - there} of {declared} bytes of sound are missing"
    return Fault(kind="truncated", what=what, expected=declared, found=there)


def disagreeing(declared: int, held: int) -> Fault:
    """The header declares another number of samples than the data can hold; the data is believed."""
    what = f"declares {declared:,} samples of each channel, and holds {held:,}"
    return Fault(kind="length", what=what, expected=declared, found=held)
