"""Chooses sentences by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998)."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from pincite.records.document import BlockKind, Span
from pincite.records.flow import Dropped, Evidence, Hit, Passage, Question, Selection
from pincite.stages import Sources
from pincite.text.as_read import statement_key
from pincite.text.details import details, details_asked, identifiers, words_beside_details
from pincite.text.keys import is_headed, key_terms, named_by
from pincite.text.marks import is_struck_out
from pincite.text.negations import is_negated
from pincite.text.remarks import is_header_place, may_be_answered_by_header
from pincite.text.structure import is_contents_line
from pincite.text.terms import terms, tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    span: Span
    passage: Passage
    score: float
    quote: str
    vector: NDArray[Any] | None
    terms: frozenset[str]
    details: frozenset[str]
    words: frozenset[str]
    """Terms without those of the details."""
    heads: frozenset[Span]
    """The header cells above the columns of a table row."""
    in_cells: frozenset[str]
    """The words of the row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The words of a question: `details` as written, and terms."""

    details: frozenset[str]
    terms: frozenset[str]


_LEAST_SHARED_WORDS = 0.5
"""With this share of the words of both sentences in common, details aside, only details differ."""

_LEAST_REPEATED_WORDS = 0.5
"""A sentence that shares less of its words is no repeat, however similar the vectors. These depend on
the context, so neighbours with different words are similar."""


class MmrSelector:
    """Selects up to `max_sentences` sentences that are near the best one and do not repeat each other.

    Only sentences that score at most `margin` below the best are considered, so that an answer
    which one sentence gives is one sentence. A sentence before the best one in the same passage
    would be read first, so for it the margin is `lead_margin`. Among these, the next sentence is
    the one with the highest `mmr_lambda` x score - (1 - `mmr_lambda`) x similarity to the chosen
    ones, except those for which it gives another value. A sentence more similar than
    `max_similarity` to a chosen one, in the same words, is a repeat, unless it says the same of
    something else that the question may mean, gives another value for it, denies it, or contains
    a word of the question that the chosen one lacks.
    """

    def __init__(
        self,
        sources: Sources,
        *,
        max_sentences: int,
        mmr_lambda: float,
        max_similarity: float,
        margin: float,
        lead_margin: float,
    ) -> None:
        self._sources = sources
        self._max_sentences = max_sentences
        self._lambda = mmr_lambda
        self._max_similarity = max_similarity
        self._margin = margin
        self._lead_margin = lead_margin

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """Sentences in the order they were chosen, best first; empty without candidates."""
        chosen: list[_Candidate] = []
        asked = _Asked(
            details=details_asked(question.asked),
            terms=frozenset(terms(question.asked, question.language)),
        )
        pool, dropped = self._candidates(question, hits)
        while pool and len(chosen) < self._max_sentences:
            alike = {item.span: [_similarity(item, other) for other in chosen] for item in pool}
            repeats = [self._repeats(item, alike[item.span], chosen, asked) for item in pool]
            dropped += [found for found in repeats if found]
            pool = [item for item, found in zip(pool, repeats, strict=True) if not found]
            if not pool:
                break
            best = max(pool, key=lambda item: self._marginal(item, alike[item.span], chosen, asked))
            chosen.append(best)
            pool.remove(best)
        full = f"better ones were chosen, at most {self._max_sentences}"
        return Selection(
            evidence=tuple(
                Evidence(
                    id=f"e{number}",
                    span=item.span,
                    quote=item.quote,
                    passage=item.passage,
                    score=item.score,
                )
                for number, item in enumerate(chosen, start=1)
            ),
            dropped=(
                *dropped,
                *(dropped_as(item.passage, item.span, item.score, full) for item in pool),
            ),
        )

    def _marginal(
        self,
        item: _Candidate,
        alike: Sequence[float],
        chosen: Sequence[_Candidate],
        asked: _Asked,
    ) -> float:
        """Marginal relevance. Another value for the same thing is not penalised for its similarity."""
        nearest = max(
            (
                similarity
                for similarity, other in zip(alike, chosen, strict=True)
                if item.heads & other.heads or not _tells_more(item, other, asked.details)
            ),
            default=0.0,
        )
        return self._lambda * item.score - (1 - self._lambda) * nearest

    def _repeats(
        self,
        item: _Candidate,
        alike: Sequence[float],
        chosen: Sequence[_Candidate],
        asked: _Asked,
    ) -> Dropped | None:
        """The item with the reason for dropping it, if it repeats a chosen one."""
        similarity, number = max(
            (
                (similarity, number)
                for number, (similarity, other) in enumerate(zip(alike, chosen, strict=True), 1)
                if similarity > self._max_similarity
                and not _tells_more(item, other, asked.details)
                and not _tells_other(item, other, asked.terms)
            ),
            default=(0.0, 0),
        )
        if not number:
            return None
        reason = f"repeats e{number}: similarity {similarity:.3f} > {self._max_similarity:.3f}"
        return dropped_as(item.passage, item.span, item.score, reason)

    def _candidates(
        self, question: Question, hits: Sequence[Hit]
    ) -> tuple[list[_Candidate], list[Dropped]]:
        """Sentences near the best, best first, each once even if two passages share it.

        The best sentence of a passage without any is among the dropped.
        """
        scored, dropped = that_may_answer(question, hits, self._sources)
        scored, repeated = said_once(scored, self._sources, self._margin)
        dropped += repeated
        unique: dict[Span, _Candidate] = {}
        seen: set[str] = set()
        for score, span, row, hit in scored:
            top = scored[0][0]
            leads_in = _leads_in(span, hit, scored[0])
            margin = self._lead_margin if leads_in else self._margin
            if score < top - margin:
                if leads_in or hit.passage.id not in seen:
                    dropped.append(dropped_as(hit.passage, span, score, _far(score, top, margin)))
            elif span in unique:
                same = f"the same sentence counts as one of {unique[span].passage.id}"
                dropped.append(dropped_as(hit.passage, span, score, same))
            else:
                unique[span] = self._candidate(span, hit, row, score, question.language)
            seen.add(hit.passage.id)
        return list(unique.values()), dropped

    def _candidate(self, span: Span, hit: Hit, row: int, score: float, language: str) -> _Candidate:
        quote = self._sources.text_of(span)
        vectors = hit.sentence_vectors
        blocks = self._sources.document(span.document_id).blocks_in(span.start, span.end)
        cells = [cell for block in blocks for cell in block.cells]
        heads = frozenset(
            replace(span, start=start, end=end)
            for cell in cells
            for start, end in cell.column_headers
        )
        text = " ".join(
            self._sources.text_of(replace(span, start=cell.start, end=cell.end)) for cell in cells
        )
        return _Candidate(
            span=span,
            passage=hit.passage,
            score=score,
            quote=quote,
            vector=None if vectors is None else vectors[row],
            terms=frozenset(terms(quote, language)),
            details=details(quote),
            words=words_beside_details(quote),
            heads=heads,
            in_cells=details_asked(text).union(terms(text)) if heads else frozenset(),
        )


def _leads_in(span: Span, hit: Hit, best: Scored) -> bool:
    """Whether it precedes the best sentence in the same passage."""
    return hit.passage.id == best[3].passage.id and span.start < best[1].start


def _far(score: float, top: float, margin: float) -> str:
    return f"score {score:.3f} is outside the margin: {top - margin:.3f} needed, best {top:.3f}"


def _tells_more(item: _Candidate, other: _Candidate, asked: frozenset[str]) -> bool:
    """Whether two sentences of the same words differ in details, and the question may mean both.

    Two rows of one table say the same of different things, so every word in them is a detail.
    """
    if item.heads & other.heads:
        return _may_both_be_meant(item.in_cells, other.in_cells, asked)
    if not _may_both_be_meant(item.details, other.details, asked):
        return False
    shared, all_words = item.words & other.words, item.words | other.words
    return bool(shared) and len(shared) >= _LEAST_SHARED_WORDS * len(all_words)


def _may_both_be_meant(mine: frozenset[str], its: frozenset[str], asked: frozenset[str]) -> bool:
    """False if the question names a detail of the other one only, and none of this one."""
    here, there = mine - its, its - mine
    return bool(here and there) and not (there & asked and not here & asked)


def _tells_other(item: _Candidate, other: _Candidate, asked: frozenset[str]) -> bool:
    """Whether it says something else, however similar the vectors are.

    A sentence before the other one is read first, so it must contain a further word of the
    question. Rows of one table are decided by the question.
    """
    if item.heads & other.heads:
        return False
    if (item.terms - other.terms) & asked or is_negated(item.quote) != is_negated(other.quote):
        return True
    leads_in = item.passage.id == other.passage.id and item.span.start < other.span.start
    shared = len(item.terms & other.terms)
    return not leads_in and shared < _LEAST_REPEATED_WORDS * len(item.terms)


def _similarity(one: _Candidate, other: _Candidate) -> float:
    """Cosine of the sentence vectors; without vectors, the share of words in common (Jaccard)."""
    if one.vector is not None and other.vector is not None:
        return float(one.vector @ other.vector)
    union = one.terms | other.terms
    return len(one.terms & other.terms) / len(union) if union else 1.0


# The scored sentences of hits, without those about another thing of the same series.

_ABOUT_QUESTIONS = re.compile(
    r"\b(?:questions?|asks?|asked|asking|frag\w+|demand\w+|pregunt\w+)\b", re.IGNORECASE
)
_BEHIND_QUESTION = " \t\n*_)]\"”»'"
_LINK_TARGET = re.compile(r"\]\([^()\s]{0,500}\)\W*$")
_REPEATED = 0.7
"""A sentence that asks with this share of the question's words repeats it."""

