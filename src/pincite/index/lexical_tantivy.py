"""BM25 with tantivy (k1 = 1.2, b = 0.75, as built into tantivy) over the terms of our analyser."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tantivy

from pincite.stages import Scored

_WRITER_BYTES = 64_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalRow:
    """What the lexical index holds of one passage."""

    key: int
    terms: Sequence[str]
    collections: Sequence[str]


class TantivyIndex:
    """An index in a folder. Only ever appended to: deletions would stay in the word statistics."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._schema = _schema()
        self._index = tantivy.Index(self._schema, path=str(folder), reuse=True)
        self._index.config_reader("manual")
        self._index.reload()

    def __len__(self) -> int:
        return int(self._index.searcher().num_docs)

    def add(self, rows: Iterable[LexicalRow]) -> None:
        """Add passages and make them durable."""
        writer = self._index.writer(_WRITER_BYTES, num_threads=1)
        for row in rows:
            document = tantivy.Document()
            document.add_unsigned("key", row.key)
            # The terms are final; the whitespace tokenizer takes them as they are.
            document.add_text("terms", " ".join(row.terms))
            for collection in row.collections:
                document.add_text("collection", collection)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def search(
        self,
        terms: Sequence[str],
        *,
        limit: int,
        collection: str | None = None,
        boosts: Mapping[str, float] | None = None,
        required: Sequence[str] = (),
    ) -> list[Scored]:
        """The best `limit` keys by BM25, best first."""
        if not terms and not required:
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
        if collection is not None:
            within = tantivy.Query.term_query(self._schema, "collection", collection)
            unscored = tantivy.Query.const_score_query(within, 0.0)
            query = tantivy.Query.boolean_query(
                [(tantivy.Occur.Must, query), (tantivy.Occur.Must, unscored)]
            )
        searcher = self._index.searcher()
        found = searcher.search(query, limit=limit, count=False).hits
        keys = searcher.fast_field_values("key", [address for _, address in found])
        return [
            Scored(key=int(key), score=float(score))
            for (score, _), key in zip(found, keys, strict=True)
            if key is not None and score is not None
        ]

    def _word(self, term: str, boost: float) -> tantivy.Query:
        query = tantivy.Query.term_query(self._schema, "terms", term)
        return query if boost == 1.0 else tantivy.Query.boost_query(query, boost)

    def document_frequency(self, term: str) -> int:
        """In how many passages a term stands."""
        return int(self._index.searcher().doc_freq("terms", term))


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("key", fast=True)
    builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("collection", tokenizer_name="raw", index_option="basic")
    return builder.build()
