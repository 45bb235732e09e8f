"""The report as one self-contained HTML page that opens from disk, with or without scripts.

Everything that the audited project can influence reaches the page through one door:
`text.shown` spells out what cannot be seen, then Jinja escapes it. The page's own
policy allows its own style and script, by their digests, and nothing else.
"""

from __future__ import annotations

from audit.records.report import Report


def render(report: Report) -> bytes:
    """The page, UTF-8; the same report gives the same bytes."""
    from audit.sinks.html.page import fitting

    return fitting(report)
