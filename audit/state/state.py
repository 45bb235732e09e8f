"""What this machine has read before, kept between audits (`audit.records.digests.Digests`).

All that was seen in a folder is one row: a folder of 50,000 files is there in some
thirty milliseconds. What is remembered is written every few seconds, merged in one
transaction with what other audits wrote meanwhile. Whatever goes wrong with the
database costs memory, never the audit.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TypeVar

import msgspec

from audit.records.digests import Digest, Seen
from audit.state.store import Store, damaged, open_store, set_aside

T = TypeVar("T")

_WRITE_EVERY_S = 5.0
_WRITE_EVERY_FILES = 100_000
_WRITING_SHARE = 20
"""A row is written whole: at least so many times as long as that took last is spent on other things."""

_FORGOTTEN = 1000
"""So many names more than were seen now, and the row is compared with the folder: files come and go."""

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(dict[str, Seen])

_Key = tuple[str, str]


class State:
    """The state store of one project; may be shared by threads."""

    def __init__(self, store: Store) -> None:
        self.warnings = store.warnings
        self._store: Store | None = store
        self._lock = threading.RLock()
        self._new: defaultdict[_Key, dict[str, Seen]] = defaultdict(dict)
        self._pairs: dict[Digest, str] = {}
        self._seals: set[str] = set()
        self._files = 0  # in `_new`
        self._next_write = time.monotonic() + _WRITE_EVERY_S

    @classmethod
    def open(cls, root: str) -> State:
        """The store of the project in that folder (absolute)."""
        return cls(open_store(root))

    def recall(self, folder: str, algorithm: str) -> Mapping[str, Seen]:
        """What was seen in a folder and digested so, by file name."""
        key = (folder, algorithm)
        with self._lock:
            stored = self._with(lambda connection: _load(connection, key)) or {}
            return stored | self._new[key] if key in self._new else stored

    def remember(self, folder: str, seen: Mapping[str, Seen]) -> None:
        """Keep what was just read; on the disk within seconds, at the latest when closed."""
        with self._lock:
            for algorithm in {one.algorithm for one in seen.values()}:
                self._new[folder, algorithm].update(
                    (name, one) for name, one in seen.items() if one.algorithm == algorithm
                )
            self._files += len(seen)
            self._write_now_and_then()

    def blake3_of(self, recorded: Digest) -> str | None:
        """The BLAKE3 that goes with that digest."""
        with self._lock:
            return self._pairs.get(recorded) or self._with(lambda connection: _pair(connection, recorded))

    def sealed(self, seal: str) -> bool:
        """Whether a folder with that seal was found as recorded."""
        with self._lock:
            return seal in self._seals or bool(self._with(lambda connection: _sealed(connection, seal)))

    def seal(self, seal: str) -> None:
        """Remember the seal; written when closed, after all that it stands on."""
        with self._lock:
            self._seals.add(seal)

    def learn(self, pairs: Mapping[Digest, str]) -> None:
        """Remember pairs; the first for a digest stays."""
        with self._lock:
            for digest, blake3 in pairs.items():
                self._pairs.setdefault(digest, blake3)
            self._write_now_and_then()

    def close(self) -> None:
        """Write what is left."""
        with self._lock:
            self._write(is_last=True)
            if self._store:
                self._store.connection.close()
                self._store = None

    def _write_now_and_then(self) -> None:
        if self._files > _WRITE_EVERY_FILES or time.monotonic() > self._next_write:
            self._write()

    def _write(self, *, is_last: bool = False) -> None:
        start = time.monotonic()
        if self._new or self._pairs or self._seals:
            self._with(partial(_save, new=self._new, pairs=self._pairs, seals=self._seals, forget=is_last))
        self._new.clear()
        self._pairs.clear()
        self._seals.clear()
        self._files = 0
        end = time.monotonic()
        self._next_write = end + max(_WRITE_EVERY_S, _WRITING_SHARE * (end - start))

    def _with(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Work on the database; one that fails is given up, with a warning, for the rest of the audit."""
        if self._store is None:
            return None
        try:
            return work(self._store.connection)
        except sqlite3.Error as error:
            self._give_up(self._store, error)
            return None

    def _give_up(self, store: Store, error: sqlite3.Error) -> None:
        self._store = None
        store.connection.close()
        told = f"what was read is not remembered from here on: {store.file}: {error}"
        if store.file and damaged(error):
            try:
                set_aside(store.file)
            except OSError:
                told += "; remove the file"
        self.warnings.append(told)


