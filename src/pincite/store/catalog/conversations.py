"""Stored conversations and their turns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, exists, func, literal, select

from pincite.store.catalog import schema
from pincite.store.catalog.store import Transaction

_BEGINNING_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTurn:
    """A question as asked and as resolved (`read_as`), and the answer in the form of receipts."""

    question: str
    read_as: str
    answer: Mapping[str, Any]
    asked: str
    """ISO 8601, UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptConversation:
    """A conversation in the list. `collection` is None if all collections were asked."""

    id: int
    collection: str | None
    begun: str
    turns: int
    first_question: str


class Conversations:
    """The conversations in the catalog. Each writing method is one transaction.

    They are separate from the documents: they do not change the generation or the corpus version.
    """

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def begin(self, collection: str | None, turn: KeptTurn, *, owner: str = "") -> int:
        """Store a new conversation with its first turn; returns its number, which is never reused.

        `owner` is the id of the key that began it; empty for a person at this machine.
        """
        with self._transaction(writes=True) as connection:
            row = {"collection": collection, "begun": turn.asked, "owner": owner}
            column = schema.conversations.c.id
            insert = schema.conversations.insert().values(row).returning(column)
            number = int(connection.execute(insert).scalar_one())
            _insert(connection, number, turn)
        return number

    def add(self, conversation: int, turn: KeptTurn) -> bool:
        """Store another turn; False if the conversation has been deleted."""
        # One statement: reading and then writing fails if another process writes in between.
        with self._transaction(writes=True) as connection:
            return _insert(connection, conversation, turn)

    def turns(self, conversation: int) -> tuple[KeptTurn, ...]:
        """All turns of a conversation, oldest first; empty if there is no such conversation."""
        table = schema.turns
        query = select(table).where(table.c.conversation == conversation).order_by(table.c.key)
        with self._transaction() as connection:
            found = connection.execute(query).all()
        return tuple(
            KeptTurn(question=r.question, read_as=r.read_as, answer=r.answer, asked=r.asked)
            for r in found
        )

    def all(
        self,
        *,
        owner: str | None = None,
        collections: Collection[str] | None = None,
        before: int | None = None,
        most: int | None = None,
    ) -> tuple[KeptConversation, ...]:
        """The conversations, newest first: with an `owner`, those that this key began.

        With `collections`, those about one of these; `before` a number, the older ones; at `most`
        so many.
        """
        kept, turns = schema.conversations, schema.turns
        counted = (
            select(
                turns.c.conversation,
                func.count().label("turns"),
                func.min(turns.c.key).label("first"),
            )
            .group_by(turns.c.conversation)
            .subquery()
        )
        query = (
            select(kept, counted.c.turns, turns.c.question)
            .join(counted, counted.c.conversation == kept.c.id)
            .join(turns, turns.c.key == counted.c.first)
            .order_by(kept.c.id.desc())
        )
        if owner is not None:
            query = query.where(kept.c.owner == owner)
        if collections is not None:
            query = query.where(kept.c.collection.in_(collections))
        if before is not None:
            query = query.where(kept.c.id < before)
        with self._transaction() as connection:
            found = connection.execute(query.limit(most)).all()
        return tuple(
            KeptConversation(
                id=row.id,
                collection=row.collection,
                begun=row.begun,
                turns=row.turns,
                first_question=row.question[:_BEGINNING_CHARS],
            )
            for row in found
        )

    def collection_of(self, conversation: int) -> str | None:
        """The collection that was asked; None for all, or if there is no such conversation."""
        column = schema.conversations.c
        query = select(column.collection).where(column.id == conversation)
        with self._transaction() as connection:
            found: str | None = connection.scalar(query)
        return found

    def is_owned(self, conversation: int, owner: str) -> bool:
        """Whether this key began the conversation."""
        column = schema.conversations.c
        query = select(column.id).where(column.id == conversation, column.owner == owner)
        with self._transaction() as connection:
            return connection.scalar(query) is not None

    def delete(self, conversation: int) -> bool:
        """Delete a conversation; False if there is none with this number."""
        with self._transaction(writes=True) as connection:
            connection.execute(
                delete(schema.turns).where(schema.turns.c.conversation == conversation)
            )
            gone = connection.execute(
                delete(schema.conversations).where(schema.conversations.c.id == conversation)
            )
        return gone.rowcount > 0


def _insert(connection: Connection, conversation: int, turn: KeptTurn) -> bool:
    """Add a turn to a conversation, if it exists."""
    values = {
        "conversation": conversation,
        "question": turn.question,
        "read_as": turn.read_as,
        "answer": dict(turn.answer),
        "asked": turn.asked,
    }
    columns = schema.turns.c
    row = select(*(literal(value, columns[name].type) for name, value in values.items()))
    here = exists().where(schema.conversations.c.id == conversation)
    insert = schema.turns.insert().from_select(list(values), row.where(here))
    added = connection.execute(insert.execution_options(preserve_rowcount=True))
    return added.rowcount > 0


def now() -> str:
    """The current time, ISO 8601, UTC, in seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")
