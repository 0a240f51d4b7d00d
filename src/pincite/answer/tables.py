"""Selects the rows of a table that a question is exactly about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pincite.records.derivations import Derivation, Operand
from pincite.records.document import Document, Span
from pincite.records.flow import Evidence, Hit, Passage, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.tables.finding import readings_of, rows_like
from pincite.text.tables.reading import Operation, Reading, derived_value, nearest_names
from pincite.text.tables.statements import head_with_scale
from pincite.text.tables.tables import Row, quantity
from pincite.text.units import in_scale

MOST_QUOTED = 200
"""Rows that are quoted; of a longer list the first."""

_MOST_ALIKE = 20
"""Rows that are shown because they have what the question names."""

_BEHIND = 0.5
"""Score of what is shown on request only."""

_MOST_STRETCH_CHARS = 200_000
"""Longest stretch of a table that is quoted as a whole, for what is computed from many rows."""


class TableSelector:
    """Puts the rows of a table's exact reading of the question in place of another selection.

    The selection of the other selector stands where no table reads the question.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The rows in their order, or the other selection."""
        readings = readings_of(question, hits, self._sources)
        if not readings:
            return self._with_all_rows(question, self._selector.select(question, hits), hits)
        if not any(reading.rows for reading in readings):
            return Selection(evidence=(), nothing="; ".join(map(_no_row, readings)))
        derivation = None
        if any(reading.operation is not Operation.ROWS for reading in readings):
            if len(readings) > 1:
                return Selection(evidence=(), nothing=_several(readings))
            derivation = _derivation(readings[0])
            if derivation is None:
                return self._selector.select(question, hits)
        evidence = [item for reading in readings for item in self._rows(reading, hits)]
        numbered = tuple(replace(item, id=f"e{n}") for n, item in enumerate(evidence, start=1))
        notices = tuple(_read_as(reading) for reading in readings)
        return Selection(evidence=numbered, notices=notices, derivation=derivation, is_exact=True)

    def _with_all_rows(
        self, question: Question, chosen: Selection, hits: Sequence[Hit]
    ) -> Selection:
        """All rows with what the question names, where the best of a selection is one of them.

        "Who reports to Rui Costa?": no column is called so, but each row with Rui Costa may answer, and
        the one that is most like the question is no better than the others.
        """
        best = max(chosen.evidence, key=lambda item: item.score, default=None)
        alike = rows_like(question, best.span, self._sources) if best else None
        if best is None or alike is None or chosen.parts or len(alike.rows) > _MOST_ALIKE:
            return chosen
        rows = enumerate(self._rows(alike, hits), start=1)
        evidence = tuple(replace(item, id=f"e{n}", score=best.score) for n, item in rows)
        return replace(chosen, evidence=evidence, is_exact=True)

    def _rows(self, reading: Reading, hits: Sequence[Hit]) -> Iterator[Evidence]:
        """The rows; of many that a number is computed from, the first and the stretch of the others."""
        document = reading.table.document
        spans = [
            Span(document_id=document.id, start=row.start, end=row.end) for row in reading.rows
        ]
        if len(spans) > MOST_QUOTED and reading.operation is not Operation.ROWS:
            first, second, *_, last = spans
            spans = [first, Span(document_id=document.id, start=second.start, end=last.end)]
        passages = {span: hit.passage for hit in hits for span in hit.passage.sentences}
        for place, span in enumerate(spans[:MOST_QUOTED]):
            yield Evidence(
                id="",
                span=span,
                quote=document.text[span.start : span.end],
                passage=passages.get(span) or _passage(document, span),
                # A stretch is further reading.
                score=1.0 if place == 0 or len(spans) > 2 or len(reading.rows) == 2 else _BEHIND,
            )


def _passage(document: Document, span: Span) -> Passage:
    """A passage of these rows alone: they need not be in one that was found."""
    block = document.blocks_in(span.start, span.end)[0]
    return Passage(
        id=f"{document.id}:{span.start}",
        span=span,
        section=block.section,
        page=block.page,
        sentences=(span,),
    )


def _derivation(reading: Reading) -> Derivation | None:
    """What is computed, with the cells from which it is; None if too much would have to be quoted."""
    if max(row.end for row in reading.rows) - reading.rows[0].start > _MOST_STRETCH_CHARS:
        return None
    if reading.part and len(reading.rows) > MOST_QUOTED:
        return None  # Its rows are not in the order of the file, so no stretch holds them.
    if reading.group is None:
        return _computed(reading, reading.rows)
    found = [(name, _computed(reading, rows)) for name, rows in reading.grouped.items()]
    groups = tuple((name, one) for name, one in found if one is not None)
    if len(groups) < len(found):
        return None
    return Derivation(
        operation=str(reading.operation), value="", operands=(), said=reading.said, groups=groups
    )


def _computed(reading: Reading, rows: Sequence[Row]) -> Derivation | None:
    """What is computed of some rows; None if it cannot be."""
    table = reading.table
    column = table.key if reading.over is None else reading.over
    is_of_rows = reading.operation in (Operation.COUNT, Operation.PROPORTION, Operation.DISTINCT)
    part = 0
    if reading.is_line:
        column = reading.asked[0]
        cells = [cell for one in reading.asked if (cell := rows[0].cells[one]) is not None]
        if len(cells) < len(reading.asked):
            return None
    elif is_of_rows and reading.operation is not Operation.DISTINCT:
        cells = [next(filter(None, (row.cells[column], *row.cells))) for row in rows]
        part = reading.part
    elif reading.operation is Operation.DISTINCT:
        cells = [cell for row in rows if (cell := row.cells[column]) is not None]
    else:
        held = [row for row in rows if table.quantity(row, column) is not None]
        cells = [cell for row in held if (cell := row.cells[column]) is not None]
        part = sum(row in held for row in rows[: reading.part])
    text, document = table.document.text, table.document.id
    operands = tuple(
        Operand(document=document, start=cell.start, end=cell.end, text=text[cell.start : cell.end])
        for cell in cells
    )
    is_percent = bool(reading.part) or reading.operation is Operation.PERCENT_CHANGE
    unit = "%" if is_percent else "" if is_of_rows else _unit(reading, column, operands)
    mark = table.mark(column) or "."
    value = derived_value(str(reading.operation), [one.text for one in operands], mark, part)
    if value is None:
        return None
    return Derivation(
        operation=str(reading.operation),
        value=value,
        unit=unit,
        decimal_mark=mark,
        said=reading.said,
        operands=operands,
        part=part,
    )


def _unit(reading: Reading, column: int, operands: Sequence[Operand]) -> str:
    """The unit of a column; of a line that of its cells, with the scale that the head names."""
    table = reading.table
    if not reading.is_line:
        return table.unit(column)
    mark = table.mark(column)
    read = [quantity(one.text.strip(), mark) for one in operands]
    own = next((one.unit for one in read if one is not None and one.unit), "")
    labels = reading.conditions[0].column
    head, label = head_with_scale(table, column, labels), table.text(reading.rows[0], labels)
    return in_scale(own or table.columns[column].unit, head, label)


def _read_as(reading: Reading) -> str:
    if reading.table.is_form:
        return f"read as: {reading.said}"
    count = f"{reading.part or len(reading.rows):,} of {len(reading.table.rows):,} rows"
    is_cut = len(reading.rows) > MOST_QUOTED and reading.operation is Operation.ROWS
    quoted = f", the first {MOST_QUOTED} are quoted" if is_cut else ""
    left_out = f"; left out: {', '.join(reading.left_out)}" if reading.left_out else ""
    otherwise = f"; it may ask instead: {reading.otherwise}" if reading.otherwise else ""
    return f"read as: {reading.said} ({count}{quoted}{left_out}){otherwise}"


def _several(readings: Sequence[Reading]) -> str:
    names = dict.fromkeys(reading.name for reading in readings)
    return f"several tables answer this: {', '.join(names)}; name one of them"


def _no_row(reading: Reading) -> str:
    near = f"; the nearest: {', '.join(names)}" if (names := nearest_names(reading)) else ""
    return f"read as: {reading.said}; none of its {len(reading.table.rows):,} rows fits{near}"
