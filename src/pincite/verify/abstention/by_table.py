"""Whether evidence is what a table's exact reading of the question finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, groupby

from pincite.records.document import BlockKind, Span
from pincite.records.flow import Evidence, Hit, Question
from pincite.records.reasons import Reason, ReasonKind
from pincite.stages import Sources
from pincite.text.tables.finding import readings_of, row_at
from pincite.text.tables.labels import subjects, words_beside
from pincite.text.tables.phrases import Phrases, Run, as_words, contains, words_in
from pincite.text.tables.reading import Operation, Reading
from pincite.text.tables.statements import compared_periods
from pincite.text.tables.tables import Row, Table, names_of_persons
from pincite.text.tables.words import difference_asked, ways_of, words_of


def by_table(
    question: Question, evidence: Sequence[Evidence], hits: Sequence[Hit], sources: Sources
) -> tuple[Reading, ...]:
    """The readings whose rows the evidence is; empty if there is other evidence, or no reading.

    A stretch of a table is such evidence for what is computed from its rows.
    """
    readings = readings_of(question, hits, sources)
    if not readings or not all(_is_found(item.span, readings) for item in evidence):
        return ()
    return readings


def _is_found(span: Span, readings: Sequence[Reading]) -> bool:
    for reading in readings:
        if reading.table.document.id != span.document_id or not reading.rows:
            continue
        if any((row.start, row.end) == (span.start, span.end) for row in reading.rows):
            return True
        if reading.operation is not Operation.ROWS and len(reading.rows) > 1:
            stretch = reading.rows[1].start, reading.rows[-1].end
            if stretch == (span.start, span.end):
                return True
    return False


def not_compared(question: Question, evidence: Sequence[Evidence], sources: Sources) -> str:
    """What a question compares rows by, if its best quote is a row that was not found by comparing.

    "pumps over 300 euros" and "the highest flow" are near to every row of such a table, and "who other
    than Ann" most of all to hers; a change is in no row of two numbers. Words that the row or its heads
    have are a name instead ("Maximum pressure"). "How many pumps" is answered by no row that does not
    say how many of them there are.
    """
    best = max(evidence, key=lambda item: item.score)
    document = sources.document(best.span.document_id)
    blocks = document.blocks_in(best.span.start, best.span.end)
    if not blocks or blocks[0].kind is not BlockKind.TABLE_ROW:
        return ""
    heads = (
        document.text[slice(*head)] for cell in blocks[0].cells for head in cell.column_headers
    )
    said = {word.folded for text in (best.quote, *heads) for word in words_in(text, "en")}
    phrases = Phrases(question.plain, question.language)
    for place in range(len(phrases.words)):
        ranked = phrases.rank_at(place, {**ways_of("superlatives"), **ways_of("aggregates")})
        if ranked is not None and not said.issuperset(ranked[0].split()):
            return ranked[0]
        others = phrases.at(place, words_of("others"))
        if others is not None and not said.issuperset(others[0].split()):
            return others[0]
        counted = phrases.at(place, words_of("count"))
        if counted and (of := _not_counted(phrases, counted[1], best, sources)):
            return of
        compared = phrases.before(place, ways_of("comparisons"))
        number = phrases.quantity(place) if compared else None
        if compared and number:
            return phrases.text((compared[1][0], number[1][1]))
    if asked := difference_asked([word.folded for word in phrases.words]):
        return asked
    change = compared_periods(question.plain, question.language)
    return "" if change.lower() in said else change


def _not_counted(phrases: Phrases, run: Run, row: Evidence, sources: Sources) -> str:
    """ "How many pumps", if neither a column of numbers nor a cell of the row says that; else empty."""
    behind = next(
        (n for n in range(run[1], len(phrases.words)) if not phrases.words[n].is_quiet), None
    )
    found = row_at(row.span, sources)
    if behind is None or found is None:
        return ""
    table, _ = found
    heads = (table.columns[column].name for column in table.numeric())
    said = {word.stem for text in (row.quote, *heads) for word in words_in(text, "en")}
    return "" if phrases.words[behind].stem in said else phrases.text((run[0], behind + 1))


def of_another_row(question: Question, evidence: Sequence[Evidence], sources: Sources) -> str:
    """Why a row that was not found by reading the question is another one's; empty if it may be right.

    It is of another day where the rows are days, or of another person where they are persons, or where
    the form is about one.
    """
    best = max(evidence, key=lambda item: item.score)
    found = row_at(best.span, sources)
    if found is None:
        return ""
    table, row = found
    phrases = Phrases(question.plain, question.language)
    # What a form says of others stands in the same row: "Emergency contact: Lars Berg, 55 12 34".
    quotes = [best.quote] if table.is_form else [item.quote for item in evidence]
    lost = next(
        chain(
            _other_days(phrases, table, row), _other_names(phrases, table, row, question.language)
        ),
        None,
    )
    if lost is None or contains(quotes, as_words(lost)):
        return ""
    held = next(iter(subjects(table)), table.text(row, table.key))
    return Reason.of(ReasonKind.OTHER_ROW, asked=lost, instead=held)


def _other_days(phrases: Phrases, table: Table, row: Row) -> Iterator[str]:
    """The days that are asked for, where the rows are days, unless the row's is one."""
    held = table.quantity(row, table.key)
    if held is None or not held.is_date:
        return
    for place in range(len(phrases.words)):
        found = phrases.quantity(place)
        if found is None or phrases.before(place, ways_of("comparisons")):
            continue
        day, run = found
        is_day = day.is_date and day.end == day.value + 1
        if is_day and not held.value <= day.value < (held.end or held.value):
            yield phrases.text(run)


