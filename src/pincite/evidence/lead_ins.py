"""A question in the documents ("How long are backups kept?") leads in what stands below it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from pincite.document import Block, BlockKind, Document, Span
from pincite.records import Hit
from pincite.stages import Sources
from pincite.text.terms import terms

_ASKS = re.compile(r"[?？][\s*_]*$")
_LEAST_SHARED_WORDS = 0.5
"""Of the words of two questions together: so many in common, and the one repeats the other."""

_LEAST_PASTED_WORDS = 0.5
"""Of a code block: so many are in the question."""

_MOST_BEHIND_CODE = 6
"""Sentences behind a code block that take its score: the cause, and what to do."""

_MAIL = "message/rfc822"
_MOST_SENTENCES = 4
"""Of an answer that take its question's score."""

_FEWEST_WORDS = 4
"""Of an answer that can be read without its question: "No." cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOn:
    """The sentence scores of a passage, and the sentences among them that only lead in others."""

    scores: tuple[float, ...]
    lead_ins: frozenset[Span]


def passed_on(hit: Hit, sources: Sources, asked: frozenset[str], language: str) -> PassedOn:
    """Each question of a passage passes its score on to the sentences that answer it.

    That is a question in a line or a block of its own, or one that repeats the question that was
    `asked` (its terms). A message in a code block that is asked about word for word does so too: behind
    it stands what to do. Its answer is what follows in one block. In mail the next
    line answers nothing.
    """
    scores = list(hit.sentence_scores)
    spans = hit.passage.sentences[: len(scores)]
    document = sources.document(hit.passage.span.document_id)
    if document.media_type == _MAIL:
        return PassedOn(scores=tuple(scores), lead_ins=frozenset())
    texts = [sources.text_of(span) for span in spans]
    asks = [_ASKS.search(text) is not None for text in texts]
    lead_ins = set()
    for row, text in enumerate(texts):
        if _is_pasted(document, spans[row], frozenset(terms(text, language)), asked):
            for follower in range(row + 1, min(row + 1 + _MOST_BEHIND_CODE, len(spans))):
                scores[follower] = max(scores[follower], scores[row])
            continue
        if not asks[row] or not (
            _stands_alone(document, spans[row]) or _repeats(frozenset(terms(text, language)), asked)
        ):
            continue
        answer = _answer(document, spans, asks, row)
        for follower in answer:
            scores[follower] = max(scores[follower], scores[row])
        if answer and len(texts[answer[0]].split()) >= _FEWEST_WORDS:
            lead_ins.add(spans[row])
    return PassedOn(scores=tuple(scores), lead_ins=frozenset(lead_ins))


def _repeats(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _LEAST_SHARED_WORDS * len(one | other)


def _is_pasted(document: Document, span: Span, said: frozenset[str], asked: frozenset[str]) -> bool:
    """Whether the question is made of the words of a code block, such as the message of an error."""
    block = _block(document, span)
    is_code = block is not None and block.kind is BlockKind.CODE
    return is_code and len(said & asked) >= _LEAST_PASTED_WORDS * max(len(said), 1)


def _stands_alone(document: Document, span: Span) -> bool:
    """Whether nothing else stands in its lines, or in its block."""
    text = document.text
    before = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    behind = text[span.end : (text.find("\n", span.end) + 1) or None]
    if not before.strip() and not behind.strip():
        return True
    return any(
        text[block.start : block.end].strip() == text[span.start : span.end]
        for block in document.blocks_in(span.start, span.end)
    )


def _answer(document: Document, spans: Sequence[Span], asks: Sequence[bool], row: int) -> list[int]:
    """The rows of the sentences behind a question, up to the next question or the end of the block."""
    rows = list(takewhile(lambda at: not asks[at], range(row + 1, len(spans))))
    if not rows:
        return []
    block = _block(document, spans[rows[0]])
    return [*takewhile(lambda at: _block(document, spans[at]) == block, rows)][:_MOST_SENTENCES]


def _block(document: Document, span: Span) -> Block | None:
    return next(iter(document.blocks_in(span.start, span.end)), None)
