"""A catalog in PostgreSQL, shared by several servers and ingesting processes.

Read transactions see a snapshot (REPEATABLE READ). Write transactions are serialised: each begins by
taking the same advisory lock, like BEGIN IMMEDIATE in SQLite. So generations and passage keys are
assigned in the order in which they become visible.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, TypeVar

import psycopg
from sqlalchemy import Connection, Dialect, Engine, Row, Select, create_engine, event, inspect
from sqlalchemy import exc as database_errors
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError, StatementError
from sqlalchemy.pool import ConnectionPoolEntry

from pincite.errors import (
    LibraryBusy,
    LibraryDamaged,
    LibraryError,
    LibraryReadOnly,
    LibraryUnreachable,
    NotStorable,
    ReadError,
    UsageError,
)
from pincite.records.addresses import DatabaseAddress
from pincite.store.catalog.escaping import unescaped
from pincite.store.catalog.rows import PASSAGES_BY_KEY_IN_POSTGRES

BUSY_SECONDS = 30
"""How long a write transaction waits for the advisory lock."""

_LINK = {
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "25000",  # milliseconds
}
"""A cut link is noticed after 25 seconds; Linux alone would wait for a quarter of an hour."""

_IDLE_SECONDS = 1.0
"""A connection that was used within this time is taken for alive."""

_SILENCE_SECONDS = 100.0
"""The longest wait for any byte before another connection asks whether the server still works: a
proxy may keep open a link that is dead."""
_LOCK_POLL_SECONDS = 0.05
_LOCK_CLASS = 0x70696E63
"""Class id of our advisory locks; it separates them from other programs' in the same database."""

_LOCK = f"{_LOCK_CLASS}, hashtext(current_schema() || ' ' || %s)"
_TURN = f"SELECT pg_advisory_xact_lock({_LOCK_CLASS}, hashtext(current_schema() || ' turn'))"
_IS_LOCKED = (
    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND classid = CAST(? AS oid) AND objid = "
    "CAST(CAST(hashtext(current_schema() || ' ' || ?) AS bigint) & 4294967295 AS oid)"
)
_ON_CONNECT = (
    "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3; "
    "SET tcp_user_timeout = '60s'; "
    f"SET client_encoding = 'UTF8'; SET lock_timeout = '{BUSY_SECONDS}s'; SELECT pg_backend_pid()"
)
"""With these keepalives, a host that loses its network loses its locks after one minute."""
_IS_ACTIVE = "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND state = 'active'"

_ROW_ERRORS = (ValueError, TypeError, LookupError, RecursionError, ReadError)
"""Raised when a damaged row is turned into a record."""


_Value = TypeVar("_Value")


