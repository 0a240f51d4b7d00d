"""Small documents and a small in-memory library for testing stages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from pincite.ingest.chunk.passages import StructureChunker
from pincite.models.encoders.windowed import TokenPoolingEmbedder
from pincite.records.document import Block, BlockKind, Document, document_id
from pincite.records.flow import Hit, Ingested, Passage, Question
from pincite.retrieve.hybrid import min_max
from pincite.stages import Encoder, Scored
from pincite.testing.fakes import MemorySources, MemoryVectors

_LINE = re.compile(r"[^\n]+")


def text_document(text: str, *, title: str = "notes.txt") -> Document:
    """A document from plain text: each line is a paragraph or, with `# ` before it, a heading."""
    name, digest = document_id(text.encode("utf-8", "surrogatepass"))
    return Document(
        id=name,
        sha256=digest,
        title=title,
        media_type="text/plain",
        text=text,
        encoding="utf-8",
        blocks=tuple(_blocks(text, title)),
    )


def _blocks(text: str, title: str) -> Iterator[Block]:
    section: tuple[str, ...] = (title,)
    for line in _LINE.finditer(text):
        if not line[0].strip():
            continue
        kind = BlockKind.PARAGRAPH
        if line[0].startswith("# "):
            kind, section = BlockKind.HEADING, (title, line[0][2:].strip())
        yield Block(start=line.start(), end=line.end(), kind=kind, section=section)


def ingested(
    path: str,
    text: str,
    *,
    encoder: Encoder | None = None,
    max_chars: int = 300,
    overlap_chars: int = 60,
) -> Ingested:
    """A file as the ingest pipeline passes it to the catalog."""
    document = text_document(text, title=path.rpartition("/")[2])
    chunker = StructureChunker(max_size=max_chars, overlap=overlap_chars)
    passages = chunker.chunk(document)
    item = Ingested(path=path, document=document, passages=passages)
    if encoder is None:
        return item
    texts = [document.text[passage.span.start : passage.span.end] for passage in passages]
    embedder = TokenPoolingEmbedder(encoder, lambda _: {})
    return replace(item, embeddings=embedder.embed(passages, texts))


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallLibrary:
    """A few documents with everything that a reranker or selector needs."""

    sources: MemorySources
    sentence_vectors: MemoryVectors
    passages: tuple[Passage, ...]
    encoder: Encoder

    def hits(self, question: Question) -> tuple[Hit, ...]:
        """All passages as hits, best first, ranked only by cosine."""
        asked = self.encoder.encode_question(question.text).vector
        texts = [
            passage.with_context(self.sources.text_of(passage.span)) for passage in self.passages
        ]
        encoded = self.encoder.encode(texts)
        dense = [
            Scored(key=passage.key, score=float(states.vector @ asked))
            for passage, states in zip(self.passages, encoded, strict=True)
        ]
        fused = min_max(dense)
        found = [
            Hit(
                passage=passage,
                score=fused[item.key],
                scores={"dense": item.score, "fused": fused[item.key]},
            )
            for passage, item in zip(self.passages, dense, strict=True)
        ]
        return tuple(sorted(found, key=lambda hit: (-hit.score, hit.passage.id)))


def small_library(texts: Sequence[str], encoder: Encoder) -> SmallLibrary:
    """A library of these texts; passage keys count from 1."""
    items = [
        ingested(f"file{number}.txt", text, encoder=encoder) for number, text in enumerate(texts)
    ]
    keys = count(1)
    vectors = MemoryVectors()
    passages = []
    for item in items:
        for passage, embedding in zip(item.passages, item.embeddings, strict=True):
            stored = replace(passage, key=next(keys))
            vectors.by_passage[stored.key] = embedding.sentence_vectors
            passages.append(stored)
    return SmallLibrary(
        sources=MemorySources([item.document for item in items]),
        sentence_vectors=vectors,
        passages=tuple(passages),
        encoder=encoder,
    )
