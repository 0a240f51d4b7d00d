"""BM25 with tantivy (k1 = 1.2, b = 0.75, as built into tantivy) over the terms of our analyser."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tantivy
from numpy.typing import NDArray

from pincite.stages import Keys, Scored

_WRITER_BYTES = 64_000_000
_MAX_SIFTED = 20_000
"""Most hits that are searched for allowed ones, if a filter allows many. Among a million passages, one
core needs about 10 ms for them, and as much for a list of 5,000 allowed keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalRow:
    """A passage in the lexical index.

    `counted` is what it adds to other counts than those of terms, to subtract when it is removed.
    """

    key: int
    terms: Sequence[str]
    counted: bytes = b""


class TantivyIndex:
    """An index in a folder. Append-only: deleted passages would still count in term statistics."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._schema = _schema()
        with _disk_errors():
            self._index = tantivy.Index(self._schema, path=str(folder), reuse=True)
            self._index.config_reader("manual")
            self._index.reload()

    def __len__(self) -> int:
        return int(self._index.searcher().num_docs)

    def add(self, rows: Iterable[LexicalRow]) -> None:
        """Add passages and make them durable."""
        self._write(_stored(row.key, " ".join(row.terms), row.counted) for row in rows)

    def without(
        self, is_gone: Callable[[int], bool], folder: Path
    ) -> tuple[TantivyIndex, list[bytes]]:
        """A copy in another folder without some keys, and the `counted` fields of the removed rows."""
        copy, taken = TantivyIndex(folder), []

        def kept() -> Iterator[tantivy.Document]:
            for key, terms, counted in self._everything():
                if is_gone(key):
                    taken.append(counted)
                else:
                    yield _stored(key, terms, counted)

        copy._write(kept())
        return copy, taken

    def _everything(self) -> Iterator[tuple[int, str, bytes]]:
        """Key, terms and `counted` of every passage, in insertion order."""
        searcher = self._index.searcher()
        found = searcher.search(
            tantivy.Query.all_query(), limit=max(1, len(self)), count=False
        ).hits
        for _, address in found:
            row = searcher.doc(address)
            yield row["key"][0], row["terms"][0], bytes(row["counted"][0])

    def search(
        self,
        terms: Sequence[str],
        *,
        limit: int,
        allowed: Keys | None = None,
        boosts: Mapping[str, float] | None = None,
        required: Sequence[str] = (),
    ) -> list[Scored]:
        """The best `limit` keys by BM25, best first; only among `allowed` keys when given."""
        if not (terms or required) or (allowed is not None and not len(allowed)):
            return []
        query = tantivy.Query.boolean_query(
            [
                (
                    tantivy.Occur.Must if term in required else tantivy.Occur.Should,
                    self._word(term, (boosts or {}).get(term, 1.0)),
                )
                for term in dict.fromkeys([*terms, *required])
            ]
        )
        if allowed is None:
            return self._best(query, limit)
        return self._best_allowed(query, limit, np.asarray(allowed, dtype=np.int64))

    def document_frequency(self, term: str) -> int:
        """Number of passages that contain a term."""
        return int(self._index.searcher().doc_freq("terms", term))

    def _best_allowed(
        self, query: tantivy.Query, limit: int, allowed: NDArray[np.int64]
    ) -> list[Scored]:
        """Select allowed keys from the best hits, or pass them to the query; both are exact."""
        enough = 2 * limit * len(self) // len(allowed)
        if enough <= _MAX_SIFTED:
            scores, keys = self._hits(query, enough)
            places = np.searchsorted(allowed, keys).clip(max=len(allowed) - 1)
            kept = np.flatnonzero(allowed[places] == keys)[:limit]
            if len(kept) == limit or len(keys) < enough:
                return _scored(scores[kept], keys[kept])
        within = tantivy.Query.term_set_query(self._schema, "key", allowed.tolist())
        unscored = tantivy.Query.const_score_query(within, 0.0)
        both = [(tantivy.Occur.Must, query), (tantivy.Occur.Must, unscored)]
        return self._best(tantivy.Query.boolean_query(both), limit)

    def _best(self, query: tantivy.Query, limit: int) -> list[Scored]:
        return _scored(*self._hits(query, limit))

    def _hits(
        self, query: tantivy.Query, limit: int
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Scores and keys of the best hits; arrays, since most of them may not be allowed."""
        searcher = self._index.searcher()
        found = searcher.search(query, limit=limit, count=False).hits
        keys = searcher.fast_field_values("key", [address for _, address in found])
        scores = np.array([score for score, _ in found], dtype=np.float64)
        return scores, np.array(keys, dtype=np.int64)

    def _word(self, term: str, boost: float) -> tantivy.Query:
        query = tantivy.Query.term_query(self._schema, "terms", term)
        return query if boost == 1.0 else tantivy.Query.boost_query(query, boost)

    def _write(self, documents: Iterable[tantivy.Document]) -> None:
        # One thread, so that passages are stored in insertion order.
        with _disk_errors():
            writer = self._index.writer(_WRITER_BYTES, num_threads=1)
        for document in documents:
            with _disk_errors():
                writer.add_document(document)
        with _disk_errors():
            writer.commit()
            writer.wait_merging_threads()
            self._index.reload()


def _scored(scores: NDArray[np.float64], keys: NDArray[np.int64]) -> list[Scored]:
    found = zip(keys.tolist(), scores.tolist(), strict=True)
    return [Scored(key=key, score=score) for key, score in found]


@contextmanager
def _disk_errors() -> Iterator[None]:
    """Translates tantivy's ValueError, which it raises for a full disk and any other file error."""
    try:
        yield
    except ValueError as error:
        raise OSError(f"the search index: {error}") from error


def _stored(key: int, terms: str, counted: bytes) -> tantivy.Document:
    document = tantivy.Document()
    document.add_unsigned("key", key)
    # The terms are already analysed, so the whitespace tokenizer suffices.
    document.add_text("terms", terms)
    document.add_bytes("counted", counted)
    return document


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("key", stored=True, indexed=True, fast=True)
    builder.add_text_field("terms", stored=True, tokenizer_name="whitespace", index_option="freq")
    builder.add_bytes_field("counted", stored=True)
    return builder.build()
