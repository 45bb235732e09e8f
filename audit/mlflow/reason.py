"""Why MLflow could not be reached, in a few words out of a long chain of exceptions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from audit.mlflow import redact

MAX_LENGTH = 250
_CODE = re.compile(r"too many (\d{3}) error responses|error code (\d{3})\b|\b(\d{3}) (?:Client|Server) Error")
_ADVICE = {
    "401": "HTTP 401, not authorised: set MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and _PASSWORD",
    "403": "HTTP 403, forbidden: the account may not write there",
}


def reason(error: BaseException, environment: Mapping[str, str]) -> str:
    """The status of the server's answer, the system's own word for what failed, or the first line of the message."""
    chain = list(_chain(error))
    text = _status(chain) or _system(chain) or _first_line(error)
    return redact.message(text, environment)[:MAX_LENGTH]


def _status(chain: list[BaseException]) -> str:
    for error in chain:
        if found := _CODE.search(str(error)):
            code = next(filter(None, found.groups()))
            return _ADVICE.get(code, f"HTTP {code}")
    return ""


def _system(chain: list[BaseException]) -> str:
    """The innermost error that has a word from the system, or that is a timeout."""
    for error in reversed(chain):
        if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
            return "no answer in time"
        if isinstance(error, OSError) and error.strerror:
            return f"{error.strerror}: {error.filename}" if error.filename else str(error.strerror)
    return ""


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what lies beneath it; urllib3 and requests keep causes in `reason` and `args` too."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        inner = [getattr(error, "reason", None), *error.args, error.__cause__, error.__context__]
        error = next((one for one in inner if isinstance(one, BaseException)), None)
