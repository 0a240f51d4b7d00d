from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from pincite.models.encoders.windowed import MiniLmEncoder
from pincite.records.flow import Question
from pincite.rerank.late_interaction import AskedWords, LateInteractionReranker, WordShare
from pincite.rerank.order import Cut
from pincite.rerank.token_state_cache import HotPassages
from pincite.rerank.without_model import SentenceCosineReranker, TermCoverageReranker
from pincite.stages import Reranker
from pincite.testing.contracts import RerankerContract
from pincite.testing.fakes import EvenWeights, FakeEncoder
from pincite.testing.samples import SmallLibrary, small_library

TEXTS = (
    "# Relief valve\nThe relief valve opens at 6.5 bar. It closes again within three seconds. "
    "It is tested once a year.",
    "# Pump\nThe pump runs dry for ten minutes at most. Its seal is made of ceramics.",
    "# Motor\nThe motor is greased every 2,000 hours. Use lithium grease only.\n"
    "# Storage\nKeep spare parts at 5 to 25 °C, away from sunlight.",
    "# Guarantee\nThe guarantee ends after 24 months. Wear parts are excluded from it.",
    "The office in Berlin is closed on Mondays.",
)
QUESTION = Question(text="At which pressure does the relief valve open?")
ALL = Cut(candidates=99, weight=0.75, threshold=0.0)

Make = Callable[[SmallLibrary, Cut], Reranker]
MAKERS: dict[str, Make] = {
    "late_interaction": lambda small, cut: LateInteractionReranker(
        small.encoder,
        HotPassages(small.encoder, limit_bytes=1_000_000),
        small.sources,
        EvenWeights(),
        cut,
    ),
    "sentence_cosine": lambda small, cut: SentenceCosineReranker(
        small.encoder, small.sentence_vectors, cut
    ),
    "term_coverage": lambda small, cut: TermCoverageReranker(small.sources, EvenWeights(), cut),
}
each_method = pytest.mark.parametrize("method", MAKERS)


@pytest.fixture(scope="module")
def small() -> SmallLibrary:
    return small_library(TEXTS, FakeEncoder())


@pytest.fixture(scope="module")
def real(encoder: MiniLmEncoder) -> SmallLibrary:
    return small_library(TEXTS, encoder)


class TestLateInteraction(RerankerContract):
    @pytest.fixture
    def reranker(self, small: SmallLibrary) -> Reranker:
        return MAKERS["late_interaction"](small, ALL)


class TestLateInteractionWithTheRealEncoder(RerankerContract):
    @pytest.fixture
    def small(self, real: SmallLibrary) -> SmallLibrary:
        return real

    @pytest.fixture
    def reranker(self, small: SmallLibrary) -> Reranker:
        return MAKERS["late_interaction"](small, ALL)


class TestSentenceCosine(RerankerContract):
    @pytest.fixture
    def reranker(self, small: SmallLibrary) -> Reranker:
        return MAKERS["sentence_cosine"](small, ALL)


class TestTermCoverage(RerankerContract):
    @pytest.fixture
    def reranker(self, small: SmallLibrary) -> Reranker:
        return MAKERS["term_coverage"](small, ALL)


@each_method
def test_hits_below_the_threshold_are_dropped(small: SmallLibrary, method: str) -> None:
    hits = small.hits(QUESTION)
    every = MAKERS[method](small, ALL).rerank(QUESTION, hits)
    scores = sorted(hit.scores[method] for hit in every)
    threshold = scores[-1]
    cut = Cut(candidates=99, weight=0.75, threshold=threshold)
    kept = MAKERS[method](small, cut).rerank(QUESTION, hits)
    assert [h.passage.id for h in kept] == [
        h.passage.id for h in every if h.scores[method] >= threshold
    ]
    assert 0 < len(kept) < len(every)
    assert len(kept) + len(kept.dropped) == len(every)
    for item in kept.dropped:
        told = f"{method} {item.scores[method]:.3f} is below the threshold {threshold:.3f}"
        assert item.reason == told


@each_method
@pytest.mark.parametrize("weight", [0.0, 0.75, 1.0])
def test_what_was_not_looked_at_stays_behind_in_its_order(
    small: SmallLibrary, method: str, weight: float
) -> None:
    hits = small.hits(QUESTION)
    cut = Cut(candidates=2, weight=weight, threshold=0.0)
    after = MAKERS[method](small, cut).rerank(QUESTION, hits)
    assert {hit.passage.id for hit in after[:2]} == {hit.passage.id for hit in hits[:2]}
    assert [hit.passage.id for hit in after[2:]] == [hit.passage.id for hit in hits[2:]]
    assert all(not hit.sentence_scores for hit in after[2:])
    assert after.notes == (f"2 of {len(hits)} were compared with the question",)
    scores = [hit.score for hit in after]
    assert scores == sorted(scores, reverse=True)


@each_method
def test_the_final_score_mixes_both_scores_by_weight(small: SmallLibrary, method: str) -> None:
    cut = Cut(candidates=99, weight=0.6, threshold=0.0)
    for hit in MAKERS[method](small, cut).rerank(QUESTION, small.hits(QUESTION)):
        expected = 0.6 * hit.scores[method] + 0.4 * hit.scores["fused"]
        assert hit.score == pytest.approx(expected)


