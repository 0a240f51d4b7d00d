"""The sentences of candidates, less those that answer nothing by what they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TypeAlias

from pincite.records.document import Block, BlockKind, Document, Span
from pincite.records.flow import Dropped, Hit, Passage, Question
from pincite.stages import Sources
from pincite.text.as_read import as_read, statement_key
from pincite.text.dates import moments
from pincite.text.details import details, identifiers
from pincite.text.remarks import asks_for_mail_header, is_mail_header, is_remark
from pincite.text.terms import terms

# Does a stretch of a document say anything when it stands alone?

_LONGEST_CHARS = 300
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]|[^\W\d_]{2,}")
_SENTENCE_END = re.compile(r"[.!。！।؟۔…:：][\s\"'”’»)\]*_]*$")
_QUESTION = re.compile(r"[?？؟][\s\"'”’»)\]*_]*$")
# A whole sentence in brackets has its full stop within them.
_IN_BRACKETS = re.compile(r"(?:\([^()]*[^().!?]\)|\[[^\[\]]*[^\[\].!?]\]|[\s.,;])+")
_CONTENTS_LINE = re.compile(
    r"(?:(?<!\.)\.{4,}+|(?<!\. )(?:\. ){3,}+|(?<!…)…{2,}+)[ .…]*+(?:\d{1,4}|[ivxlc]{1,7})$"
)
_PICTURES = re.compile(r"(?:!\[[^\[\]]*\]\([^()]*\)|<img\b[^<>]*>|\{%[^{}]*%\}|\s)+", re.IGNORECASE)
_FEWEST_WORDS = 3
"""Of what is a line of its own and does not end as a sentence does."""

_FEWEST_ASKING = 4
"""Of a question: "6 weeks?" asks nothing."""

_FEWEST_BRACKETED = 8
_FEWEST_IN_HEADING = 8
"""Of a heading without a figure that says something itself."""


def is_fragment(document: Document, span: Span) -> bool:
    """Whether it is no statement, whatever words it shares with a question."""
    if span.end - span.start > _LONGEST_CHARS:
        return False
    blocks = document.blocks_in(span.start, span.end)
    kind = blocks[0].kind if len(blocks) == 1 else None
    source = document.text[span.start : span.end]
    shown = as_read(source, document.media_type, kind).strip()
    if not any(map(str.isalnum, shown)):
        return True
    if kind is BlockKind.CODE:
        return False
    if is_remark(source):
        return True
    if kind is BlockKind.PARAGRAPH and _PICTURES.fullmatch(source):
        return True
    words = len(_WORD.findall(shown))
    if _QUESTION.search(shown):
        return words < _FEWEST_ASKING
    if _IN_BRACKETS.fullmatch(shown):
        return words < _FEWEST_BRACKETED
    if all(map(_CONTENTS_LINE.search, shown.splitlines())):
        return True
    return _is_line_of_few_words(shown, words, kind, is_whole=_is_whole(blocks, span))


def _is_whole(blocks: tuple[Block, ...], span: Span) -> bool:
    return len(blocks) == 1 and (blocks[0].start, blocks[0].end) == (span.start, span.end)


def _is_line_of_few_words(
    shown: str, words: int, kind: BlockKind | None, *, is_whole: bool
) -> bool:
    """Whether a block of its own is too short to say something: "FOUR", "12 March 2024", "- 7 -".

    An item of a list and a row of a table say what they are by what stands above them.
    """
    if not is_whole or kind not in (BlockKind.HEADING, BlockKind.PARAGRAPH):
        return False
    if _SENTENCE_END.search(shown):
        return False
    has_figure = any(map(str.isdigit, shown))
    if kind is BlockKind.HEADING:
        return words < (_FEWEST_WORDS if has_figure else _FEWEST_IN_HEADING)
    if not has_figure:
        return words < _FEWEST_WORDS and ":" not in shown
    return words == 0 or _is_date(shown)


def _is_date(shown: str) -> bool:
    found = moments(shown)
    outside = [
        sign
        for place, sign in enumerate(shown)
        if not any(moment.start <= place < moment.end for moment in found)
    ]
    return bool(found) and not any(map(str.isalnum, outside))


# Which rows of a table say nothing without the rows below them?

_LONGEST_LABEL_CHARS = 120
_ENDS_SENTENCE = (".", "!", "?", "。", "！", "？")
_ANNOUNCES = (":", "：")
_ROWS_BELOW = 3
"""So many rows below a label are looked at: labels stand above labels."""

_YEARS_ALONE = re.compile(r"\s*(?:(?:19|20)\d\d(?!\d)(?:\s+vs?\.?)?\s*){2,}")


def is_table_head(document: Document, passage: Passage, span: Span) -> bool:
    """Whether it heads columns ("2015 2014 2013"), or rows ("Cash flows from operating activities:").

    The heads of some tables are not recognised as such; a row of years alone is one anyway.
    """
    if passage.rows_under(span):
        return True
    blocks = document.blocks_in(span.start, span.end)
    if len(blocks) != 1 or blocks[0].kind is not BlockKind.TABLE_ROW:
        return False
    text = document.text[span.start : span.end].strip()
    return bool(_YEARS_ALONE.fullmatch(text)) or _is_label(document, blocks[0], text)


def _is_label(document: Document, row: Block, text: str) -> bool:
    """A row of one cell that announces the rows below, or stands above rows with heads.

    What ends like a sentence may be one that stands in a table, and what has a digit a value.
    """
    if len(row.cells) > 1 or len(text) > _LONGEST_LABEL_CHARS or any(map(str.isdigit, text)):
        return False
    if text.endswith(_ENDS_SENTENCE):
        return False
    first = document.first_block_behind(row.start) + 1
    below = list(
        takewhile(
            lambda block: block.kind is BlockKind.TABLE_ROW,
            islice(document.blocks, first, first + _ROWS_BELOW),
        )
    )
    return bool(below) and (
        text.endswith(_ANNOUNCES) or any(cell.column_headers for b in below for cell in b.cells)
    )


# A question in the documents ("How long are backups kept?") leads in what stands below it.

_ASKS = re.compile(r"[?？][\s*_]*$")
_LEAST_SHARED_WORDS = 0.5
"""Of the words of two questions together: so many in common, and the one repeats the other."""

_LEAST_PASTED_WORDS = 0.5
"""Of a code block: so many are in the question."""

_MOST_BEHIND_CODE = 6
"""Sentences behind a code block that take its score: the cause, and what to do."""

_LEAD_INS_MAIL = "message/rfc822"
_MOST_SENTENCES = 4
"""Of an answer that take its question's score."""