class PostgresStore:
    """A catalog in a database, in the first schema of its search path."""

    passages_by_key = PASSAGES_BY_KEY_IN_POSTGRES

    def __init__(self, address: DatabaseAddress) -> None:
        self.address = address
        self.place = str(address)
        self._engine = _engine(address)
        self._reading = self._engine.execution_options(isolation_level="REPEATABLE READ")
        self._writing = self._engine.execution_options(isolation_level="READ COMMITTED")
        self._single = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        self._in_thread = threading.local()
        self._locks: set[Connection] = set()
        try:
            with self.translated():
                self._check()
        except BaseException:
            self.close()
            raise

    def _check(self) -> None:
        """Check the database before changing it. Raises LibraryError if it cannot hold a catalog."""
        with self._single.connect() as connection:
            encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
            if encoding != "UTF8":
                raise LibraryError(
                    f"{self.place}: the database's encoding is {encoding}; Pincite needs UTF8: create "
                    "one with: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0"
                )
            if connection.exec_driver_sql("SELECT current_schema()").scalar() is None:
                raise LibraryError(
                    f"{self.place}: no schema of its search path exists; create one with CREATE SCHEMA"
                )
            tables = set(inspect(connection).get_table_names())
        if tables and not tables >= {"meta", "sources", "passages"}:
            raise LibraryError(
                f"{self.place}: contains other tables and no Pincite catalog; name an empty "
                "database, or a schema of its own with ?options=-csearch_path%3DNAME"
            )

    def close(self) -> None:
        """Close all connections, which releases every lock."""
        self._engine.dispose()

    # --- Transactions ---------------------------------------------------------------------------

    @contextmanager
    def transaction(self, *, writes: bool = False) -> Iterator[Connection]:
        """See `Store`."""
        frozen = getattr(self._in_thread, "frozen", None)
        with self.translated():
            if frozen is not None and not writes:
                yield frozen
                return
            engine = self._writing if writes else self._reading
            with engine.begin() as connection:
                if writes:
                    self._check_locks()
                    connection.exec_driver_sql(_TURN)
                yield connection

    @contextmanager
    def quick(self) -> Iterator[Connection]:
        """See `Store`."""
        with self.translated(), self._writing.begin() as connection:
            yield connection

    def fetch(self, query: Select[Any]) -> Sequence[Row[Any]]:
        """See `Store`."""
        return self._read(lambda connection: connection.execute(query).all())

    def rows(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        """See `Store`."""
        written = statement.replace("?", "%s")
        return self._read(lambda connection: _unescaped_rows(connection, written, values))

    def _read(self, read: Callable[[Connection], _Value]) -> _Value:
        """The result of one statement without a transaction, which would take two more round trips.

        If its connection turns out to be dead, the statement is repeated on a new one.
        """
        frozen = getattr(self._in_thread, "frozen", None)
        with self.translated():
            if frozen is not None:
                return read(frozen)
            try:
                with self._single.connect() as connection:
                    return read(connection)
            except database_errors.DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            with self._single.connect() as connection:
                return read(connection)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """See `Store`."""
        if getattr(self._in_thread, "frozen", None) is not None:
            yield
            return
        with ExitStack() as ending:
            with self.translated():
                connection = ending.enter_context(self._reading.begin())
            self._in_thread.frozen = connection
            try:
                yield
            finally:
                self._in_thread.frozen = None

    @contextmanager
    def translated(self) -> Iterator[None]:
        """See `Store`."""
        try:
            yield
        except (SQLAlchemyError, psycopg.Error) as error:
            raise library_error(self.address, error) from error
        except (UnicodeEncodeError, OverflowError) as error:
            raise NotStorable(
                f"it contains values that cannot be stored ({type(error).__name__})"
            ) from error
        except _ROW_ERRORS as error:
            raise self.damaged(f"one of its rows is invalid ({type(error).__name__})") from error

    # --- Locks ----------------------------------------------------------------------------------

    @contextmanager
    def held(
        self, lock: str, *, patience_seconds: float, busy: str, shared: bool = False
    ) -> Iterator[None]:
        """Hold a lock across all processes and hosts; it is released when the connection ends.

        A `shared` lock may have several holders, and excludes exclusive ones. Raises LibraryBusy with
        the message `busy`. If the connection is lost, and the lock with it, later writes fail.
        """
        with ExitStack() as ending:
            with self.translated():
                connection = ending.enter_context(self._single.connect())
                self._wait_for(connection, lock, patience_seconds, busy, shared=shared)
            self._locks.add(connection)
            try:
                yield
            finally:
                self._locks.discard(connection)
                _unlock(connection)

    def _wait_for(
        self, connection: Connection, lock: str, patience_seconds: float, busy: str, *, shared: bool
    ) -> None:
        kind = "_shared" if shared else ""
        until = time.monotonic() + patience_seconds
        ask = f"SELECT pg_try_advisory_lock{kind}({_LOCK})"
        while not connection.exec_driver_sql(ask, (lock,)).scalar():
            if time.monotonic() >= until:
                raise LibraryBusy(f"{self.place}: {busy}")
            time.sleep(_LOCK_POLL_SECONDS)

    def is_held(self, lock: str) -> bool:
        """Whether any process holds a lock."""
        return bool(self.rows(_IS_LOCKED, str(_LOCK_CLASS), lock))

    def _check_locks(self) -> None:
        """Raises LibraryUnreachable if this process has lost a lock that it holds."""
        for connection in tuple(self._locks):
            if not _answers(connection.connection.dbapi_connection):
                raise LibraryUnreachable(
                    f"{self.place}: the connection to the database was lost, and with it the lock of "
                    "this change; what was stored is safe: run the same command again"
                )

    # --- Health and size ------------------------------------------------------------------------

    def faults(self, *, thoroughly: bool) -> str:
        """Always empty: the server checks its own pages."""
        del thoroughly
        return ""

    def damaged(self, found: str) -> LibraryDamaged:
        """See `Store`."""
        return damaged(self.address, found)

    def bytes_elsewhere(self) -> int:
        """Size of the tables and their indexes on the database server."""
        ((size,),) = self.rows(
            "SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class "
            "WHERE relkind = 'r' AND relnamespace = "
            "(SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
        )
        return int(size)


def _engine(address: DatabaseAddress) -> Engine:
    try:
        url = make_url(address.url).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):
        raise UsageError(
            "the address of the database cannot be read; expected "
            "postgresql://USER@HOST:5432/DATABASE"
        ) from None
    url = url.update_query_dict({**_LINK, "application_name": "pincite", **url.query})
    engine = create_engine(
        url,
        pool_use_lifo=True,  # The connection used last needs no check.
        pool_size=10,
        max_overflow=30,
        pool_timeout=BUSY_SECONDS,
        hide_parameters=True,
    )
    event.listen(engine, "do_connect", _connected)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "checkin", _note_use)
    event.listen(engine, "checkout", partial(_check_idle, engine.dialect))
    return engine


