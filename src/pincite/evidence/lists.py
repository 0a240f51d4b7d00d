"""A quoted sentence that announces a list, or heads a table, brings what stands below it along."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise, takewhile

from pincite.document import Block, BlockKind, Document, Span
from pincite.evidence.rescoring import scored_sentences
from pincite.records import Evidence, Hit, Passage, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.negations import is_negated, takes_back

_ANNOUNCES = (":", "：")
_MOST_SENTENCES = 15
"""Of one list; more would be a chapter."""

_ASKS_FOR_STEPS = re.compile(
    r"^\W*(?:how (?:do|does|can|could|should|to|is|are|must)\b|"
    r"(?:what|which) (?:are the )?steps\b|wie (?:kann|muss|soll|wird|werden|geht)\b|"
    r"comment (?:faire|puis|dois|est)|cómo (?:puedo|se|debo|hacer))",
    re.IGNORECASE,
)


class ListsSelector:
    """Adds the items of a list to what another selector has chosen, for the best sentence of it.

    Behind a sentence that ends with a colon its items; and where a question asks how something is
    done and the sentence is an item of a short list, all items. Behind the row that heads the columns
    of a table its rows: alone it answers nothing. Where a question negates something, behind a sentence
    the one that says when it does not hold. Items stand in the passages that were found; there
    are at most so many beside `max_sentences` as `_MOST_SENTENCES` says.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """The selection with the items, each a piece of evidence of its own behind what was chosen."""
        selection = self._selector.select(question, hits)
        found = list(selection.evidence)
        spans = {item.span for item in found}
        below = self._below(question, found[0], hits) if found else []
        scores = _scores(hits)
        for span, passage in below[:_MOST_SENTENCES]:
            if span not in spans:
                spans.add(span)
                score = min(found[0].score, scores.get(span, found[0].score))
                found.append(self._evidence(span, passage, score, len(found) + 1))
        return replace(
            selection,
            evidence=tuple(found),
            dropped=tuple(drop for drop in selection.dropped if drop.span not in spans),
        )

    def _below(
        self, question: Question, item: Evidence, hits: Sequence[Hit]
    ) -> list[tuple[Span, Passage]]:
        """What belongs to the best sentence, in order, each with a passage that holds it."""
        if rows := item.passage.rows_under(item.span):
            return [(row, item.passage) for row in rows]
        if item.quote.endswith(_ANNOUNCES) or _ASKS_FOR_STEPS.search(question.plain):
            return self._items(item, _passages(hits, item.span.document_id))
        if is_negated(question.plain):
            return [*self._taken_back(item)]
        return []

    def _taken_back(self, item: Evidence) -> Iterator[tuple[Span, Passage]]:
        """The sentence behind it where that says when it does not hold."""
        for before, behind in pairwise(item.passage.sentences):
            if before == item.span and takes_back(self._sources.text_of(behind)):
                yield behind, item.passage

    def _items(
        self, item: Evidence, passages: Mapping[Span, Passage]
    ) -> list[tuple[Span, Passage]]:
        """Sentences of the list, in order, with a passage that holds each."""
        document = self._sources.document(item.span.document_id)
        blocks = _list_of(document, item)
        if not blocks:
            return []
        start, end = blocks[0].start, blocks[-1].end
        inside = sorted(
            (span for span in passages if start <= span.start and span.end <= end),
            key=lambda span: span.start,
        )
        return [(span, passages[span]) for span in inside]

    def _evidence(self, span: Span, passage: Passage, score: float, number: int) -> Evidence:
        quote = self._sources.text_of(span)
        return Evidence(id=f"e{number}", span=span, quote=quote, passage=passage, score=score)


def _scores(hits: Sequence[Hit]) -> dict[Span, float]:
    """The sentences that were found, each with its best score."""
    found: dict[Span, float] = {}
    for score, span, _ in scored_sentences(hits):
        found[span] = max(score, found.get(span, score))
    return found


def _passages(hits: Sequence[Hit], document_id: str) -> dict[Span, Passage]:
    """The sentences of a document that were found, each with the best passage that holds it."""
    found: dict[Span, Passage] = {}
    for hit in hits:
        if hit.passage.span.document_id == document_id:
            for span in hit.passage.sentences:
                found.setdefault(span, hit.passage)
    return found


def _list_of(document: Document, item: Evidence) -> list[Block]:
    """The items that a sentence announces, or those around it if it is one; none otherwise.

    Around an item only where they are few: nobody announced them, and any collection of notes or
    questions is a list of items.
    """
    inside = document.blocks_in(item.span.start, item.span.end)
    if not inside:
        return []
    blocks, place = document.blocks, document.first_block_behind(item.span.start)
    if inside[0].kind is not BlockKind.LIST_ITEM:
        is_last = document.text[item.span.end : inside[0].end].strip() == ""
        return _run(blocks[n] for n in range(place + 1, len(blocks))) if is_last else []
    before = _run(blocks[n] for n in range(place - 1, -1, -1))
    around = [*before[::-1], *_run(blocks[n] for n in range(place, len(blocks)))]
    return around if len(around) <= _MOST_SENTENCES else []


def _run(blocks: Iterable[Block]) -> list[Block]:
    """Items up to the first block that is none; of more than are quoted not all."""
    items = takewhile(lambda block: block.kind is BlockKind.LIST_ITEM, blocks)
    return list(islice(items, _MOST_SENTENCES + 1))
