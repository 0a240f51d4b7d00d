"""A catalog in an SQLite file: opening, locking, and translating SQLite's errors."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, QueuePool, Row, Select, create_engine, event
from sqlalchemy import exc as database_errors
from sqlalchemy.exc import DisconnectionError, SQLAlchemyError, StatementError

from pincite.errors import (
    LibraryBusy,
    LibraryDamaged,
    LibraryError,
    LibraryReadOnly,
    NotStorable,
    ReadError,
)
from pincite.store.catalog.rows import PASSAGES_BY_KEY
from pincite.store.catalog.store import file_lock

BUSY_SECONDS = 30

_FAULTS_COUNTED = 100
"""SQLite stops counting there."""


class SqliteStore:
    """A catalog in an SQLite file."""

    passages_by_key = PASSAGES_BY_KEY

    def __init__(self, path: Path) -> None:
        self._path = path
        self.place = str(path.parent)
        with self.translated():
            self._engine = open_sqlite(path)
            self._writing = for_writing(self._engine)

    def close(self) -> None:
        """Close the file; SQLite merges its log into it when the last connection closes."""
        self._engine.dispose()

    @contextmanager
    def transaction(self, *, writes: bool = False) -> Iterator[Connection]:
        """See `Store`."""
        engine = self._writing if writes else self._engine
        with self.translated(), engine.begin() as connection:
            yield connection

    def quick(self) -> AbstractContextManager[Connection]:
        """See `Store`."""
        return self.transaction()

    def fetch(self, query: Select[Any]) -> Sequence[Row[Any]]:
        """See `Store`."""
        with self.translated(), self._engine.connect() as connection:
            return connection.execute(query).all()

    def rows(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        """See `Store`."""
        with self.translated(), closing(self._engine.raw_connection()) as connection:
            cursor = connection.cursor()
            cursor.execute(statement, values)
            return list(cursor.fetchall())

    def frozen(self) -> AbstractContextManager[None]:
        """Nothing to do: callers hold the write lock, so no other process writes."""
        return nullcontext()

    def translated(self) -> AbstractContextManager[None]:
        """See `Store`."""
        return translated(self._path)

    def faults(self, *, thoroughly: bool) -> str:
        """See `Store`. `thoroughly`: also compare indexes with their tables."""
        pragma = "integrity_check" if thoroughly else "quick_check"
        with self.transaction() as connection:
            found = connection.exec_driver_sql(f"PRAGMA {pragma}").scalars().all()
        if found == ["ok"]:
            return ""
        at_least = "at least " if len(found) == _FAULTS_COUNTED else ""
        return f"{at_least}{len(found)} faults in its pages and indexes"

    def damaged(self, found: str) -> LibraryDamaged:
        """See `Store`."""
        return damaged(self._path, found)

    def held(
        self, lock: str, *, patience_seconds: float, busy: str
    ) -> AbstractContextManager[None]:
        """See `Store`."""
        message = f"{self.place}: {busy}"
        return file_lock(self._path.parent, lock, patience_seconds=patience_seconds, busy=message)

    def is_held(self, lock: str) -> bool:
        """See `Store`."""
        try:
            with self.held(lock, patience_seconds=0, busy=""):
                return False
        except LibraryBusy:
            return True
        except LibraryReadOnly:
            return False

    def bytes_elsewhere(self) -> int:
        """Always 0: the file is in the library's folder."""
        return 0


def open_sqlite(path: Path) -> Engine:
    """An engine on the catalog file; read-only if the folder cannot be written.

    Raises LibraryError, and changes nothing, if the file is the database of another program.
    """
    writable = os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))
    connect = partial(_connected if writable else _connected_read_only, path)
    _refuse_strangers(path, connect)
    engine = create_engine(
        "sqlite://",
        # SQLAlchemy takes a URL without a file for an in-memory database and picks another pool.
        poolclass=QueuePool,
        creator=connect,
    )
    # The driver would begin a transaction only before the first write, so we begin them ourselves.
    event.listen(engine, "connect", _prepare if writable else _prepare_read_only)
    event.listen(engine, "begin", _begin)
    if not writable:
        event.listen(engine, "checkout", lambda found, _, __: _refuse_outdated(found, path))
    return engine