_LEAD = 0.001
"""How far what is named is put above the best of the others."""

_LOOKED_AT = 40
"""Sentences that may be chosen at all are among so many."""

_NEAR_STRUCK = 0.15
"""A sentence that holds and scores so far below a struck-out one at most takes its place."""

_PROSE = {BlockKind.PARAGRAPH, BlockKind.CODE, BlockKind.CAPTION}

Scored: TypeAlias = tuple[float, Span, int, Hit]
"""The score of a sentence, its span, its index in its passage, and the hit."""


def that_may_answer(
    question: Question, hits: Sequence[Hit], sources: Sources
) -> tuple[list[Scored], list[Dropped]]:
    """The sentences that may answer, best first, and those that were left out with the reason.

    If a sentence names the thing that is asked for, sentences about others of its series answer
    nothing: table rows may differ only in their number, which an encoder does not see.
    """
    scored = sorted(_scored(hits), key=lambda entry: (-entry[0], entry[1]))
    scored, silent = _that_say_something(question, scored, sources)
    scored, struck = _that_hold(question, scored, sources)
    scored = _named_first(question, scored, sources)
    dropped = [*silent, *struck]
    asked = identifiers(question.asked)
    if not asked:
        return scored, dropped
    named = [identifiers(_read(span, hit, sources)) for _, span, _, hit in scored]
    if not any(asked.keys() & found for found in named):
        return scored, dropped
    series = set(asked.values())
    is_other = [
        not asked.keys() & found and bool(series.intersection(found.values())) for found in named
    ]
    dropped += [
        dropped_as(hit.passage, span, score, f"names none of: {', '.join(sorted(asked))}")
        for (score, span, _, hit), other in zip(scored, is_other, strict=True)
        if other
    ]
    kept = [entry for entry, other in zip(scored, is_other, strict=True) if not other]
    return kept, dropped


