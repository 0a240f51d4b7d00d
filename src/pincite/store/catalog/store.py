"""The interface between the catalog and its database, how one is opened, and lock files."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Row, Select

from pincite.errors import LibraryBusy, LibraryDamaged, LibraryError, LibraryReadOnly
from pincite.records.addresses import DatabaseAddress

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")


class Transaction(Protocol):
    """Begins a transaction that ends with the block."""

    def __call__(self, *, writes: bool = False) -> AbstractContextManager[Connection]:
        """`writes`: whether it writes; it then waits until no other write transaction runs."""
        ...


class Store(Protocol):
    """A database. Read transactions see a snapshot; write transactions run one at a time."""

    @property
    def place(self) -> str:
        """The library's name in messages: its folder, or its address without a password."""
        ...

    @property
    def passages_by_key(self) -> str:
        """`PASSAGES_BY_KEY` of the module `rows`, in this database's dialect."""
        ...

    def transaction(self, *, writes: bool = False) -> AbstractContextManager[Connection]:
        """A transaction. Raises LibraryError for errors of the database."""
        ...

    def quick(self) -> AbstractContextManager[Connection]:
        """A transaction on the newest state, even if this thread reads from an older snapshot.

        It writes at most to tables outside the catalog, and does not wait for other writers.
        """
        ...

    def fetch(self, query: Select[Any]) -> Sequence[Row[Any]]:
        """The rows of one read statement."""
        ...

    def rows(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        """Rows of one read statement, with `?` for each value; bypasses SQLAlchemy's compiler."""
        ...

    def frozen(self) -> AbstractContextManager[None]:
        """Let this thread read from one snapshot for the whole block."""
        ...

    def translated(self) -> AbstractContextManager[None]:
        """Raises LibraryError for errors of the database and for damaged rows."""
        ...

    def faults(self, *, thoroughly: bool) -> str:
        """Describes damage to pages and indexes; empty if there is none."""
        ...

    def damaged(self, found: str) -> LibraryDamaged:
        """The error for a catalog with unexpected contents."""
        ...

    def held(
        self, lock: str, *, patience_seconds: float, busy: str
    ) -> AbstractContextManager[None]:
        """Hold a lock of the library, which is released if the process dies.

        Raises LibraryBusy, with the message `busy`, if another process holds it, and
        LibraryReadOnly if the library cannot be written.
        """
        ...

    def is_held(self, lock: str) -> bool:
        """Whether any process holds a lock of the library."""
        ...

    def bytes_elsewhere(self) -> int:
        """Bytes used outside the library's folder."""
        ...

    def close(self) -> None:
        """Close files and connections."""
        ...


class _HasStore(Protocol):
    @property
    def store(self) -> Store: ...


_Held = TypeVar("_Held", bound=_HasStore)


def guarded(
    method: Callable[Concatenate[_Held, _Params], _Result],
) -> Callable[Concatenate[_Held, _Params], _Result]:
    """Decorates a method of the catalog: runs it inside `store.translated()`."""

    @wraps(method)
    def within(self: _Held, /, *args: _Params.args, **options: _Params.kwargs) -> _Result:
        with self.store.translated():
            return method(self, *args, **options)

    return within


def open_store(place: Path | DatabaseAddress) -> Store:
    """Open the database of a catalog. Raises LibraryError if it is unusable or not a catalog."""
    if isinstance(place, DatabaseAddress):
        try:
            from pincite.store.catalog.postgres import PostgresStore
        except ImportError as error:
            raise LibraryError(
                f"{place}: PostgreSQL needs the package psycopg ({error}); install it with: "
                "pip install 'pincite[postgres]'"
            ) from error
        return PostgresStore(place)
    from pincite.store.catalog.engine import SqliteStore

    return SqliteStore(place)


# Lock files in a folder, which the operating system releases if a process dies.


@contextmanager
def file_lock(folder: Path, name: str, *, patience_seconds: float, busy: str) -> Iterator[None]:
    """Hold a lock file in a folder.

    Raises LibraryBusy, with the message `busy`, if another process holds it, and LibraryReadOnly if
    the folder cannot be written.
    """
    read_only = f"{folder}: the library cannot be written; ask for write access"
    if not os.access(folder, os.W_OK):
        raise LibraryReadOnly(read_only)
    lock = FileLock(folder / name, timeout=patience_seconds)
    try:
        lock.acquire()
    except Timeout as error:
        raise LibraryBusy(busy) from error
    except OSError as error:
        # A disk that was remounted read-only after a fault still passes os.access.
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise LibraryReadOnly(read_only) from error
        raise
    try:
        yield
    finally:
        lock.release()
