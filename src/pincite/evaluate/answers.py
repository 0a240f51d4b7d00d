"""Asks a labelled question and compares the answer with the gold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import TypeAlias

from pincite.evaluate.datasets import Collection, GoldQuestion, GoldSpan
from pincite.evaluate.judge import Judge, Judgement
from pincite.evaluate.measures import exact_match, redundancy
from pincite.library.library import Library
from pincite.pipeline import AnswerStages, answer_question
from pincite.records.flow import Answer, Citation, Claim, Hit, Mode, Question, Ranking
from pincite.text.mentions import holds
from pincite.verify.numbers.figures import check_figures

_PASSAGES = 5
"""Number of best passages that a judge reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRecord:
    """One answer, compared with the gold.

    `first_holds` and `any_holds` are None if the set has no gold positions, `right` and `shares` if
    there is no answer, `exact` if the set has no gold answer. `numeric_error` is None if there is no
    answer, and for counts, which no quote states. `redundancy_before` is that of the best sentences by
    score only, as many as were cited. `passages_relevant` has, for each judged passage, whether its
    document is relevant.
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
    """Ask one question and compare the answer; a judge, if given, then reads it."""
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
    """Whether the text, or one of its statements, is a gold answer."""
    if not question.answers:
        return None
    return exact_match([answer.text, *(claim.text for claim in answer.claims)], question.answers)


def _has_numeric_error(answer: Answer) -> bool | None:
    """Whether a number or date of a statement is in none of its quotes."""
    if not answer.citations or answer.mode is Mode.COUNTED:
        return None
    return any(_misstates(claim, answer) for claim in answer.claims)


def _misstates(claim: Claim, answer: Answer) -> bool:
    cited = [answer.citations[number - 1] for number in claim.citations]
    # `check_figures` expects a sentence: it cannot match a table's headers with its rows.
    if any(claim.text in citation.quote for citation in cited):
        return False
    return bool(check_figures(claim.text, cited).faults)


class _Watched:
    """Answering stages that record their reranked hits."""

    def __init__(self, stages: AnswerStages) -> None:
        self._reranker = stages.reranker
        self.hits: tuple[Hit, ...] = ()
        self.stages = replace(stages, reranker=self)

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        """The real reranker's ranking."""
        ranking = self._reranker.rerank(question, hits)
        self.hits = ranking.hits
        return ranking

    def best_sentences(self, library: Library, count: int) -> list[str]:
        """The `count` sentences with the highest scores, regardless of redundancy."""
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


# Comparison of citations with a labelled set.

Names: TypeAlias = Callable[[str], Sequence[str]]
"""Returns the ids in the set for a document of the library."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationShares:
    """Precision and recall of the citations of one answer, each in 0..1 (docs/evaluation.md).

    `precision` and `recall` are by relevant documents; `gold_precision` and `gold_recall` by the gold
    positions in them, None if the set has none.
    """

    precision: float
    recall: float
    gold_precision: float | None
    gold_recall: float | None


def holds_gold(
    citations: Sequence[Citation], question: GoldQuestion, names: Names
) -> list[bool] | None:
    """For each citation, whether it covers a gold span or, without spans, contains a gold answer.

    None if the set has neither.
    """
    if question.spans:
        return [any(_covers(c, span, names) for span in question.spans) for c in citations]
    if question.answers:
        return [any(holds(c.quote, gold) for gold in question.answers) for c in citations]
    return None


def is_right(citations: Sequence[Citation], question: GoldQuestion, names: Names) -> bool:
    """Whether any citation contains the gold or, without gold, the first is from a relevant document.

    Any answer to an unanswerable question is wrong.
    """
    if question.answerable is False:
        return False
    found = holds_gold(citations, question, names)
    if found is not None:
        return any(found)
    return any(is_relevant(citation.document, question, names) for citation in citations[:1])


def is_relevant(document: str, question: GoldQuestion, names: Names) -> bool:
    """Whether a document of the library is relevant to the question."""
    return any(name in question.relevant for name in names(document))


def citation_shares(
    citations: Sequence[Citation], question: GoldQuestion, names: Names
) -> CitationShares | None:
    """The shares of an answer; None without citations or relevant documents."""
    if not citations or not question.relevant:
        return None
    relevant = [is_relevant(citation.document, question, names) for citation in citations]
    cited = {name for citation in citations for name in names(citation.document)}
    held = holds_gold(citations, question, names)
    gold = None if held is None else [a and b for a, b in zip(relevant, held, strict=True)]
    return CitationShares(
        precision=float(mean(relevant)),
        recall=len(cited & question.relevant.keys()) / len(question.relevant),
        gold_precision=None if gold is None else float(mean(gold)),
        gold_recall=None if gold is None else _gold_recall(gold, citations, question, names),
    )


def _gold_recall(
    gold: Sequence[bool], citations: Sequence[Citation], question: GoldQuestion, names: Names
) -> float:
    """Share of the gold positions covered; gold answers count as alternatives."""
    if not question.spans:
        return float(any(gold))
    covered = [
        any(_covers(citation, span, names) for citation in citations for span in place)
        for place in _places(question.spans)
    ]
    return float(mean(covered))


def _places(spans: Sequence[GoldSpan]) -> Iterator[list[GoldSpan]]:
    """Overlapping spans as groups: annotators mark the same answer at different lengths."""
    place: list[GoldSpan] = []
    for span in sorted(spans, key=lambda one: (one.document, one.start)):
        reached = max((one.end for one in place if one.document == span.document), default=-1)
        if place and span.start >= reached:
            yield place
            place = []
        place.append(span)
    if place:
        yield place


def _covers(citation: Citation, span: GoldSpan, names: Names) -> bool:
    return (
        span.document in names(citation.document)
        and citation.start <= span.start
        and span.end <= citation.end
    )
