"""The SQLite file behind the state store: where it lies, what is in it, and what becomes of one that is not ours.

A database that came with the project could claim digests that nobody computed here.
So each carries a mark, made with a key that only this user has on this machine, for
the very file that it stands in: a copy has another inode. One without it is set aside
like one that is damaged or newer: renamed, and begun anew.

Sources: sqlite.org/wal.html, /pragma.html#pragma_user_version, /security.html.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sqlite3
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from audit.host import places
from audit.host.publishing import private_folder

FILE = "state.db"
ASIDE = f"{FILE}.aside"
BUSY_S = 10.0

STEPS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE mark (mark TEXT NOT NULL)",
        "CREATE TABLE folders (path BLOB, algorithm TEXT, seen BLOB NOT NULL, PRIMARY KEY (path, algorithm))",
        "CREATE TABLE pairs (algorithm TEXT, hex TEXT, blake3 TEXT NOT NULL, PRIMARY KEY (algorithm, hex))",
        "CREATE TABLE seals (seal TEXT PRIMARY KEY) WITHOUT ROWID",
    ),
)
"""What brings a database from each version to the next; `user_version` counts them. Later versions add steps here."""

_OF_THE_DISK = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOLFS,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
    }
)
"""Errors that say nothing against the database itself."""


class _UnusableError(Exception):
    """The database is there and must not be used; the text says why."""


class Store:
    """A connection to a database that is ours, or to one in memory that ends with the audit."""

    def __init__(self, file: Path | None, key: bytes = b"") -> None:
        self.file = file
        self.warnings: list[str] = []
        self.connection = _memory() if file is None else self._usable(file, key)

    def _usable(self, file: Path, key: bytes) -> sqlite3.Connection:
        private_folder(file.parent)
        try:
            _no_traps(file)
            return _prepared(file, key)
        except _UnusableError as reason:
            set_aside(file)
            self.warnings.append(f"{file} {reason}; it is now {ASIDE}, and everything will be read anew")
            return _prepared(file, key)


def open_store(root: str) -> Store:
    """The project's store, else one in the user's cache folder, else one that is forgotten, with a warning."""
    key = _key(places.state_folder())
    for file in _candidates(root):
        with suppress(OSError, sqlite3.Error):
            if key:
                return Store(file, key)
    store = Store(None)
    store.warnings.append("no folder to keep digests in can be written; the next audit will read everything anew")
    return store


def set_aside(file: Path) -> None:
    """Out of the way, but not lost; its write-ahead log goes with it."""
    file.replace(file.with_name(ASIDE))
    for rest in _beside(file):
        rest.unlink(missing_ok=True)


def damaged(error: sqlite3.Error) -> bool:
    """Whether the database is to blame, not the disk or another audit."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF not in _OF_THE_DISK


def _candidates(root: str) -> Iterator[Path]:
    """Locks and shared memory need a disk that no other machine writes to; and no link may lead us elsewhere."""
    own = Path(root, ".audit")
    if not own.is_symlink() and not places.on_network(root):
        yield own / FILE
    yield Path(places.cache_folder(), hashlib.sha256(os.fsencode(root)).hexdigest()[:32], FILE)


def _key(folder: str) -> bytes | None:
    """A secret of this user on this machine, made once; None where none can be kept."""
    file = Path(folder, "key")
    with suppress(OSError):
        if not file.exists():
            _make_key(file)
        return file.read_bytes() or None
    return None


def _make_key(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, draft = tempfile.mkstemp(dir=file.parent)  # readable by its owner alone
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(secrets.token_bytes(32))
        with suppress(FileExistsError):  # another audit was first
            os.link(draft, file)
    finally:
        Path(draft).unlink()


def _beside(file: Path) -> list[Path]:
    return [file.with_name(file.name + end) for end in ("-wal", "-shm", "-journal")]


def _no_traps(file: Path) -> None:
    """SQLite would write through links that a project laid out for it; another user's database stays as it is."""
    for path in (file, *_beside(file)):
        with suppress(FileNotFoundError):
            found = path.lstat()
            if found.st_uid != os.geteuid():
                raise PermissionError(f"{path} belongs to another user")
            if not stat.S_ISREG(found.st_mode):
                raise _UnusableError("is no regular file")


def _memory() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _upgrade(connection, "")
    return connection


def _prepared(file: Path, key: bytes) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        _configure(connection)
        _upgrade(connection, hmac.new(key, str(file.stat().st_ino).encode(), "sha256").hexdigest())
    except sqlite3.Error as error:
        connection.close()
        if damaged(error):
            raise _UnusableError(f"cannot be understood ({error})") from error
        raise
    except _UnusableError:
        connection.close()
        raise
    return connection


def _configure(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA mmap_size = 0")
    deadline = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except (
            sqlite3.OperationalError
        ) as error:  # two that change the mode at once are not made to wait for each other
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
    connection.execute("PRAGMA synchronous = NORMAL")


def _upgrade(connection: sqlite3.Connection, mark: str) -> None:
    """Bring it to this version in one transaction; most often it is there already."""
    if _version(connection) < len(STEPS):
        connection.execute("BEGIN IMMEDIATE")
        version = _version(connection)  # another audit may have been faster
        for step in STEPS[version:]:
            for statement in step:
                connection.execute(statement)
        if version == 0:
            connection.execute("INSERT INTO mark VALUES (?)", (mark,))
        connection.execute(f"PRAGMA user_version = {len(STEPS)}")
        connection.execute("COMMIT")
    if _version(connection) > len(STEPS):
        raise _UnusableError("was written by a newer version of audit")
    marks = connection.execute("SELECT mark FROM mark LIMIT 2").fetchall()
    if len(marks) != 1 or not hmac.compare_digest(str(marks[0][0]), mark):
        raise _UnusableError("was not made here: it is a copy, or came with the project")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
