"""Converts between records and table rows. Functions given a connection run in its transaction."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, Row, Select, bindparam, delete, func, select, update

from pincite.errors import LibraryError
from pincite.records.coverage import file_coverage
from pincite.records.document import Document, Span
from pincite.records.document_codec import document_from_bytes, document_to_bytes
from pincite.records.flow import Embedding, Ingested, Passage
from pincite.store.catalog import schema

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pincite.models.vectors import TokenCodes


LOOKUP_BATCH = 500
"""SQLite takes at most 32,766 values in one statement; smaller statements are planned faster."""


def decode_text(stored: bytes) -> str:
    """The document text of a row."""
    return stored.decode("utf-8", "surrogatepass")


def document(row: Row[Any]) -> Document:
    """A row of `documents` as a record."""
    return document_from_bytes(row.layout, text=decode_text(row.text))


class _PassageRow(NamedTuple):
    """The columns of `passages` that a record needs, in the order of `PASSAGES_BY_KEY`."""

    key: int
    id: str
    document_id: str
    start: int
    end: int
    context: str
    page: int | None
    section: list[str]
    sentences: list[int]
    headers: list[list[int]]


PASSAGES_BY_KEY = """
    SELECT key, id, document_id, start, "end", context, page, section, sentences, headers
    FROM passages WHERE key IN (SELECT value FROM json_each(?))
