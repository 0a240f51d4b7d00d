from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from pincite.errors import ModelError
from pincite.records.flow import Question
from pincite.rerank.cross_encoders import ModelReranker
from pincite.rerank.late_interaction import LateInteractionReranker
from pincite.rerank.order import Cut
from pincite.rerank.token_state_cache import HotPassages
from pincite.rerank.without_model import SentenceCosineReranker, TermCoverageReranker
from pincite.stages import Reranker
from pincite.testing.contracts import RerankerContract
from pincite.testing.fakes import EvenWeights, FakeEncoder
from pincite.testing.samples import SmallLibrary, small_library
from tests.rerank.test_rerankers import TEXTS

QUESTION = Question(text="At which pressure does the relief valve open?")
ALL = Cut(candidates=99, weight=0.75, threshold=0.0)


class Judge:
    """Finds whatever holds a word good, and the rest bad."""

    name = "judge#1234"
    kind = "judge"
    runtime = "words"
    together = 2

    def __init__(self, word: str = "ceramics", *, seconds: float = 0.0) -> None:
        self.word = word
        self.seconds = seconds
        self.asked: list[Sequence[str]] = []

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        self.asked.append(texts)
        time.sleep(self.seconds)
        return [0.9 if self.word in text else 0.1 for text in texts]


class Broken(Judge):
    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        raise ModelError("it is out of order")


@pytest.fixture(scope="module")
def small() -> SmallLibrary:
    return small_library(TEXTS, FakeEncoder())


def late(small: SmallLibrary, cut: Cut) -> Reranker:
    hot = HotPassages(small.encoder, limit_bytes=1_000_000)
    return LateInteractionReranker(small.encoder, hot, small.sources, EvenWeights(), cut)


def made(small: SmallLibrary, scorer: Judge, cut: Cut = ALL) -> ModelReranker:
    first = late(small, replace(cut, threshold=0.0))
    return ModelReranker(
        scorer, first=first, instead=late(small, cut), sources=small.sources, cut=cut
    )


class TestOverLateInteraction(RerankerContract):
    @pytest.fixture
    def reranker(self, small: SmallLibrary) -> Reranker:
        return made(small, Judge())


class TestOverSentenceCosine(RerankerContract):
    @pytest.fixture
    def reranker(self, small: SmallLibrary) -> Reranker:
        by_vectors = SentenceCosineReranker(small.encoder, small.sentence_vectors, ALL)
        return ModelReranker(
            Judge(), first=by_vectors, instead=by_vectors, sources=small.sources, cut=ALL
        )


class TestOverTermCoverage(RerankerContract):
    @pytest.fixture
    def reranker(self, small: SmallLibrary) -> Reranker:
        by_words = TermCoverageReranker(small.sources, EvenWeights(), ALL)
        return ModelReranker(
            Judge(), first=by_words, instead=by_words, sources=small.sources, cut=ALL
        )


class TestOfAModelThatFails(RerankerContract):
    @pytest.fixture
    def reranker(self, small: SmallLibrary) -> Reranker:
        return made(small, Broken())


def test_the_model_decides_by_its_weight(small: SmallLibrary) -> None:
    cut = Cut(candidates=99, weight=0.6, threshold=0.0)
    ranking = made(small, Judge(), cut).rerank(QUESTION, small.hits(QUESTION))
    assert "ceramics" in small.sources.text_of(ranking[0].passage.span)
    for hit in ranking:
        assert hit.score == pytest.approx(0.6 * hit.scores["judge"] + 0.4 * hit.scores["fused"])
        assert "late_interaction" in hit.scores


def test_the_model_reads_name_and_headings_too(small: SmallLibrary) -> None:
    judge = Judge()
    hits = small.hits(QUESTION)
    made(small, judge).rerank(QUESTION, hits)
    read = {text for texts in judge.asked for text in texts}
    assert read == {
        hit.passage.with_context(small.sources.text_of(hit.passage.span)) for hit in hits
    }


