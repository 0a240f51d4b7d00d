"""What stands around a quote? Kept with a saved answer, for those who do not have the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pincite.document import Document
from pincite.errors import ReadError
from pincite.records import Answer
from pincite.stages import Sources
from pincite.verify.cited_files import CitedFiles

CONTEXT_CHARS = 300
"""Before a quote, and after it."""
CONTEXTS = "contexts"


def context_forms(answer: Answer, sources: Sources) -> list[dict[str, str | None]]:
    """For each citation in order, the text before and after it, and the codec of its file."""
    return [
        _context(sources.document(citation.document), citation.start, citation.end)
        for citation in answer.citations
    ]


def _context(document: Document, start: int, end: int) -> dict[str, str | None]:
    return {
        "before": document.text[max(0, start - CONTEXT_CHARS) : start],
        "after": document.text[end : end + CONTEXT_CHARS],
        "encoding": document.encoding,
    }


def context_problems(form: Mapping[str, Any], files: CitedFiles) -> Iterator[str]:
    """What in the saved contexts is not what the files say. Files that changed are told elsewhere."""
    contexts, citations = form[CONTEXTS], form["citations"]
    if not isinstance(contexts, list) or len(contexts) != len(citations):
        yield "its contexts are not one for each quote"
        return
    for number, (context, citation) in enumerate(zip(contexts, citations, strict=True), start=1):
        try:
            found = files.document(str(citation["source"]), str(citation["sha256"]))
        except ReadError:
            continue
        start, end = citation["start_char_index"], citation["end_char_index"]
        is_place = isinstance(start, int) and isinstance(end, int)
        if not is_place or found.sha256 != citation["sha256"]:
            continue
        expected = _context(found, start, end)
        if context not in (expected, _of_an_older_version(expected)):
            yield f"what it shows around quote [{number}] is not what the file says"


def _of_an_older_version(context: Mapping[str, Any]) -> dict[str, Any]:
    """Receipts were written without the encoding once."""
    return {name: value for name, value in context.items() if name != "encoding"}
