from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pincite.records.document import Span
from pincite.records.flow import Evidence, Hit, Passage, Question, Understood
from pincite.testing.fakes import EvenWeights, MemorySources
from pincite.testing.samples import text_document
from pincite.verify.abstention.calibration import UNCALIBRATED, Bound, Calibration
from pincite.verify.abstention.decision import (
    Judge,
    Judgement,
    Thresholds,
    confidence,
    first_confidence,
    threshold,
)
from pincite.verify.abstention.lacking import MissingParts
from pincite.verify.abstention.signals import ScoredBy, Signals, measure

TEXT = "The relief valve opens at the minimum pressure. It is painted green on both sides."
DOCUMENT = text_document(TEXT, title="manual.txt")
SOURCES = MemorySources([DOCUMENT], {DOCUMENT.id: "/files/manual.txt"})
OPENS, GREEN = TEXT.split(". ")[0] + ".", TEXT.split(". ")[1]
PASSAGE = Passage(
    id="p1",
    span=Span(document_id=DOCUMENT.id, start=0, end=len(TEXT)),
    section=("Valves",),
    page=3,
    sentences=(),
    context="manual.txt > Valves",
)
SCORES = {"dense": 0.8, "fused": 1.0, "late_interaction": 0.8}
QUESTION = Question(text="At which pressure does the relief valve open?")


def evidence(quote: str = OPENS, *, score: float = 0.8) -> Evidence:
    start = TEXT.index(quote)
    span = Span(document_id=DOCUMENT.id, start=start, end=start + len(quote))
    return Evidence(id=quote, span=span, quote=quote, passage=PASSAGE, score=score)


def hits(score: float = 0.8) -> list[Hit]:
    return [Hit(passage=PASSAGE, score=score, scores=SCORES)]


def judged(
    needed: Thresholds,
    *,
    calibration: Calibration | None = None,
    question: Question = QUESTION,
    cited: Sequence[Evidence] = (),
) -> Judgement:
    judge = Judge(SOURCES, EvenWeights(), needed, calibration=calibration)
    return judge.judge(question, cited or [evidence()], hits())


def test_signals_say_what_of_the_question_stands_where() -> None:
    found = measure(
        Question(text="Which valve is painted at maximum pressure?"),
        [evidence()],
        hits(),
        weights=EvenWeights(),
        sources=SOURCES,
    )
    assert found.scored_by is ScoredBy.LATE_INTERACTION
    assert (found.sentence, found.agreement) == (0.8, 1.0)
    assert found.coverage == pytest.approx(2 / 4)  # valve, pressure; not painted, maximum
    assert found.elsewhere == pytest.approx(1 / 4)  # painted
    assert (found.opposed, found.negated) == (1.0, 0.0)


@pytest.mark.parametrize("score", [0.3, 0.5, 0.9])
def test_a_word_of_opposite_meaning_costs_confidence(score: float) -> None:
    sure = [
        judged(
            Thresholds(confidence=0),
            question=Question(text=f"What opens at the {word} pressure?"),
            cited=[evidence(score=score)],
        ).confidence
        for word in ("minimum", "maximum")
    ]
    assert sure[0] > sure[1]


def signals_of(question: str, *, text: str = "Valve 22 opens at 2 to 4 bar.") -> Signals:
    """The signals of a question that this text would answer, in a library of nothing else."""
    document = text_document(text, title="valves.txt")
    span = Span(document_id=document.id, start=0, end=len(text))
    passage = Passage(id="p", span=span, section=(), page=None, sentences=(span,))
    return measure(
        Question(text=question),
        [Evidence(id="e1", span=span, quote=text, passage=passage, score=0.8)],
        [Hit(passage=passage, score=0.8, scores=SCORES)],
        weights=EvenWeights(),
        sources=MemorySources([document], {document.id: "/files/valves.txt"}),
    )


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("When does valve 40 open?", 1 / 3),
        ("When does valve E40 open?", 1 / 3),
        ("When does valve 22 open?", 0),
        ("When does the valve open?", 0),
        ("Does valve 22 open at 7 bar?", 1 / 5),
    ],
)
def test_numbers_that_no_cited_passage_names_are_a_signal(question: str, share: float) -> None:
    assert signals_of(question).numbers == pytest.approx(share)


