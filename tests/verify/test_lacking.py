from __future__ import annotations

import time

import pytest

from pincite.records.document import Span
from pincite.records.flow import Evidence, Passage, Question
from pincite.testing.fakes import EvenWeights, MemorySources
from pincite.testing.samples import text_document
from pincite.text.terms import question_terms, terms
from pincite.verify.abstention.lacking import MissingParts
from pincite.verify.abstention.signals import Asked

TEXT = "The pump GX-200 bears 12 bar. It costs 1,200 euros. It weighs thirty kilograms."


def beside(
    question: str,
    text: str = TEXT,
    *,
    quotes: int = 1,
    language: str = "en",
    nowhere: tuple[str, ...] = (),
) -> tuple[list[str], int]:
    """What is told beside an answer that quotes the whole text so often; and lookups of texts."""
    made = text_document(text, title="pump.txt")
    span = Span(document_id=made.id, start=0, end=len(text))
    passage = Passage(id="p", span=span, section=(), page=None, sentences=(span,))
    evidence = [
        Evidence(id=f"e{number}", span=span, quote=text, passage=passage, score=0.9)
        for number in range(quotes)
    ]
    sources = Counting([made])
    lacking = MissingParts(
        sources, SpokenWeights(language, nowhere), lambda word: word == "lorazepam"
    )
    return [*lacking.remarks(Question(text=question), evidence)], sources.counted


def test_another_passage_does_not_hide_that_the_best_one_lacks_a_number() -> None:
    quoted = [("Kuhla 40.md", "The Kuhla 40 weighs 31 kg.", 0.9), ("b.md", "It holds 22 l.", 0.8)]
    documents = [text_document(text, title=name) for name, text, _ in quoted]
    evidence = []
    for made, (_, text, score) in zip(documents, quoted, strict=True):
        span = Span(document_id=made.id, start=0, end=len(text))
        passage = Passage(id=made.id, span=span, section=(), page=None, sentences=(span,))
        evidence.append(Evidence(id=made.id, span=span, quote=text, passage=passage, score=score))
    lacking = MissingParts(MemorySources(documents), SpokenWeights("en"))
    told, right = (
        [*lacking.remarks(Question(text=f"How heavy is the Kuhla {number}?"), evidence)]
        for number in (22, 40)
    )
    assert told == ["the passage of the best quote does not name: 22; another cited one does"]
    assert right == []


class SpokenWeights(EvenWeights):
    """A library in one language, which holds all words but those that stand `nowhere`."""

    def __init__(self, spoken: str, nowhere: tuple[str, ...] = ()) -> None:
        self._spoken = spoken
        self._nowhere = {term for word in nowhere for term in terms(word, spoken)}

    def weight(self, term: str) -> float:
        return 1.0 if term in self._nowhere else 0.9

    def language(self, question: str) -> str:
        return self._spoken


class Counting(MemorySources):
    """Takes down how often a text is looked up."""

    counted = 0

    def text_of(self, span: Span) -> str:
        self.counted += 1
        return super().text_of(span)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What does the GX-400 bear?", "GX-400"),
        ('What does (the "GX-400b") bear?', "GX-400b"),
        ("Which pump bears 15 bar in 2021?", "15, 2021"),
        ("Does it bear 12 bar and cost 1200 euros?", ""),
        ("Is it over   25 kg, or 30?", ""),
        ("Does it cost 1 euro?", "1"),
        ("Does Miller own the pump?", "Miller"),
        ("Does Miller own the GX-200?", ""),
    ],
)
def test_what_the_cited_passage_does_not_name_is_told(question: str, named: str) -> None:
    told = f"the cited passages do not name: {named}; they may be about something else"
    assert beside(question)[0] == ([told] if named else [])


@pytest.mark.parametrize(
    ("question", "nowhere", "told"),
    [
        ("What is the dose of lorazepam?", ["lorazepam"], "lorazepam"),
        ("What does the E-0418 bear?", ["0418", "E-0418"], "E-0418"),
        ("Does Miller's pump bear 12 bar?", ["Miller"], "Miller"),
        ("What is the limit of the pump?", ["limit"], ""),
        ("Who built it in the 15th century?", ["15th"], ""),
        ("Wie hoch ist die Dosis von lorazepam?", ["lorazepam"], ""),
    ],
)
def test_a_telling_word_that_stands_in_no_document_is_told(
    question: str, nowhere: tuple[str, ...], told: str
) -> None:
    found = [line for line in beside(question, nowhere=nowhere)[0] if "none of" in line]
    expected = f"in none of the documents: {told}; the answer may be about something else"
    assert found == ([expected] if told else [])


