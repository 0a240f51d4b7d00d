"""Which document each path holds, and which it held before. Functions are parts of a transaction."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, select, update

from pincite.catalog import rows, schema


def point_source(
    connection: Connection, collection: str, path: str, document_id: str, generation: int
) -> bool:
    """Let a path hold this document from now on.

    Another one that it held becomes an old version; whether there was one is returned.
    """
    old = held_by(connection, collection, path)
    if old == document_id:
        return False
    if old is not None:
        _supersede(connection, collection, path, old, document_id)
        drop_source(connection, collection, path, generation)
    if collection not in collections_of(connection, document_id):
        _mark_changed(connection, document_id, generation)
    connection.execute(
        schema.sources.insert().values(collection=collection, path=path, document_id=document_id)
    )
    _count_into_corpus_version(connection, collection, path, document_id, sign=1)
    return old is not None


def _supersede(
    connection: Connection, collection: str, path: str, old: str, replaced_by: str
) -> None:
    table = schema.versions
    here = (table.c.collection == collection, table.c.path == path)
    # A file that goes back to an earlier version has that one as its present again.
    connection.execute(delete(table).where(*here, table.c.document_id.in_([old, replaced_by])))
    connection.execute(
        table.insert().values(
            collection=collection,
            path=path,
            document_id=old,
            replaced_by=replaced_by,
            replaced_at=datetime.now(UTC).isoformat(timespec="microseconds"),
        )
    )


def move_source(
    connection: Connection, collection: str, old_path: str, new_path: str, generation: int
) -> None:
    """Let a file, and its old versions, have another path."""
    document_id = held_by(connection, collection, old_path)
    if document_id is None:
        return
    connection.execute(
        schema.sources.insert().values(
            collection=collection, path=new_path, document_id=document_id
        )
    )
    _count_into_corpus_version(connection, collection, new_path, document_id, sign=1)
    table = schema.versions
    connection.execute(
        update(table)
        .where(table.c.collection == collection, table.c.path == old_path)
        .values(path=new_path)
    )
    drop_source(connection, collection, old_path, generation)


def forget_versions(
    connection: Connection, collection: str, path: str, *, keep: int, generation: int
) -> None:
    """Delete all but the newest `keep` old versions of a file."""
    table = schema.versions
    here = (table.c.collection == collection, table.c.path == path)
    old = list(
        connection.scalars(
            select(table.c.document_id).where(*here).order_by(table.c.replaced_at.desc())
        )
    )[keep:]
    for document_id in old:
        connection.execute(delete(table).where(*here, table.c.document_id == document_id))
        _drop_unused(connection, document_id, generation)


def held_by(connection: Connection, collection: str, path: str) -> str | None:
    """The document a path holds."""
    table = schema.sources
    here = (table.c.collection == collection, table.c.path == path)
    held: str | None = connection.scalar(select(table.c.document_id).where(*here))
    return held


def drop_source(connection: Connection, collection: str, path: str, generation: int) -> None:
    """Let a path hold nothing; a document that no path holds goes too, or becomes an old version."""
    old = held_by(connection, collection, path)
    if old is None:
        return
    table = schema.sources
    connection.execute(delete(table).where(table.c.collection == collection, table.c.path == path))
    _count_into_corpus_version(connection, collection, path, old, sign=-1)
    left = collections_of(connection, old)
    if left and collection not in left:
        _mark_changed(connection, old, generation)
    _drop_unused(connection, old, generation)


def _drop_unused(connection: Connection, document_id: str, generation: int) -> None:
    """Delete what no path holds: the passages, and the document unless it is an old version."""
    if collections_of(connection, document_id):
        return
    rows.remove_passages(connection, document_id, generation)
    documents, versions = schema.documents, schema.versions
    is_version = connection.scalar(
        select(versions.c.path).where(versions.c.document_id == document_id).limit(1)
    )
    here = documents.c.id == document_id
    if is_version is None:
        connection.execute(delete(documents).where(here))
    else:
        connection.execute(update(documents).where(here).values(recipe=""))


def collections_of(connection: Connection, document_id: str) -> set[str]:
    """The collections in which some path holds a document."""
    column = schema.sources.c.collection
    query = select(column).where(schema.sources.c.document_id == document_id).distinct()
    return set(connection.scalars(query))


def _mark_changed(connection: Connection, document_id: str, generation: int) -> None:
    table = schema.documents
    connection.execute(
        update(table).where(table.c.id == document_id).values(changed_generation=generation)
    )


def _count_into_corpus_version(
    connection: Connection, collection: str, path: str, document_id: str, *, sign: int
) -> None:
    """Add or take one file from the corpus version.

    The version is the sum, modulo 2^128, of a hash of each file's collection, path and content: it
    depends on what the library holds and not on the order in which that came in.
    """
    digest = hashlib.sha256(f"{collection}\0{path}\0{document_id}".encode("utf-8", "surrogatepass"))
    value = int.from_bytes(digest.digest()[:16], "big")
    old = int(rows.meta(connection, "corpus_version"), 16)
    rows.set_meta(connection, "corpus_version", f"{(old + sign * value) % 2**128:032x}")
