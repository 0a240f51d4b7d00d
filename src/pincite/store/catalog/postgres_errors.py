"""What PostgreSQL reports, in plain words: by its codes, never by its words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import psycopg
from sqlalchemy import exc as database_errors
from sqlalchemy.exc import SQLAlchemyError, StatementError

from pincite.errors import (
    LibraryBusy,
    LibraryDamaged,
    LibraryError,
    LibraryReadOnly,
    LibraryUnreachable,
    NotStorable,
)
from pincite.records.addresses import DatabaseAddress


def library_error(address: DatabaseAddress, error: SQLAlchemyError | psycopg.Error) -> LibraryError:
    """The error for what the driver raised."""
    if isinstance(error, database_errors.TimeoutError):
        return LibraryBusy(f"{address}: all connections are in use; try again later")
    if isinstance(error, database_errors.PendingRollbackError):
        return _gone(address)  # The connection was lost earlier in the same transaction.
    cause = error.orig if isinstance(error, StatementError) else error
    code = getattr(cause, "sqlstate", None) or ""
    for beginning in (code, code[:2]):
        if beginning and beginning in _TOLD:
            return _TOLD[beginning](address)
    if isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError):
        return unreachable(address, cause)
    if isinstance(cause, psycopg.DataError | UnicodeError | OverflowError | ValueError | TypeError):
        return _not_storable(address)
    return damaged(address, f"it has not the form that Pincite gives it ({code or _kind(cause)})")


def unreachable(address: DatabaseAddress, cause: BaseException) -> LibraryError:
    """The error for a server that is not there, or that does not let us in."""
    words = " ".join(address.without_secrets(str(cause)).split())
    return LibraryUnreachable(
        f"{address}: cannot connect to the database ({words}); see that the server runs, and that "
        "host, user, password and name are right; what was stored is safe"
    )


def damaged(address: DatabaseAddress, found: str) -> LibraryDamaged:
    """The error for a catalog that is not what was written."""
    return LibraryDamaged(
        f"{address}: the catalog is damaged: {found}. Restore it from a backup of the database"
    )


def _kind(error: BaseException | None) -> str:
    return type(error).__name__


def _busy(address: DatabaseAddress) -> LibraryError:
    return LibraryBusy(f"{address}: other processes hold the catalog; try again later")


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
        f"{address}: the database's user may not do this; its owner grants it, for instance with: "
        "GRANT ALL ON SCHEMA public TO the user, or ALTER DATABASE ... OWNER TO the user"
    )


def _read_only(address: DatabaseAddress) -> LibraryError:
    return LibraryReadOnly(f"{address}: the database can only be read; write to its primary server")


def _not_storable(_address: DatabaseAddress) -> LibraryError:
    return NotStorable("it holds what the catalog cannot store, such as a text that is too long")


def _broken(address: DatabaseAddress) -> LibraryError:
    return damaged(address, "the server finds its pages damaged")


_TOLD: Mapping[str, Callable[[DatabaseAddress], LibraryError]] = {
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
"""By SQLSTATE, or its class."""
