"""What a message says itself comes before what it repeats of an earlier one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.document import Span
from pincite.evidence.rescoring import lifted, scored_sentences, silenced
from pincite.records import Hit, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.remarks import is_mail_header, is_remark
from pincite.text.terms import terms

_MAIL = "message/rfc822"
_QUOTED = "quoted message"
_NEAR = 0.2
"""How far below a quoted sentence a reply may score that still answers the same."""

_FEWEST_WORDS = 4
_DEPTH = re.compile(r"\s*((?:>\s?)+)")
_ASKS = re.compile(r"[?？]\W*$")


class RepliesSelector:
    """Lets another selector see the sentences of a reply before those that it quotes.

    They must come near and have a word of the question, since to an encoder the whole message is near.
    The earlier message is older, and often what the reply overrules. Of messages that quote
    messages the outer one comes first. What was asked there answers nothing beside a reply.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """What the other selector chooses from the hits, replies lifted to what they quote."""
        scored = [*scored_sentences(hits)]
        if not scored:
            return self._selector.select(question, hits)
        best, span, _ = max(scored, key=lambda one: (one[0], -one[1].start))
        depth = self._depth(span)
        if not depth:
            return self._selector.select(question, hits)
        asked = frozenset(terms(question.asked, question.language))
        outer = {
            other
            for score, other, _ in scored
            if other.document_id == span.document_id
            and score >= best - _NEAR
            and self._depth(other) < depth
            and self._says_something(other)
            and asked.intersection(terms(self._sources.text_of(other), question.language))
        }
        if outer:
            asks = {span for _, span, _ in scored if self._is_quoted_question(span)}
            hits = silenced(lifted(hits, outer), asks)
        return self._selector.select(question, hits)

    def _depth(self, span: Span) -> int:
        """In how many messages a sentence is quoted; 0 for what a message says itself."""
        document = self._sources.document(span.document_id)
        if document.media_type != _MAIL:
            return 0
        blocks = document.blocks_in(span.start, span.end)
        if not any(_QUOTED in block.place for block in blocks):
            return 0
        line = document.text[document.text.rfind("\n", 0, span.start) + 1 : span.end]
        signs = _DEPTH.match(line)
        return signs[1].count(">") if signs else 1

    def _says_something(self, span: Span) -> bool:
        document = self._sources.document(span.document_id)
        text = document.text[span.start : span.end]
        if any(block.place == "headers" for block in document.blocks_in(span.start, span.end)):
            return False
        is_frame = is_remark(text) or is_mail_header(text) or _ASKS.search(text)
        return not is_frame and len(text.split()) >= _FEWEST_WORDS

    def _is_quoted_question(self, span: Span) -> bool:
        return bool(_ASKS.search(self._sources.text_of(span)) and self._depth(span))
