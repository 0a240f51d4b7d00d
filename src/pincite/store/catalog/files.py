"""Queries for the list of files, with their coverage and old versions."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Row, Select, Text, cast, func, select

from pincite.errors import DocumentGone
from pincite.records.document import Coverage
from pincite.records.files import first_intact, title_of_name
from pincite.records.flow import Source
from pincite.records.library_records import FileEntry, OldVersion
from pincite.store.catalog import schema

_Row = TypeVar("_Row")

_MOST_TOGETHER = 100
"""Documents in one statement."""


def first(found: Sequence[_Row], document_id: str) -> _Row:
    """The first row of a document. Raises DocumentGone if there is none."""
    if not found:
        raise DocumentGone(
            f"document {document_id} is no longer in the library: it was removed or replaced "
            "meanwhile; ask again"
        )
    return found[0]


class SourceFiles:
    """The files that documents come from.

    A question needs those of the same few documents some thirty times, and each statement is a round
    trip to the database: while `remembered`, all documents that are expected are asked for at once.
    """

    def __init__(self, fetch: Callable[[Select[Any]], Sequence[Row[Any]]]) -> None:
        self._fetch = fetch
        self._in_thread = threading.local()

    @contextmanager
    def remembered(self) -> Iterator[None]:
        """Read the files of each document once while this thread is in the block."""
        before = self._known
        self._in_thread.known = {} if before is None else before
        try:
            yield
        finally:
            self._in_thread.known = before

    @property
    def _known(self) -> dict[str, list[Row[Any]] | None] | None:
        """Rows by document, None for those that are expected; None outside `remembered`."""
        return getattr(self._in_thread, "known", None)

    def expect(self, documents: Iterable[str]) -> None:
        """Read the files of these documents together with the next that are read."""
        if (known := self._known) is not None:
            for document_id in documents:
                known.setdefault(document_id, None)

    def source(self, document_id: str, collection: str | None) -> Source:
        """See `Catalog.source`."""
        found = [row for row in self._rows(document_id) if collection in (None, row.collection)]
        row = first(found, document_id)
        paths = [other.path for other in found]
        path = first_intact(paths, row.sha256)
        modified = next(other.modified for other in found if other.path == path)
        return Source(
            document_id=document_id,
            path=path,
            sha256=row.sha256,
            encoding=row.encoding,
            copies=tuple(dict.fromkeys(other for other in paths if other != path)),
            modified=modified or "",
        )

    def _rows(self, document_id: str) -> Sequence[Row[Any]]:
        known = self._known
        if known is None:
            return self._fetch(_sources_of([document_id]))
        if known.get(document_id) is None:
            wanted = [key for key, found in known.items() if found is None and key != document_id]
            read: dict[str, list[Row[Any]]] = {
                key: [] for key in (document_id, *wanted[:_MOST_TOGETHER])
            }
            for row in self._fetch(_sources_of(list(read))):
                read[row.document_id].append(row)
            known.update(read)
        return known[document_id] or []


def _sources_of(documents: Sequence[str]) -> Select[Any]:
    sources, stored = schema.sources.c, schema.documents.c
    return (
        select(
            sources.document_id,
            sources.collection,
            sources.path,
            sources.modified,
            stored.sha256,
            stored.encoding,
        )
        .join(schema.documents)
        .where(sources.document_id.in_(documents))
        .order_by(sources.path, sources.collection)
    )


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