@each_method
def test_the_sentence_with_the_answer_scores_best(small: SmallLibrary, method: str) -> None:
    best = MAKERS[method](small, ALL).rerank(QUESTION, small.hits(QUESTION))[0]
    scores = best.sentence_scores
    sentence = best.passage.sentences[scores.index(max(scores))]
    assert small.sources.text_of(sentence) == "The relief valve opens at 6.5 bar."


def test_a_rare_word_tells_the_passage_more_than_it_tells_the_sentence() -> None:
    class OneRareWord(EvenWeights):
        def weight(self, term: str) -> float:
            return float(term == "valv")

    texts = ("Valve.", "Who has seen where it stood.")
    small = small_library(texts, FakeEncoder())
    reranker = LateInteractionReranker(
        small.encoder, HotPassages(small.encoder, limit_bytes=1_000_000), small.sources,
        OneRareWord(), replace(ALL, weight=1.0),
    )  # fmt: skip
    question = Question(text="Who has seen where it stood, the valve?")
    rare, common = reranker.rerank(question, small.hits(question))
    assert small.sources.text_of(rare.passage.span) == "Valve."
    assert rare.sentence_scores[0] < common.sentence_scores[0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("At which pressure does the relief valve open?", "6.5 bar"),
        ("How long may the pump run without water?", "ten minutes"),
        ("Which lubricant does the motor need?", "lithium grease"),
        ("At what temperature must spare parts be stored?", "5 to 25 °C"),
        ("How long is the warranty?", "24 months"),
        ("On which day is the Berlin office shut?", "Mondays"),
    ],
)
def test_late_interaction_puts_the_right_passage_first(
    real: SmallLibrary, question: str, answer: str
) -> None:
    asked = Question(text=question)
    hits = tuple(reversed(real.hits(asked)))
    best = MAKERS["late_interaction"](real, ALL).rerank(asked, hits)[0]
    assert answer in real.sources.text_of(best.passage.span)


def test_a_passage_without_stored_vectors_has_no_sentence_scores(small: SmallLibrary) -> None:
    reranker = SentenceCosineReranker(small.encoder, lambda _: {}, ALL)
    after = reranker.rerank(QUESTION, small.hits(QUESTION))
    assert len(after) == len(small.passages)
    assert all(hit.sentence_scores == () for hit in after)


@each_method
def test_a_hit_that_must_be_kept_is_scored_and_stays(small: SmallLibrary, method: str) -> None:
    *others, last = small.hits(QUESTION)
    hits = (*others, replace(last, must_keep=True))
    strict = Cut(candidates=1, weight=0.75, threshold=1.1)
    after = MAKERS[method](small, strict).rerank(QUESTION, hits)
    (kept,) = [hit for hit in after if hit.must_keep]
    assert kept.passage == last.passage
    assert kept.sentence_scores
    assert others[0].passage not in [hit.passage for hit in after]


def test_each_long_word_of_a_question_is_weighed_once(real: SmallLibrary) -> None:
    asked: list[str] = []

    class Counted(EvenWeights):
        def weight(self, term: str) -> float:
            asked.append(term)
            return super().weight(term)

    hot = HotPassages(real.encoder, limit_bytes=1_000_000)
    reranker = LateInteractionReranker(real.encoder, hot, real.sources, Counted(), ALL)
    reranker.rerank(Question(text=f"What is {'漢字' * 300}?"), real.hits(QUESTION))
    assert len(asked) < 2_000


class OneWordIn(EvenWeights):
    """Weights of a library in another language than English, which holds one of the asked words."""

    def __init__(self, known: str) -> None:
        self._known = known

    def weight(self, term: str) -> float:
        return 0.5 if term == self._known else 1.0

    def language(self, question: str) -> str:
        return "de"


@pytest.mark.parametrize(("others", "first"), [(0.0, 1), (0.3, 0)])
def test_the_word_asked_for_may_count_beside_what_the_encoder_says(
    others: float, first: int
) -> None:
    text = "Die Kaution beträgt 900 Euro. Wie sie zu behandeln ist, wie schonend und wie gründlich."
    small = small_library((text,), FakeEncoder())
    reranker = LateInteractionReranker(
        small.encoder, HotPassages(small.encoder, limit_bytes=1_000_000), small.sources,
        OneWordIn("kaution"), ALL, words=WordShare(others=others),
    )  # fmt: skip
    asked = Question(text="Wie ist die Wohnung zu behandeln, wie hoch die Kaution?")
    (hit,) = reranker.rerank(asked, small.hits(asked))
    assert hit.sentence_scores.index(max(hit.sentence_scores)) == first


def test_words_that_stand_nowhere_tell_no_sentence_from_another() -> None:
    none = AskedWords("Wie hoch ist die Kaution?", OneWordIn("miet"))
    assert none.mixed(0.4, "Die Kaution beträgt 900 Euro.", 0.25) == pytest.approx(0.3)
    one = AskedWords("Wie hoch ist die Miete, wie hoch die Kaution?", OneWordIn("miet"))
    assert one.mixed(0.4, "Die Miete beträgt 900 Euro.", 0.25) == pytest.approx(0.55)
    assert one.mixed(0.4, "Die Miete beträgt 900 Euro.", 0.0) == 0.4
