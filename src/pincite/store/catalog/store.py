"""Where the tables lie: what the catalog needs of a database, whichever it is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection

from pincite.errors import LibraryDamaged

_Asked = ParamSpec("_Asked")
_Given = TypeVar("_Given")


class Transaction(Protocol):
    """Begins one; it ends with the block."""

    def __call__(self, *, writes: bool = False) -> AbstractContextManager[Connection]:
        """`writes`: it will, and waits until no other does."""
        ...


class Store(Protocol):
    """A database. A transaction that reads sees one state; those that write come one after another."""

    @property
    def place(self) -> str:
        """What messages call the library: its folder, or its address without a password."""
        ...

    @property
    def passages_by_key(self) -> str:
        """The statement of that name in `rows`, as this database reads it."""
        ...

    def transaction(self, *, writes: bool = False) -> AbstractContextManager[Connection]:
        """Raises LibraryError, in plain words, for what the database reports."""
        ...

    def rows(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        """Rows of one statement that reads, with `?` for each value; past SQLAlchemy's compiler."""
        ...

    def frozen(self) -> AbstractContextManager[None]:
        """All that this thread reads while the block runs is of one state."""
        ...

    def translated(self) -> AbstractContextManager[None]:
        """Raises LibraryError for what the database reports, and for rows of no sense."""
        ...

    def faults(self, *, thoroughly: bool) -> str:
        """What is wrong with its pages and indexes; empty where nothing is."""
        ...

    def damaged(self, found: str) -> LibraryDamaged:
        """The error for a catalog that is not what was written."""
        ...

    def held(
        self, lock: str, *, patience_seconds: float, busy: str
    ) -> AbstractContextManager[None]:
        """Hold a lock of the library, which is free when the process dies.

        Raises LibraryBusy, with what `busy` tells, when another process holds it, and
        LibraryReadOnly where nothing can be written.
        """
        ...

    def is_held(self, lock: str) -> bool:
        """Whether some process holds a lock of the library."""
        ...

    def bytes_elsewhere(self) -> int:
        """What it takes outside the library's folder."""
        ...

    def close(self) -> None:
        """Give files and connections back."""
        ...


class _HasStore(Protocol):
    @property
    def store(self) -> Store: ...


_Held = TypeVar("_Held", bound=_HasStore)


def guarded(
    method: Callable[Concatenate[_Held, _Asked], _Given],
) -> Callable[Concatenate[_Held, _Asked], _Given]:
    """The same method of a part of the catalog, with `translated` around all of it."""

    @wraps(method)
    def within(self: _Held, /, *args: _Asked.args, **options: _Asked.kwargs) -> _Given:
        with self.store.translated():
            return method(self, *args, **options)

    return within