def _note_use(_connection: Any, record: ConnectionPoolEntry) -> None:
    record.info["used"] = time.monotonic()


def _check_idle(
    dialect: Dialect, connection: Any, record: ConnectionPoolEntry, _proxy: Any
) -> None:
    """Check a connection that was idle: checking every one would double the round trips."""
    now = time.monotonic()
    if now - record.info.get("used", now) < _IDLE_SECONDS:
        return
    try:
        dialect.do_ping(connection)
    except psycopg.Error as error:
        raise database_errors.InvalidatePoolError from error  # The pool connects anew.


def _connected(
    _dialect: Any, _record: Any, arguments: Any, options: Any
) -> psycopg.Connection[Any]:
    connection = _PatientConnection.connect(*arguments, **options)
    connection.another = partial(_PatientConnection.connect, *arguments, **options)
    return connection


class _PatientConnection(psycopg.Connection[Any]):
    """Waits for a server that works, not for one that has fallen silent.

    The graph of a million vectors is built for long without a word, so another connection asks.
    """

    another: Callable[[], psycopg.Connection[Any]] | None = None
    process = 0
    """The server's own number of its process: a pooler has told the driver another one."""

    def wait(self, gen: Generator[Any, Any, _Value], *args: Any, **options: Any) -> _Value:
        """See psycopg. Raises OperationalError, and closes the connection, after too long a silence."""
        return super().wait(self._heard(gen), *args, **options)

    def _heard(self, steps: Generator[Any, Any, _Value]) -> Generator[Any, Any, _Value]:
        try:
            wanted = next(steps)
            until = time.monotonic() + _SILENCE_SECONDS
            while True:
                ready = yield wanted
                if ready:
                    until = time.monotonic() + _SILENCE_SECONDS
                elif time.monotonic() > until:
                    if not self._is_worked_on():
                        self.pgconn.finish()
                        raise psycopg.OperationalError(f"no word for {_SILENCE_SECONDS:g} seconds")
                    until = time.monotonic() + _SILENCE_SECONDS
                wanted = steps.send(ready)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    def _is_worked_on(self) -> bool:
        """Whether the server can be reached and still executes the statement."""
        if self.another is None:
            return False
        try:
            with self.another() as other:
                return other.execute(_IS_ACTIVE, (self.process,)).fetchone() is not None
        except psycopg.Error:
            return False


def _prepare(connection: _PatientConnection, _record: Any) -> None:
    was = connection.autocommit
    connection.autocommit = True
    results = connection.execute(_ON_CONNECT)
    while results.nextset():
        pass
    ((connection.process,),) = results.fetchall()
    connection.autocommit = was


def _unescaped_rows(
    connection: Connection, statement: str, values: tuple[str, ...]
) -> list[tuple[Any, ...]]:
    found = connection.exec_driver_sql(statement, values)
    return [
        tuple(unescaped(value) if type(value) is str else value for value in row) for row in found
    ]


