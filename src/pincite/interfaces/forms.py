"""The JSON objects that every interface gives; scripts rely on their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pincite.library import Library, Stats
from pincite.records import FileProblem, IngestReport, SearchResult


def ingest_form(report: IngestReport) -> dict[str, Any]:
    """What an ingest did."""
    return asdict(report)


def search_form(result: SearchResult, library: Library) -> dict[str, Any]:
    """The hits of a search, best first; `notices` only when there is something to tell."""
    form: dict[str, Any] = {
        "question": result.question,
        "hits": [
            {
                "rank": rank,
                "score": round(hit.score, 6),
                "document": hit.passage.span.document_id,
                "source": library.catalog.source(hit.passage.span.document_id).path,
                "page": hit.passage.page,
                "section": " > ".join(hit.passage.section),
                "passage_id": hit.passage.id,
                "start": hit.passage.span.start,
                "end": hit.passage.span.end,
                "text": library.catalog.text_of(hit.passage.span),
            }
            for rank, hit in enumerate(result.hits, start=1)
        ],
        "timings": dict(result.timings),
    }
    if result.notices:
        form["notices"] = list(result.notices)
    return form


def stats_form(stats: Stats) -> dict[str, Any]:
    """What a library holds."""
    return {
        **{name: getattr(stats, name) for name in ("documents", "passages", "pages")},
        "collections": stats.collections,
        "corpus_version": stats.corpus_version,
        "generation": stats.generation,
        "bytes_on_disk": stats.bytes_on_disk,
        "failed": problem_forms(stats.failures),
        "warnings": problem_forms(stats.warnings),
    }


def problem_forms(problems: Sequence[FileProblem]) -> list[dict[str, str]]:
    """Files and what is the matter with them."""
    return [asdict(problem) for problem in problems]