def _other_names(phrases: Phrases, table: Table, row: Row, language: str) -> Iterator[str]:
    """The names that are asked for, where rows or a form are about persons, but not about these."""
    named = subjects(table)
    if table.key in names_of_persons(table):
        named = (table.text(row, table.key),)
    question = phrases.text((0, len(phrases.words)))
    if not named or any(contains([question], as_words(name)) for name in named):
        return
    known = words_beside(table, language) if table.is_form else frozenset[str]()
    places = [place for place, word in enumerate(phrases.words) if word.text[0].isupper()]
    for _, group in groupby(enumerate(places), key=lambda one: one[1] - one[0]):
        run = [place for _, place in group]
        if phrases.words[run[0]].is_quiet:
            del run[0]
        if len(run) > 1 and not all(phrases.words[place].folded in known for place in run):
            yield phrases.text((run[0], run[-1] + 1))


def names_its_cell(question: Question, short: Span, sources: Sources) -> bool:
    """Whether a question names what some words of a table's row are: the head of the cell they fill.

    Words outside tables have no such name. A row holds several numbers, and a model that reads prose
    may take any of them for the answer.
    """
    document = sources.document(short.document_id)
    blocks = document.blocks_in(short.start, short.end)
    if not any(block.kind is BlockKind.TABLE_ROW for block in blocks):
        return True
    asked = {word.stem for word in words_in(question.plain, question.language) if not word.is_quiet}
    heads = [
        document.text[slice(*head)]
        for block in blocks
        for cell in block.cells
        if (cell.start, cell.end) == (short.start, short.end)
        for head in cell.column_headers
    ]
    return any(word.stem in asked for head in heads for word in words_in(head, question.language))


def asked_cell(readings: Sequence[Reading]) -> Span | None:
    """The one cell that is asked for; None if there are several, or none."""
    if len(readings) != 1 or len(readings[0].rows) != 1:
        return None
    reading = readings[0]
    if len(reading.asked) > 1 or reading.operation is not Operation.ROWS:
        return None
    key = reading.table.key
    # A number in the first column, such as a rank, is not what the row is called.
    is_name = reading.table.quantities(key) is None
    by_row = key if is_name and (reading.ranked or reading.placed) else None
    column = reading.asked[0] if reading.asked else by_row
    cell = reading.rows[0].cells[column] if column is not None else None
    if cell is None:
        return None
    return Span(document_id=reading.table.document.id, start=cell.start, end=cell.end)
