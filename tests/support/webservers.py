"""Web servers that answer as a test tells them to, each on a port of its own on loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext
from typing import Any, NamedTuple


class Page(NamedTuple):
    """What stands at a path."""

    body: bytes = b""
    etag: str | None = None
    status: int = 200
    allowed: str | None = None
    """What `Authorization` must hold; without it, 401."""


class _Pages(BaseHTTPRequestHandler):
    """Serves pages by path, a missing one as 404."""

    def __init__(self, pages: Mapping[str, Page], *args: Any) -> None:
        self.pages = pages
        super().__init__(*args)

    def do_GET(self) -> None:
        page = self.pages.get(self.path.partition("?")[0], Page(status=404))
        refused = page.allowed is not None and self.headers["Authorization"] != page.allowed
        self.send_response(401 if refused else page.status)
        if page.etag:
            self.send_header("ETag", page.etag)
        self.send_header("Content-Length", str(len(page.body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(page.body)

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


class _Files(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def pages(served: Mapping[str, Page]) -> Iterator[str]:
    """The URL of a server of these pages; what the mapping holds later, it serves later."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Pages, served)) as server:
        yield from _running(server, "http")


@contextmanager
def files(folder: Path, certificate: Path) -> Iterator[str]:
    """The URL of an https server of a folder's files: all that Git needs for `git update-server-info`."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=str(folder))) as server:
        context = SSLContext(PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        yield from _running(server, "https")


def _running(server: ThreadingHTTPServer, scheme: str) -> Iterator[str]:
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"{scheme}://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()


def self_signed(path: Path) -> Path:
    """A certificate and its key in one file; whoever believes it must be told to."""
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    encoding, nothing = serialization.Encoding.PEM, serialization.NoEncryption()
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, nothing)
    path.write_bytes(private + signed.public_bytes(encoding))
    return path
