"""Copies the tables of a catalog into another database, and digests them for comparison.

Rows are copied in key order, one batch per transaction, so that an interrupted run can resume after
the last key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Table, literal, select, tuple_

from pincite.errors import LibraryTooNew
from pincite.store.catalog import schema
from pincite.store.catalog.migrations import NEWEST, OWN_META, versions_of
from pincite.store.catalog.store import Store

_BATCH_ROWS = 500
_BATCH_BYTES = 16 << 20

TABLES = tuple(table for table in schema.metadata.sorted_tables if table is not schema.meta)
"""All tables except `meta`; tables that others refer to come first."""

_NUMBERED = tuple(
    (table.name, column.name)
    for table in TABLES
    for column in table.primary_key
    if table.dialect_options["sqlite"]["autoincrement"]
)
"""Tables whose row numbers are never reused, each with its number column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDigest:
    """The number of rows in a table, and their SHA-256 in key order."""

    rows: int
    sha256: str


def check_copyable(store: Store) -> None:
    """Raises LibraryTooNew for a catalog that a newer program has added columns or tables to."""
    with store.transaction() as connection:
        applied = versions_of(connection).applied
    if applied > NEWEST:
        raise LibraryTooNew(
            f"{store.place}: a newer Pincite has added to this library (format {applied}; this version "
            f"knows {NEWEST}), which a copy by this one would lose: copy it with the newer one"
        )


def copy_table(source: Store, target: Store, table: Table, report: Callable[[int], None]) -> None:
    """Copy the rows that the target lacks; `report` receives the number of rows of each batch."""
    for batch in _batches(source, table, after=_last_key(target, table)):
        values = [dict(row._mapping) for row in batch]
        with target.transaction(writes=True) as connection:
            connection.execute(table.insert(), values)
        report(len(values))


def digest_of(store: Store, table: Table) -> TableDigest:
    """The digest of a table; the same rows give the same digest on every database."""
    digest, rows = hashlib.sha256(), 0
    for batch in _batches(store, table):
        rows += len(batch)
        for row in batch:
            for value in row:
                written = _encoded(value)
                digest.update(len(written).to_bytes(8, "big"))
                digest.update(written)
    return TableDigest(rows=rows, sha256=digest.hexdigest())


def clear(store: Store) -> None:
    """Delete every row of `TABLES`."""
    with store.transaction(writes=True) as connection:
        for table in reversed(TABLES):
            connection.execute(table.delete())


def meta_rows(store: Store) -> dict[str, str]:
    """The rows of the meta table, except its versions."""
    with store.transaction() as connection:
        found = connection.execute(select(schema.meta)).all()
    return {row.name: row.value for row in found if row.name not in OWN_META}


def set_meta_rows(store: Store, values: Mapping[str, str]) -> None:
    """Replace the rows of the meta table, except its versions, in one transaction."""
    table = schema.meta
    with store.transaction(writes=True) as connection:
        connection.execute(table.delete().where(table.c.name.not_in(OWN_META)))
        connection.execute(
            table.insert(), [{"name": name, "value": value} for name, value in values.items()]
        )


def copy_numbers(source: Store, target: Store) -> None:
    """Keep the target from reusing row numbers that the source has used."""
    with source.transaction() as connection:
        last = {name: _last_number(connection, name, column) for name, column in _NUMBERED}
    with target.transaction(writes=True) as connection:
        for name, column in _NUMBERED:
            _set_last_number(connection, name, column, last[name])


def _last_number(connection: Connection, table: str, column: str) -> int:
    if connection.dialect.name == "postgresql":
        sequence = connection.exec_driver_sql(
            "SELECT pg_get_serial_sequence(%s, %s)", (table, column)
        ).scalar()
        found = connection.exec_driver_sql(
            f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {sequence}"  # noqa: S608
        )
    else:
        found = connection.exec_driver_sql(
            "SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)
        )
    return int(found.scalar() or 0)


def _set_last_number(connection: Connection, table: str, column: str, last: int) -> None:
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(
            "SELECT setval(pg_get_serial_sequence(%s, %s), greatest(%s, 1), %s)",
            (table, column, last, last > 0),
        )
        return
    connection.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
    connection.exec_driver_sql("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, last))


def _last_key(store: Store, table: Table) -> Sequence[Any] | None:
    columns = list(table.primary_key)
    query = select(*columns).order_by(*(column.desc() for column in columns)).limit(1)
    with store.transaction() as connection:
        return connection.execute(query).first()


def _batches(
    store: Store, table: Table, *, after: Sequence[Any] | None = None
) -> Iterator[list[Row[Any]]]:
    """Rows after a key, in key order; a batch is about 16 MB at most, or a single row."""
    columns = list(table.primary_key)
    places = [list(table.columns).index(column) for column in columns]
    most = _BATCH_ROWS
    while True:
        query = select(table).order_by(*columns).limit(most)
        if after is not None:
            values = (literal(v, c.type) for v, c in zip(after, columns, strict=True))
            query = query.where(tuple_(*columns) > tuple_(*values))
        with store.transaction() as connection:
            batch = list(connection.execute(query).all())
        if not batch:
            return
        yield batch
        after = [batch[-1][place] for place in places]
        each = sum(map(_size, batch)) // len(batch) + 1
        most = max(1, min(_BATCH_ROWS, _BATCH_BYTES // each))


def _size(row: Row[Any]) -> int:
    return sum(len(value) for value in row if isinstance(value, bytes | str))


def _encoded(value: object) -> bytes:
    """A value as bytes, prefixed by its type."""
    if isinstance(value, bytes):
        return b"b" + value
    if isinstance(value, str):
        return b"s" + value.encode("utf-8", "surrogatepass")
    return b"j" + json.dumps(value).encode()
