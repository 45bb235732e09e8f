"""URLs as they may be shown: without the user part, the query and the fragment, where secrets live."""

from __future__ import annotations

import re

_USER = re.compile(r"(?<=://)[^/?#]*@")
_REST = re.compile(r"[?#].*", re.DOTALL)


def public(url: str) -> str:
    """Strip a URL of its user part, query and fragment; a plain path stays as it is."""
    return _REST.sub("", _USER.sub("", url)) if "://" in url else url
