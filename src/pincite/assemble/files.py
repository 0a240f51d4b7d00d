"""Builds the stages that read files and cut them into passages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pincite.assemble.encoders import embedder
from pincite.ingest.chunk.passages import StructureChunker
from pincite.ingest.reading import recogniser_name
from pincite.ingest.sandbox.sandbox import SandboxedReader, SandboxedReaderPool, SandboxLimits
from pincite.models.encoders.built_in import token_counter
from pincite.pipeline import IngestStages
from pincite.records.document import BlockKind, Document, Range
from pincite.settings.groups import ChunkingSettings, IngestSettings
from pincite.settings.loading import Settings
from pincite.stages import VectorEncoder
from pincite.store.catalog.catalog import Catalog

_MEGABYTE = 1024 * 1024


def open_reader(settings: Settings, *, seconds: float | None = None) -> SandboxedReader:
    """A reader for a single file, in a limited child process; `seconds` caps the time for a file."""
    limits = _limits(settings.ingest)
    if seconds is not None:
        limits = replace(
            limits,
            seconds=min(seconds, limits.seconds),
            total_seconds=min(seconds, limits.total_seconds),
        )
    return SandboxedReader(limits)


def countable_units(chosen: ChunkingSettings, document: Document) -> Iterator[Range]:
    """The ranges of a document that a count scans: sentences of its passages, and headings."""
    passages = chunker(chosen).chunk(document)
    sentences = {(span.start, span.end) for passage in passages for span in passage.sentences}
    yield from sorted(sentences)
    for block in document.blocks:
        if block.kind is BlockKind.HEADING and (block.start, block.end) not in sentences:
            yield block.start, block.end


def reading_conditions(settings: Settings) -> str:
    """The conditions, apart from a file's bytes, that decide how much of it is read."""
    recogniser = recogniser_name() if settings.ingest.ocr == "auto" else ""
    return f"{recogniser or 'no recogniser'}, {settings.ingest.max_pages} pages"


def reading_limits(settings: Settings) -> str:
    """The limits beyond which a file is not read."""
    return repr(_limits(settings.ingest))


def ingest_stages(
    settings: Settings, catalog: Catalog, encoder: VectorEncoder | None
) -> IngestStages:
    """The stages that turn files into passages."""
    return IngestStages(
        readers=SandboxedReaderPool(settings.ingest.workers, _limits(settings.ingest)),
        chunker=chunker(settings.chunking),
        embedder=embedder(encoder, catalog, settings.rerank) if encoder else None,
    )


def chunker(chosen: ChunkingSettings) -> StructureChunker:
    """Cuts by characters, or by tokens if `max_tokens` is set."""
    if chosen.max_tokens:
        return StructureChunker(
            max_size=chosen.max_tokens, overlap=chosen.overlap_tokens, measure=token_counter()
        )
    return StructureChunker(
        max_size=chosen.max_chars,
        overlap=chosen.overlap_chars,
        min_size=chosen.min_chars or None,
    )


def _limits(chosen: IngestSettings) -> SandboxLimits:
    return SandboxLimits(
        memory_bytes=chosen.max_memory_mb * _MEGABYTE,
        seconds=chosen.max_seconds,
        processor_seconds=chosen.max_seconds,
        file_bytes=chosen.max_file_mb * _MEGABYTE,
        total_seconds=chosen.max_total_seconds,
        pages=chosen.max_pages,
        recognise=chosen.ocr == "auto",
    )
