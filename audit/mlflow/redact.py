"""What may be shown of a URL and of a message: no user part, no query, no secret of the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping

_USER = re.compile(r"(?:(?<=://)|^)[^/?#\s]*@")
_QUERY = re.compile(r"(?<=[\w/%])\?[^\s'\")\]>]*")
_SECRET = re.compile(r"TOKEN|PASSWORD|PASSWD|SECRET|CREDENTIAL|_KEY\b|_KEY_", re.IGNORECASE)
_SHORTEST = 6


def url(text: str) -> str:
    """The text with the user part and the query taken out of every URL."""
    return _QUERY.sub("", _USER.sub("", text))


def message(text: str, environment: Mapping[str, str]) -> str:
    """The text without what `url` takes out, and without the values of variables that are named like secrets."""
    secrets = {secret for name, secret in environment.items() if _SECRET.search(name) and len(secret) >= _SHORTEST}
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    return url(text)
