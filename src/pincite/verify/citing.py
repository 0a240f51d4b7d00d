"""Are these words really there? Turns evidence into citations, or says why it cannot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pincite.digests import digest_now
from pincite.document import Document
from pincite.records import Citation, Evidence, Question, Source
from pincite.stages import Sources
from pincite.verify.quotes import FileCheck, check_in_file, why_not_there
from pincite.verify.receipt import located


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedQuote:
    """What became of one piece of evidence; `problem` also tells what was not fully checked."""

    citation: Citation | None
    problem: str = ""


class QuoteChecker:
    """Compares quotes with the stored text and with the bytes of the file."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def check(self, question: Question, item: Evidence) -> CheckedQuote:
        """The citation, if the quote is word for word where the evidence says it is."""
        document = self._sources.document(item.span.document_id)
        source = self._sources.source(document.id, question.collection)
        start, end = item.span.start, item.span.end
        if not item.quote or document.text[start:end] != item.quote:
            return CheckedQuote(
                citation=None,
                problem=f"{source.path}: a quote is not in the stored text; it was left out",
            )
        found = _check_file(document, item, source)
        problem = _PROBLEMS.get(found, "").format(path=source.path)
        if found.withholds:
            return CheckedQuote(citation=None, problem=problem)
        citation = located(document, start, end, path=source.path, sha256=document.sha256)
        return CheckedQuote(citation=citation, problem=problem)


def _check_file(document: Document, item: Evidence, source: Source) -> FileCheck:
    """By the bytes of the quote in text formats, elsewhere by those of the whole file."""
    place = document.byte_range(item.span.start, item.span.end)
    if place is None or document.encoding is None:
        digest = digest_now(source.path)
        if digest is None:
            return why_not_there(Path(source.path), source.modified)
        return FileCheck.SAME if digest == document.sha256 else FileCheck.CHANGED
    return check_in_file(
        Path(source.path),
        start_byte=place[0],
        end_byte=place[1],
        encoding=document.encoding,
        quote=item.quote,
        modified=source.modified,
    )


_PROBLEMS = {
    FileCheck.CHANGED: (
        "{path}: the file has changed since it was ingested and a quote is no longer there; it was "
        "left out. Ingest the file again"
    ),
    FileCheck.GONE: (
        "{path}: the file is not in its folder any more; its quotes were left out. Ingest the folder "
        "again, or put the file back"
    ),
    FileCheck.MISSING: (
        "{path}: the file cannot be opened; its quotes were checked against the stored text only"
    ),
}
