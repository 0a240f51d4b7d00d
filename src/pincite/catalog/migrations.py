"""Numbered steps from an empty database to the newest schema; a released step never changes."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from sqlalchemy import Connection, inspect, select, update

from pincite.catalog import schema
from pincite.errors import LibraryError, LibraryTooNew


def _create_tables(connection: Connection) -> None:
    schema.metadata.create_all(connection)
    values = {
        "schema_version": "1",
        "generation": "0",
        "corpus_version": f"{0:032x}",
        "library_id": uuid.uuid4().hex,
    }
    rows = [{"name": name, "value": value} for name, value in values.items()]
    connection.execute(schema.meta.insert(), rows)


STEPS: tuple[Callable[[Connection], None], ...] = (_create_tables,)
"""Step n (counting from 1) takes the database from version n-1 to n."""


def migrate(connection: Connection) -> None:
    """Bring the database to the newest version. Raises LibraryTooNew when it is ahead of us."""
    version = schema_version(connection)
    if version > len(STEPS):
        raise LibraryTooNew(
            f"this library has format {version}; this version of Pincite reads formats up to "
            f"{len(STEPS)}: install a newer Pincite, or ingest the files into a new library"
        )
    for number in range(version, len(STEPS)):
        STEPS[number](connection)
        connection.execute(
            update(schema.meta)
            .where(schema.meta.c.name == "schema_version")
            .values(value=str(number + 1))
        )


def schema_version(connection: Connection) -> int:
    """0 for an empty database. Raises LibraryError when the version is not a number."""
    if not inspect(connection).has_table("meta"):
        return 0
    query = select(schema.meta.c.value).where(schema.meta.c.name == "schema_version")
    found = connection.scalar(query)
    if found is None or not found.isdecimal():
        raise LibraryError(f"the catalog's format is {found!r}, not a number; restore a backup")
    return int(found)
