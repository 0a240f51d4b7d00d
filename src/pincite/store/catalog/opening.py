"""Which database does this place mean?"""

from __future__ import annotations

from pathlib import Path

from pincite.errors import LibraryError
from pincite.records.addresses import DatabaseAddress
from pincite.store.catalog.store import Store


def open_store(place: Path | DatabaseAddress) -> Store:
    """The database of a catalog. Raises LibraryError where it cannot be used, or is something else."""
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