_LEAD_INS_FEWEST_WORDS = 4
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
    if document.media_type == _LEAD_INS_MAIL:
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
        if answer and len(texts[answer[0]].split()) >= _LEAD_INS_FEWEST_WORDS:
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


# The sentences of candidates, less those that answer nothing by what they are.

_MAIL = "message/rfc822"
_SENDER = re.compile(r"From: (?P<name>[^<\n]*)")
_PROSE = {BlockKind.PARAGRAPH, BlockKind.CODE, BlockKind.CAPTION}
_LONGEST_NAME = 4
"""In words."""

Scored: TypeAlias = tuple[float, Span, int, Hit]
"""The score of a sentence, where it stands, its place in its passage, and that passage."""


class Sentences:
    """Takes sentences from hits. Those up to `margin` below the best are near it."""

    def __init__(self, sources: Sources, margin: float) -> None:
        self._sources = sources
        self._margin = margin

    def that_may_answer(
        self, question: Question, hits: Sequence[Hit]
    ) -> tuple[list[Scored], list[Dropped]]:
        """Best first; and those that were left out, each with the reason."""
        scored, lead_ins = self._scored(question, hits)
        scored, fragments = self._without_fragments(scored)
        scored, again = self._said_once(scored)
        scored, headers = self._without_mail_headers(question, scored)
        scored, heads = self._without_table_heads(scored)
        scored, of_others = self._without_other_identifiers(question, scored)
        return scored, [*fragments, *again, *headers, *heads, *lead_ins, *of_others]

    def is_signature(self, span: Span) -> bool:
        """Whether it is the name of the one who wrote the message, and nothing else."""
        words = self._sources.text_of(span).split()
        if not all(map(str.isalpha, words)) or len(words) > _LONGEST_NAME:
            return False
        document = self._sources.document(span.document_id)
        sender = _SENDER.match(document.text) if document.media_type == _MAIL else None
        return sender is not None and set(words) <= set(sender["name"].split())

    def _scored(
        self, question: Question, hits: Sequence[Hit]
    ) -> tuple[list[Scored], list[Dropped]]:
        """All sentences, best first; but for the questions whose answer stands below them."""
        language = question.language
        asked = frozenset(terms(question.asked, language))
        scored: list[Scored] = []
        led_in: list[Dropped] = []
        best = max((score for hit in hits for score in hit.sentence_scores), default=0.0)
        for hit in hits:
            scores, lead_ins = hit.sentence_scores, frozenset[Span]()
            # Of what is far from the best nothing is chosen, and its document need not be read.
            if max(scores, default=-1.0) >= best - self._margin:
                passed = passed_on(hit, self._sources, asked, language)
                scores, lead_ins = passed.scores, passed.lead_ins
            for row, (score, span) in enumerate(zip(scores, hit.passage.sentences, strict=False)):
                if span in lead_ins:
                    led_in.append(
                        dropped_as(hit.passage, span, score, "a question, answered below")
                    )
                else:
                    scored.append((score, span, row, hit))
        return sorted(scored, key=lambda entry: (-entry[0], entry[1])), led_in

    def _without_fragments(self, scored: list[Scored]) -> tuple[list[Scored], list[Dropped]]:
        """A heading or a bare number is no evidence, even where nothing else is near."""

        def is_no_statement(entry: Scored) -> bool:
            return is_fragment(self._sources.document(entry[1].document_id), entry[1])

        best = next((entry[0] for entry in scored if not is_no_statement(entry)), -1.0)
        fragments = {
            entry[1]
            for entry in scored
            if entry[0] >= best - self._margin and is_no_statement(entry)
        }
        told = [
            dropped_as(hit.passage, span, score, "a fragment that says nothing alone")
            for score, span, _, hit in scored
            if span in fragments
        ]
        return [entry for entry in scored if entry[1] not in fragments], told

    def _said_once(self, scored: list[Scored]) -> tuple[list[Scored], list[Dropped]]:
        """Of a statement that stands in several files word for word the best scored is kept.

        Items of lists and rows of tables in the same words may say something else in another file.
        """
        kept: list[Scored] = []
        told: list[Dropped] = []
        said: dict[str, str] = {}
        for entry in scored:
            score, span, _, hit = entry
            if score < scored[0][0] - self._margin:
                kept.append(entry)
                continue
            document = self._sources.document(span.document_id)
            kinds = {block.kind for block in document.blocks_in(span.start, span.end)}
            key = statement_key(self._sources.text_of(span), document.media_type)
            if kinds <= _PROSE and said.setdefault(key, document.id) != document.id:
                told.append(
                    dropped_as(hit.passage, span, score, "another file says so word for word")
                )
            else:
                kept.append(entry)
        return kept, told

    def _without_mail_headers(
        self, question: Question, scored: list[Scored]
    ) -> tuple[list[Scored], list[Dropped]]:
        """The lines above a message hold its subject's words: they are no answer beside its text."""
        if asks_for_mail_header(question.plain):
            return scored, []
        near = [entry for entry in scored if entry[0] >= scored[0][0] - self._margin]
        headers = [entry for entry in near if is_mail_header(self._sources.text_of(entry[1]))]
        if len(headers) == len(near):
            return scored, []
        spans = {span for _, span, _, _ in headers}
        told = [
            dropped_as(hit.passage, span, score, "headers of a message and no sentence")
            for score, span, _, hit in headers
        ]
        return [entry for entry in scored if entry[1] not in spans], told

    def _without_table_heads(self, scored: list[Scored]) -> tuple[list[Scored], list[Dropped]]:
        """What heads a table answers nothing alone; only what is best brings the rows below along."""
        if not scored or scored[0][3].passage.rows_under(scored[0][1]):
            return scored, []
        best = next((entry[0] for entry in scored if not self._is_table_head(entry)), -1.0)
        if best < scored[0][0] - self._margin:
            return scored, []
        near = [entry for entry in scored if entry[0] >= best - self._margin]
        heads = {entry[1] for entry in near if self._is_table_head(entry)}
        told = [
            dropped_as(hit.passage, span, score, "heads a table and says nothing alone")
            for score, span, _, hit in near
            if span in heads
        ]
        return [entry for entry in scored if entry[1] not in heads], told

    def _is_table_head(self, entry: Scored) -> bool:
        _, span, _, hit = entry
        return is_table_head(self._sources.document(span.document_id), hit.passage, span)

    def _without_other_identifiers(
        self, question: Question, scored: list[Scored]
    ) -> tuple[list[Scored], list[Dropped]]:
        """Where a sentence names the thing that is asked for, those of others of its series answer
        nothing: rows of a table differ in their number, and to an encoder in nothing."""
        asked = identifiers(details(question.asked))
        if not asked:
            return scored, []
        named = [identifiers(details(self._read(span, hit))) for _, span, _, hit in scored]
        if not any(asked.keys() & found for found in named):
            return scored, []
        series = set(asked.values())
        is_other = [
            not asked.keys() & found and bool(series.intersection(found.values()))
            for found in named
        ]
        told = [
            dropped_as(hit.passage, span, score, f"names none of: {', '.join(sorted(asked))}")
            for (score, span, _, hit), other in zip(scored, is_other, strict=True)
            if other
        ]
        kept = [entry for entry, other in zip(scored, is_other, strict=True) if not other]
        return kept, told

    def _read(self, span: Span, hit: Hit) -> str:
        """A sentence, and the headings above it."""
        return " \n ".join([*hit.passage.section, self._sources.text_of(span)])


def dropped_as(passage: Passage, span: Span, score: float, reason: str) -> Dropped:
    """A sentence that was left out."""
    return Dropped(passage=passage, span=span, score=score, reason=reason)
