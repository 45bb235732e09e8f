"""A small index of wheels on loopback, as PEP 503 has it, and a project that every tool can lock against it."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from support.environments import wheel

WHEELS = (
    ("first-one", "1.5", ()),
    ("first-one", "2.5", ()),
    ("second", "2.0", ("first-one", "leaf")),
    ("leaf", "0.3", ()),
    ("windows-only", "1.0", ()),
    ("loud", "3.1", ('speaker; extra == "sound"\nProvides-Extra: sound',)),
    ("speaker", "1.1", ()),
    ("plots", "4.0", ("leaf",)),
    ("checker", "5.0", ()),
)
PROJECT = """\
[project]
name = "demo"
version = "0.1.0"
requires-python = ">=3.9,<4"
dependencies = [
    "first-one<2; python_version < '3.11'",
    "first-one>=2; python_version >= '3.11'",
    "second",
    "windows-only; sys_platform == 'win32'",
    "loud[sound]",
]

[project.optional-dependencies]
graphs = ["plots"]

[dependency-groups]
dev = ["checker"]
"""
"""Two versions of one name by Python's own, a marker, an extra of another, an extra and a group of its own."""


def fill(folder: Path) -> Path:
    """The wheels, and a page for each name that says what its files hash to."""
    for name, version, requires in WHEELS:
        made = wheel(folder / "simple" / name, name, version, requires)
        digest = hashlib.sha256(made.read_bytes()).hexdigest()
        with (made.parent / "index.html").open("a") as page:
            page.write(f'<a href="{made.name}#sha256={digest}">{made.name}</a>\n')
    return folder


class _Files(SimpleHTTPRequestHandler):
    """Files with their types: a page of an index must be `text/html`."""

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def index(folder: Path) -> Iterator[str]:
    """The URL of an index of `WHEELS`, made in this folder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=str(fill(folder)))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/simple"
        server.shutdown()
        thread.join()
