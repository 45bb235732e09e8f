"""Tables that lie elsewhere: downloaded into the scratch folder through fsspec, then read like those that lie here.

Schemes are those that a rule file may name: `s3`, `gs`, `az` and `https`. Credentials are the
user's own, found by each service's library; what a URL carries is never repeated.
"""

from __future__ import annotations

import posixpath
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from audit.errors import AuditError, CannotLook, MissingExtra
from audit.formats.glob import has_signs
from audit.formats.parts import parts
from audit.formats.urls import public, public_text
from audit.records.table import Part
from audit.tables.reading import room

_CHUNK = 8 << 20
_CHECKED = 64 << 20
_LIBRARIES = {"s3": "s3fs", "gs": "gcsfs", "az": "adlfs", "https": "aiohttp"}
_LONGEST = 200
_CONNECT_S, _SILENT_S = 15, 30
_PATIENCE: dict[str, Any] = {
    "s3": {
        "config_kwargs": {
            "connect_timeout": _CONNECT_S,
            "read_timeout": _SILENT_S,
            "retries": {"mode": "standard", "max_attempts": 2},
        }
    }
}
"""A service may be silent for so long; a whole download may take as long as it does."""


def fetched(url: str, scratch: str) -> tuple[Part, ...]:
    """What a URL, or a pattern of one, names: copies in the scratch folder, in the order of their names.

    Raises `CannotLook` where nothing is there, or it cannot be reached.
    """
    with _explained(url):
        system, path = _filesystem(url)
        found = _found(system, path)
        if not found:
            raise CannotLook("nothing is there", where=public(url), hint="mend the dataset's URL in audit.yaml")
        scheme = url.partition("://")[0]
        named = [(_name(scheme, one), one) for one in found]
        taken = parts(_name(scheme, path), named)
        folder = tempfile.mkdtemp(dir=scratch)
        return tuple(_downloaded(system, part, f"{folder}/{number}") for number, part in enumerate(taken))


@contextmanager
def _explained(url: str) -> Iterator[None]:
    """Whatever a service's library raises is a reason; secrets in it are cut out."""
    try:
        yield
    except AuditError:
        raise
    except ImportError:
        raise MissingExtra("data", f"{_LIBRARIES[url.partition('://')[0]]}, which reads {url[:5]}... URLs,") from None
    except Exception as error:  # noqa: BLE001 - libraries of services raise anything
        said = public_text(str(error)).strip().partition("\n")[0][:_LONGEST] or "no reason given"
        raise CannotLook(
            f"cannot be read: {type(error).__name__}: {said}",
            where=public(url),
            hint="check the URL, the network and the credentials",
        ) from None


def _filesystem(url: str) -> tuple[Any, str]:
    import fsspec

    if url.startswith("https://"):
        import aiohttp

        patience = aiohttp.ClientTimeout(total=None, connect=_CONNECT_S, sock_read=_SILENT_S)
        return fsspec.filesystem("https", client_kwargs={"timeout": patience}), url
    system, path = fsspec.core.url_to_fs(url, **_PATIENCE.get(url.partition("://")[0], {}))
    return system, str(path)


def _found(system: Any, path: str) -> list[str]:
    if has_signs(path.partition("?")[0]) and "?" not in path:
        return sorted(one for one in system.glob(path) if not system.isdir(one))
    if "://" in path:
        return [path]
    return sorted(system.find(path))


def _name(scheme: str, path: str) -> str:
    """How messages call it."""
    return public(path if "://" in path else f"{scheme}://{path}")


def _downloaded(system: Any, part: Part, folder: str) -> Part:
    """A copy in a folder of its own, below the folders that name columns."""
    keys = "/".join(f"{name}={quote(value, safe='')}" for name, value in part.keys)
    target = Path(folder, keys, "part" + "".join(Path(posixpath.basename(part.name)).suffixes[-2:]))
    target.parent.mkdir(parents=True)
    with system.open(part.location, "rb", **_straight(part.location)) as source, target.open("wb") as out:
        room.check(folder, part.name, getattr(source, "size", None) or 0)
        unchecked = 0
        while data := source.read(_CHUNK):
            out.write(data)
            unchecked += len(data)
            if unchecked >= _CHECKED:
                room.check(folder, part.name)
                unchecked = 0
    return Part(location=str(target), name=part.name, keys=part.keys)


def _straight(location: str) -> dict[str, Any]:
    """A web server may know no ranges: its answer is read from the first byte to the last."""
    return {"block_size": 0} if location.startswith("https://") else {"block_size": _CHUNK, "cache_type": "readahead"}
