"""The row of a table that holds the figure of the asked period comes before sentences about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pincite.document import BlockKind, Cell, Document, Range, Span
from pincite.evidence.rescoring import lifted, scored_sentences
from pincite.evidence.word_lists import word_list
from pincite.records import Hit, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.terms import fold, stem, terms

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
