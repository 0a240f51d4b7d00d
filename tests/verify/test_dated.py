"""Is the year that is asked for the year of what is quoted?"""

from __future__ import annotations

import pytest

from pincite.records.document import Block, BlockKind, Cell, Document, Span
from pincite.records.flow import Evidence, Hit, Passage, Question
from pincite.testing.fakes import EvenWeights, MemorySources
from pincite.testing.samples import text_document
from pincite.verify.abstention.dated import WrongYears, wrong_years, years_asked
from pincite.verify.abstention.decision import Judge, Thresholds
from pincite.verify.abstention.lacking import MissingParts

TABLE = "GBP thousands | 2022 | 2021"
ROW = "Revenue | 8,730 | 8,105"
FUEL = "The tax office is looking at the fuel duty of 2019 and 2020."
SALES = "Revenue of Orrin grew by a tenth."
PLAN = "The 2018 Stock Plan was adopted."
KING = "George reigned 1727 and 1760."
SINCE = "Quill led it since 2015."
TEXT = "\n".join([TABLE, ROW, FUEL, SALES, PLAN, KING, SINCE])


def _range(text: str) -> tuple[int, int]:
    start = TEXT.index(text)
    return start, start + len(text)


def _cell(value: str, column: str) -> Cell:
    start, end = _range(value)
    return Cell(
        start=start, end=end, column_headers=(_range(column),), row_headers=(_range("Revenue"),)
    )


def _document() -> Document:
    made = text_document(TEXT, title="report.md")
    start, end = _range(ROW)
    row = Block(
        kind=BlockKind.TABLE_ROW,
        start=start,
        end=end,
        section=(),
        cells=(_cell("8,730", "2022"), _cell("8,105", "2021")),
    )
    return Document(**{**{name: getattr(made, name) for name in made.__slots__}, "blocks": (row,)})


DOCUMENT = _document()
SOURCES = MemorySources([DOCUMENT], {DOCUMENT.id: "/files/report.md"})


def quoted(*quotes: str, passages: tuple[str, ...] = ()) -> list[Evidence]:
    """These sentences, best first, each of a passage of its own or of that given."""
    found = []
    for number, (quote, around) in enumerate(zip(quotes, passages or quotes, strict=True)):
        first, last = _range(quote), _range(around)
        span = Span(document_id=DOCUMENT.id, start=first[0], end=first[1])
        whole = Span(document_id=DOCUMENT.id, start=last[0], end=last[1])
        passage = Passage(id=quote, span=whole, section=(), page=None, sentences=(span,))
        found.append(
            Evidence(
                id=f"e{number}", span=span, quote=quote, passage=passage, score=0.9 - number / 10
            )
        )
    return found


def wrong(question: str, evidence: list[Evidence]) -> WrongYears:
    return wrong_years(Question(text=question), evidence, weights=EvenWeights(), sources=SOURCES)


@pytest.mark.parametrize(
    ("question", "years"),
    [
        ("What was the revenue in 2019?", {2019}),
        ("What was the revenue in FY2019?", {2019}),
        ("What was it on 31 December 2019?", {2019}),
        ("What was granted under the 2019 Stock Plan?", set()),
        ("How often did it win in the 1990's?", set()),
        ("How did it change between 2019 and 2021?", set()),
        ("What has happened since 2019?", set()),
        ("What does C-2019 cost?", set()),
    ],
)
def test_the_years_asked_for_are_those_that_the_answer_is_to_be_of(
    question: str, years: set[int]
) -> None:
    assert years_asked(question) == years


@pytest.mark.parametrize("year", [2021, 2022])
def test_a_row_is_of_the_years_of_its_headers(year: int) -> None:
    assert wrong(f"What was the revenue in {year}?", quoted(ROW)) == WrongYears(asked=())


def test_a_table_of_other_years_does_not_answer_though_another_matter_is_of_the_year() -> None:
    found = wrong("What was the revenue in 2019?", quoted(FUEL, ROW))
    assert found == WrongYears(asked=(2019,), instead=(2021, 2022))


def test_a_table_that_has_one_of_the_years_answers_in_part() -> None:
    assert wrong("How does revenue of 2019 compare with 2022?", quoted(ROW)).instead == ()


def test_a_sentence_is_of_the_years_of_its_passage() -> None:
    around = f"{FUEL}\n{SALES}"
    assert wrong("What was the revenue in 2019?", quoted(SALES, passages=(around,))).asked == ()
    assert wrong("What was the revenue in 2018?", quoted(SALES, PLAN)).asked == (2018,)


@pytest.mark.parametrize(
    ("question", "instead"),
    [
        ("What was the fuel duty in 2015?", (2019, 2020)),
        ("What was the fuel duty in 2019?", ()),
        ("What was the fuel duty in 2015 and in 2020?", ()),
        ("Who reigned in 1756?", ()),
        ("Who led it in 2019?", ()),
    ],
)
def test_a_sentence_that_names_other_years_only_does_not_answer(
    question: str, instead: tuple[int, ...]
) -> None:
    quote = {"reigned": KING, "led": SINCE}.get(question.split()[1], FUEL)
    assert wrong(question, quoted(quote)).instead == instead


def judged(question: str, evidence: list[Evidence]) -> str:
    hits = [Hit(passage=evidence[0].passage, score=0.9, scores={"late_interaction": 0.9})]
    judge = Judge(SOURCES, EvenWeights(), Thresholds(confidence=0))
    return judge.judge(Question(text=question), evidence, hits).too_little


def test_a_table_of_other_years_is_refused_with_its_years() -> None:
    told = "it asks for 2019, but the nearest quote is about 2021, 2022"
    assert judged("What was the revenue in 2019?", quoted(ROW)) == told
    assert judged("What was the revenue in 2022?", quoted(ROW)) == ""


def test_an_answer_of_another_year_is_pointed_out() -> None:
    question = Question(text="What was the revenue in 2018?")
    told = [*MissingParts(SOURCES, EvenWeights()).remarks(question, quoted(SALES, PLAN))]
    assert told == ["no quote on this is about 2018; they may be about another time"]
