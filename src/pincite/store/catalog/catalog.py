"""The catalog of a library: documents, their sources, passages and embeddings."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, Select, delete, func, select
from sqlalchemy.exc import SQLAlchemyError

from pincite.errors import LibraryBusy, LibraryError, NotStorable, PinciteError
from pincite.records.addresses import DatabaseAddress
from pincite.records.document import Coverage, Document, Span
from pincite.records.filters import EVERYWHERE, Scope
from pincite.records.flow import Embedding, Ingested, NamedFile, Passage, Source
from pincite.records.library_records import Failure, FileEntry, FileProblem
from pincite.store.catalog import files, rows, schema, sources
from pincite.store.catalog.conversations import Conversations
from pincite.store.catalog.encodings import Encodings
from pincite.store.catalog.feedback import Feedback
from pincite.store.catalog.filtering import matching_documents, matching_keys
from pincite.store.catalog.history import History
from pincite.store.catalog.migrations import check_version, migrate, versions_of
from pincite.store.catalog.scanning import CatalogScan
from pincite.store.catalog.store import guarded, open_store

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pincite.models.vectors import TokenCodes

_MIGRATING_SECONDS = 60
"""How long to try to migrate tables that other programs are using."""
_CACHED_PASSAGES = 20_000
_CACHED_TEXTS = 64
_CONTENTS_BATCH = 32
"""Documents whose text is held in memory at once during indexing."""
_CACHED_FILTERS = 32
"""Cached filter results, each at most 8 bytes per passage of the library."""


class Catalog:
    """One library's catalog. Each writing method is one transaction."""

    def __init__(
        self, place: Path | DatabaseAddress, *, keep_versions: int = 10, create: bool = True
    ) -> None:
        """`place` is the path of the SQLite file, or the address of a database.

        Raises LibraryError if it cannot be used, or if it is empty and `create` is False.
        """
        self.store = open_store(place)
        self.keep_versions = keep_versions
        try:
            self.was_made = self._bring_up_to_date(create=create)
        except BaseException:
            self.store.close()
            raise
        self._matching_keys = lru_cache(maxsize=_CACHED_FILTERS)(self._load_keys)
        self._matching_documents = lru_cache(maxsize=_CACHED_FILTERS)(self._load_documents)
        # Of one generation: questions ask for the same passages again, and rows cost 0.1 ms each.
        self._passages: tuple[int, dict[int, Passage]] = (-1, {})
        self.encodings = Encodings(self._transaction)
        self.scan = CatalogScan(self._transaction)
        self.conversations = Conversations(self._transaction)
        self.history = History(self._transaction)
        self.feedback = Feedback(self._transaction)
        self._sources = files.SourceFiles(self._fetch)
        self._text = lru_cache(maxsize=_CACHED_TEXTS)(self._load_text)
        self.document = lru_cache(maxsize=_CACHED_TEXTS)(self._load_document)

    def _bring_up_to_date(self, *, create: bool) -> bool:
        """Create or migrate the tables; returns whether there was no catalog."""
        with self.store.transaction() as connection:
            versions = versions_of(connection)
        check_version(versions.needed)
        is_missing, behind = versions.needed == 0, versions.is_behind
        if is_missing and not create:
            raise LibraryError(
                f"there is no library in {self.store.place}; "
                f"create one with: pincite ingest PATH --library {self.store.place}"
            )
        until = time.monotonic() + _MIGRATING_SECONDS
        while behind:
            try:
                with self.store.transaction(writes=True) as connection:
                    migrate(connection)
                behind = False
            except LibraryBusy:  # Other programs go on asking meanwhile.
                if time.monotonic() > until:
                    raise
                time.sleep(1)
        return is_missing

    def close(self) -> None:
        """Close files and connections."""
        self.store.close()

    def frozen(self) -> AbstractContextManager[None]:
        """Let this thread read from one generation for the whole block."""
        return self.store.frozen()

    def _transaction(self, *, writes: bool = False) -> AbstractContextManager[Connection]:
        return self.store.transaction(writes=writes)

    def _fetch(self, query: Select[Any]) -> Sequence[Row[Any]]:
        return self.store.fetch(query)

    @contextmanager
    def _storing(self) -> Iterator[Connection]:
        """A transaction that stores ingested files; any failure is limited to these files."""
        with self._transaction(writes=True) as connection:
            try:
                yield connection
            except (PinciteError, SQLAlchemyError):
                raise
            except Exception as error:
                kind = type(error).__name__
                raise NotStorable(f"it could not be stored ({kind}: {error})") from error

    def check_pages(self, *, thoroughly: bool = False) -> None:
        """Check the database for damage. Raises LibraryDamaged.

        `thoroughly`: also compare indexes with their tables and read every row.
        """
        if found := self.store.faults(thoroughly=thoroughly):
            raise self.store.damaged(found)
        if thoroughly:
            self._read_all()

    @guarded
    def _read_all(self) -> None:
        """Make a record of every row."""
        for entry in self.files():
            document = self._load_document(entry.document_id)
            for passage in self.passages_of(entry.document_id):
                if not passage.span.start <= passage.span.end <= len(document.text):
                    raise self.store.damaged(f"passage {passage.id} is outside its document")
        self.history.entries()

    # --- Contents -----------------------------------------------------------------------------

    @guarded
    def meta(self, name: str) -> str:
        """A value of the meta table: `generation`, `corpus_version`, `library_id`, ..."""
        with self._transaction() as connection:
            return rows.meta(connection, name)

    def note(self, name: str) -> str:
        """An optional value of the meta table; empty if there is none."""
        found = self.store.rows("SELECT value FROM meta WHERE name = ?", name)
        return found[0][0] if found else ""

    def keep_note(self, name: str, value: str | None, *, is_news: bool = False) -> None:
        """Write an optional value, or delete it. `is_news`: start a new generation, for readers."""
        with self._transaction(writes=True) as connection:
            rows.keep_note(connection, name, value)
            if is_news:
                rows.next_generation(connection)

    @guarded
    def state(self) -> tuple[str, ...]:
        """Corpus version, generation and library id; differs after every change."""
        found = self.store.rows(
            "SELECT value FROM meta WHERE name IN ('corpus_version', 'generation', 'library_id') "
            "ORDER BY name"
        )
        return tuple(value for (value,) in found)

    @guarded
    def generation(self) -> int:
        """A number that increases with every change.

        Raises LibraryTooNew if a newer program has changed the catalog so that this one cannot use it.
        """
        found = self.store.rows(
            "SELECT value FROM meta WHERE name IN ('generation', 'schema_version') ORDER BY name"
        )
        (generation,), (needed,) = found
        check_version(int(needed))
        return int(generation)

    def counts(self) -> dict[str, int]:
        """Number of documents (files), passages and pages."""
        pages = select(func.coalesce(func.sum(schema.documents.c.page_count), 0))
        joined = schema.sources.join(schema.documents)
        with self._transaction() as connection:
            return {
                "documents": _count(connection, schema.sources),
                "passages": _count(connection, schema.passages),
                "pages": int(connection.scalar(pages.select_from(joined)) or 0),
            }

    def passage_count(self) -> int:
        """Number of passages."""
        with self._transaction() as connection:
            return _count(connection, schema.passages)

    def collections(self) -> dict[str, int]:
        """Number of files in each collection."""
        column = schema.sources.c.collection
        query = select(column, func.count().label("files")).group_by(column).order_by(column)
        return {row.collection: row.files for row in self._fetch(query)}

    def has_collection(self, collection: str) -> bool:
        """Whether a collection contains any file."""
        here = schema.sources.c.collection == collection
        return bool(self._fetch(select(schema.sources.c.path).where(here).limit(1)))

    def holds(self, paths: Collection[str]) -> bool:
        """Whether any of these paths is a file of the library, in any collection."""
        here = schema.sources.c.path.in_(paths)
        return bool(self._fetch(select(schema.sources.c.path).where(here).limit(1)))

    def paths(self, collection: str) -> dict[str, str]:
        """Document id of every file of a collection, by path."""
        query = select(schema.sources.c.path, schema.sources.c.document_id).where(
            schema.sources.c.collection == collection
        )
        found = self._fetch(query.order_by(schema.sources.c.path))
        return {row.path: row.document_id for row in found}

    def recipes(self) -> dict[str, str]:
        """The recipe each document was read and chunked with, by document id; no old versions."""
        query = select(schema.documents.c.id, schema.documents.c.recipe).where(
            schema.documents.c.recipe != ""
        )
        return {row.id: row.recipe for row in self._fetch(query)}

    def recipes_of(self, document_ids: Sequence[str]) -> dict[str, str]:
        """The recipes of these documents; documents that are not stored are omitted."""
        with self._transaction() as connection:
            return rows.recipes_of(connection, document_ids)

    def held_by(self, collection: str, path: str) -> str | None:
        """The id of the document at a path; None if there is none."""
        with self._transaction() as connection:
            return sources.held_by(connection, collection, path)

    def readings(self) -> list[str]:
        """The distinct recipes with which documents were read and chunked."""
        recipe = schema.documents.c.recipe
        query = select(recipe).where(recipe != "").distinct().order_by(recipe)
        return [row.recipe for row in self._fetch(query)]

    def failures(self, collection: str | None = None) -> tuple[FileProblem, ...]:
        """Files that could not be read at the last attempt."""
        table = schema.failures
        query = select(table.c.path, table.c.reason).order_by(table.c.path)
        if collection is not None:
            query = query.where(table.c.collection == collection)
        return tuple(FileProblem(path=row.path, reason=row.reason) for row in self._fetch(query))

    def failed_before(self) -> dict[tuple[str, str], Failure]:
        """Failures by collection and path, with the bytes and the recipe that failed."""
        return {
            (row.collection, row.path): Failure(
                reason=row.reason, document_id=row.document_id, recipe=row.recipe
            )
            for row in self._fetch(select(schema.failures))
        }

    def files(self, collection: str | None = None) -> tuple[FileEntry, ...]:
        """Every file in the library, ordered by collection and path."""
        found = files.current(collection)
        with self._transaction() as connection:
            old = files.versions(connection)
            return tuple(
                files.entry(row, old.get((row.collection, row.path), ()))
                for row in connection.execute(found)
            )

    def is_empty(self) -> bool:
        """Whether the library has no files."""
        return not self.store.rows("SELECT 1 FROM sources LIMIT 1")

    def textless(self, collection: str | None) -> list[tuple[str, str, str]]:
        """Path, title and reason of files that were read and contain no text."""
        with self._transaction() as connection:
            found = [
                (row.path, row.title, row.coverage)
                for row in files.textless(connection, collection)
            ]
        return [(path, title, gaps[0]) for path, title, c in found if (gaps := c.get("gaps"))]

    def unread_files(self) -> tuple[int, int]:
        """How many files were read only partly, and how many could not be read."""
        partial = select(func.count()).select_from(schema.sources.join(schema.documents))
        with self._transaction() as connection:
            found = connection.scalar(partial.where(files.has_status(Coverage.PARTIAL)))
            return int(found or 0), _count(connection, schema.failures)

    def misnamed(self) -> list[tuple[str, str]]:
        """Documents whose stored file name differs from that of their first path, with that path."""
        with self._transaction() as connection:
            return files.misnamed(connection)

    # --- Lookup -------------------------------------------------------------------------------

    def text_of(self, span: Span) -> str:
        """`Document.text[start:end]`, from the stored text. Raises DocumentGone."""
        return self._text(span.document_id)[span.start : span.end]

    @guarded
    def _load_text(self, document_id: str) -> str:
        found = self.store.rows("SELECT text FROM documents WHERE id = ?", document_id)
        return rows.decode_text(files.first(found, document_id)[0])

    def forget_texts(self) -> None:
        """Clear cached texts after the library has changed."""
        self._text.cache_clear()
        self.document.cache_clear()

    @guarded
    def _load_document(self, document_id: str) -> Document:
        """A whole stored document. Raises DocumentGone."""
        query = select(schema.documents).where(schema.documents.c.id == document_id)
        return rows.document(files.first(self._fetch(query), document_id))

    def source(self, document_id: str, collection: str | None = None) -> Source:
        """The file a document came from; of several identical files, the first that is unchanged.

        Raises DocumentGone.
        """
        return self._sources.source(document_id, collection)

    def one_question(self) -> AbstractContextManager[None]:
        """Let this thread read the files of a document once for the whole block."""
        return self._sources.remembered()

    @guarded
    def passages(self, keys: Sequence[int]) -> dict[int, Passage]:
        """Passages by key; keys that no longer exist are omitted."""
        generation = self.generation()
        held_at, held = self._passages
        if held_at != generation or len(held) > _CACHED_PASSAGES:
            held = {}
            self._passages = (generation, held)
        missing = [key for key in keys if key not in held]
        if missing:
            found = self.store.rows(self.store.passages_by_key, json.dumps(list(missing)))
            held.update((passage.key, passage) for passage in rows.stored_passages(found))
        kept = {key: held[key] for key in keys if key in held}
        self._sources.expect(passage.span.document_id for passage in kept.values())
        return kept

    def names(self, collection: str | None = None) -> list[NamedFile]:
        """The path and title of every file, ordered by path."""
        return [
            NamedFile(document_id=row.document_id, path=row.path, title=row.title)
            for row in self._fetch(files.names(collection))
        ]

    def passage_keys(self) -> list[int]:
        """All passage keys, ascending."""
        query = select(schema.passages.c.key).order_by(schema.passages.c.key)
        return [row.key for row in self._fetch(query)]

    @guarded
    def keys_in(self, scope: Scope) -> NDArray[Any] | None:
        """Keys of the passages in a scope, ascending; None when it is everywhere.

        Cached until the catalog changes. Raises UsageError, with the available values, for filters
        that match nothing.
        """
        import numpy as np

        whole = replace(scope, keys=None)
        found = None if whole == EVERYWHERE else self._matching_keys(self.generation(), whole)
        if scope.keys is None:
            return found
        keys = np.array(scope.keys, dtype=np.int64)
        return keys if found is None else np.intersect1d(found, keys, assume_unique=True)

    @guarded
    def documents_in(self, scope: Scope) -> list[str]:
        """Ids of the documents with a file in a scope, whatever its sections and keys.

        Remembered, and raises, as `keys_in`.
        """
        return self._matching_documents(self.generation(), replace(scope, keys=None))

    def _load_documents(self, generation: int, scope: Scope) -> list[str]:
        del generation  # part of the cache's key
        with self._transaction() as connection:
            return matching_documents(connection, scope)

    def _load_keys(self, generation: int, scope: Scope) -> NDArray[Any]:
        del generation  # part of the cache's key
        with self._transaction() as connection:
            return matching_keys(connection, scope)

    @guarded
    def sentence_vectors(
        self, keys: Sequence[int], *, model: str | None = None
    ) -> dict[int, NDArray[Any]]:
        """Stored sentence vectors (sentences, dimensions) by passage key, optionally of one model."""
        found: dict[int, NDArray[Any]] = {}
        for batch in rows.batches(keys):
            query = rows.embedded(schema.embeddings.c.vector, schema.embeddings.c.sentence_vectors)
            if model is not None:
                query = query.where(schema.embeddings.c.model == model)
            for row in self._fetch(query.where(schema.passages.c.key.in_(batch))):
                found[row.key] = rows.sentence_vectors(row)
        return found

    @guarded
    def token_codes(
        self, passages: Sequence[Passage], *, model: str
    ) -> dict[int, tuple[TokenCodes, NDArray[Any]]]:
        """Token codes and sentence vectors of this model by passage key, where stored."""
        found: dict[int, tuple[TokenCodes, NDArray[Any]]] = {}
        sentences = {passage.key: len(passage.sentences) for passage in passages}
        table = schema.embeddings.c
        for batch in rows.batches(list(sentences)):
            query = rows.embedded(table.vector, table.sentence_vectors, table.token_codes).where(
                schema.passages.c.key.in_(batch), table.model == model, table.token_codes != b""
            )
            for row in self._fetch(query):
                found[row.key] = rows.token_codes(row, sentences[row.key])
        return found

    def bytes_of_token_codes(self) -> int:
        """Total size of all token codes, in bytes."""
        query = select(func.coalesce(func.sum(func.length(schema.embeddings.c.token_codes)), 0))
        return int(self._fetch(query)[0][0])

    @guarded
    def embeddings(self, keys: Sequence[str]) -> dict[str, Embedding]:
        """Cached embeddings by embedding key; keys that are not cached are omitted."""
        found: dict[str, Embedding] = {}
        for batch in rows.batches(keys):
            query = select(schema.embeddings).where(schema.embeddings.c.key.in_(batch))
            found.update((row.key, rows.embedding(row)) for row in self._fetch(query))
        return found

    # --- Changes since a generation, for the indexes ---------------------------------------------

    def removed_since(self, generation: int) -> list[tuple[int, int]]:
        """Ranges of removed passage keys (first, last), both inclusive."""
        query = select(schema.removals.c.first_key, schema.removals.c.last_key).where(
            schema.removals.c.generation > generation
        )
        return [(row.first_key, row.last_key) for row in self._fetch(query)]

    def changed_since(self, generation: int) -> list[str]:
        """Documents that were added or chunked again, or whose collections changed."""
        query = (
            select(schema.documents.c.id)
            .where(schema.documents.c.changed_generation > generation)
            .order_by(schema.documents.c.changed_generation, schema.documents.c.id)
        )
        return [row.id for row in self._fetch(query)]

    def filled_since(self, generation: int) -> list[int]:
        """The keys of passages that got vectors later than they were stored, ascending."""
        return self.encodings.filled_since(generation)

    def contents(
        self, document_ids: Sequence[str], *, after: int = -1
    ) -> Iterator[tuple[str, list[Passage]]]:
        """Texts of documents with their passages whose key is above `after`, in reading order.

        Documents without such passages are omitted.
        """
        for start in range(0, len(document_ids), _CONTENTS_BATCH):
            yield from self._contents(document_ids[start : start + _CONTENTS_BATCH], after)

    @guarded
    def _contents(self, document_ids: Sequence[str], after: int) -> list[tuple[str, list[Passage]]]:
        table, held = schema.documents, schema.passages
        passages: dict[str, list[Passage]] = {document_id: [] for document_id in document_ids}
        mine = (held.c.document_id.in_(document_ids), held.c.key > after)
        for row in self._fetch(select(held).where(*mine).order_by(held.c.key)):
            passages[row.document_id].append(rows.passage(row))
        wanted = [document_id for document_id in document_ids if passages[document_id]]
        stored = self._fetch(select(table.c.id, table.c.text).where(table.c.id.in_(wanted)))
        texts = {row.id: rows.decode_text(row.text) for row in stored}
        return [(texts[document_id], passages[document_id]) for document_id in wanted]

    @guarded
    def passages_of(self, document_id: str) -> list[Passage]:
        """A document's passages in reading order."""
        query = (
            select(schema.passages)
            .where(schema.passages.c.document_id == document_id)
            .order_by(schema.passages.c.key)
        )
        return [rows.passage(row) for row in self._fetch(query)]

    @guarded
    def vectors(
        self, keys: Sequence[int], *, model: str, dimensions: int
    ) -> tuple[list[int], NDArray[Any]]:
        """The keys with a vector of this model, and the vectors (keys, dimensions), float32."""
        import numpy as np

        found: list[Row[Any]] = []
        for batch in rows.batches(keys):
            query = rows.embedded(schema.embeddings.c.vector).where(
                schema.passages.c.key.in_(batch), schema.embeddings.c.model == model
            )
            found.extend(self._fetch(query.order_by(schema.passages.c.key)))
        joined = b"".join(row.vector for row in found)
        matrix = np.frombuffer(joined, dtype=np.float32).reshape(-1, dimensions)
        return [row.key for row in found], matrix

    # --- Changes ----------------------------------------------------------------------------------

    def put(self, collection: str, ingested: Ingested, *, recipe: str) -> None:
        """Store a file's document and passages; the previous document becomes an old version.

        A document already stored with the same recipe is not changed.
        """
        self.put_all(collection, [(ingested, recipe)])

    def put_all(self, collection: str, files: Sequence[tuple[Ingested, str]]) -> None:
        """Store several files, each with its recipe, in one transaction: all of them or none.

        Raises NotStorable if one of them cannot be stored.
        """
        with self._storing() as connection:
            first = rows.next_generation(connection, changes=len(files))
            numbered = [(one, recipe, first + n) for n, (one, recipe) in enumerate(files)]
            new = self._new(connection, collection, [one for one, _ in files])
            if new:
                added = [numbered[place] for place in sorted(new)]
                rows.insert_documents(
                    connection, [(one.document, recipe, number) for one, recipe, number in added]
                )
                rows.store_passages(connection, [one for one, _, _ in added])
                held = {one.path: one.document.id for one, _, _ in added}
                sources.point_new_sources(connection, collection, held)
            for place, (one, recipe, generation) in enumerate(numbered):
                if place not in new:
                    self._put(connection, collection, one, recipe, generation)

    def _new(self, connection: Connection, collection: str, files: Sequence[Ingested]) -> set[int]:
        """Positions of files whose path and document are new to the library and to earlier `files`."""
        paths, ids = [one.path for one in files], [one.document.id for one in files]
        held = sources.held_paths(connection, collection, paths)
        known = rows.recipes_of(connection, ids)
        return {
            place
            for place, (path, document_id) in enumerate(zip(paths, ids, strict=True))
            if path not in held
            and document_id not in known
            and path not in paths[:place]
            and document_id not in ids[:place]
        }

    def _put(
        self,
        connection: Connection,
        collection: str,
        ingested: Ingested,
        recipe: str,
        generation: int,
    ) -> None:
        document = ingested.document
        known = rows.recipes_of(connection, [document.id]).get(document.id)
        if known is None:
            rows.insert_documents(connection, [(document, recipe, generation)])
        elif known != recipe:
            rows.replace_document(connection, document, recipe, generation)
        if known != recipe:
            rows.store_passages(connection, [ingested])
        self._point(connection, collection, ingested.path, document.id, generation)

    def rename(self, ingested: Ingested, *, recipe: str) -> None:
        """Replace a document that was read again under a new file name; paths do not change.

        Raises NotStorable.
        """
        with self._storing() as connection:
            generation = rows.next_generation(connection)
            rows.replace_document(connection, ingested.document, recipe, generation)
            rows.store_passages(connection, [ingested])

    def touch(self, collection: str, path: str, document_id: str) -> None:
        """Point a path to a document that is already stored, such as a copy of another file."""
        with self._transaction(writes=True) as connection:
            generation = rows.next_generation(connection)
            self._point(connection, collection, path, document_id, generation)

    def _point(
        self,
        connection: Connection,
        collection: str,
        path: str,
        document_id: str,
        generation: int,
    ) -> None:
        """Point a path to a document; the previous document becomes an old version."""
        if sources.point_source(connection, collection, path, document_id, generation):
            keep = self.keep_versions
            sources.forget_versions(connection, collection, path, keep=keep, generation=generation)

    def describe(
        self, collection: str, modified: Mapping[str, str], tags: Sequence[str] = ()
    ) -> None:
        """Store dates (ISO 8601, UTC) of files by path, and add tags to these files."""
        with self._transaction(writes=True) as connection:
            sources.describe(connection, collection, modified, tags)

    def move(self, collection: str, old_path: str, new_path: str) -> None:
        """Change the path of a file."""
        with self._transaction(writes=True) as connection:
            generation = rows.next_generation(connection)
            sources.move_source(connection, collection, old_path, new_path, generation)

    def remove(self, collection: str, path: str) -> None:
        """Remove a file and its old versions, and its document unless another file has it."""
        with self._transaction(writes=True) as connection:
            if sources.held_by(connection, collection, path):
                generation = rows.next_generation(connection)
                sources.drop_source(connection, collection, path, generation)
                sources.forget_tags(connection, collection, path)
                sources.forget_versions(connection, collection, path, keep=0, generation=generation)

    def record_failures(self, collection: str, failures: Mapping[str, Failure | None]) -> None:
        """Record why files could not be read; None clears the failure of a file."""
        table = schema.failures
        with self._transaction(writes=True) as connection:
            mine = select(table).where(table.c.collection == collection)
            known = {
                row.path: Failure(reason=row.reason, document_id=row.document_id, recipe=row.recipe)
                for row in connection.execute(mine)
            }
            for path, failure in failures.items():
                if known.get(path) == failure:
                    continue
                connection.execute(
                    delete(table).where(table.c.collection == collection, table.c.path == path)
                )
                if failure is not None:
                    row = {"collection": collection, "path": path, **asdict(failure)}
                    connection.execute(table.insert().values(row))


def _count(connection: Connection, table: Any) -> int:
    return int(connection.scalar(select(func.count()).select_from(table)) or 0)
