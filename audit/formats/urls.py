"""URLs as they may be shown: without the user part, the query and the fragment, where secrets live."""

from __future__ import annotations

import re

_USER = re.compile(r"(?<=://)(?:[^/?#]*@|[^/?#@:\[]*:(?!\d*(?:/|$)|\d+[?#]).*@)", re.DOTALL)
"""What ends in the last `@` before the path. A password may hold a `/` that should have been escaped: what follows the
colon is then no port, and all before the last `@` of the whole is taken for it.
"""

_REST = re.compile(r"[?#].*", re.DOTALL)
_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^\s'\"<>]+", re.IGNORECASE)


def is_remote(path: str) -> bool:
    """Whether it is a URL rather than a path."""
    return "://" in path


def public(url: str) -> str:
    """Strip a URL of its user part, query and fragment; a plain path stays as it is."""
    return _REST.sub("", _USER.sub("", url)) if "://" in url else url


def public_text(text: str) -> str:
    """A message with every URL in it stripped, as libraries repeat the one they were given."""
    return _URL.sub(lambda found: public(found.group()), text)