class _Connection(sqlite3.Connection):
    """Records the state of the file if it reads without locks; None if it takes locks."""

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
    """Open the file read-only, with its write-ahead log if there is one.

    Raises LibraryError if the log cannot be read without write access.
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
            f"{path.parent}: changes to the library are still in {log.name}, which cannot be read "
            f"without write access because {shared.name} is missing: have a user with write access "
            "open the library once, with 'pincite stats'"
        )
    return _connected(path, "?mode=ro")


def _refuse_outdated(connection: _Connection, path: Path) -> None:
    """Force a new connection if the file has changed under one that takes no locks."""
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
    """The same engine for write transactions, which wait for the write lock when they begin.

    A transaction that begins by reading cannot wait: once another process has written, SQLite rejects
    its first change immediately.
    """
    return engine.execution_options(begin="BEGIN IMMEDIATE")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


def _refuse_strangers(path: Path, connect: Callable[[], sqlite3.Connection]) -> None:
    """Check the file first, since opening it for writing would change its header."""
    if not path.exists():
        return
    with closing(connect()) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if tables and "meta" not in tables:
        raise LibraryError(f"{path}: is a database, but not a Pincite catalog; name another folder")


def _prepare(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None
    _enable_wal(connection)
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA secure_delete=ON")


def _enable_wal(connection: sqlite3.Connection) -> None:
    """Enable write-ahead logging. SQLite's timeout does not cover this, so retry while it is busy."""
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
    """Raise LibraryError for errors of the database and for damaged rows."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise _library_error(path, error) from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise NotStorable(f"it contains values that cannot be stored ({_kind(error)})") from error
    except _ROW_ERRORS as error:
        raise damaged(path, f"one of its rows is invalid ({_kind(error)})") from error


_ROW_ERRORS = (ValueError, TypeError, LookupError, RecursionError, ReadError)
"""Raised when a damaged row is turned into a record."""


def damaged(path: Path, found: str) -> LibraryDamaged:
    """The error for a catalog with unexpected contents."""
    return LibraryDamaged(
        f"{path}: the catalog is damaged: {found}. Restore it from a backup, or remove the folder "
        f"{path.parent} and ingest the files again"
    )


def _kind(error: BaseException) -> str:
    return type(error).__name__


def _library_error(path: Path, error: SQLAlchemyError | sqlite3.Error) -> LibraryError:
    """Translate by SQLite's code, never by its wording, which changes and does not help users."""
    cause = error.orig if isinstance(error, StatementError) else error
    code = getattr(cause, "sqlite_errorcode", None)
    kind = code & 0xFF if code is not None else _code_of_binding(cause)
    error_for = _ERRORS.get(kind)
    if error_for is not None:
        return error_for(path)
    name = getattr(cause, "sqlite_errorname", _kind(cause or error))
    return damaged(path, f"it does not have the expected tables and values ({name})")


def _code_of_binding(cause: BaseException | None) -> int | None:
    """The code for values that Python rejects before SQLite, and for a timeout of the pool."""
    if isinstance(cause, database_errors.TimeoutError):
        return sqlite3.SQLITE_BUSY
    refused = (
        *(sqlite3.InterfaceError, sqlite3.ProgrammingError, sqlite3.DataError),
        *(UnicodeError, OverflowError, ValueError, TypeError),
    )
    return sqlite3.SQLITE_MISMATCH if isinstance(cause, refused) else None


def _busy(path: Path) -> LibraryError:
    return LibraryBusy(f"{path.parent}: another process has locked the catalog; try again later")


def _no_room(path: Path) -> LibraryError:
    return LibraryError(
        f"{path.parent}: the disk is full or failing; everything ingested before is safe: make room "
        "and run the same command again"
    )


def _not_writable(path: Path) -> LibraryError:
    return LibraryError(
        f"{path.parent}: the library cannot be written or opened; give access to it"
    )


def _no_memory(path: Path) -> LibraryError:
    return LibraryError(f"{path.parent}: there is not enough memory; close other programs")


def _not_storable(_path: Path) -> LibraryError:
    return NotStorable("it contains values that cannot be stored, such as a text that is too long")


_ERRORS: Mapping[int | None, Callable[[Path], LibraryError]] = {
    sqlite3.SQLITE_BUSY: _busy,
    sqlite3.SQLITE_LOCKED: _busy,
    sqlite3.SQLITE_FULL: _no_room,
    sqlite3.SQLITE_IOERR: _no_room,
    sqlite3.SQLITE_READONLY: _not_writable,
    sqlite3.SQLITE_CANTOPEN: _not_writable,
    sqlite3.SQLITE_PERM: _not_writable,
    sqlite3.SQLITE_AUTH: _not_writable,
    sqlite3.SQLITE_NOMEM: _no_memory,
    sqlite3.SQLITE_TOOBIG: _not_storable,
    sqlite3.SQLITE_CONSTRAINT: _not_storable,
    sqlite3.SQLITE_MISMATCH: _not_storable,
    sqlite3.SQLITE_RANGE: _not_storable,
    sqlite3.SQLITE_CORRUPT: lambda path: damaged(
        path, "some of its pages were cut off or overwritten"
    ),
    sqlite3.SQLITE_NOTADB: lambda path: damaged(path, "it is not an SQLite file"),
}
"""By SQLite's primary result code."""
