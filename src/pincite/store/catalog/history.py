"""Kept answers, and whether the library still contains their quotes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, delete, select, update

from pincite.records.library_records import KeptAnswer
from pincite.store.catalog import rows, schema
from pincite.store.catalog.store import Transaction


class History:
    """The kept answers of a library, oldest first."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def keep(self, form: Mapping[str, Any], collection: str | None) -> int:
        """Keep the saved form of an answer; returns its number."""
        values: dict[str, Any] = {
            "kept_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "collection": collection,
            "form": json.dumps(form),
            "stale": [],
        }
        with self._transaction(writes=True) as connection:
            made = connection.execute(schema.answers.insert().values(values))
            return int(made.inserted_primary_key[0])  # type: ignore[index]

    def entries(self, number: int | None = None) -> tuple[KeptAnswer, ...]:
        """All kept answers, or the one with this number."""
        query = select(schema.answers).order_by(schema.answers.c.id)
        if number is not None:
            query = query.where(schema.answers.c.id == number)
        with self._transaction() as connection:
            return tuple(map(_entry, connection.execute(query).all()))

    def delete(self, numbers: Sequence[int] | None = None) -> int:
        """Delete these answers, or all; returns how many were deleted."""
        query = delete(schema.answers)
        if numbers is not None:
            query = query.where(schema.answers.c.id.in_(numbers))
        with self._transaction(writes=True) as connection:
            return connection.execute(query).rowcount

    def compare(self) -> int:
        """Mark the answers whose quotes changed or vanished; returns how many are marked now.

        A quote is present as long as its document is in the library, at any path, or the file's new
        version contains the same words. If a quote reappears, its mark is removed.
        """
        count = 0
        with self._transaction(writes=True) as connection:
            found = connection.execute(select(schema.answers)).all()
            present = _Present(connection) if found else None
            for row in found:
                assert present is not None
                stale = list(present.missing(json.loads(row.form)["citations"]))
                count += bool(stale)
                if stale != row.stale:
                    table = schema.answers
                    connection.execute(
                        update(table).where(table.c.id == row.id).values(stale=stale)
                    )
        return count


class _Present:
    """The current contents of the library."""

    def __init__(self, connection: Connection) -> None:
        table = schema.sources
        # If several collections contain a path, the last one counts.
        query = select(table.c.path, table.c.document_id).order_by(table.c.path, table.c.collection)
        self._connection = connection
        self._held = {row.path: row.document_id for row in connection.execute(query)}
        self._documents = set(self._held.values())
        self._texts: dict[str, str] = {}

    def missing(self, citations: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """Describes each quote that is no longer present."""
        for number, citation in enumerate(citations, start=1):
            if citation["document"] in self._documents:
                continue
            path = citation["source"]
            name = Path(path).name
            if path not in self._held:
                yield f"[{number}]: {name} is no longer in the library"
            elif citation["cited_text"] not in self._text(self._held[path]):
                yield f"[{number}]: {name} has changed and no longer contains the quote"

    def _text(self, document_id: str) -> str:
        if document_id not in self._texts:
            column = schema.documents.c.text
            query = select(column).where(schema.documents.c.id == document_id)
            self._texts[document_id] = rows.decode_text(self._connection.scalar(query) or b"")
        return self._texts[document_id]


def _entry(row: Row[Any]) -> KeptAnswer:
    return KeptAnswer(
        number=row.id,
        kept_at=row.kept_at,
        collection=row.collection,
        form=json.loads(row.form),
        stale=tuple(row.stale),
    )
