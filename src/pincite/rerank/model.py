"""A model reads the question together with each candidate: slower, and it sees more."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from pincite.errors import ModelError
from pincite.records import Hit, Question, Ranking
from pincite.rerank.order import PASSAGE_SHARE, Cut, final_score, reorder
from pincite.stages import PairScorer, Reranker, Sources


class ModelReranker:
    """Orders what another reranker has compared by how well a model finds that it answers.

    The other one, `first`, drops nothing. It gives every sentence its score, and says in which
    order candidates are read where time is short. A sentence moves with its passage: by a third of
    what the model thinks better or worse of it. Where the model cannot judge, `instead` orders the
    candidates and the result says so.
    """

    def __init__(
        self,
        scorer: PairScorer,
        *,
        first: Reranker,
        instead: Reranker,
        sources: Sources,
        cut: Cut,
    ) -> None:
        self._scorer = scorer
        self._first = first
        self._instead = instead
        self._sources = sources
        self._cut = cut

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        """The first candidates with new scores in a new order, then the rest as they were."""
        compared = self._first.rerank(_with_half_of_the_time(question), hits)
        candidates, rest = self._cut.split(compared.hits)
        try:
            judged = self._judged(question, candidates)
        except ModelError as error:
            ranking = self._instead.rerank(question, hits)
            told = f"reranked without {self._scorer.name.partition('#')[0]}: {error}"
            return replace(ranking, notices=(*ranking.notices, told))
        came_with = {hit.passage.id: hit.score for hit in hits}
        scored = [
            self._scored(hit, came_with[hit.passage.id], score)
            for hit, score in zip(candidates, judged, strict=False)
        ]
        missed = candidates[len(judged) :]
        ranking = reorder(scored, [*missed, *rest], stage=self._scorer.kind, cut=self._cut)
        told = f"time budget: {len(judged)} of {len(candidates)} candidates were read by the model"
        return replace(ranking, notices=(*compared.notices, told) if missed else compared.notices)

    def _judged(self, question: Question, hits: Sequence[Hit]) -> list[float]:
        """Scores of the first hits: of all, or of as many as there is time for, at least some."""
        texts = [hit.passage.with_context(self._sources.text_of(hit.passage.span)) for hit in hits]
        step = len(texts) if question.deadline is None else self._scorer.together
        scores: list[float] = []
        seconds = 0.0
        while len(scores) < len(texts) and (
            question.deadline is None
            or not scores
            or time.perf_counter() + seconds <= question.deadline
        ):
            started = time.perf_counter()
            some = texts[len(scores) : len(scores) + step]
            scores += self._scorer.score(question.asked, some)
            seconds = time.perf_counter() - started
        return scores

    def _scored(self, hit: Hit, came_with: float, score: float) -> Hit:
        scored = hit.moved(came_with, **{self._scorer.kind: score})
        total = final_score(scored, stage=self._scorer.kind, cut=self._cut)
        moved = PASSAGE_SHARE * (total - hit.score)
        return replace(
            scored,
            sentence_scores=tuple(min(1.0, max(0.0, s + moved)) for s in hit.sentence_scores),
        )


def _with_half_of_the_time(question: Question) -> Question:
    if question.deadline is None:
        return question
    return replace(question, deadline=(time.perf_counter() + question.deadline) / 2)
