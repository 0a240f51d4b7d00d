"""Records which encoder made a library's vectors, and the progress of re-encoding with another."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, Executable, Table, bindparam, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from pincite.errors import LibraryError
from pincite.records.files import strict_json
from pincite.records.flow import Embedding, Passage
from pincite.store.catalog import rows, schema
from pincite.store.catalog.store import Transaction

_CURRENT, _BEFORE, _NEXT = "encoder", "encoder_before", "encoder_next"
_FILLED = "vectors_filled"
"""Rows of the meta table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderRecord:
    """An encoder's name, and the settings to open it again."""

    name: str
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reencoding:
    """Progress of a re-encoding, in passages."""

    encoder: EncoderRecord
    done: int
    total: int


class Encodings:
    """The encoders of the catalog's vectors. Each writing method is one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def current(self) -> EncoderRecord | None:
        """The encoder whose vectors are searched; None if none is recorded."""
        return self._record(_CURRENT)

    def before(self) -> EncoderRecord | None:
        """The previous encoder, whose index is in use until that of the new one is written."""
        return self._record(_BEFORE)

    def under_way(self) -> Reencoding | None:
        """Progress of the re-encoding; None if none has started."""
        with self._transaction() as connection:
            found = _meta(connection, _NEXT)
            if found is None:
                return None
            return Reencoding(
                encoder=_record_of(found["encoder"]), done=found["done"], total=found["total"]
            )

    def some_model(self) -> str | None:
        """The encoder of any one stored vector; None if there are no vectors."""
        with self._transaction() as connection:
            name: str | None = connection.scalar(select(schema.embeddings.c.model).limit(1))
        return name

    def passages_without(self) -> int:
        """How many passages have no vectors."""
        missing = select(func.count()).where(schema.passages.c.embedding_key == "")
        with self._transaction() as connection:
            return int(connection.scalar(missing.select_from(schema.passages)) or 0)

    def passages_after(
        self, key: int, *, limit: int, without_vectors: bool = False
    ) -> list[tuple[Passage, str]]:
        """Up to `limit` passages after a key, in key order, each with its text.

        With `without_vectors`, only those that have none.
        """
        table = schema.passages
        query = select(table).where(table.c.key > key).order_by(table.c.key).limit(limit)
        if without_vectors:
            query = query.where(table.c.embedding_key == "")
        with self._transaction() as connection:
            found = [rows.passage(row) for row in connection.execute(query)]
            documents = {passage.span.document_id for passage in found}
            stored = select(schema.documents.c.id, schema.documents.c.text).where(
                schema.documents.c.id.in_(documents)
            )
            texts = {row.id: rows.decode_text(row.text) for row in connection.execute(stored)}
            return [
                (passage, texts[passage.span.document_id][passage.span.start : passage.span.end])
                for passage in found
            ]

    def remember(self, encoder: EncoderRecord) -> None:
        """Record the encoder whose vectors are searched, or new settings to open it with."""
        with self._transaction(writes=True) as connection:
            _set_meta(connection, _CURRENT, asdict(encoder))

    def store(self, embeddings: Sequence[Embedding], progress: Reencoding) -> None:
        """Store vectors that no passage uses yet; existing ones are not changed."""
        table = schema.embeddings
        values = [rows.embedding_values(item) for item in embeddings]
        with self._transaction(writes=True) as connection:
            if values:
                connection.execute(_insert_new(connection, table), values)
            _set_meta(connection, _NEXT, asdict(progress))

    def fill(self, embedding_keys: Mapping[int, str]) -> None:
        """Give passages that had none the vectors of the present encoder, by passage key."""
        with self._transaction(writes=True) as connection:
            generation = rows.next_generation(connection)
            _use(connection, embedding_keys)
            found = _meta(connection, _FILLED) or []
            new = [[generation, *ends] for ends in _ranges(sorted(embedding_keys))]
            _set_meta(connection, _FILLED, [*found, *new])
            _set_meta(connection, _NEXT, None)

    def filled_since(self, generation: int) -> list[int]:
        """The keys of passages that got vectors later than they were stored, ascending."""
        passages = schema.passages
        with self._transaction() as connection:
            found = _meta(connection, _FILLED) or []
            ranges = [between for since, *between in found if since > generation]
            keys: set[int] = set()
            for first, last in ranges:
                query = select(passages.c.key).where(passages.c.key.between(first, last))
                keys.update(connection.scalars(query.where(passages.c.embedding_key != "")))
            return sorted(keys)

    def switch(self, encoder: EncoderRecord, embedding_keys: Mapping[int, str]) -> None:
        """Switch every passage to the vectors of another encoder, by passage key.

        The caller must then rebuild the index and call `forget_unused`.
        """
        with self._transaction(writes=True) as connection:
            rows.next_generation(connection)
            _use(connection, embedding_keys)
            no_encoder = {"name": "", "settings": {}}
            _set_meta(connection, _BEFORE, _meta(connection, _CURRENT) or no_encoder)
            _set_meta(connection, _CURRENT, asdict(encoder))
            _set_meta(connection, _NEXT, None)

    def forget_unused(self) -> None:
        """Delete vectors that no passage uses: the previous encoder's, or an abandoned one's."""
        used = select(schema.passages.c.embedding_key)
        with self._transaction(writes=True) as connection:
            connection.execute(
                delete(schema.embeddings).where(schema.embeddings.c.key.not_in(used))
            )
            _set_meta(connection, _BEFORE, None)
            _set_meta(connection, _NEXT, None)

    def _record(self, name: str) -> EncoderRecord | None:
        with self._transaction() as connection:
            found = _meta(connection, name)
            return _record_of(found) if found else None


def _use(connection: Connection, embedding_keys: Mapping[int, str]) -> None:
    """Point passages to stored vectors."""
    passages = schema.passages
    change = (
        update(passages)
        .where(passages.c.key == bindparam("passage"))
        .values(embedding_key=bindparam("vectors"))
    )
    values = [{"passage": key, "vectors": found} for key, found in embedding_keys.items()]
    if values:
        connection.execute(change, values)


def _ranges(keys: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending keys as ranges (first, last), both inclusive."""
    found: list[tuple[int, int]] = []
    for key in keys:
        is_next = found and found[-1][1] == key - 1
        found[-1:] = [(found[-1][0], key)] if is_next else [*found[-1:], (key, key)]
    return found


def _insert_new(connection: Connection, table: Table) -> Executable:
    """Insert rows whose key is new; SQLAlchemy has no common form of this for both databases."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def _meta(connection: Connection, name: str) -> Any:
    found = connection.scalar(select(schema.meta.c.value).where(schema.meta.c.name == name))
    try:
        return strict_json(found) if found else None
    except ValueError as error:
        raise LibraryError(f"the catalog's row '{name}' is damaged ({error})") from error


def _record_of(found: Any) -> EncoderRecord:
    """The record from its stored form. Raises LibraryError if it was altered."""
    is_ours = isinstance(found, dict) and found.keys() == {"name", "settings"}
    if not (is_ours and isinstance(found["name"], str) and isinstance(found["settings"], dict)):
        raise LibraryError(
            "the catalog's record of its encoder is invalid; restore a backup, or ingest the files "
            "into a new library"
        )
    return EncoderRecord(**found)


def _set_meta(connection: Connection, name: str, value: Any) -> None:
    rows.keep_note(connection, name, None if value is None else json.dumps(value, sort_keys=True))
