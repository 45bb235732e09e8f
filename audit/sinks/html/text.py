"""Text as a page may show it: nothing invisible, nothing endless, numbers as people read them."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from audit.records.report import printable
from audit.records.text import plain

COMMAND = 2_000
"""Characters of the longest command that is shown."""

_MINUTE = 60
_PRECISE = 10  # seconds below which two digits are worth reading
_KIB = 1024


def visible(value: object) -> str:
    r"""The value on one line, its control, bidi and other unseen characters spelled out, as `\u202e`."""
    return _plain(value).replace("\n", "\\n").replace("\t", "\\t")


def lines(value: object) -> Markup:
    """`visible`, with line breaks left as they are; for elements that keep white space."""
    return escape(_plain(value).strip("\n").replace("\t", "\\t"))


def _plain(value: object) -> str:
    return plain(str(printable(_words(value))))


def _words(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    return str(value)


def shown(value: object) -> str | Markup:
    """The last step of every expression in the template; what is marked up stays, the rest is escaped after."""
    return value if isinstance(value, Markup) else visible(value)


def clip(text: object, limit: int) -> str:
    """At most `limit` characters, with a word on how many were left out."""
    whole = _words(text)
    if len(whole) <= limit:
        return whole
    return f"{whole[:limit]}… ({len(whole) - limit:,} more characters)"


def whole(command: str) -> str:
    """The command, or a shell comment instead of one that is too long to show: half a command is another command."""
    return command if len(command) <= COMMAND else f"# a command of {len(command):,} characters, in report.json"


def number(value: float | str) -> str:
    """A figure: thousands separated, up to 12 significant digits."""
    if isinstance(value, bool | str):
        return _words(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.12g}"


def duration(seconds: float) -> str:
    """Seconds as a person says them: `0.41 s`, `12.3 s`, `4 min 02 s`, `3 h 07 min`."""
    if seconds < _MINUTE:
        return f"{seconds:.{1 if seconds >= _PRECISE else 2}f} s"
    minutes, rest = divmod(round(seconds), _MINUTE)
    if minutes < _MINUTE:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // _MINUTE} h {minutes % _MINUTE:02} min"


def moment(iso: str) -> str:
    """An ISO 8601 time in UTC, easier on the eye; anything else as it stands."""
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|\+00:00)", iso)
    return f"{match[1]} {match[2]} UTC" if match else iso


def count(many: int, noun: str, plural: str = "") -> str:
    """`1 violation`, `2 violations`, `3 files`."""
    return f"{many:,} {noun if many == 1 else plural or noun + 's'}"


def sentence(words: str) -> str:
    """The words with a capital and a full stop."""
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."


def counts_bytes(name: str, value: object) -> bool:
    """Whether a figure is a number of bytes, by the unit in its name."""
    return isinstance(value, int) and value >= _KIB and name.rpartition("_")[2] == "bytes"
