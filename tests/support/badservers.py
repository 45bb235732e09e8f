"""Servers that misbehave, each on a port of its own on loopback."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Answer = Callable[[socket.socket], None]


def answers(status: str, *headers: str) -> Answer:
    """Every request is answered with this status and no content."""
    head = "\r\n".join((f"HTTP/1.1 {status}", *headers, "Content-Length: 0", "Connection: close", "", ""))

    def answer(connection: socket.socket) -> None:
        connection.recv(1 << 16)
        connection.sendall(head.encode())

    return answer


def never(connection: socket.socket) -> None:
    """Accept, and hear all that is said."""
    while connection.recv(1 << 16):
        pass


def trickles(connection: socket.socket) -> None:
    """One byte of an endless answer now and then: no single read ever takes long."""
    connection.recv(1 << 16)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        connection.sendall(b" ")
        time.sleep(0.3)


def vanishes(connection: socket.socket) -> None:
    """Hang up in the middle of an answer."""
    connection.recv(1 << 16)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{")


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """The URL of a server that answers so until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_accept, args=(listener, answer), daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, answer: Answer) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_talk, args=(connection, answer), daemon=True).start()


def _talk(connection: socket.socket, answer: Answer) -> None:
    with suppress(OSError), connection:
        answer(connection)


def closed_port() -> int:
    """A port on loopback where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
