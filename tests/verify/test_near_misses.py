"""Another one of its kind is not what was asked for."""

from __future__ import annotations

import time

import pytest

from pincite.records.document import Span
from pincite.records.flow import Evidence, Hit, Passage, Question
from pincite.testing.fakes import MemorySources
from pincite.testing.samples import text_document
from pincite.text.terms import terms
from pincite.verify.abstention.decision import Judge, Thresholds


class Frequencies:
    """Term weights of a library of one text: 1 for what stands nowhere in it."""

    def __init__(self, text: str) -> None:
        self._held = set(terms(text, "en"))

    def weight(self, term: str) -> float:
        return 0.5 if term in self._held else 1.0

    def language(self, question: str) -> str:
        return "en"


def refused(question: str, quote: str, *, around: str = "", needed: float = 0) -> str:
    """Why a question is not answered by this quote of a passage, for all its confidence."""
    text = f"{quote}\n{around}" if around else quote
    made = text_document(text, title="file.txt")
    sources = MemorySources([made], {made.id: "/files/file.txt"})
    span = Span(document_id=made.id, start=0, end=len(quote))
    whole = Span(document_id=made.id, start=0, end=len(text))
    passage = Passage(id="p", span=whole, section=(), page=None, sentences=(span,))
    cited = Evidence(id="e1", span=span, quote=quote, passage=passage, score=0.9)
    hit = Hit(passage=passage, score=0.9, scores={"late_interaction": 0.9})
    judge = Judge(sources, Frequencies(text), Thresholds(confidence=needed))
    return judge.judge(Question(text=question), [cited], [hit]).too_little


TOTAL = "Invoice INV-2051: total due 17,602.00"


def test_that_another_one_is_quoted_is_told_rather_than_the_confidence() -> None:
    told = refused("What is the total of INV-2060?", TOTAL, needed=1.0)
    assert told == "it asks for INV-2060, which appears in none of the documents"
    assert refused("What is the total of INV-2051?", TOTAL, needed=1.0).startswith("confidence")


@pytest.mark.parametrize(
    ("question", "quote", "code"),
    [
        ("What is the total of INV-2060?", TOTAL, "INV-2060"),
        ("What is the total of inv-2060?", TOTAL, "inv-2060"),
        ("What is the notice of C-109?", "Dunmore,C-104,2019-10-01,3", "C-109"),
        ("Which response time has P5?", "P1 | 15 minutes", "P5"),
        ("What was Report R-2626?", "The report was written by Baran.", "R-2626"),
    ],
)
def test_a_code_that_stands_nowhere_is_refused_with_that_reason(
    question: str, quote: str, code: str
) -> None:
    assert refused(question, quote) == f"it asks for {code}, which appears in none of the documents"


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("What is the total of INV-2051?", TOTAL),
        ("What is the total of INV 2051?", TOTAL),
        ("What is the total of INV2051?", TOTAL),
        ("How does GX-200 differ from GX-400?", "The GX-200 bears 12 bar."),
        ("What does the GX-200b bear?", "The GX-200 bears 12 bar."),
        ("What did the PS3 cost?", "The PlayStation 3 cost 599 dollars."),
        ("What is covid-19?", "Corona is a disease."),
        ("What was the profit in FY24 and in Q3?", "The profit was 5, and 2 in Q2."),
        ("What was done post-2008?", "It was done post-2010."),
        ("Is it 20-year-old whisky?", "It is 12-year-old whisky."),
    ],
)
def test_what_is_held_in_another_spelling_or_is_no_code_is_not_refused(
    question: str, quote: str
) -> None:
    assert refused(question, quote) == ""


def test_a_long_run_of_letters_takes_no_long_time() -> None:
    begun = time.process_time()
    assert refused(f"What is {'ab-' * 5000} and {'x' * 20000}?", TOTAL) == ""
    assert time.process_time() - begun < 2


AMENDMENT = "This Amendment No. 1 is made on 14 September 2022."


@pytest.mark.parametrize(
    ("question", "quote", "named"),
    [
        ("When was Amendment No. 2 made?", AMENDMENT, "Amendment No. 2"),
        ("When was amendment # 2 made?", AMENDMENT, "amendment # 2"),
        ("What happens in season 7?", "In season 9 he is fired.", "season 7"),
        ("What is in Schedule 5?", "Schedule 3: service levels", "Schedule 5"),
        ("Who flew with Apollo 13?", "Apollo 11 landed on the moon.", "Apollo 13"),
    ],
)
def test_another_number_of_the_kind_is_refused(question: str, quote: str, named: str) -> None:
    around = "2.1 It takes effect in October."
    told = f"the passages that come nearest name no {named}, but another"
    assert refused(question, quote, around=around) == told


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("When was Amendment No. 1 made?", AMENDMENT),
        ("When was Amendment No. 2 made?", "The Second Amendment follows Amendment No. 1."),
        ("When was Amendment No. 2 made?", "Amendments Nos. 1 and 2 are made in May."),
        ("What happens in season 7?", "In the seventh season, after season 6, he is fired."),
        ("What is grade 3?", "Pass grades are 1 (85 %), 2 (70 %) and 3 (55 %). Grade 5 fails."),
        ("What is grade 3?", "Grades 1 to 4 pass, grade 5 fails."),
        ("Who fought in World War 2?", "Both fought in World War II and in World War 1."),
        ("What happened on May 5?", "It rained on May 7."),
        ("Does it cost 500?", "It does cost 450."),
        ("Who must do so within 60 days?", "Within 30 days the tenant must."),
    ],
)
def test_a_number_that_may_be_there_is_not_refused(question: str, quote: str) -> None:
    assert refused(question, quote) == ""
