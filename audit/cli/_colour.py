"""Whether the reader wants colours: a terminal that can, and nobody who says no (no-color.org)."""

from __future__ import annotations

import os
import sys


def wants_colour() -> bool:
    """Colours on standard output."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
