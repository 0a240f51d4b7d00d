"""Opens the SQLite file, and turns the database's errors into ours."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event
from sqlalchemy.exc import DBAPIError, DisconnectionError

from pincite.errors import LibraryBusy, LibraryError

BUSY_SECONDS = 30


class Transaction(Protocol):
    """Begins one; it ends with the block."""

    def __call__(self, *, writes: bool = False) -> AbstractContextManager[Connection]:
        """`writes`: it will, and waits until no other does."""
        ...


def open_sqlite(path: Path) -> Engine:
    """An engine on the catalog file; read-only when the folder cannot be written.

    Raises LibraryError for a database of something else, which is left as it is.
    """
    writable = os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))
    connect = partial(_connected if writable else _connected_read_only, path)
    _refuse_strangers(path, connect)
    engine = create_engine(
        "sqlite://",
        # A URL without a file looks like a database in memory, which would get another pool.
        poolclass=QueuePool,
        creator=connect,
    )
    # The driver would open a transaction before the first write only; we begin them ourselves.
    event.listen(engine, "connect", _prepare if writable else _prepare_read_only)
    event.listen(engine, "begin", _begin)
    if not writable:
        event.listen(engine, "checkout", lambda found, _, __: _refuse_outdated(found, path))
    return engine


class _Connection(sqlite3.Connection):
    """Knows the state of the file that it reads without locks; None where it takes them."""

    state: tuple[int, ...] | None = None


def _connected(path: Path, options: str = "") -> _Connection:
    return sqlite3.connect(
        f"file:{quote(str(path))}{options}",
        uri=True,
        timeout=BUSY_SECONDS,
        check_same_thread=False,
        factory=_Connection,
    )


def _connected_read_only(path: Path) -> _Connection:
    """With the log of changes that are not in the file yet, where there is one.

    Raises LibraryError for a log that cannot be read without write access.
    """
    state = _state(path)
    log, shared = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    if not _size(log):
        # immutable: without write access SQLite cannot make the shared-memory file of WAL mode.
        connection = _connected(path, "?mode=ro&immutable=1")
        connection.state = state
        return connection
    if not shared.exists():
        raise LibraryError(
            f"{path.parent}: changes of the library are still in {log.name}, which cannot be read "
            f"without write access as there is no {shared.name}: let somebody who may write open "
            "the library once, with 'pincite stats'"
        )
    return _connected(path, "?mode=ro")


def _refuse_outdated(connection: _Connection, path: Path) -> None:
    """Have the file opened anew when it has changed under a connection that takes no locks."""
    if connection.state is not None and connection.state != _state(path):
        raise DisconnectionError


def _state(path: Path) -> tuple[int, ...]:
    if not path.exists():
        return ()
    found = path.stat()
    return found.st_mtime_ns, found.st_size, _size(path.with_name(path.name + "-wal"))


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def for_writing(engine: Engine) -> Engine:
    """The same, for transactions that write: each waits for its turn when it begins.

    One that began by reading could not: once another process has written, SQLite refuses its first
    change at once, however long it would wait.
    """
    return engine.execution_options(begin="BEGIN IMMEDIATE")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


def _refuse_strangers(path: Path, connect: Callable[[], sqlite3.Connection]) -> None:
    """Look before anything is changed: opening for writing would alter the file's header."""
    if not path.exists():
        return
    with closing(connect()) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if tables and "meta" not in tables:
        raise LibraryError(f"{path}: is a database, but not a Pincite catalog; name another folder")


def _prepare(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None
    _keep_a_log(connection)
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA secure_delete=ON")


def _keep_a_log(connection: sqlite3.Connection) -> None:
    """Write-ahead logging. SQLite does not wait for those who look at a file that has none yet."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def _prepare_read_only(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise LibraryError, in plain words, for what the database reports."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        raise _library_error(path, str(cause)) from error


def _library_error(path: Path, found: str) -> LibraryError:
    if "locked" in found:
        return LibraryBusy(f"{path.parent}: another process holds the catalog; try again later")
    if "full" in found or "disk I/O" in found:
        return LibraryError(
            f"{path.parent}: the disk is full or failing ({found}); everything ingested before is "
            "safe: make room and run the same command again"
        )
    if "readonly" in found or "unable to open" in found:
        return LibraryError(f"{path.parent}: the library cannot be written ({found})")
    if "not a database" in found or "malformed" in found:
        return LibraryError(
            f"{path}: the catalog is damaged ({found}): restore it from a backup, or remove the "
            "library folder and ingest the files again"
        )
    return LibraryError(f"{path}: {found}")
