"""Asks for an answer, and keeps how it compares with what a labelled set says."""

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


# Do the citations of an answer lead to what a labelled set says is right?

Names: TypeAlias = Callable[[str], Sequence[str]]
"""Gives the ids in the set of a document of the library."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationShares:
    """Precision and recall of the citations of one answer, each in 0..1 (docs/evaluation.md).

    `precision` and `recall` go by relevant documents; `gold_precision` and `gold_recall` by where
    the answer stands in them, None where the set does not say.
    """

    precision: float
    recall: float
    gold_precision: float | None
    gold_recall: float | None


def holds_gold(
    citations: Sequence[Citation], question: GoldQuestion, names: Names
) -> list[bool] | None:
    """For each citation, whether it covers a gold span; by whole words where there are no spans.

    None where the set does not say where the answer stands.
    """
    if question.spans:
        return [any(_covers(c, span, names) for span in question.spans) for c in citations]
    if question.answers:
        return [any(holds(c.quote, gold) for gold in question.answers) for c in citations]
    return None


def is_right(citations: Sequence[Citation], question: GoldQuestion, names: Names) -> bool:
    """Whether some citation holds the gold; the first is from a relevant document where none is told.

    An answer to a question that has none is wrong.
    """
    if question.answerable is False:
        return False
    found = holds_gold(citations, question, names)
    if found is not None:
        return any(found)
    return any(is_relevant(citation.document, question, names) for citation in citations[:1])


def is_relevant(document: str, question: GoldQuestion, names: Names) -> bool:
    """Whether a document of the library is one that answers the question."""
    return any(name in question.relevant for name in names(document))


def citation_shares(
    citations: Sequence[Citation], question: GoldQuestion, names: Names
) -> CitationShares | None:
    """None where nothing was cited, and where the set has no relevant document."""
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
    """Share of the gold places that are covered; gold answers are ways to say one thing."""
    if not question.spans:
        return float(any(gold))
    covered = [
        any(_covers(citation, span, names) for citation in citations for span in place)
        for place in _places(question.spans)
    ]
    return float(mean(covered))


def _places(spans: Sequence[GoldSpan]) -> Iterator[list[GoldSpan]]:
    """Spans that overlap, together: annotators mark one answer in longer and in shorter ways."""
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
