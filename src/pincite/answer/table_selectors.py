"""Which row of a table answers, where rows are of periods or of ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pincite.answer.rescoring import lifted, scored_sentences, silenced, word_list
from pincite.records.document import Block, BlockKind, Cell, Document, Range, Span
from pincite.records.flow import Hit, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.terms import fold, stem, terms
from pincite.text.value_ranges import Quantity, quantities, unit_of, value_ranges

_FOOTNOTE = re.compile(r"(?:(?<!\s)\s++)?[(\[]\w{1,2}[)\]]\s*$|(?<![*†‡\s])[*†‡\s]+$", re.MULTILINE)


class _Asked(NamedTuple):
    words: frozenset[str]
    """Terms of the question, fillers aside."""
    numbers: frozenset[str]
    """Those of them in digits: the year or day, or whatever else is told by number."""
    language: str
    fillers: frozenset[str]

    def is_label(self, document: Document, label: Range) -> bool:
        """Whether it says something, and nothing that was not asked."""
        held = self._words(document, [label])
        return bool(held) and held <= self.words

    def is_held(
        self, document: Document, cell: Cell, above: frozenset[str], wanted: frozenset[str]
    ) -> bool:
        """Whether the cell is a figure for all numbers asked, and for the `wanted` words."""
        if not any(map(str.isdigit, document.text[cell.start : cell.end])):
            return False
        heads = self._words(document, [*cell.row_headers, *cell.column_headers])
        return bool(heads & self.numbers) and self.numbers | wanted <= heads | above

    def _words(self, document: Document, ranges: Sequence[Range]) -> frozenset[str]:
        text = "\n".join(document.text[start:end] for start, end in ranges)
        return frozenset(terms(_FOOTNOTE.sub("", text), self.language)) - self.fillers


class AskedRowsSelector:
    """Lets another selector see the row that holds exactly what is asked before any sentence.

    "Net income for 2015 increased due to ..." repeats the words of a question for the net income of
    2015, the row holds the value. A row does if one of its cells has a figure, its label says nothing
    that was not asked, its labels and column heads have all numbers of the question, and with the
    headings above have each word of it that the best sentence has. So a question for a reason is
    not answered by a row: the sentence with the reason has the word that asks for it.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """What the other selector chooses from the hits, asked rows lifted to the best sentence."""
        return self._selector.select(question, self._lifted(question, hits))

    def _lifted(self, question: Question, hits: Sequence[Hit]) -> Sequence[Hit]:
        scored = list(scored_sentences(hits))
        asked = _asked(question)
        if not scored or not asked.numbers or not asked.words - asked.numbers:
            return hits
        _, best, around = max(scored, key=lambda one: (one[0], -one[1].start))
        told = f"{around.passage.context}\n{self._sources.text_of(best)}"
        wanted = asked.words.intersection(terms(told, asked.language))
        return lifted(
            hits, {span for _, span, hit in scored if self._is_asked(asked, wanted, span, hit)}
        )

    def _is_asked(self, asked: _Asked, wanted: frozenset[str], span: Span, hit: Hit) -> bool:
        if not hit.passage.headers_of(span):
            return False
        document = self._sources.document(span.document_id)
        cells = [cell for cell in _cells(document, span) if cell.row_headers]
        labels = {cell.row_headers[-1] for cell in cells}
        fitting = {label for label in labels if asked.is_label(document, label)}
        above = frozenset(terms(hit.passage.context, asked.language)) if fitting else frozenset()
        return any(
            cell.row_headers[-1] in fitting and asked.is_held(document, cell, above, wanted)
            for cell in cells
        )


def _asked(question: Question) -> _Asked:
    language = question.language
    fillers = frozenset(stem(fold(word), language) for word in word_list("fillers"))
    words = frozenset(terms(question.asked, language)) - fillers
    numbers = frozenset(filter(str.isdigit, words))
    return _Asked(words, numbers, language, fillers)


def _cells(document: Document, span: Span) -> Iterator[Cell]:
    for block in document.blocks_in(span.start, span.end):
        if block.kind is BlockKind.TABLE_ROW:
            yield from block.cells


# Of rows for ranges ("2 to 4 years") the one that holds the value asked for comes first.

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
