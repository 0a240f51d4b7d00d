"""A question that asks several things, through the whole pipeline."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from end_to_end.running import library_of
from pincite import Library
from pincite.answer.question_parts import PartsSelector
from pincite.assemble.answering import answer_stages
from pincite.assemble.reranking import Models
from pincite.pipeline import answer_question
from pincite.records.flow import Answer, Question, Ranking, Status
from pincite.stages import Retriever
from pincite.testing.language_models import ScriptedModel
from pincite.text.question_parts import compared_sides

FILES = {
    "Acme contract.md": "# Acme contract\n\nThe contract begins in May. Payment is due within 30 "
    "days after the invoice. The delivery of the goods takes ten days.\n",
    "Borlin contract.md": "# Borlin contract\n\nThe contract begins in June. Payment is due within "
    "14 days after the invoice. How long delivery takes: delivery takes two weeks.\n",
}
BOTH = "When is payment due and how long does delivery take?"
OF_BORLIN = "How long delivery takes: delivery takes two weeks."
OF_ACME = "The delivery of the goods takes ten days."


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of(FILES, tmp_path_factory.mktemp("several"))


def test_a_part_finds_in_the_whole_library_what_fits_it_best(library: Library) -> None:
    assert OF_BORLIN in library.ask(BOTH).text


@pytest.mark.parametrize(
    "question",
    [
        f"In the Acme contract, {BOTH[0].lower()}{BOTH[1:]}",
        'When does "Acme contract" begin and how long does delivery take?',
        f'{BOTH} -"two weeks"',
    ],
)
def test_what_the_whole_question_names_quotes_or_excludes_holds_for_its_parts(
    library: Library, question: str
) -> None:
    answer = library.ask(question)
    assert {Path(citation.source).name for citation in answer.citations} == {"Acme contract.md"}
    assert OF_ACME in answer.text


def test_a_document_that_one_part_names_by_its_own_words_does_not_hide_the_others(
    tmp_path: Path,
) -> None:
    files = {
        "vacation-policy.md": "# Vacation policy\n\nUnused vacation expires on 31 March of the next "
        "year. Requests go to the manager.\n",
        "travel.md": "# Travel expenses\n\nHotel costs are paid up to 120 EUR per night.\n",
    }
    with library_of(files, tmp_path) as opened:
        asked = "When does unused vacation policy expire? What is the hotel limit per night?"
        text = opened.ask(asked).text
    assert "31 March" in text
    assert "120 EUR" in text


OFFER = {
    "offer.md": "# Offer\n\nThe price band is INR 285 to INR 300 per share. The issue opens on "
    "18 July.\n",
    "vacation.md": "# Vacation\n\nUnused vacation expires on 31 March of the next year.\n",
}


@pytest.mark.parametrize(
    ("question", "quote", "lost"),
    [
        ("Who audits the accounts, and what is the price band?", 285, "Who audits the accounts"),
        ("When does unused vacation expire and who is the CEO?", 31, "who is the CEO?"),
        ("When does unused vacation expire and who approves it?", 31, "who approves it?"),
    ],
)
def test_a_part_without_an_answer_is_told_and_the_other_answered(
    question: str, quote: int, lost: str, tmp_path: Path
) -> None:
    with library_of(OFFER, tmp_path) as opened:
        answer = opened.ask(question)
    assert answer.status is Status.ANSWERED
    assert str(quote) in answer.citations[0].quote
    assert f"no answer found for: {lost}" in answer.reasons


@pytest.mark.parametrize(
    "question",
    [
        "What is the price band and when does the issue open?",
        "The price band is wide; however, less than what?",
        "When does unused vacation expire and does it expire in March?",
    ],
)
def test_nothing_is_told_of_parts_that_are_answered_or_ask_nothing_alone(
    question: str, tmp_path: Path
) -> None:
    with library_of(OFFER, tmp_path) as opened:
        answer = opened.ask(question)
    assert not [reason for reason in answer.reasons if reason.startswith("no answer found")]


def test_without_time_no_part_is_looked_up_and_the_answer_says_so(library: Library) -> None:
    told = "0 of 2 parts of the question were looked up on their own"
    late, in_time = (
        answer_and_lookups(library, Question(text=BOTH, deadline=time.perf_counter() + seconds))
        for seconds in (0, 60)
    )
    assert told in late[0].reasons
    assert told not in in_time[0].reasons
    assert (late[1], in_time[1]) == (0, 2)


def test_of_very_many_parts_the_first_are_looked_up_and_the_answer_says_so(
    library: Library,
) -> None:
    text = " ".join(f"How long does delivery number {number} take?" for number in range(50))
    answer, lookups = answer_and_lookups(library, Question(text=text))
    assert "8 of 50 parts of the question were looked up on their own" in answer.reasons
    assert lookups == 8


def answer_and_lookups(library: Library, question: Question) -> tuple[Answer, int]:
    """The answer, and how often something was searched for for a part."""
    stages = library.stages()
    assert isinstance(stages.selector, PartsSelector)
    counting = CountingRetriever(stages.retriever)
    selector = replace(stages.selector, retriever=counting)
    return answer_question(question, replace(stages, selector=selector)), counting.counted


class CountingRetriever:
    """Takes down how often it is asked."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever
        self.counted = 0

    def retrieve(self, question: Question) -> Ranking:
        self.counted += 1
        return self._retriever.retrieve(question)


