"""Reads a whole part of a library for exhaustive counts, without ranking or omissions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Text, func, select, type_coerce

from pincite.records.counts import PassageEdges, ScanScope
from pincite.records.document import Coverage
from pincite.records.filters import Filters, Scope
from pincite.records.library_records import FileProblem
from pincite.store.catalog import files, rows, schema
from pincite.store.catalog.filtering import matching_documents, named_by

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TEXTS_AT_ONCE = 50


class CatalogScan:
    """Reads documents a batch at a time, ordered by id within a batch."""

    def __init__(self, transaction: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._transaction = transaction

    def scope(
        self, collection: str | None, filters: Filters, allowed: NDArray[Any] | None
    ) -> ScanScope:
        """The documents that match the filters, and those of their files that were not fully read.

        `allowed` are the keys of the passages that match the same filters; None: all.
        """
        with self._transaction() as connection:
            documents = matching_documents(connection, Scope.of(collection, filters))
            passages = _passages(connection, allowed)
            if filters.sections:
                documents = [document for document in documents if document in passages]
            paths = _paths(connection, collection, documents)
            problems = _unread(connection, collection, filters)
            problems += _partly_read(connection, paths)
        return ScanScope(
            paths=paths,
            passages=sum(passages.get(document, 0) for document in documents),
            problems=tuple(problems),
        )

    def texts(self, documents: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Document ids with their texts."""
        table = schema.documents
        for start in range(0, len(documents), _TEXTS_AT_ONCE):
            batch = documents[start : start + _TEXTS_AT_ONCE]
            query = select(table.c.id, table.c.text).where(table.c.id.in_(batch))
            with self._transaction() as connection:
                found = connection.execute(query.order_by(table.c.id)).all()
                texts = [(row.id, rows.decode_text(row.text)) for row in found]
            yield from texts

    def edges(self, document_id: str, *, first: int, last: int) -> list[PassageEdges]:
        """Sentence boundaries of a document's passages between characters `first` and `last`."""
        table = schema.passages
        # Parsed here: SQLAlchemy's JSON type, called for each row, would take a third of the time.
        query = select(table.c.key, type_coerce(table.c.sentences, Text).label("sentences"))
        with self._transaction() as connection:
            found = connection.execute(
                query.where(
                    table.c.document_id == document_id,
                    table.c.start <= last,
                    table.c.end > first,
                ).order_by(table.c.key)
            ).all()
            return [
                PassageEdges(key=row.key, edges=tuple(json.loads(row.sentences))) for row in found
            ]


def _passages(connection: Connection, allowed: NDArray[Any] | None) -> Mapping[str, int]:
    """The number of allowed passages by document."""
    table = schema.passages
    if allowed is None:
        counted = select(table.c.document_id, func.count().label("passages"))
        found = connection.execute(counted.group_by(table.c.document_id))
        return {row.document_id: row.passages for row in found}
    wanted, counts = set(allowed.tolist()), dict[str, int]()
    for row in connection.execute(select(table.c.key, table.c.document_id)):
        if row.key in wanted:
            counts[row.document_id] = counts.get(row.document_id, 0) + 1
    return counts


def _paths(
    connection: Connection, collection: str | None, documents: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Paths by document, ordered by the first path."""
    table, wanted = schema.sources, set(documents)
    query = select(table.c.document_id, table.c.path).order_by(table.c.path, table.c.collection)
    if collection is not None:
        query = query.where(table.c.collection == collection)
    found: dict[str, tuple[str, ...]] = {}
    for row in connection.execute(query):
        if row.document_id in wanted and row.path not in found.get(row.document_id, ()):
            found[row.document_id] = (*found.get(row.document_id, ()), row.path)
    return found


def _unread(connection: Connection, collection: str | None, filters: Filters) -> list[FileProblem]:
    """Files that could not be read; their tags, sections and dates are unknown, so not filtered."""
    table, held = schema.failures, schema.sources
    query = select(table.c.path, table.c.reason).order_by(table.c.path)
    query_held = select(held.c.path)
    if collection is not None:
        query = query.where(table.c.collection == collection)
        query_held = query_held.where(held.c.collection == collection)
    failed = {row.path: f"could not be read: {row.reason}" for row in connection.execute(query)}
    wanted = set(failed)
    if filters.documents and failed:
        paths = {*failed, *connection.scalars(query_held)}
        places = [("", path) for path in paths]
        wanted = {path for name in filters.documents for _, path in named_by(name, places)}
    return [
        FileProblem(path=path, reason=reason) for path, reason in failed.items() if path in wanted
    ]


def _partly_read(connection: Connection, paths: Mapping[str, tuple[str, ...]]) -> list[FileProblem]:
    table = schema.documents
    partial = files.has_status(Coverage.PARTIAL)
    found = []
    for row in connection.execute(select(table.c.id, table.c.coverage).where(partial)):
        gaps = row.coverage.get("gaps", ())
        more = f", and {len(gaps) - 1} more" if len(gaps) > 1 else ""
        reason = f"read only in part: {gaps[0]}{more}" if gaps else "read only in part"
        found += [FileProblem(path=path, reason=reason) for path in paths.get(row.id, ())[:1]]
    return sorted(found, key=lambda problem: problem.path)
