"""Users' feedback on answers: whether an answer helped, and what it should have been."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import delete, select

from pincite.store.catalog import schema
from pincite.store.catalog.store import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Feedback on one answer. `answer` holds its status, confidence and citations."""

    question: str
    helpful: bool
    collection: str | None = None
    correction: str = ""
    comment: str = ""
    answer: Mapping[str, Any]
    number: int = 0
    given_at: str = ""
    """ISO 8601, UTC."""


class Feedback:
    """The judgements in the catalog, oldest first. They are separate from the documents."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def keep(self, judgement: Judgement) -> int:
        """Store a judgement; returns its number, which is never reused."""
        row = {
            "given_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "collection": judgement.collection,
            "question": judgement.question,
            "helpful": judgement.helpful,
            "correction": judgement.correction,
            "comment": judgement.comment,
            "answer": dict(judgement.answer),
        }
        with self._transaction(writes=True) as connection:
            made = connection.execute(schema.feedback.insert().values(row))
            return int(made.inserted_primary_key[0])  # type: ignore[index]

    def all(self, collections: Collection[str] | None = None) -> Sequence[Judgement]:
        """Every judgement, or those about these collections."""
        table = schema.feedback
        query = select(table).order_by(table.c.id)
        if collections is not None:
            query = query.where(table.c.collection.in_(collections))
        with self._transaction() as connection:
            return [
                Judgement(
                    number=row.id,
                    given_at=row.given_at,
                    collection=row.collection,
                    question=row.question,
                    helpful=row.helpful,
                    correction=row.correction,
                    comment=row.comment,
                    answer=row.answer,
                )
                for row in connection.execute(query)
            ]

    def delete(self, number: int) -> bool:
        """Delete a judgement; False if there is none with this number."""
        query = delete(schema.feedback).where(schema.feedback.c.id == number)
        with self._transaction(writes=True) as connection:
            return connection.execute(query).rowcount > 0
