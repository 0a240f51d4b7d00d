"""The sentences of candidates, less those that answer nothing by what they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from pincite.document import BlockKind, Span
from pincite.evidence.fragments import is_fragment
from pincite.evidence.lead_ins import passed_on
from pincite.evidence.table_heads import is_table_head
from pincite.records import Dropped, Hit, Passage, Question
from pincite.stages import Sources
from pincite.text.as_read import statement_key
from pincite.text.details import details, identifiers
from pincite.text.remarks import asks_for_mail_header, is_mail_header
from pincite.text.terms import terms

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
