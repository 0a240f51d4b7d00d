"""Selects the table row whose range includes the value asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pincite.answer.rescoring import lifted, scored_sentences, silenced
from pincite.records.document import Block, BlockKind, Document, Span
from pincite.records.flow import Hit, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.value_ranges import Quantity, quantities, unit_of, value_ranges

_FEWEST_ROWS = 2
"""Fewest rows of a table that is divided by ranges."""
_NEAR = 0.15
"""How far below the best sentence a row of a table may score, unless both are in one passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """The rows of one table with a range of the measure asked for."""

    holding: frozenset[Span]
    others: frozenset[Span]


class RangedRowsSelector:
    """Makes another selector prefer rows whose range includes the value, and ignore other rows.

    By its words "child of 3 years" is as near to "6 to 24 months" as to "2 to 4 years". The range is
    in the first cell or the header of a row; its unit is there, or in the column header. If no row
    of the table includes the value, a notice says so and none of its rows is shown.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The other selector's selection, with a notice if the table has no such row."""
        notices: list[str] = []
        for asked in quantities(question.plain):
            near = self._near(asked, hits)
            holding = frozenset(span for rows in near for span in rows.holding)
            others = frozenset(span for rows in near for span in rows.others)
            if others and not holding:
                notices.append(f"the nearest table has no row for {asked.written}")
            hits = lifted(silenced(hits, others), holding)
        selection = self._selector.select(question, hits)
        return replace(selection, notices=(*selection.notices, *notices))

    def _near(self, asked: Quantity, hits: Sequence[Hit]) -> list[_Rows]:
        """The rows of tables near the best sentence, by score or in its passage."""
        # Passages that were not compared have no scores, and need not be read.
        compared = [hit for hit in hits if hit.sentence_scores]
        scores = {span: score for score, span, _ in scored_sentences(compared)}
        if not scores:
            return []
        best = max(scores, key=lambda span: scores[span])
        same_passage = [hit.passage.sentences for hit in compared if best in hit.passage.sentences]
        near = {span for spans in same_passage for span in spans}
        near |= {span for span, score in scores.items() if score >= scores[best] - _NEAR}
        tables = [rows for hit in compared for rows in [self._rows(asked, hit)] if rows]
        return [rows for rows in tables if not near.isdisjoint(rows.holding | rows.others)]

    def _rows(self, asked: Quantity, hit: Hit) -> _Rows | None:
        document = self._sources.document(hit.passage.span.document_id)
        holding: set[Span] = set()
        others: set[Span] = set()
        for span in hit.passage.sentences:
            ranges = [
                found
                for label, unit in _labels(document, span)
                for found in value_ranges(label, unit=unit)
                if found.measure == asked.measure
            ]
            if ranges:
                kept = holding if any(found.holds(asked) for found in ranges) else others
                kept.add(span)
        if len(holding) + len(others) < _FEWEST_ROWS:
            return None
        if not holding:
            # Their header row would bring them all back.
            others |= {head for span in others for head in hit.passage.headers_of(span)}
        return _Rows(holding=frozenset(holding), others=frozenset(others))


def _labels(document: Document, span: Span) -> Iterator[tuple[str, str]]:
    """The first cell of a row and its row headers, each with the unit of the column header."""
    for block in document.blocks_in(span.start, span.end):
        if block.kind is not BlockKind.TABLE_ROW or not block.cells:
            continue
        first = block.cells[0]
        ranges = {(first.start, first.end), *_row_headers(block)}
        heads = " ".join(document.text[start:end] for start, end in first.column_headers)
        for start, end in sorted(ranges):
            yield document.text[start:end], unit_of(heads)


def _row_headers(block: Block) -> Iterator[tuple[int, int]]:
    for cell in block.cells:
        yield from cell.row_headers