def test_a_passage_that_only_a_part_found_is_described_in_the_trace(library: Library) -> None:
    narrow = {"retrieval": {"keep": 1, "lexical_limit": 1, "dense_limit": 1}}
    question = (
        "When does the Acme contract with payment within 30 days begin? How long is delivery?"
    )
    with Library.open(library.path, overrides=narrow | {"boosts": {"documents": "off"}}) as opened:
        trace = opened.ask(question).trace
    chosen = {
        item["passage_id"]
        for stage in trace["stages"]
        if stage["name"] in ("select", "verify")
        for item in stage["kept"]
    }
    found = {item["passage_id"] for item in trace["stages"][1]["kept"]}
    assert chosen - found
    assert chosen <= trace["passages"].keys()


def test_a_models_window_is_filled_once_and_not_for_each_part(library: Library) -> None:
    indexes, _ = library.index_state()
    assert indexes is not None
    counts = []
    for parts in (True, False):
        model = Counting(['{"sentences": [1]}'])
        settings = library.settings.model_copy(
            update={
                "evidence": library.settings.evidence.model_copy(update={"parts": parts}),
                "generation": library.settings.generation.model_copy(update={"mode": "quoted"}),
            }
        )
        models = Models(encoder=None, writer=model)
        stages = answer_stages(settings, library.catalog, indexes, models, ())
        assert answer_question(Question(text=BOTH), stages).mode == "quoted"
        counts.append(model.counted)
    assert counts[0] == counts[1] > 0


class Counting(ScriptedModel):
    """Takes down how often it counts tokens."""

    counted = 0

    def count_tokens(self, text: str) -> int:
        self.counted += 1
        return super().count_tokens(text)


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("The limit at AAL2 vs AAL3", ("The limit at AAL2", "The limit at AAL3")),
        ("Paid vs unpaid parental leave", ("Paid parental leave", "unpaid parental leave")),
        ("apt upgrade versus full-upgrade?", ("apt upgrade", "apt full-upgrade")),
        ("What is the difference between a lease and a loan?", ("a lease", "a loan")),
        ("Rating of the Limes: safe vs caring, both years", ()),
    ],
)
def test_the_sides_of_a_comparison(question: str, sides: tuple[str, ...]) -> None:
    assert compared_sides(question) == sides


def test_a_quote_that_names_both_sides_of_a_comparison_comes_first(tmp_path: Path) -> None:
    files = {
        "plans.md": "# Basic plan\n\nThe basic plan: what is the basic plan? It has ten seats.\n\n"
        "# Premium plan\n\nThe premium plan: what is the premium plan? It has ninety seats.\n",
        "billing.md": "# Billing\n\nThe difference is when you pay: a basic plan each month, a premium "
        "plan once a year.\n\nInvoices are sent by mail.\n",
    }
    with library_of(files, tmp_path) as opened:
        answer = opened.ask("What is the difference between the basic plan and the premium plan?")
    assert "once a year" in answer.claims[0].text
    assert not answer.claims[0].parts