@pytest.mark.parametrize("scored_by", ScoredBy)
def test_a_number_that_no_cited_passage_names_costs_confidence(scored_by: ScoredBy) -> None:
    named, other = (
        replace(signals_of(f"When does valve {number} open?"), scored_by=scored_by, coverage=1.0)
        for number in (22, 40)
    )
    assert confidence(named) > confidence(other)


def test_too_little_confidence_is_told_with_what_is_needed() -> None:
    found = judged(Thresholds(confidence=1.0))
    assert found.too_little == f"confidence {found.confidence:.2f}, 1.00 needed"
    assert judged(Thresholds(confidence=0.0)).too_little == ""


@pytest.mark.parametrize("scored_by", ScoredBy)
def test_the_stances_ask_for_more_confidence_in_their_order(scored_by: ScoredBy) -> None:
    eager, balanced, strict = (threshold(one, scored_by) for one in ("eager", "balanced", "strict"))
    assert 0 <= eager <= balanced <= strict <= 1


def test_a_stance_decides_where_no_threshold_is_set() -> None:
    cited = [evidence(score=0.55)]
    strict = judged(Thresholds(stance="strict"), cited=cited)
    needed = threshold("strict", ScoredBy.LATE_INTERACTION)
    assert strict.too_little == f"confidence {strict.confidence:.2f}, {needed:.2f} needed"
    assert judged(Thresholds(stance="strict", confidence=0.0), cited=cited).too_little == ""
    assert judged(Thresholds(stance="eager")).too_little == ""


def test_without_a_bound_a_stance_asks_for_what_it_asks_for_uncalibrated() -> None:
    loose = replace(CALIBRATION, bound=None)
    assert judged(Thresholds(stance="eager"), calibration=loose).too_little == ""
    cited = [evidence(score=0.55)]
    found = judged(Thresholds(stance="strict"), cited=cited, calibration=loose)
    assert found.too_little == "confidence 0.25, 0.25 needed"


def compared(*others: tuple[str, float]) -> list[Hit]:
    """A hit whose first sentence scores .8, and others of these texts and scores, each a passage."""
    texts = [(OPENS, 0.8), *others]
    return [
        Hit(
            passage=replace(PASSAGE, id=f"p{number}", sentences=(evidence(quote).span,)),
            score=score,
            scores=SCORES,
            sentence_scores=(score,),
        )
        for number, (quote, score) in enumerate(texts, start=1)
    ]


def of_hits(found: list[Hit], cited: Evidence | None = None) -> Signals:
    return measure(QUESTION, [cited or evidence()], found, weights=EvenWeights(), sources=SOURCES)


def test_how_far_the_best_sentence_is_ahead_of_different_ones() -> None:
    assert of_hits(compared()).ahead == 0
    assert of_hits(compared((GREEN, 0.4))).ahead == pytest.approx(0.2)
    # Copies are no others.
    assert of_hits(compared((OPENS, 0.7), (GREEN, 0.4))).ahead == pytest.approx(0.2)


def test_the_place_of_the_best_quotes_passage() -> None:
    there = replace(evidence(), passage=replace(PASSAGE, id="p2"))
    assert of_hits(compared((GREEN, 0.4))).place == 0
    assert of_hits(compared((GREEN, 0.4)), there).place == pytest.approx(-0.693, abs=1e-3)


@pytest.mark.parametrize("scored_by", ScoredBy)
def test_a_first_quote_among_equals_is_likelier_wrong(scored_by: ScoredBy) -> None:
    sure = [
        first_confidence(replace(of_hits(compared((GREEN, score))), scored_by=scored_by))
        for score in (0.2, 0.5, 0.79)
    ]
    assert sure == sorted(sure, reverse=True)
    assert sure[0] > sure[-1]


def test_the_strict_stance_refuses_what_is_doubtful() -> None:
    """However surely the documents answer, another sentence may be the one that does."""
    cited = [replace(evidence(), passage=replace(PASSAGE, id="p6"))]
    found = compared(*[(GREEN, 0.79)] * 5)
    loose, strict = (
        Judge(SOURCES, EvenWeights(), Thresholds(stance=stance)).judge(QUESTION, cited, found)
        for stance in ("balanced", "strict")
    )
    assert loose.confidence >= threshold("strict", ScoredBy.LATE_INTERACTION)
    assert (loose.is_doubtful, loose.too_little) == (True, "")
    assert strict.too_little.startswith("confidence 0.")


