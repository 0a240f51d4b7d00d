"""Numbered steps from an empty database to the newest schema; a released step never changes."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable

from sqlalchemy import Connection, MetaData, Table, inspect, select, update

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


def _widen_layouts(connection: Connection) -> None:
    """Version 2: blocks have a place and cells, pages a label, files gaps and flags."""
    documents = Table("documents", MetaData(), autoload_with=connection)
    for row in connection.execute(select(documents.c.id, documents.c.layout)).all():
        connection.execute(
            update(documents).where(documents.c.id == row.id).values(layout=_widen(row.layout))
        )


def _widen(layout: bytes) -> bytes:
    magic, length_bytes = 8, 8
    length = int.from_bytes(layout[magic : magic + length_bytes], "little")
    begin = magic + length_bytes
    header = json.loads(layout[begin : begin + length])
    header["blocks"] = [[*block, "", []] for block in header["blocks"]]
    header["pages"] = [[*page, "", 0, ""] for page in header["pages"]]
    header.update(name="", gaps=[], flags=[], recognised=[])
    written = json.dumps(header, separators=(",", ":")).encode()
    return (
        b"PINDOC02"
        + len(written).to_bytes(length_bytes, "little")
        + written
        + layout[begin + length :]
    )


STEPS: tuple[Callable[[Connection], None], ...] = (_create_tables, _widen_layouts)
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