def _load(connection: sqlite3.Connection, key: _Key) -> dict[str, Seen]:
    row = connection.execute("SELECT seen FROM folders WHERE path = ? AND algorithm = ?", _raw(key)).fetchone()
    return unpack(row[0]) if row else {}


def _raw(key: _Key) -> tuple[bytes, str]:
    """A path need not be UTF-8, or any text at all."""
    return key[0].encode("utf-8", "surrogatepass"), key[1]


def _pair(connection: sqlite3.Connection, recorded: Digest) -> str | None:
    asked = (recorded.algorithm, recorded.hex)
    row = connection.execute("SELECT blake3 FROM pairs WHERE algorithm = ? AND hex = ?", asked).fetchone()
    return str(row[0]) if row else None


def _sealed(connection: sqlite3.Connection, seal: str) -> bool:
    return connection.execute("SELECT 1 FROM seals WHERE seal = ?", (seal,)).fetchone() is not None


def _save(
    connection: sqlite3.Connection,
    new: Mapping[_Key, dict[str, Seen]],
    pairs: Mapping[Digest, str],
    seals: Iterable[str],
    *,
    forget: bool,
) -> None:
    """All or nothing, on top of what is there now; `forget` also leaves out files that are long gone."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for key, seen in new.items():
            stored = _load(connection, key)
            if forget and len(stored) > len(seen) + _FORGOTTEN:
                stored = _remaining(key[0], stored)
            row = (*_raw(key), pack(stored | seen))
            connection.execute("INSERT OR REPLACE INTO folders VALUES (?, ?, ?)", row)
        rows = [(digest.algorithm, digest.hex, blake3) for digest, blake3 in pairs.items()]
        connection.executemany("INSERT OR IGNORE INTO pairs VALUES (?, ?, ?)", rows)
        connection.executemany("INSERT OR IGNORE INTO seals VALUES (?)", [(seal,) for seal in seals])


def _remaining(folder: str, stored: dict[str, Seen]) -> dict[str, Seen]:
    try:
        with os.scandir(folder) as names:
            there = {entry.name for entry in names}
    except (OSError, ValueError):
        return {}
    return {name: one for name, one in stored.items() if name in there}


def pack(seen: Mapping[str, Seen]) -> bytes:
    """One row: a CRC-32, so that rot in the database itself is found, and MessagePack."""
    try:
        body = _ENCODER.encode(seen)
    except UnicodeEncodeError:  # names that are not UTF-8
        body = _ENCODER.encode({_spelled(name): one for name, one in seen.items()})
    return zlib.crc32(body).to_bytes(4, "big") + body


def unpack(row: bytes) -> dict[str, Seen]:
    """What was packed; nothing if the row is damaged, for then nothing in it is to be trusted."""
    body = memoryview(row)[4:]
    if zlib.crc32(body).to_bytes(4, "big") != row[:4]:
        return {}
    try:
        seen = _DECODER.decode(body)
    except (msgspec.DecodeError, TypeError):
        return {}
    for name in [name for name in seen if name.startswith("\0")]:
        seen[bytes.fromhex(name[1:]).decode("utf-8", "surrogatepass")] = seen.pop(name)
    return seen


def _spelled(name: str) -> str:
    r"""A name that no text can hold, as NUL (which no file name has) and hex."""
    return name if name.isprintable() else f"\0{name.encode('utf-8', 'surrogatepass').hex()}"