def _unlock(connection: Connection) -> None:
    """Release all locks before the connection returns to the pool; a lost one has none left."""
    try:
        connection.exec_driver_sql("SELECT pg_advisory_unlock_all()")
    except SQLAlchemyError:
        connection.invalidate()


def _answers(connection: Any) -> bool:
    """Whether a connection works. Bypasses SQLAlchemy: another thread may be releasing it now."""
    try:
        connection.execute("SELECT 1")
    except (psycopg.Error, AttributeError):  # AttributeError: the connection is already gone.
        return False
    return True


# Translates PostgreSQL's errors by their codes, never by their wording.


def library_error(address: DatabaseAddress, error: SQLAlchemyError | psycopg.Error) -> LibraryError:
    """Translate an error of the driver."""
    if isinstance(error, database_errors.TimeoutError):
        return LibraryBusy(f"{address}: all connections are in use; try again later")
    if isinstance(error, database_errors.PendingRollbackError):
        return _gone(address)  # The connection was lost earlier in the same transaction.
    cause = error.orig if isinstance(error, StatementError) else error
    code = getattr(cause, "sqlstate", None) or ""
    for beginning in (code, code[:2]):
        if beginning and beginning in _ERRORS:
            return _ERRORS[beginning](address)
    if isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError):
        return unreachable(
            address, cause, was_there=getattr(error, "connection_invalidated", False)
        )
    if isinstance(cause, psycopg.DataError | UnicodeError | OverflowError | ValueError | TypeError):
        return _not_storable(address)
    return damaged(
        address, f"it does not have the expected tables and values ({code or _kind(cause)})"
    )


def unreachable(
    address: DatabaseAddress, cause: BaseException, *, was_there: bool = False
) -> LibraryError:
    """The error for a server that is unreachable or refuses the connection.

    `was_there`: the connection had been open before.
    """
    words = " ".join(address.without_secrets(str(cause)).split())
    if was_there:
        return LibraryUnreachable(
            f"{address}: the connection to the database was lost ({words}); what was stored is safe: "
            "try again when the database and the way to it are there again"
        )
    return LibraryUnreachable(
        f"{address}: cannot connect to the database ({words}); check that the server runs, and that "
        "host, user, password and name are right; what was stored is safe"
    )


def damaged(address: DatabaseAddress, found: str) -> LibraryDamaged:
    """The error for a catalog with unexpected contents."""
    return LibraryDamaged(
        f"{address}: the catalog is damaged: {found}. Restore it from a backup of the database"
    )


def _kind(error: BaseException | None) -> str:
    return type(error).__name__


def _busy(address: DatabaseAddress) -> LibraryError:
    return LibraryBusy(f"{address}: other processes have locked the catalog; try again later")


def _gone(address: DatabaseAddress) -> LibraryError:
    return LibraryUnreachable(
        f"{address}: the database server is stopping, starting or full; what was stored is safe: "
        "try again in a moment"
    )


def _no_room(address: DatabaseAddress) -> LibraryError:
    return LibraryError(
        f"{address}: the database server has no disk or memory left; everything ingested before is "
        "safe: make room there and run the same command again"
    )


def _not_allowed(address: DatabaseAddress) -> LibraryError:
    return LibraryReadOnly(
        f"{address}: the database's user lacks a privilege; its owner can grant it, for example with: "
        "GRANT ALL ON SCHEMA public TO the user, or ALTER DATABASE ... OWNER TO the user"
    )


def _read_only(address: DatabaseAddress) -> LibraryError:
    return LibraryReadOnly(f"{address}: the database is read-only; connect to its primary server")


def _not_storable(_address: DatabaseAddress) -> LibraryError:
    return NotStorable("it contains values that cannot be stored, such as a text that is too long")


def _broken(address: DatabaseAddress) -> LibraryError:
    return damaged(address, "the server finds its pages damaged")


_ERRORS: Mapping[str, Callable[[DatabaseAddress], LibraryError]] = {
    "08": _gone,
    "22": _not_storable,
    "23": _not_storable,
    "54": _not_storable,
    "25006": _read_only,
    "40": _busy,
    "42501": _not_allowed,
    "53": _no_room,
    "53300": _gone,
    "55P03": _busy,
    "57": _gone,
    "XX": _broken,
}
"""By SQLSTATE, or by its class (the first two characters)."""