def test_support_and_score_can_be_needed_too() -> None:
    painted = Question(text="Which pressure gauge is painted green?")
    few = judged(Thresholds(confidence=0, support=3), question=painted)
    assert few.too_little == "too little support: 1 quote, 3 needed"
    two = [evidence(), evidence(GREEN)]
    enough = judged(Thresholds(confidence=0, support=2), question=painted, cited=two)
    assert (enough.too_little, enough.caveat) == ("", "")
    low = judged(Thresholds(confidence=0, score=0.9))
    assert low.too_little == "the best passage scores 0.80, 0.90 needed"


def test_a_single_quote_is_enough_where_it_holds_most_of_what_is_asked_for() -> None:
    found = judged(Thresholds(confidence=0, support=3))
    assert found.too_little == ""
    assert found.caveat == "1 quote, 3 needed, but it contains most of what is asked for"


BOUND = Bound(risk=0.1, sureness=0.9, threshold=0.0, answered=200, wrong=2)
CALIBRATION = Calibration(
    made_for="m",
    corpus_version="c",
    questions=200,
    method="logistic",
    curve=((0.0, 0.25), (1.0, 0.25)),
    error=0.0,
    bound=BOUND,
)


def test_a_calibration_gives_the_confidence_and_its_threshold_decides() -> None:
    strict = Thresholds(confidence=1.0)
    found = judged(strict, calibration=CALIBRATION)
    assert (found.confidence, found.too_little) == (0.25, "")
    strictest = replace(BOUND, threshold=1.0)
    found = judged(strict, calibration=replace(CALIBRATION, bound=strictest))
    assert found.too_little == "confidence 0.25, 0.25 needed for 10% wrong at most"


def test_without_a_bound_the_setting_decides_over_the_calibrated_confidence() -> None:
    loose = replace(CALIBRATION, bound=None)
    assert judged(Thresholds(confidence=0.2), calibration=loose).too_little == ""
    assert judged(Thresholds(confidence=0.3), calibration=loose).too_little


def test_unless_calibrated_the_confidence_says_so() -> None:
    assert Judge(SOURCES, EvenWeights(), Thresholds(confidence=0)).message == UNCALIBRATED


class Rare(EvenWeights):
    """Weights of a library that holds the words of TEXT only."""

    def weight(self, term: str) -> float:
        return 0.5 if term in TEXT.lower() else 1.0


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("At which pressure does the GSE-204 valve open?", "in none of the documents: GSE-204"),
        ("Is the relief valve green?", "not found there: green"),
        (
            "What opens at the maximum pressure?",
            "it says 'minimum' where the question says 'maximum'",
        ),
        ("Which valve does not open?", "it states what the question negates"),
        (
            "How many relief valves open?",
            "it asks for a number, and there is none in the quotes",
        ),
        (
            "When was the relief valve opened?",
            "it asks for a date or time, and there is none in the quotes",
        ),
    ],
)
def test_a_refusal_says_what_has_no_support(question: str, told: str) -> None:
    lacking = MissingParts(SOURCES, Rare())
    lines = list(lacking.reasons(Question(text=question), [evidence()], hits(), "too little"))
    assert told in lines


def test_a_refusal_names_the_nearest_passages() -> None:
    other = replace(PASSAGE, id="p2", page=4)
    found = [*hits(), Hit(passage=other, score=0.5, scores=SCORES)]
    lines = list(MissingParts(SOURCES, Rare()).reasons(QUESTION, [evidence()], found, "too little"))
    assert lines[:3] == [
        "the documents do not seem to answer this: too little",
        f"the nearest passage is in manual.txt, page 3, section 'Valves': \"{OPENS}\"",
        "next come manual.txt, page 4, section 'Valves'",
    ]


@pytest.mark.parametrize(
    ("asked", "is_refused"),
    [("Bei welchem Druck wird entlastet?", True), ("Was macht das relief valve?", False)],
)
def test_a_question_in_another_language_needs_words_that_the_quotes_hold(
    asked: str, is_refused: bool
) -> None:
    understood = Understood(plain=asked, asked=asked, written=asked, terms={}, foreign="German")
    question = Question(text=asked, understood=understood)
    found = judged(Thresholds(confidence=0.0), question=question).too_little
    assert found.startswith("it is asked in German") == is_refused