def test_numbers_beside_a_comma_or_in_a_date_are_numbers_of_their_own() -> None:
    row = "Dunmore Transport,C-104,2019-10-01,2025-09-30,3,M. Ferri; until 31.12.2027; 4,158.33"
    for question in ("Which contracts end in 2025?", "Which has 3 months?", "And 2027?"):
        assert beside(question, row)[0] == []
    assert beside("How much is it in year 4?", row)[0]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Was gilt am 1.1.2025?", "Seit dem 1. Januar 2025 gilt es."),
        ("Was gilt ab 15. März 2025?", "Ab 15.03.2025 gilt es."),
        ("Was gilt ab 15. März?", "Ab 15.03.2025 gilt es."),
        ("Quel loyer le 01/04/2023 ?", "Le loyer du 1er avril 2023."),
        ("Quel produit coûte 1 085,50 € ?", "Il coûte 1085.5 euros."),
        ("Was kostet 1.085,50 €?", "Es kostet 1 085,50 €."),
        ("12,500円は何ですか", "管理費は１２，５００円です。"),
        ("第3条は何ですか", "第三条は目的を定める。"),
        ("第23条は何ですか", "第二十三条は目的を定める。"),
        ("What is clause 3 of it?", "It is in clause ٣."),
        ("What is on the 2nd floor?", "The second floor is empty."),
        ("Is it $5 million?", "It is $5,000,000."),
    ],
)
def test_numbers_and_dates_may_be_written_otherwise(question: str, text: str) -> None:
    assert beside(question, text)[0] == []


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("第4条は何ですか", "第三条は目的を定める。"),
        ("What is on the 2nd floor?", "The third floor is empty."),
        ("Is it $5 million?", "It is $4,000,000."),
    ],
)
def test_another_number_in_other_signs_is_not_the_one_asked_for(question: str, text: str) -> None:
    assert beside(question, text)[0]


def test_a_number_is_told_without_the_sentence_that_it_is_written_into() -> None:
    told = beside("修繕積立金は18,000円ですか", "修繕積立金は一年で決まる。")[0]
    assert told == ["the cited passages do not name: 18,000; they may be about something else"]


@pytest.mark.parametrize("question", ["¿Cuántos baños tiene?", "¿Puedo fumar?", "¿Qué cuesta?"])
def test_the_capital_of_a_word_that_asks_makes_no_name(question: str) -> None:
    assert beside(question, "Piso con dos cuartos.", language="es")[0] == []


def test_words_that_no_blanks_part_are_told_by_the_letters_that_are_unknown() -> None:
    """The letters where two known words meet are no word, nor is the whole question one."""
    asked = Asked(
        language="ja",
        weights=dict.fromkeys(question_terms("給料日延期システム", "ja"), 1.0),
        words=question_terms("給料日延期システム", "ja"),
    )
    assert asked.missing({"延期", "シス", "ステ", "テム"}) == ["給料日"]
    assert asked.missing({"給料", "料日", "延期", "シス", "ステ", "テム"}) == []
    assert question_terms("E2と表示", "ja")["e2"] == "E2"


def test_a_number_may_stand_in_roman_digits() -> None:
    assert beside("Who fought in World War 2?", "Both fought in World War II.")[0] == []
    assert beside("Who fought in World War 3?", "Both fought in World War II.")[0]


def test_what_stands_in_a_line_of_cells_is_named_there() -> None:
    line = "TCK-1044,2025-09-19,Harbor,2,500"
    assert beside("What is the status of TCK-1044?", line)[0] == []


def test_a_passage_is_read_once_however_many_of_its_sentences_are_quoted() -> None:
    assert [beside("Does Miller own it?", quotes=quotes)[1] for quotes in (1, 15)] == [1, 1]


def test_a_long_run_of_names_takes_no_long_time() -> None:
    begun = time.process_time()
    assert beside("Is it by Miller?", "Anna Berta Carla Dora " * 750)[0]
    assert time.process_time() - begun < 2
