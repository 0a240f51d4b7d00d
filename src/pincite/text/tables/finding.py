"""The reading of a question by the tables of the documents that were found."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from pincite.records.document import Document
from pincite.records.flow import Hit, Question
from pincite.stages import Sources
from pincite.text.marks import is_struck_out
from pincite.text.tables.asking import read_question
from pincite.text.tables.reading import Reading
from pincite.text.tables.tables import Table, tables_of

_MOST_DOCUMENTS = 12
"""So many of the documents found first are looked at."""

_PDF = "application/pdf"


def readings_of(question: Question, hits: Iterable[Hit], sources: Sources) -> tuple[Reading, ...]:
    """The readings of the question: those with rows, or else those that no row fits.

    Several for a thing that is in several tables, or tables of one kind, such as one for each month.
    """
    if question.filters is not None and question.filters.sections:
        return ()
    names = list(dict.fromkeys(hit.passage.span.document_id for hit in hits))[:_MOST_DOCUMENTS]
    documents = tuple(_Known(sources.document(name)) for name in names)
    return _readings(question.plain, question.language, documents)


@lru_cache(maxsize=8)
def _readings(question: str, language: str, documents: tuple[_Known, ...]) -> tuple[Reading, ...]:
    """Kept for the judgement of an answer, which reads its question again."""
    found = [
        reading
        for known in documents
        for table in _tables(known)
        if (reading := read_question(question, table, language)) is not None and _is_safe(reading)
    ]
    return tuple(one for one in found if one.rows) or tuple(found)


def _is_safe(reading: Reading) -> bool:
    """Whether the table may be trusted with what is asked."""
    document = reading.table.document
    if any(is_struck_out(document.text[row.start : row.end]) for row in reading.rows):
        return False
    # What was not read, or not as the table that it is, would be missing in a comparison.
    is_partial = bool(document.gaps) or document.media_type == _PDF
    return reading.is_lookup or not is_partial


class _Known:
    """A document by its identity: the cache must not compare texts."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def __hash__(self) -> int:
        return hash(self.document.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and other.document.id == self.document.id


@lru_cache(maxsize=16)
def _tables(known: _Known) -> tuple[Table, ...]:
    return tables_of(known.document)
