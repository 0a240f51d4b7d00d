"""Opens the database of a catalog: SQLite for a file, PostgreSQL for an address."""

from __future__ import annotations

from pathlib import Path

from pincite.errors import LibraryError
from pincite.records.addresses import DatabaseAddress
from pincite.store.catalog.store import Store


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
