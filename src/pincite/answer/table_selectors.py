"""Which row of a table answers, where rows are of periods or of ranges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pincite.answer.rescoring import lifted, scored_sentences, silenced
from pincite.records.document import Block, BlockKind, Document, Span
from pincite.records.flow import Hit, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.value_ranges import Quantity, quantities, unit_of, value_ranges

_FEWEST_ROWS = 2
"""Of a table that is cut by ranges."""
_NEAR = 0.15
"""How far below the best sentence the best row of a table may score, unless both are in one passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """The rows of one table that give a range of the measure asked for."""

    holding: frozenset[Span]
    others: frozenset[Span]


class RangedRowsSelector:
    """Lets another selector see the rows whose range holds what is asked, and not those beside them.

    To words "child of 3 years" is as near to "6 to 24 months" as to "2 to 4 years". The range stands
    in the first cell of a row or in the head of the row; its unit there, or in the head of its
    column. Where no row of the table holds the value, that is told, and none of them is shown.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """What the other selector chooses from the hits, with a notice for a table without the row."""
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
        """The rows of tables that score nearly as well as the best sentence, or stand beside it."""
        # Only of compared passages: those of others are near nothing, and need not be read.
        compared = [hit for hit in hits if hit.sentence_scores]
        scores = {span: score for score, span, _ in scored_sentences(compared)}
        if not scores:
            return []
        best = max(scores, key=lambda span: scores[span])
        beside = [hit.passage.sentences for hit in compared if best in hit.passage.sentences]
        near = {span for spans in beside for span in spans}
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
            # The row that heads them would bring them all.
            others |= {head for span in others for head in hit.passage.headers_of(span)}
        return _Rows(holding=frozenset(holding), others=frozenset(others))


def _labels(document: Document, span: Span) -> Iterator[tuple[str, str]]:
    """The first cell of a row and what heads the row, each with the unit that its column gives."""
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