def test_a_sentence_moves_with_its_passage(small: SmallLibrary) -> None:
    hits = small.hits(QUESTION)
    before = {hit.passage.id: hit for hit in late(small, ALL).rerank(QUESTION, hits)}
    for hit in made(small, Judge()).rerank(QUESTION, hits):
        old = before[hit.passage.id]
        for new, was in zip(hit.sentence_scores, old.sentence_scores, strict=True):
            expected = min(1.0, max(0.0, was + (hit.score - old.score) / 3))
            assert new == pytest.approx(expected)


def test_what_the_model_finds_bad_is_dropped_and_what_only_the_other_does_is_not(
    small: SmallLibrary,
) -> None:
    strict = Cut(candidates=99, weight=0.75, threshold=0.5)
    hits = small.hits(QUESTION)
    ranking = made(small, Judge(), strict).rerank(QUESTION, hits)
    assert ["ceramics" in small.sources.text_of(hit.passage.span) for hit in ranking] == [True]
    assert len(ranking.dropped) == len(hits) - 1
    assert {d.reason for d in ranking.dropped} == {"judge 0.100 is below the threshold 0.500"}


def test_a_model_that_fails_leaves_the_other_order_and_says_so(small: SmallLibrary) -> None:
    cut = Cut(candidates=99, weight=0.75, threshold=0.4)
    hits = small.hits(QUESTION)
    ranking = made(small, Broken(), cut).rerank(QUESTION, hits)
    alone = late(small, cut).rerank(QUESTION, hits)
    assert [hit.passage.id for hit in ranking] == [hit.passage.id for hit in alone]
    assert [d.reason for d in ranking.dropped] == [d.reason for d in alone.dropped]
    assert ranking.notices == ("reranked without judge: it is out of order",)


def test_without_a_deadline_all_are_read_at_once(small: SmallLibrary) -> None:
    judge = Judge()
    hits = small.hits(QUESTION)
    ranking = made(small, judge).rerank(QUESTION, hits)
    assert [len(texts) for texts in judge.asked] == [len(hits)]
    assert ranking.notices == ()


def test_when_time_is_up_the_best_have_been_read_and_the_cut_is_told(small: SmallLibrary) -> None:
    judge = Judge(seconds=0.2)
    hits = small.hits(QUESTION)
    late(small, ALL).rerank(QUESTION, hits)  # What is loaded once is loaded.
    asked = replace(QUESTION, deadline=time.perf_counter() + 0.3)
    ranking = made(small, judge).rerank(asked, hits)
    assert [len(texts) for texts in judge.asked] == [2]
    told = f"time budget: 2 of {len(hits)} candidates were read by the model"
    assert ranking.notices[-1] == told
    order = [hit.passage.id for hit in late(small, ALL).rerank(QUESTION, hits)]
    read = [hit.passage.id for hit in ranking if "judge" in hit.scores]
    assert sorted(read) == sorted(order[:2])
    assert [hit.passage.id for hit in ranking if "judge" not in hit.scores] == order[2:]


def test_a_deadline_long_past_still_has_the_best_read(small: SmallLibrary) -> None:
    judge = Judge()
    asked = replace(QUESTION, deadline=time.perf_counter() - 1)
    ranking = made(small, judge).rerank(asked, small.hits(QUESTION))
    assert [len(texts) for texts in judge.asked] == [2]
    assert ranking[0].sentence_scores


def test_a_hit_that_must_be_kept_is_read_and_stays(small: SmallLibrary) -> None:
    *others, last = small.hits(QUESTION)
    hits = (*others, replace(last, must_keep=True))
    strict = Cut(candidates=1, weight=0.75, threshold=1.1)
    ranking = made(small, Judge(), strict).rerank(QUESTION, hits)
    (kept,) = [hit for hit in ranking if hit.must_keep]
    assert kept.passage == last.passage
    assert "judge" in kept.scores
