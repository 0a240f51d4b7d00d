"""What a question asks of a numbered part of a document ("clause 5.3") is quoted from that part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from pincite.document import BlockKind, Span
from pincite.evidence.rescoring import lifted, scored_sentences
from pincite.evidence.word_lists import word_list
from pincite.records import Evidence, Hit, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.details import names
from pincite.text.numbered import (
    Numbered,
    bears,
    bears_a_number,
    parts_named,
    without_parts_named,
)
from pincite.text.terms import terms

_MOST_SENTENCES = 15
"""Of parts that are asked for as a whole; more would be a chapter."""

_DOCUMENT = re.compile(r"(?:of|from|to|vom|von|du|de|del|dans|en|about\W*$)", re.IGNORECASE)
"""How the name of its document follows the number of a part ("in" and "des" are words that ask)."""
_WORD = re.compile(r"[^\W\d_]+")


class _Found(NamedTuple):
    span: Span
    hit: Hit
    score: float
    is_below_heading: bool

    @property
    def document_named(self) -> float:
        """How certainly the question names the document that it stands in."""
        return self.hit.scores.get("documents", 0.0)


class NumberedPartsSelector:
    """Quotes the clause, section or schedule that a question names by its number.

    A part is told by a sentence or heading that begins with its number: to an encoder a number is
    one token among others, and sentences with the word "clause" win. What is asked of a part is
    answered by its best sentences; where the part itself is asked for ("What does clause 5.3
    say?"), by all of it. Where nothing found bears or names such a part, there is no evidence.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """What the other selector chooses; of a part that is asked for as a whole, all sentences."""
        parts = dict.fromkeys(parts_named(question.plain))
        if not parts:
            return self._selector.select(question, hits)
        borne = {part: self._sentences(part, hits) for part in parts}
        every = {found.span: found for several in borne.values() for found in several}
        before, after = map(_behind_asking, without_parts_named(question.plain))
        if before or (after and not _DOCUMENT.match(after)):
            return self._selector.select(question, lifted(hits, every))
        lacking = [part.written for part, found in borne.items() if not found]
        told = (f"no sentence or heading begins with the number: {', '.join(lacking)}",)
        if every:
            whole = self._whole(question, list(every.values()), document=after)
            return replace(whole, notices=told if lacking else ())
        if not any(self._is_mentioned(part, hits) for part in parts):
            return Selection(evidence=(), notices=told)
        selection = self._selector.select(question, hits)
        return replace(selection, notices=(*selection.notices, *told))

    def _sentences(self, part: Numbered, hits: Sequence[Hit]) -> list[_Found]:
        """The sentences of a part that were found, in the order of the hits.

        Where a heading of a document bears the number, an item of some list with that number is none.
        """
        found: dict[Span, _Found] = {}
        for hit in hits:
            for one in self._in_passage(part, hit):
                found.setdefault(one.span, one)
        headed = {one.span.document_id for one in found.values() if one.is_below_heading}
        return [
            one
            for one in found.values()
            if one.is_below_heading or one.span.document_id not in headed
        ]

    def _in_passage(self, part: Numbered, hit: Hit) -> Iterator[_Found]:
        is_below = any(bears(heading, part, is_heading=True) for heading in hit.passage.section)
        is_inside = is_below
        for score, span, _ in scored_sentences([hit]):
            text = self._sources.text_of(span)
            if not is_below and bears_a_number(text) and not self._is_row(span):
                is_inside = bears(text, part, is_heading=False)
            if is_inside:
                yield _Found(span, hit, score, is_below)

    def _is_row(self, span: Span) -> bool:
        blocks = self._sources.document(span.document_id).blocks_in(span.start, span.end)
        return any(block.kind is BlockKind.TABLE_ROW for block in blocks)

    def _is_mentioned(self, part: Numbered, hits: Sequence[Hit]) -> bool:
        texts = (hit.passage.with_context(self._sources.text_of(hit.passage.span)) for hit in hits)
        return any(
            (named.number, named.is_attachment) == (part.number, part.is_attachment)
            for text in texts
            for named in parts_named(text)
        )

    def _whole(self, question: Question, found: Sequence[_Found], *, document: str) -> Selection:
        """As it is read, from the document of the best passage first.

        Of documents that the question names only the surest. A number that was looked up is certain,
        but not where the question names a `document` that may be another.
        """
        surest = max(one.document_named for one in found)
        kept = [one for one in found if one.document_named == surest]
        language = question.language
        asked = set(terms(document, language))
        named = set(terms(" ".join(names(document)), language))
        above = [set(terms(one.hit.passage.context, language)) for one in kept]
        is_certain = not asked or any(asked & held and named <= held for held in above)
        rank: dict[str, float] = {}
        for one in kept:
            document = one.span.document_id
            rank[document] = max(rank.get(document, 0.0), one.hit.score)
        in_order = sorted(kept, key=lambda one: (-rank[one.span.document_id], one.span))
        return Selection(
            evidence=tuple(
                Evidence(
                    id=f"e{number}",
                    span=one.span,
                    quote=self._sources.text_of(one.span),
                    passage=one.hit.passage,
                    score=1.0 if is_certain else one.score,
                )
                for number, one in enumerate(in_order[:_MOST_SENTENCES], start=1)
            )
        )


def _behind_asking(text: str) -> str:
    """What is left from the first word on that does more than ask for all of something."""
    asking = word_list("asks_for_part")
    words = (word for word in _WORD.finditer(text) if word[0].casefold() not in asking)
    first = next(words, None)
    return text[first.start() :] if first else ""
