"""Creates the tables of a new database, and migrates an older one in numbered steps.

A released step never changes. It names tables and columns itself, because the schema module describes
today's tables, which already have what later steps add.

A catalog has two versions: that of the last step applied to it, and the oldest one whose programs can
use it. A step that only adds raises the first alone, so servers can be upgraded one after another. To
remove or change something, release a step that adds its successor, and a later one that removes it.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import Connection, delete, inspect, select, update

from pincite.errors import LibraryError, LibraryTooNew
from pincite.store.catalog import schema


def _create_tables(connection: Connection) -> None:
    schema.metadata.create_all(connection)
    values = {
        _NEEDED: str(_needed(NEWEST)),
        _APPLIED: str(NEWEST),
        "generation": "0",
        "corpus_version": f"{0:032x}",
        "library_id": uuid.uuid4().hex,
    }
    rows = [{"name": name, "value": value} for name, value in values.items()]
    connection.execute(schema.meta.insert(), rows)


def _record_coverage(connection: Connection) -> None:
    """Version 2: documents record their coverage, and old versions are kept.

    Blocks have a place and cells, pages a label, files a name, gaps and flags. All of these stay
    empty until the next ingest reads the file again.
    """
    for column in ("name TEXT", "media_type VARCHAR"):
        connection.exec_driver_sql(f"ALTER TABLE documents ADD COLUMN {column} NOT NULL DEFAULT ''")
    connection.exec_driver_sql("ALTER TABLE documents RENAME COLUMN warnings TO coverage")
    connection.exec_driver_sql(
        "CREATE TABLE versions (collection VARCHAR NOT NULL, path TEXT NOT NULL, "
        "document_id VARCHAR NOT NULL, replaced_by VARCHAR NOT NULL, replaced_at VARCHAR NOT NULL, "
        "PRIMARY KEY (collection, path, document_id), "
        "FOREIGN KEY(document_id) REFERENCES documents (id))"
    )
    connection.exec_driver_sql("CREATE INDEX ix_versions_document_id ON versions (document_id)")
    held = connection.exec_driver_sql("SELECT id, layout, coverage FROM documents").all()
    for document_id, layout, warnings in held:
        connection.exec_driver_sql(
            "UPDATE documents SET layout = ?, coverage = ? WHERE id = ?",
            (_widen(layout), json.dumps({"warnings": json.loads(warnings)}), document_id),
        )


def _date_and_tag(connection: Connection) -> None:
    """Version 3: files have tags, and a date, which stays empty until the next ingest."""
    connection.exec_driver_sql("ALTER TABLE sources ADD COLUMN modified VARCHAR")
    connection.exec_driver_sql(
        "CREATE TABLE tags (collection VARCHAR NOT NULL, path TEXT NOT NULL, tag VARCHAR NOT NULL, "
        "PRIMARY KEY (collection, path, tag))"
    )


def _keep_conversations(connection: Connection) -> None:
    """Version 4: conversations are stored."""
    connection.exec_driver_sql(
        "CREATE TABLE conversations (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "
        "collection VARCHAR, begun VARCHAR NOT NULL)"
    )
    connection.exec_driver_sql(
        'CREATE TABLE turns ("key" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, '
        "conversation INTEGER NOT NULL, question TEXT NOT NULL, read_as TEXT NOT NULL, "
        "answer JSON NOT NULL, asked VARCHAR NOT NULL, "
        "FOREIGN KEY(conversation) REFERENCES conversations (id))"
    )
    connection.exec_driver_sql("CREATE INDEX ix_turns_conversation ON turns (conversation)")


def _keep_answers(connection: Connection) -> None:
    """Version 5: answers can be stored."""
    connection.exec_driver_sql(
        "CREATE TABLE answers (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "
        "kept_at VARCHAR NOT NULL, collection VARCHAR, form TEXT NOT NULL, stale JSON NOT NULL)"
    )


def _head_rows(connection: Connection) -> None:
    """Version 6: passages record the header sentence of each row; empty until read again."""
    connection.exec_driver_sql("ALTER TABLE passages ADD COLUMN headers JSON NOT NULL DEFAULT '[]'")


def _head_rows_by_several(connection: Connection) -> None:
    """Version 7: a row may have several header sentences; old passages have one until read again."""
    table = schema.passages
    for row in connection.execute(select(table.c.key, table.c.headers)).all():
        if row.headers:
            several = [[number] if number >= 0 else [] for number in row.headers]
            connection.execute(update(table).where(table.c.key == row.key).values(headers=several))


def _remember_failures(connection: Connection) -> None:
    """Version 8: failures record the bytes and the recipe; old ones lack them and are retried once."""
    for column in ("document_id", "recipe"):
        connection.exec_driver_sql(
            f"ALTER TABLE failures ADD COLUMN {column} VARCHAR NOT NULL DEFAULT ''"
        )


def _keep_feedback(connection: Connection) -> None:
    """Version 9: feedback on answers is stored."""
    connection.exec_driver_sql(
        "CREATE TABLE feedback (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "
        "given_at VARCHAR NOT NULL, collection VARCHAR, question TEXT NOT NULL, "
        "helpful BOOLEAN NOT NULL, correction TEXT NOT NULL, comment TEXT NOT NULL, "
        "answer JSON NOT NULL)"
    )


def _keep_token_codes(connection: Connection) -> None:
    """Version 10: token states are stored; those of old passages are computed when compared."""
    connection.exec_driver_sql(
        "ALTER TABLE embeddings ADD COLUMN token_codes BLOB NOT NULL DEFAULT x''"
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


def _own_conversations(connection: Connection) -> None:
    """Version 11: a conversation belongs to the key that began it; older ones belong to none."""
    connection.exec_driver_sql(
        "ALTER TABLE conversations ADD COLUMN owner VARCHAR DEFAULT '' NOT NULL"
    )


class Step(NamedTuple):
    """Migrates a catalog by one version."""

    change: Callable[[Connection], None]
    only_adds: bool = False
    """Whether older programs can still read and write the catalog: the step adds tables, or columns
    with a constant default, and gives old rows no new meaning. PostgreSQL shows a table that is
    rewritten as empty to readers that began before."""


STEPS: tuple[Step, ...] = (
    Step(_record_coverage),
    Step(_date_and_tag),
    Step(_keep_conversations),
    Step(_keep_answers),
    Step(_head_rows),
    Step(_head_rows_by_several),
    Step(_remember_failures),
    Step(_keep_feedback),
    Step(_keep_token_codes),
    Step(_own_conversations, only_adds=True),
)
"""Step n (counting from 1) migrates the database from version n to n+1."""

NEWEST = 1 + len(STEPS)

_NEEDED = "schema_version"
"""Row of the meta table: the oldest version whose programs can use the catalog. The first releases
compare it with their own."""
_APPLIED = "applied_version"
"""Row of the meta table: the version of the last step. Missing in the first releases: the same."""

OWN_META = frozenset({_NEEDED, _APPLIED})
"""Rows of the meta table that describe the tables, not their contents."""

_LOCK_SECONDS = 1
"""How long a step may wait for a table that a question is reading: later questions wait behind it."""


class Versions(NamedTuple):
    """The two versions of a catalog; both are 0 for an empty database."""

    needed: int
    """The oldest version whose programs can use it."""
    applied: int
    """That of the last step."""

    @property
    def is_behind(self) -> bool:
        """Whether steps of this program are missing."""
        return self.applied < NEWEST


def versions_of(connection: Connection) -> Versions:
    """The versions of a catalog. Raises LibraryError if they are no numbers."""
    if not inspect(connection).has_table("meta"):
        return Versions(0, 0)
    table = schema.meta
    query = select(table.c.name, table.c.value).where(table.c.name.in_(OWN_META))
    found = {row.name: row.value for row in connection.execute(query)}
    needed = _number(found.get(_NEEDED))
    return Versions(needed, _number(found[_APPLIED]) if _APPLIED in found else needed)


def _number(found: str | None) -> int:
    if found is None or not found.isdecimal():
        raise LibraryError(f"the catalog's format is {found!r}, not a number; restore a backup")
    return int(found)


def check_version(needed: int) -> None:
    """Raises LibraryTooNew if a catalog needs a newer program than this one."""
    if needed > NEWEST:
        raise LibraryTooNew(
            f"this library has format {needed}; this version of Pincite reads formats up to "
            f"{NEWEST}: install a newer Pincite, or ingest the files into a new library"
        )


def migrate(connection: Connection) -> None:
    """Migrate the database to the newest version, unless another process has done so meanwhile.

    Raises LibraryBusy, and changes nothing, if a table is in use for long.
    """
    applied = versions_of(connection).applied
    if applied == 0:
        _create_tables(connection)
        return
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_LOCK_SECONDS}s'")
    for version in range(applied + 1, NEWEST + 1):
        STEPS[version - 2].change(connection)
        for name, value in ((_NEEDED, _needed(version)), (_APPLIED, version)):
            connection.execute(delete(schema.meta).where(schema.meta.c.name == name))
            connection.execute(schema.meta.insert(), {"name": name, "value": str(value)})


def _needed(version: int) -> int:
    """The oldest version whose programs can use a catalog of this version."""
    while version > 1 and STEPS[version - 2].only_adds:
        version -= 1
    return version