def _that_say_something(
    question: Question, scored: Sequence[Scored], sources: Sources
) -> tuple[list[Scored], list[Dropped]]:
    """Without what cannot answer: sentences that ask, contents lines, a message's header.

    A header answers only questions about the message. Around a repetition of the question itself, the
    sentence behind it may answer, and what has half of its words.
    """
    reasons = _why_silent(question, scored, sources)
    kept = [entry for entry in scored if entry[1] not in reasons]
    dropped = [
        dropped_as(hit.passage, span, score, reasons[span])
        for score, span, _, hit in scored
        if span in reasons
    ]
    return kept, dropped


def _why_silent(question: Question, scored: Sequence[Scored], sources: Sources) -> dict[Span, str]:
    by_header = may_be_answered_by_header(question.plain, question.language)
    may_ask = _ABOUT_QUESTIONS.search(question.plain) is not None
    asked = set(terms(question.asked, question.language))
    reasons: dict[Span, str] = {}
    speaking = 0
    for _, span, row, hit in scored:
        if speaking >= _LOOKED_AT:
            break
        text = sources.text_of(span)
        if is_contents_line(sources.document(span.document_id), span.start, span.end):
            reasons[span] = "a line of the contents"
        elif not may_ask and _asks(text):
            reasons[span] = "it asks and does not answer"
            if len(asked.intersection(terms(text, question.language))) >= _REPEATED * len(asked):
                reasons |= _beside_repetition(question, row, hit, sources)
        elif not by_header and _is_header(span, sources):
            reasons[span] = "a message's header does not say this of what the message is about"
        else:
            speaking += 1
    return reasons


def _asks(text: str) -> bool:
    return _LINK_TARGET.sub("", text.rstrip()).rstrip(_BEHIND_QUESTION).endswith(("?", "？"))


def _beside_repetition(
    question: Question, asking: int, hit: Hit, sources: Sources
) -> dict[Span, str]:
    """The sentences of a passage that say as little of the question as its repetition does."""
    asked = set(terms(question.asked, question.language))
    return {
        span: "it stands beside the question itself and has few of its words"
        for row, span in enumerate(hit.passage.sentences)
        if row not in (asking, asking + 1)
        and 2 * len(asked.intersection(terms(sources.text_of(span), question.language)))
        < len(asked)
    }


def _is_header(span: Span, sources: Sources) -> bool:
    blocks = sources.document(span.document_id).blocks_in(span.start, span.end)
    return any(is_header_place(block.place) for block in blocks)


