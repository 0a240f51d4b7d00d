"""Asks for an answer, and keeps how it compares with what a labelled set says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pincite.evaluate.collection import Collection
from pincite.evaluate.datasets import GoldQuestion
from pincite.evaluate.gold import CitationShares, citation_shares, holds_gold, is_relevant, is_right
from pincite.evaluate.judge import Judge, Judgement
from pincite.evaluate.measures import exact_match, redundancy
from pincite.library import Library
from pincite.pipeline import AnswerStages, answer_question
from pincite.records import Answer, Claim, Hit, Mode, Question, Ranking
from pincite.verify.figures import check_figures

_PASSAGES = 5
"""Best passages that a judge reads as what was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRecord:
    """One answer, and how it compares with the gold.

    `first_holds` and `any_holds` are None where the set does not say where the answer stands,
    `right` and `shares` where nothing was answered, `exact` where the set has no gold answer.
    `numeric_error` is None where nothing was answered, and for counts, which no quote states.
    `redundancy_before` is that of the best sentences by score alone, as many as were cited.
    `passages_relevant` says of the passages that were judged whether their document is relevant.
    """

    question: str
    answerable: bool
    answered: bool
    confidence: float
    sentences: int
    first_holds: bool | None
    any_holds: bool | None
    right: bool | None
    shares: CitationShares | None
    exact: bool | None
    numeric_error: bool | None
    cited_text: str
    answers: tuple[str, ...]
    redundancy_before: float
    redundancy_after: float
    timings: Mapping[str, float]
    passages_relevant: tuple[bool, ...] = ()
    judgement: Judgement | None = None


def answer_record(
    collection: Collection,
    stages: AnswerStages,
    question: GoldQuestion,
    judge: Judge | None = None,
) -> AnswerRecord:
    """Ask one question and compare; a judge reads the answer afterwards."""
    watched = _Watched(stages)
    answer = answer_question(Question(text=question.text), watched.stages)
    cited = answer.citations
    quotes = [citation.quote for citation in cited]
    held = holds_gold(cited, question, collection.names)
    best = watched.best_sentences(collection.library, len(quotes))
    read = [hit.passage.span for hit in watched.hits[:_PASSAGES]]
    passages = [collection.library.catalog.text_of(span) for span in read]
    return AnswerRecord(
        question=question.id,
        answerable=question.answerable is not False,
        answered=bool(cited),
        confidence=answer.confidence,
        sentences=len(quotes),
        first_holds=None if held is None else bool(held[:1] and held[0]),
        any_holds=None if held is None else any(held),
        right=is_right(cited, question, collection.names) if cited else None,
        shares=citation_shares(cited, question, collection.names),
        exact=_is_exact(answer, question),
        numeric_error=_has_numeric_error(answer),
        cited_text=" ".join(quotes),
        answers=question.answers,
        redundancy_before=redundancy(best),
        redundancy_after=redundancy(quotes),
        timings=dict(answer.timings),
        passages_relevant=tuple(
            is_relevant(span.document_id, question, collection.names) for span in read
        ),
        judgement=judge.judge(question, answer, passages) if judge else None,
    )


def _is_exact(answer: Answer, question: GoldQuestion) -> bool | None:
    """Whether the text, or a statement of it, is a gold answer."""
    if not question.answers:
        return None
    return exact_match([answer.text, *(claim.text for claim in answer.claims)], question.answers)


def _has_numeric_error(answer: Answer) -> bool | None:
    """Whether a number or date of a statement stands in none of the quotes that carry it."""
    if not answer.citations or answer.mode is Mode.COUNTED:
        return None
    return any(_misstates(claim, answer) for claim in answer.claims)


def _misstates(claim: Claim, answer: Answer) -> bool:
    cited = [answer.citations[number - 1] for number in claim.citations]
    # The reader takes a statement for a sentence: of a whole table it takes no head with its rows.
    if any(claim.text in citation.quote for citation in cited):
        return False
    return bool(check_figures(claim.text, cited).faults)


class _Watched:
    """Answering stages whose reranked hits can be looked at afterwards."""

    def __init__(self, stages: AnswerStages) -> None:
        self._reranker = stages.reranker
        self.hits: tuple[Hit, ...] = ()
        self.stages = replace(stages, reranker=self)

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        """What the real reranker gives."""
        ranking = self._reranker.rerank(question, hits)
        self.hits = ranking.hits
        return ranking

    def best_sentences(self, library: Library, count: int) -> list[str]:
        """The sentences with the highest scores, without a look at how much they repeat."""
        scored = sorted(
            (
                (score, span)
                for hit in self.hits
                for score, span in zip(hit.sentence_scores, hit.passage.sentences, strict=False)
            ),
            key=lambda pair: (-pair[0], pair[1]),
        )
        spans = dict.fromkeys(span for _, span in scored)
        return [library.catalog.text_of(span) for span in list(spans)[:count]]
