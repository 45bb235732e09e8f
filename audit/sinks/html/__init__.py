"""The report as one self-contained HTML page that opens from disk, with or without scripts.

Everything that the audited project can influence reaches the page through one door:
`text.shown` spells out what cannot be seen, then Jinja escapes it. The page's own
policy allows its own style and script, by their digests, and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection

from audit.records.report import Report


def render(report: Report, beside: Collection[str] = ()) -> bytes:
    """The page, UTF-8; the same report gives the same bytes. It links the attachments that lie `beside` it."""
    from audit.sinks.html.page import fitting

    return fitting(report, frozenset(beside))
