"""The JSON objects common to all interfaces; scripts rely on their field names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pincite.library.library import Library
from pincite.records.coverage import flag_lines, page_coverage
from pincite.records.document import Coverage
from pincite.records.flow import Passage, SearchResult
from pincite.records.library_records import FileEntry, FileProblem, IngestReport, Stats


def ingest_form(report: IngestReport) -> dict[str, Any]:
    """The result of an ingest."""
    return asdict(report)


def search_form(
    result: SearchResult,
    library: Library,
    *,
    collection: str | None = None,
    sections: bool = False,
    most_section_chars: int | None = None,
) -> dict[str, Any]:
    """The hits of a search in a collection, best first; `notices` only if there are any.

    Files are named as in the collection. A text has blanks where its passage is never quoted. With
    `sections`, each hit has the range and text of its whole section, of which all together
    `most_section_chars` are told: `section_cut` says where text is left out. Raises DocumentGone.
    """
    told = Remaining(most_section_chars)
    form: dict[str, Any] = {
        "question": result.question,
        "hits": [
            {
                "rank": rank,
                "score": round(hit.score, 6),
                "document": hit.passage.span.document_id,
                "source": library.catalog.source(hit.passage.span.document_id, collection).path,
                "page": hit.passage.page,
                "section": " > ".join(hit.passage.section),
                "passage_id": hit.passage.id,
                "start": hit.passage.span.start,
                "end": hit.passage.span.end,
                "text": passage_text(library, hit.passage),
                **(_section_form(hit.passage, library, told) if sections else {}),
            }
            for rank, hit in enumerate(result.hits, start=1)
        ],
        "timings": dict(result.timings),
    }
    if result.notices:
        form["notices"] = list(result.notices)
    return form


def passage_text(library: Library, passage: Passage) -> str:
    """The text of a passage, of the length of its range, with blanks for what is never quoted.

    Raises DocumentGone.
    """
    span = passage.span
    text = library.catalog.text_of(span)
    between, last = [], span.start
    for sentence in passage.sentences:
        between.append(text[max(0, last - span.start) : max(0, sentence.start - span.start)])
        last = max(last, sentence.end)
    # Most passages have nothing between their sentences, and need no look at the blocks.
    if not any(map(str.isalnum, "".join(between))):
        return text
    return library.catalog.document(span.document_id).readable(span.start, span.end)


@dataclass(slots=True)
class Remaining:
    """Characters that may still be told; None for any number."""

    chars: int | None

    def take(self, wanted: int) -> int:
        """As many of these as there are left."""
        if self.chars is None:
            return wanted
        taken = min(wanted, self.chars)
        self.chars -= taken
        return taken


def _section_form(passage: Passage, library: Library, told: Remaining) -> dict[str, Any]:
    section = library.section_of(passage)
    length = section.end - section.start
    shown = told.take(length)
    document = library.catalog.document(section.document_id)
    text = document.readable(section.start, section.start + shown)
    return {
        "section_start": section.start,
        "section_end": section.end,
        "section_text": text,
        **({"section_cut": True} if shown < length else {}),
    }


def stats_form(stats: Stats) -> dict[str, Any]:
    """The contents of a library."""
    return {
        **{name: getattr(stats, name) for name in ("documents", "passages", "pages")},
        "collections": stats.collections,
        "corpus_version": stats.corpus_version,
        "generation": stats.generation,
        "bytes_on_disk": stats.bytes_on_disk,
        "failed": problem_forms(stats.failures),
        "warnings": problem_forms(reported(stats.files)),
        "flagged": problem_forms(flagged(stats.files)),
    }


def reported(files: Sequence[FileEntry]) -> list[FileProblem]:
    """Gaps and warnings of the ingested files, gaps first."""
    return [
        FileProblem(path=file.path, reason=reason)
        for file in files
        for reason in (*file.coverage.get("gaps", ()), *file.coverage.get("warnings", ()))
    ]


def flagged(files: Sequence[FileEntry]) -> list[FileProblem]:
    """Content that may be meant to deceive, a line for each kind and file."""
    return [
        FileProblem(path=file.path, reason=line) for file in files for line in flags_of_file(file)
    ]


def flags_of_file(file: FileEntry) -> list[str]:
    """The flags of a file as text."""
    flags = file.coverage.get("flags", ())
    return list(flag_lines([(flag["kind"], flag["detail"]) for flag in flags]))


def problem_forms(problems: Sequence[FileProblem]) -> list[dict[str, str]]:
    """Files and their problems."""
    return [asdict(problem) for problem in problems]


def coverage_form(stats: Stats, library: Library) -> list[dict[str, Any]]:
    """The coverage of each file and its pages; failed files come last."""
    held = [
        {
            "path": file.path,
            "collection": file.collection,
            "document": file.document_id,
            **file.coverage,
            "pages": [
                asdict(page) for page in page_coverage(library.catalog.document(file.document_id))
            ],
        }
        for file in stats.files
    ]
    paths = {file.path for file in stats.files}
    failed = [
        {"path": problem.path, "status": Coverage.FAILED, "gaps": [problem.reason]}
        for problem in stats.failures
        if problem.path not in paths
    ]
    return [*held, *failed]