def _named_first(question: Question, scored: list[Scored], sources: Sources) -> list[Scored]:
    """Sentences with a date or number that is asked about come first, in whatever form they have it.

    So do those below a heading that is the symbol that is asked about: others only mention it. What
    it is or does is said first there.
    """
    if below := [one for one in scored if is_headed(question.asked, one[3].passage.section)]:
        return _raised(scored, _said_first(question, below))
    asked = named_by(question.asked)
    if not asked:
        return scored
    texts = [_read(span, hit, sources) for _, span, _, hit in scored]
    held = [len(asked.intersection([*tokens(text.lower()), *key_terms(text)])) for text in texts]
    # Of a day and its month, what has the day names it better.
    most = max(held, default=0)
    named = {entry[1] for entry, count in zip(scored, held, strict=True) if count == most > 0}
    return _raised(scored, named)


def _said_first(question: Question, below: Sequence[Scored]) -> set[Span]:
    """All sentences below these headings; the first ones, if nothing but the heading is asked about."""
    heads = " ".join(hit.passage.section[-1] for _, _, _, hit in below)
    asked = {*terms(question.asked, question.language)}
    if not asked <= {*terms(heads, question.language)}:
        return {span for _, span, _, _ in below}
    first: dict[tuple[str, tuple[str, ...]], Span] = {}
    for _, span, _, hit in below:
        section = (span.document_id, hit.passage.section)
        first[section] = min(first.get(section, span), span, key=lambda one: one.start)
    return {*first.values()}


def _raised(scored: list[Scored], named: Container[Span]) -> list[Scored]:
    """With the sentences that are named above the best of the others."""
    best = max((score for score, span, _, _ in scored if span in named), default=0.0)
    others = max((score for score, span, _, _ in scored if span not in named), default=0.0)
    lift = max(0.0, others + _LEAD - best) if named else 0.0
    raised = [
        (min(1.0, score + lift) if span in named else score, span, row, hit)
        for score, span, row, hit in scored
    ]
    return sorted(raised, key=lambda entry: -entry[0])


def _that_hold(
    question: Question, scored: Sequence[Scored], sources: Sources
) -> tuple[list[Scored], list[Dropped]]:
    """Without struck-out sentences in whose place another one says as much of what is asked.

    Without such a one they stay, and the answer says that they are struck out.
    """
    texts = {entry[1]: sources.text_of(entry[1]) for entry in scored[:_LOOKED_AT]}
    struck = {span for span, text in texts.items() if is_struck_out(text)}
    if not struck:
        return list(scored), []
    asked = set(terms(question.asked, question.language))
    said = {
        span: asked.intersection(terms(text, question.language)) for span, text in texts.items()
    }
    replaced = {
        span
        for score, span, _, _ in scored[:_LOOKED_AT]
        if span in struck
        and any(
            other not in struck and its >= score - _NEAR_STRUCK and said[span] <= said[other]
            for its, other, _, _ in scored[:_LOOKED_AT]
        )
    }
    dropped = [
        dropped_as(hit.passage, span, score, "struck out in its source")
        for score, span, _, hit in scored
        if span in replaced
    ]
    return [entry for entry in scored if entry[1] not in replaced], dropped


def said_once(
    scored: Sequence[Scored], sources: Sources, margin: float
) -> tuple[list[Scored], list[Dropped]]:
    """Of prose that several files have word for word, the best scored is kept; the others are dropped.

    Sentences more than `margin` below the best are not looked at. List items and table rows in the
    same words may mean something else in another file.
    """
    kept: list[Scored] = []
    dropped: list[Dropped] = []
    said: dict[str, str] = {}
    for entry in scored:
        score, span, _, hit = entry
        if score < scored[0][0] - margin:
            kept.append(entry)
            continue
        document = sources.document(span.document_id)
        kinds = {block.kind for block in document.blocks_in(span.start, span.end)}
        key = statement_key(sources.text_of(span), document.media_type)
        if kinds <= _PROSE and said.setdefault(key, document.id) != document.id:
            dropped.append(
                dropped_as(hit.passage, span, score, "another file says this word for word")
            )
        else:
            kept.append(entry)
    return kept, dropped


def _scored(hits: Sequence[Hit]) -> list[Scored]:
    return [
        (score, span, row, hit)
        for hit in hits
        for row, (score, span) in enumerate(
            zip(hit.sentence_scores, hit.passage.sentences, strict=False)
        )
    ]


def _read(span: Span, hit: Hit, sources: Sources) -> str:
    """A sentence with the headings above it."""
    return " \n ".join([*hit.passage.section, sources.text_of(span)])


def dropped_as(passage: Passage, span: Span, score: float, reason: str) -> Dropped:
    """A sentence that was left out."""
    return Dropped(passage=passage, span=span, score=score, reason=reason)
