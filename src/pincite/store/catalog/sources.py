"""Current and earlier documents of each path. Functions run in the connection's transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from datetime import UTC, datetime

from sqlalchemy import Connection, bindparam, delete, select, update

from pincite.store.catalog import rows, schema


def point_source(
    connection: Connection, collection: str, path: str, document_id: str, generation: int
) -> bool:
    """Point a path to a document; returns whether it replaced another one.

    The replaced document becomes an old version.
    """
    old = held_by(connection, collection, path)
    if old == document_id:
        return False
    if old is not None:
        _supersede(connection, collection, path, old, document_id)
        drop_source(connection, collection, path, generation)
    if collection not in collections_of(connection, document_id):
        _mark_changed(connection, document_id, generation)
    point_new_sources(connection, collection, {path: document_id})
    return old is not None


def point_new_sources(
    connection: Connection, collection: str, documents: Mapping[str, str]
) -> None:
    """Point new paths to documents, given by path."""
    connection.execute(
        schema.sources.insert(),
        [
            {"collection": collection, "path": path, "document_id": document_id}
            for path, document_id in documents.items()
        ],
    )
    _count_into_corpus_version(connection, collection, documents, sign=1)


def _supersede(
    connection: Connection, collection: str, path: str, old: str, replaced_by: str
) -> None:
    table = schema.versions
    here = (table.c.collection == collection, table.c.path == path)
    # If a file returns to an earlier version, that version is the current one again.
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
    """Change the path of a file, with its old versions and tags."""
    document_id = held_by(connection, collection, old_path)
    if document_id is None:
        return
    connection.execute(
        schema.sources.insert().values(
            collection=collection, path=new_path, document_id=document_id
        )
    )
    _count_into_corpus_version(connection, collection, {new_path: document_id}, sign=1)
    for table in (schema.versions, schema.tags):
        connection.execute(
            update(table)
            .where(table.c.collection == collection, table.c.path == old_path)
            .values(path=new_path)
        )
    drop_source(connection, collection, old_path, generation)


def describe(
    connection: Connection, collection: str, modified: Mapping[str, str], tags: Collection[str]
) -> None:
    """Store the dates of files and add tags to them; writes only what has changed.

    `modified` has dates by path; paths that are not in the collection are ignored. Any change starts
    a new generation, so that cached filters are discarded.
    """
    table, tagged = schema.sources, schema.tags
    held = select(table.c.path, table.c.modified).where(table.c.collection == collection)
    if len(modified) <= rows.LOOKUP_BATCH:
        held = held.where(table.c.path.in_(modified))
    dates = {row.path: row.modified for row in connection.execute(held)}
    here = [path for path in modified if path in dates]
    new_dates = [path for path in here if dates[path] != modified[path]]
    known = set()
    if tags:
        query = select(tagged.c.path, tagged.c.tag).where(tagged.c.collection == collection)
        known = {(row.path, row.tag) for row in connection.execute(query)}
    new_tags = [(path, tag) for path in here for tag in tags if (path, tag) not in known]
    if new_dates:
        connection.execute(
            update(table).where(
                table.c.collection == collection, table.c.path == bindparam("at_path")
            ),
            [{"at_path": path, "modified": modified[path]} for path in new_dates],
        )
    if new_tags:
        connection.execute(
            tagged.insert(),
            [{"collection": collection, "path": path, "tag": tag} for path, tag in new_tags],
        )
    if new_dates or new_tags:
        rows.next_generation(connection)


def forget_tags(connection: Connection, collection: str, path: str) -> None:
    """Delete the tags of a removed file."""
    table = schema.tags
    connection.execute(delete(table).where(table.c.collection == collection, table.c.path == path))


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


def held_paths(connection: Connection, collection: str, paths: Collection[str]) -> set[str]:
    """The paths that are in the collection."""
    table = schema.sources
    here = (table.c.collection == collection, table.c.path.in_(paths))
    return set(connection.scalars(select(table.c.path).where(*here)))


def held_by(connection: Connection, collection: str, path: str) -> str | None:
    """The id of the document at a path; None if there is none."""
    table = schema.sources
    here = (table.c.collection == collection, table.c.path == path)
    held: str | None = connection.scalar(select(table.c.document_id).where(*here))
    return held


def drop_source(connection: Connection, collection: str, path: str, generation: int) -> None:
    """Remove a path, and its document if no other path has it, unless it is an old version."""
    old = held_by(connection, collection, path)
    if old is None:
        return
    table = schema.sources
    connection.execute(delete(table).where(table.c.collection == collection, table.c.path == path))
    _count_into_corpus_version(connection, collection, {path: old}, sign=-1)
    left = collections_of(connection, old)
    if left and collection not in left:
        _mark_changed(connection, old, generation)
    _drop_unused(connection, old, generation)


def _drop_unused(connection: Connection, document_id: str, generation: int) -> None:
    """Delete a document that no path has: its passages, and itself unless it is an old version."""
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
    """The collections that contain a document."""
    column = schema.sources.c.collection
    query = select(column).where(schema.sources.c.document_id == document_id).distinct()
    return set(connection.scalars(query))


def _mark_changed(connection: Connection, document_id: str, generation: int) -> None:
    table = schema.documents
    connection.execute(
        update(table).where(table.c.id == document_id).values(changed_generation=generation)
    )


def _count_into_corpus_version(
    connection: Connection, collection: str, documents: Mapping[str, str], *, sign: int
) -> None:
    """Add files (documents by path) to the corpus version, or subtract them from it.

    The version is the sum, modulo 2^128, of a hash of each file's collection, path and content. It
    depends on the contents of the library, not on the order of ingestion.
    """
    value = sum(
        _hash_of_file(collection, path, document_id) for path, document_id in documents.items()
    )
    old = int(rows.meta(connection, "corpus_version"), 16)
    rows.set_meta(connection, "corpus_version", f"{(old + sign * value) % 2**128:032x}")


def _hash_of_file(collection: str, path: str, document_id: str) -> int:
    digest = hashlib.sha256(f"{collection}\0{path}\0{document_id}".encode("utf-8", "surrogatepass"))
    return int.from_bytes(digest.digest()[:16], "big")
