"""Queries for the list of files, with their coverage and old versions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, Text, cast, func, select

from pincite.records.document import Coverage
from pincite.records.files import title_of_name
from pincite.records.library_records import FileEntry, OldVersion
from pincite.store.catalog import schema


def current(collection: str | None) -> Select[Any]:
    """The query for rows of `entry`, ordered by collection and path."""
    counted = (
        select(schema.passages.c.document_id, func.count().label("passages"))
        .group_by(schema.passages.c.document_id)
        .subquery()
    )
    documents, sources = schema.documents, schema.sources
    query = (
        select(
            sources,
            documents.c.title,
            documents.c.name.label("read_as"),
            documents.c.media_type,
            documents.c.coverage,
            func.coalesce(counted.c.passages, 0).label("passages"),
        )
        .select_from(sources.join(documents).outerjoin(counted))
        .order_by(sources.c.collection, sources.c.path)
    )
    return query if collection is None else query.where(sources.c.collection == collection)


def entry(row: Row[Any], old: tuple[OldVersion, ...]) -> FileEntry:
    """A row of `current` as a record.

    A title that is only a name is that of this path, not of another one with the same bytes.
    """
    is_name = row.title == title_of_name(row.read_as)
    return FileEntry(
        collection=row.collection,
        path=row.path,
        document_id=row.document_id,
        title=title_of_name(PurePath(row.path).name) if is_name else row.title,
        media_type=row.media_type,
        passages=row.passages,
        coverage=row.coverage,
        old_versions=old,
    )


def names(collection: str | None) -> Select[Any]:
    """The query for document id, path and title of every file, ordered by path and collection."""
    documents, sources = schema.documents, schema.sources
    query = (
        select(sources.c.document_id, sources.c.path, documents.c.title)
        .join(documents)
        .order_by(sources.c.path, sources.c.collection)
    )
    return query if collection is None else query.where(sources.c.collection == collection)


def textless(connection: Connection, collection: str | None) -> Sequence[Row[Any, Any, Any]]:
    """Path, title and coverage of files without any passage, ordered by path."""
    documents, sources, passages = schema.documents, schema.sources, schema.passages
    query = (
        select(sources.c.path, documents.c.title, documents.c.coverage)
        .select_from(sources.join(documents))
        .where(~select(passages.c.key).where(passages.c.document_id == documents.c.id).exists())
        .order_by(sources.c.path)
    )
    if collection is not None:
        query = query.where(sources.c.collection == collection)
    return connection.execute(query).all()


def versions(connection: Connection) -> Mapping[tuple[str, str], tuple[OldVersion, ...]]:
    """Old versions by collection and path, newest first."""
    table = schema.versions
    found: dict[tuple[str, str], tuple[OldVersion, ...]] = {}
    for row in connection.execute(select(table).order_by(table.c.replaced_at.desc())):
        version = OldVersion(
            document_id=row.document_id, replaced_by=row.replaced_by, replaced_at=row.replaced_at
        )
        place = (row.collection, row.path)
        found[place] = (*found.get(place, ()), version)
    return found


def has_status(status: Coverage) -> ColumnElement[bool]:
    """Whether a document has this status; a bare `"` cannot occur inside a string of JSON text."""
    written = f'"status": {json.dumps(str(status))}'
    return cast(schema.documents.c.coverage, Text).contains(written, autoescape=True)


def misnamed(connection: Connection) -> list[tuple[str, str]]:
    """Documents whose stored file name differs from that of their first path, with that path."""
    sources, documents = schema.sources, schema.documents
    # Preselect documents with a path that does not match, which are very few in any library.
    length = 1 + func.length(documents.c.name)
    ending = (
        func.right(sources.c.path, length)
        if connection.dialect.name == "postgresql"
        else func.substr(sources.c.path, -length)
    )
    suspects = select(sources.c.document_id).join(documents).where(ending != "/" + documents.c.name)
    query = (
        select(sources.c.document_id, documents.c.name, sources.c.path)
        .join(documents)
        .where(sources.c.document_id.in_(suspects))
        .order_by(sources.c.document_id, sources.c.path)
    )
    first: dict[str, tuple[str, str]] = {}
    for row in connection.execute(query):
        first.setdefault(row.document_id, (row.name, row.path))
    return [
        (document_id, path)
        for document_id, (name, path) in first.items()
        if PurePath(path).name != name
    ]