"""
"""Takes a JSON list of keys; section, sentences and headers come as JSON."""

PASSAGES_BY_KEY_IN_POSTGRES = PASSAGES_BY_KEY.replace(
    "SELECT value FROM json_each(?)",
    "SELECT CAST(value AS bigint) FROM json_array_elements_text(CAST(? AS json)) AS keys(value)",
)


def stored_passages(selected: Sequence[Sequence[Any]]) -> list[Passage]:
    """Records from the raw rows that `PASSAGES_BY_KEY` selects."""
    # Decode all lists as one text: one by one, they take most of the time of reading passages.
    lists = json.loads(f"[{','.join(f'[{a},{b},{c}]' for *_, a, b, c in selected)}]")
    return [
        passage(_PassageRow._make((*row[:-3], *three)))
        for row, three in zip(selected, lists, strict=True)
    ]


def passage(row: Row[Any] | _PassageRow) -> Passage:
    """A row of `passages` as a record."""
    edges = iter(row.sentences)
    return Passage(
        id=row.id,
        span=Span(document_id=row.document_id, start=row.start, end=row.end),
        section=tuple(row.section),
        page=row.page,
        sentences=tuple(
            Span(document_id=row.document_id, start=start, end=end)
            for start, end in zip(edges, edges, strict=True)
        ),
        context=row.context,
        headers=tuple(map(tuple, row.headers)),
        key=row.key,
    )


def embedding(row: Row[Any]) -> Embedding:
    """A row of `embeddings` as a record."""
    import numpy as np

    return Embedding(
        key=row.key,
        model=row.model,
        vector=np.frombuffer(row.vector, dtype=np.float32),
        sentence_vectors=sentence_vectors(row),
        token_codes=row.token_codes,
    )


def sentence_vectors(row: Row[Any]) -> NDArray[Any]:
    """The sentence vectors of a row (sentences, dimensions), float16."""
    import numpy as np

    dimensions = len(row.vector) // np.dtype(np.float32).itemsize
    return np.frombuffer(row.sentence_vectors, dtype=np.float16).reshape(-1, dimensions)


def token_codes(row: Row[Any], sentences: int) -> tuple[TokenCodes, NDArray[Any]]:
    """Token codes and sentence vectors of a row. Raises LibraryError if they do not match."""
    from pincite.models.vectors import TokenCodes

    vectors = sentence_vectors(row)
    try:
        codes = TokenCodes.from_bytes(
            row.token_codes, sentences=sentences, dimensions=vectors.shape[1]
        )
    except ValueError as error:
        raise LibraryError(
            f"the token states of passage {row.key} are damaged ({error}); restore a backup, or "
            "ingest the files into a new library"
        ) from error
    return codes, vectors


def meta(connection: Connection, name: str) -> str:
    """A value of the meta table."""
    value = connection.scalar(select(schema.meta.c.value).where(schema.meta.c.name == name))
    return str(value)


def set_meta(connection: Connection, name: str, value: str) -> None:
    """Change a value of the meta table."""
    connection.execute(update(schema.meta).where(schema.meta.c.name == name).values(value=value))


def keep_note(connection: Connection, name: str, value: str | None) -> None:
    """Write an optional value of the meta table, or delete it."""
    connection.execute(delete(schema.meta).where(schema.meta.c.name == name))
    if value is not None:
        connection.execute(schema.meta.insert().values(name=name, value=value))


def next_generation(connection: Connection, *, changes: int = 1) -> int:
    """Increase the generation by `changes`, and return that of the first change."""
    last = int(meta(connection, "generation"))
    set_meta(connection, "generation", str(last + changes))
    return last + 1


def recipes_of(connection: Connection, document_ids: Sequence[str]) -> dict[str, str]:
    """The recipes of documents by id; documents that are not stored are omitted."""
    table = schema.documents
    query = select(table.c.id, table.c.recipe).where(table.c.id.in_(document_ids))
    return {row.id: row.recipe for row in connection.execute(query)}


def insert_documents(
    connection: Connection, documents: Sequence[tuple[Document, str, int]]
) -> None:
    """Store new documents, each with its recipe and generation."""
    values = [
        {"id": document.id, **_document_values(document, recipe, generation)}
        for document, recipe, generation in documents
    ]
    connection.execute(schema.documents.insert(), values)


def replace_document(
    connection: Connection, document: Document, recipe: str, generation: int
) -> None:
    """Replace a stored document, and delete its passages."""
    remove_passages(connection, document.id, generation)
    table = schema.documents
    values = _document_values(document, recipe, generation)
    connection.execute(update(table).where(table.c.id == document.id).values(values))


def _document_values(document: Document, recipe: str, generation: int) -> dict[str, Any]:
    return {
        "sha256": document.sha256,
        "title": document.title,
        "name": document.name,
        "media_type": document.media_type,
        "encoding": document.encoding,
        "text": document.text.encode("utf-8", "surrogatepass"),
        "layout": document_to_bytes(document, with_text=False),
        "page_count": len(document.pages),
        "coverage": asdict(file_coverage(document)),
        "recipe": recipe,
        "changed_generation": generation,
    }


def store_passages(connection: Connection, files: Sequence[Ingested]) -> None:
    """Insert the passages of documents, and their new embeddings."""
    found = {item.key: item for ingested in files for item in ingested.embeddings}
    values = [row for ingested in files for row in _passage_rows(ingested)]
    if values:
        connection.execute(schema.passages.insert(), values)
    has_codes = _known_embeddings(connection, list(found))
    new = [embedding_values(item) for key, item in found.items() if key not in has_codes]
    if new:
        connection.execute(schema.embeddings.insert(), new)
    table = schema.embeddings
    complete = (
        update(table).where(table.c.key == bindparam("of")).values(token_codes=bindparam("to"))
    )
    given = [
        {"of": key, "to": found[key].token_codes}
        for key, has in has_codes.items()
        if found[key].token_codes and not has
    ]
    if given:
        connection.execute(complete, given)


def _known_embeddings(connection: Connection, keys: Sequence[str]) -> dict[str, bool]:
    """The stored keys, each with whether it has token codes."""
    table = schema.embeddings.c
    known: dict[str, bool] = {}
    for start in range(0, len(keys), LOOKUP_BATCH):
        batch = table.key.in_(keys[start : start + LOOKUP_BATCH])
        query = select(table.key, (table.token_codes != b"").label("has")).where(batch)
        known.update((row.key, row.has) for row in connection.execute(query))
    return known


def embedding_values(item: Embedding) -> dict[str, Any]:
    """A record as a row of `embeddings`."""
    return {
        "key": item.key,
        "model": item.model,
        "vector": item.vector.astype("float32").tobytes(),
        "sentence_vectors": item.sentence_vectors.astype("float16").tobytes(),
        "token_codes": item.token_codes,
    }


def _passage_rows(ingested: Ingested) -> list[dict[str, Any]]:
    keys = [item.key for item in ingested.embeddings] or [""] * len(ingested.passages)
    return [
        _passage_values(passage, key) for passage, key in zip(ingested.passages, keys, strict=True)
    ]


def _passage_values(passage: Passage, key: str) -> dict[str, Any]:
    return {
        "id": passage.id,
        "document_id": passage.span.document_id,
        "start": passage.span.start,
        "end": passage.span.end,
        "page": passage.page,
        "section": list(passage.section),
        "context": passage.context,
        "sentences": [edge for span in passage.sentences for edge in (span.start, span.end)],
        "headers": list(map(list, passage.headers)),
        "embedding_key": key,
    }


def remove_passages(connection: Connection, document_id: str, generation: int) -> None:
    """Delete a document's passages, and embeddings that no other passage uses."""
    table = schema.passages
    mine = table.c.document_id == document_id
    first, last = connection.execute(
        select(func.min(table.c.key), func.max(table.c.key)).where(mine)
    ).one()
    if first is None:
        return
    used = set(connection.scalars(select(table.c.embedding_key).where(mine)))
    connection.execute(delete(table).where(mine))
    still_used = select(table.c.embedding_key)
    for key in used:
        embeddings = schema.embeddings
        connection.execute(
            delete(embeddings).where(
                embeddings.c.key == key,
                ~still_used.where(table.c.embedding_key == key).exists(),
            )
        )
    connection.execute(
        schema.removals.insert().values(first_key=first, last_key=last, generation=generation)
    )


def embedded(*columns: Any) -> Select[Any]:
    """Passage keys with columns of their embeddings."""
    joined = schema.passages.join(
        schema.embeddings, schema.passages.c.embedding_key == schema.embeddings.c.key
    )
    return select(schema.passages.c.key, *columns).select_from(joined)


def batches(keys: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Parts of the keys, each short enough for one statement."""
    for start in range(0, len(keys), LOOKUP_BATCH):
        yield keys[start : start + LOOKUP_BATCH]
