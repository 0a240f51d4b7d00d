"""Between records and table rows. Functions that take a connection are parts of a transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, delete, func, select, update

from pincite.catalog import schema
from pincite.coverage import file_coverage
from pincite.document import Document, Span
from pincite.records import Embedding, Ingested, Passage
from pincite.wire import document_from_bytes, document_to_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray


LOOKUP_BATCH = 500
"""SQLite takes at most 32,766 values in one statement; smaller statements are planned faster."""


def decode_text(stored: bytes) -> str:
    """The document text of a row."""
    return stored.decode("utf-8", "surrogatepass")


def document(row: Row[Any]) -> Document:
    """A row of `documents` as a record."""
    return document_from_bytes(row.layout, text=decode_text(row.text))


def passage(row: Row[Any]) -> Passage:
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
    )


def sentence_vectors(row: Row[Any]) -> NDArray[Any]:
    """The sentence vectors of a row, as wide as its passage vector."""
    import numpy as np

    dimensions = len(row.vector) // np.dtype(np.float32).itemsize
    return np.frombuffer(row.sentence_vectors, dtype=np.float16).reshape(-1, dimensions)


def meta(connection: Connection, name: str) -> str:
    """A value of the meta table."""
    value = connection.scalar(select(schema.meta.c.value).where(schema.meta.c.name == name))
    return str(value)


def set_meta(connection: Connection, name: str, value: str) -> None:
    """Change a value of the meta table."""
    connection.execute(update(schema.meta).where(schema.meta.c.name == name).values(value=value))


def next_generation(connection: Connection) -> int:
    """Count up the generation and return it."""
    generation = int(meta(connection, "generation")) + 1
    set_meta(connection, "generation", str(generation))
    return generation


def recipe_of(connection: Connection, document_id: str) -> str | None:
    """How a stored document was read and cut; None when it is not stored."""
    table = schema.documents
    recipe: str | None = connection.scalar(select(table.c.recipe).where(table.c.id == document_id))
    return recipe


def store_document(
    connection: Connection, document: Document, recipe: str, generation: int
) -> None:
    """Insert a document, or replace what is stored of it."""
    table = schema.documents
    values = {
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
    changed = connection.execute(update(table).where(table.c.id == document.id).values(values))
    if changed.rowcount == 0:
        connection.execute(table.insert().values(id=document.id, **values))


def store_passages(connection: Connection, ingested: Ingested) -> None:
    """Insert a document's passages and those of its embeddings that are new."""
    found = {item.key: item for item in ingested.embeddings}
    keys = [item.key for item in ingested.embeddings] or [""] * len(ingested.passages)
    if ingested.passages:
        connection.execute(
            schema.passages.insert(),
            [
                _passage_values(passage, key)
                for passage, key in zip(ingested.passages, keys, strict=True)
            ],
        )
    known = _known_embeddings(connection, list(found))
    new = [_embedding_values(item) for key, item in found.items() if key not in known]
    if new:
        connection.execute(schema.embeddings.insert(), new)


def _known_embeddings(connection: Connection, keys: Sequence[str]) -> set[str]:
    column = schema.embeddings.c.key
    return {
        key
        for start in range(0, len(keys), LOOKUP_BATCH)
        for key in connection.scalars(
            select(column).where(column.in_(keys[start : start + LOOKUP_BATCH]))
        )
    }


def _embedding_values(item: Embedding) -> dict[str, Any]:
    return {
        "key": item.key,
        "model": item.model,
        "vector": item.vector.astype("float32").tobytes(),
        "sentence_vectors": item.sentence_vectors.astype("float16").tobytes(),
    }


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
        "embedding_key": key,
    }


def point_source(
    connection: Connection, collection: str, path: str, document_id: str, generation: int
) -> None:
    """Let a path hold this document from now on; another one that it held becomes an old version."""
    old = held_by(connection, collection, path)
    if old == document_id:
        return
    if old is not None:
        _supersede(connection, collection, path, old, document_id)
    drop_source(connection, collection, path, generation)
    if collection not in collections_of(connection, document_id):
        _mark_changed(connection, document_id, generation)
    connection.execute(
        schema.sources.insert().values(collection=collection, path=path, document_id=document_id)
    )
    _count_into_corpus_version(connection, collection, path, document_id, sign=1)


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
    remove_passages(connection, document_id, generation)
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


def remove_passages(connection: Connection, document_id: str, generation: int) -> None:
    """Delete a document's passages, and the embeddings that nothing else uses."""
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
    old = int(meta(connection, "corpus_version"), 16)
    set_meta(connection, "corpus_version", f"{(old + sign * value) % 2**128:032x}")
