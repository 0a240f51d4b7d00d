"""The reading of a question by the tables of the documents that were found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import PurePath

from pincite.records.document import Document, Span
from pincite.records.flow import Hit, Question
from pincite.stages import Sources
from pincite.text.marks import is_struck_out
from pincite.text.question_words import spoken_language
from pincite.text.tables.asking import named_rows, read_question
from pincite.text.tables.labels import as_form, label_tables, suited
from pincite.text.tables.learned.choosing import is_small, learned_reading
from pincite.text.tables.learned.indexed import IndexedTable
from pincite.text.tables.parties import parties
from pincite.text.tables.phrases import as_words, contains
from pincite.text.tables.reading import Operation, Reading
from pincite.text.tables.statements import statement_line
from pincite.text.tables.tables import Row, Table, tables_of

_MOST_DOCUMENTS = 12
"""So many of the documents found first are looked at."""
_MUCH = 1.5
"""So much likelier than the next a reading must be that is not exact."""

_ONE_OF_SEVERAL = 0.55
"""Probability of a line whose label has another number elsewhere in its document: in doubt."""
_MOST_LINES = 3
"""Different numbers of one label that are shown beside each other."""

_PDF = "application/pdf"


def readings_of(question: Question, hits: Sequence[Hit], sources: Sources) -> tuple[Reading, ...]:
    """The readings of the question: those with rows, or else those that no row fits.

    Several for a thing that is in several tables, or tables of one kind, such as one for each month.
    """
    if question.filters is not None and question.filters.sections:
        return ()
    names = list(dict.fromkeys(hit.passage.span.document_id for hit in hits))[:_MOST_DOCUMENTS]
    documents = tuple(
        # The file as this collection knows it: the same bytes may have another name elsewhere.
        _Known(sources.document(name), _file(sources.source(name, question.collection).path), name)
        for name in names
    )
    # A table has few words to tell its language by: the question may be in another than the library's.
    language = spoken_language(question.plain, question.language)
    first = hits[0].passage.span if hits else None
    found = tuple(
        reading
        for reading in _readings(question.plain, language, documents)
        # What is likely, and not exact, must be of the table that is found first.
        if reading.probability == 1.0 or reading.is_line or (first and _is_of(first, reading.table))
    )
    return () if any(_is_told(reading, hits, sources) for reading in found) else found


def _is_of(span: Span, table: Table) -> bool:
    is_same = span.document_id == table.document.id
    return is_same and span.start < table.rows[-1].end and table.rows[0].start < span.end


def _is_told(reading: Reading, hits: Sequence[Hit], sources: Sources) -> bool:
    """Whether a name that no row has stands elsewhere in what was found, in another order too."""
    words = as_words(reading.lacking).split()
    for hit in hits if words else ():
        text, document = sources.text_of(hit.passage.span), hit.passage.span.document_id
        if document != reading.table.document.id and {*words} <= {*as_words(text).split()}:
            return True
        if contains([text], " ".join(words)):
            return True
    return False


@lru_cache(maxsize=8)
def _readings(question: str, language: str, documents: tuple[_Known, ...]) -> tuple[Reading, ...]:
    """Kept for the judgement of an answer, which reads its question again."""
    found = [
        reading
        for known in documents
        for table in _tables(known)
        if (reading := _reading(question, table, language, known.file)) is not None
        and _is_safe(reading)
    ]
    found = [one for one in found if one.rows] or found
    if not found and language == "en":
        found = [*_likeliest(question, documents[:1])]
    # A column that is called so, before one that may be meant.
    found = [one for one in found if not one.is_inferred] or found
    return tuple(_different(found))


def _different(readings: Sequence[Reading]) -> Sequence[Reading]:
    """Of lines of statements the first with each number; none if there are too many numbers.

    The net income stands in several statements of one report. Where they tell different numbers, none
    of these is certain.
    """
    lines = {_told(one): one for one in reversed(readings) if one.is_line}
    if len(lines) > _MOST_LINES:
        return [one for one in readings if not one.is_line]
    several = {name for name, count in Counter(name for name, *_ in lines).items() if count > 1}
    return [
        replace(one, probability=_ONE_OF_SEVERAL) if one.is_line and _of(one) in several else one
        for one in readings
        if not one.is_line or lines[_told(one)] is one
    ]


def _of(reading: Reading) -> str:
    return reading.table.document.id


def _told(reading: Reading) -> tuple[str, ...]:
    table = reading.table
    cells = (table.text(row, column) for row in reading.rows for column in reading.asked)
    return _of(reading), *("".join(filter(str.isalnum, cell)) for cell in cells)


def _likeliest(question: str, documents: Sequence[_Known]) -> Iterator[Reading]:
    """What the model reads, unless by several tables, none of them much likelier than the others."""
    found = [
        reading
        for known in documents
        for indexed in _indexed(known)
        if (reading := learned_reading(question, indexed, known.file)) is not None
        and _is_safe(reading)
    ]
    found.sort(key=lambda one: -one.probability)
    if len(found) == 1 or (found and found[0].probability > _MUCH * found[1].probability):
        yield found[0]


def _reading(question: str, table: Table, language: str, file: str) -> Reading | None:
    reading = statement_line(question, table, language, file=file)
    reading = reading or read_question(question, table, language, file=file)
    return suited(question, language, reading) if reading and table.is_form else reading


def rows_like(question: Question, span: Span, sources: Sources) -> Reading | None:
    """The rows that have what the question names, if several do and some characters are one of them."""
    found = row_at(span, sources)
    if found is None or (question.filters is not None and question.filters.sections):
        return None
    table, row = found
    language = spoken_language(question.plain, question.language)
    rows = named_rows(question.plain, table, language)
    if len(rows) < 2 or row not in rows:
        return None
    reading = Reading(table=table, name="", operation=Operation.ROWS, rows=rows)
    return reading if _is_safe(reading) else None


def row_at(span: Span, sources: Sources) -> tuple[Table, Row] | None:
    """The row of a table that some characters are; None if they are something else."""
    document = sources.document(span.document_id)
    for table in _tables(_Known(document, "", span.document_id)):
        for row in table.rows:
            if (row.start, row.end) == (span.start, span.end):
                return table, row
    return None


def _file(path: str) -> str:
    return PurePath(path).stem


def _is_safe(reading: Reading) -> bool:
    """Whether the table may be trusted with what is asked."""
    document = reading.table.document
    if any(is_struck_out(document.text[row.start : row.end]) for row in reading.rows):
        return False
    # What was not read, or not as the table that it is, would be missing in a comparison.
    is_partial = bool(document.gaps) or document.media_type == _PDF
    return reading.is_lookup or reading.is_line or not (is_partial or reading.table.is_form)


@dataclass(frozen=True, slots=True)
class _Known:
    """A document by its identity, since the caches must not compare texts, and its file's name."""

    document: Document = field(compare=False)
    file: str
    id: str = ""


def _tables(known: _Known) -> tuple[Table, ...]:
    return _tables_in(_Known(known.document, "", known.id))


def _indexed(known: _Known) -> tuple[IndexedTable, ...]:
    return _indexed_in(_Known(known.document, "", known.id))


@lru_cache(maxsize=8)
def _indexed_in(known: _Known) -> tuple[IndexedTable, ...]:
    return tuple(
        IndexedTable(table) for table in _tables_in(known) if not table.is_form and is_small(table)
    )


@lru_cache(maxsize=16)
def _tables_in(known: _Known) -> tuple[Table, ...]:
    document = known.document
    return (*map(as_form, tables_of(document)), *label_tables(document), *parties(document))
