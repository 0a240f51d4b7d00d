"""Small collections as people have them, asked as people ask, through the whole pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from end_to_end.running import library_of
from pincite import Library
from pincite.records.flow import Answer, Status

FILES = {
    "sales.md": "# Sales\n\nNumbers by year.\n\n| Year | Bicycles | Scooters |\n|---|---|---|\n"
    "| 2019 | 1,200 | 310 |\n| 2020 | 1,450 | 400 |\n| 2021 | 1,690 | 520 |\n",
    "prices.csv": "Model,Price,Weight\nS1,249,1.2\nS2,349,1.4\nS3,449,1.9\n",
    "staff.md": "# Staff\n\n| Name | Department | Phone | Room |\n|---|---|---|---|\n"
    "| Eva Haas | Sales | 12 | 101 |\n| Tom Brandt | Service | 17 | 204 |\n",
    "pumps.md": "# Pumps\n\nThe pump GX-200 has a maximum pressure of 12 bar.\n\n"
    "The pump GX-300 has a maximum pressure of 18 bar.\n",
    "libraries.md": "# Libraries\n\nThe library in Graz is open from 9:00 to 16:00.\n\n"
    "The library in Linz is open from 10:00 to 15:00.\n",
    "handbook-v1.md": "# Handbook\n\nThe notice period is two weeks. Lunch is at noon. "
    "Remote work is approved by the department head.\n",
    "handbook-v2.md": "# Handbook\n\nThe notice period is four weeks. Lunch is at noon. "
    "Remote work is approved by the direct supervisor.\n",
    "vertrag.md": "# Vertrag\n\nDer Vertrag beginnt am 1. April 2024 und endet am 31. März 2026. "
    "Die Miete ist bis zum 3. Werktag eines Monats zu zahlen.\n",
    "fevra.md": "# Fevra syrup\n\n| Age | Dose of Fevra |\n|---|---|\n| 3 to 6 months | 2.5 ml |\n"
    "| 6 to 24 months | 5 ml |\n| 2 to 4 years | 7.5 ml |\n| 4 to 6 years | 10 ml |\n"
    "| 7 to 9 years | 12.5 ml |\n\nIf a baby of 3 months still has fever, call a doctor.\n",
    "trial.md": "# Trial LMN-303\n\n## Endpoint of the trial\n\nPASI 75 at week 16.\n\n"
    "Trial LMN-303 endpoint, page 1 of 1\n",
    "rules.md": "# Rules\n\nIf the sum insured is too small, we reduce the payment in proportion. "
    "This does not apply to claims below 5,000 pounds.\n",
    "terms.md": "# Terms\n\nPayment is due within 30 days. Delivery takes ten days. "
    "The warranty lasts 24 months. Eva Haas founded the company.\n",
    "accounts.md": "# Accounts\n\nAll amounts in thousands of pounds.\n\n"
    "| | 2021 | 2022 |\n|---|---|---|\n"
    "| Revenue | 48,210 | 55,940 |\n| Net debt | 96,400 | 91,200 |\n",
    "kiosk.md": "# Kiosk\n\nEUR thousands\n\n| | 2021 | 2022 |\n|---|---|---|\n"
    "| Takings | 310 | 322 |\n| Wages | 41 | 45 |\n",
    "bilanz.md": "# Bilanz\n\n| Angaben in TEUR | 2021 | 2022 |\n|---|---|---|\n"
    "| Umsatz | 48.210 | 55.940 |\n| Anlagevermögen | 96.400 | 91.200 |\n",
    "faq.md": "# SunnyBrew S2 Coffee Machine: Frequently Asked Questions\n\n"
    "## How long is the guarantee?\n\nTwo years from the date of purchase. "
    "It can be extended to five years for 59 dollars.\n",
    "party.eml": "From: Eva Haas <eva@norda.example>\nTo: Tom Brandt <tom@norda.example>\n"
    "Subject: Summer party\nDate: Mon, 11 Mar 2024 09:12:00 +0100\n\nHi Tom,\n\n"
    "it starts at 17:00 in the yard. We expect 60 guests.\n\nEva\n",
    "filter.html": "<html><body><h1>Filter</h1><p>Cleaning the filter:</p><ol><li>Switch the "
    "machine off.</li><li>Open the lid.</li><li>Rinse it with cold water.</li></ol></body></html>",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of(FILES, tmp_path_factory.mktemp("everyday"))


def asked(library: Library, question: str) -> Answer:
    answer = library.ask(question)
    assert answer.status is Status.ANSWERED, answer.reasons
    return answer


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("How many bicycles were sold in 2020?", "2020 | 1,450 | 400"),
        ("S2 price", "S2,349,1.4"),
        ("How much does the S3 cost?", "S3,449,1.9"),
        ("In which room is Tom Brandt?", "Tom Brandt | Service | 17 | 204"),
    ],
)
def test_the_row_that_is_asked_for_is_quoted_first(
    library: Library, question: str, row: str
) -> None:
    assert asked(library, question).citations[0].quote == row


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What is the maximum pressure of the GX-200 and the GX-300?", ["12 bar", "18 bar"]),
        ("When are the libraries open?", ["9:00 to 16:00", "10:00 to 15:00"]),
        ("What is the notice period?", ["two weeks", "four weeks"]),
        ("Wann endet der Vertrag?", ["am 1. April 2024 und endet am 31. März 2026"]),
        ("Bis wann ist die Miete zu zahlen?", ["bis zum 3. Werktag eines Monats"]),
        ("When is payment due and how long does delivery take?", ["30 days", "ten days"]),
        (
            "What is the maximum pressure of the GX-300 and how long is the warranty?",
            ["18 bar", "24 months"],
        ),
        (
            "How do I clean the filter?",
            ["Switch the machine off.\nOpen the lid.\nRinse it with cold water."],
        ),
    ],
)
def test_all_that_belongs_to_the_answer_is_in_it(
    library: Library, question: str, parts: list[str]
) -> None:
    text = asked(library, question).text
    assert all(part in text for part in parts), text


def test_a_question_of_several_parts_can_be_answered_as_one(library: Library) -> None:
    question = "When is payment due and how long does delivery take?"
    assert library.ask(question).parts == ("When is payment due", "how long does delivery take?")
    with Library.open(library.path, overrides={"evidence": {"parts": False}}) as plain:
        assert plain.ask(question).parts == ()


def test_a_part_that_nothing_answers_is_told_and_brings_no_quote(library: Library) -> None:
    answer = library.ask("When is payment due and how far away is the moon?")
    assert {part for claim in answer.shown for part in claim.parts} == {0}
    assert "no answer found for: how far away is the moon?" in answer.reasons


def test_one_of_two_alike_is_quoted_alone_where_it_is_named(library: Library) -> None:
    text = asked(library, "What is the maximum pressure of the GX-300?").text
    assert text == "The pump GX-300 has a maximum pressure of 18 bar."


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("When was the library in Graz open in 2021?", "do not name: 2021"),
        ("What is the minimum pressure of the GX-200?", "'maximum' where the question says"),
    ],
)
def test_an_answer_about_something_else_says_so(library: Library, question: str, told: str) -> None:
    assert any(told in reason for reason in asked(library, question).reasons)


def test_of_a_code_that_stands_nowhere_nothing_is_answered(library: Library) -> None:
    answer = library.ask("What is the maximum pressure of the GX-400?")
    assert answer.status is Status.ABSTAINED
    assert "it asks for GX-400, which appears in none of the documents" in answer.reasons[0]


@pytest.mark.parametrize(
    "question", ["What is the maximum pressure of the GX-200?", "When is the library in Linz open?"]
)
def test_an_answer_about_what_was_asked_has_no_such_caveat(library: Library, question: str) -> None:
    assert not [reason for reason in asked(library, question).reasons if "name" in reason]


def test_of_stop_words_alone_nothing_false_is_said(library: Library) -> None:
    answer = library.ask("Who are the who?")
    assert not [reason for reason in answer.reasons if "in none of the documents" in reason]
    assert any("only very common words" in reason for reason in answer.reasons)


def test_the_lines_above_a_message_are_quoted_where_they_are_asked_for_alone(
    library: Library,
) -> None:
    quotes = [c.quote for c in asked(library, "When does the summer party start?").citations]
    assert quotes[0].startswith("it starts at 17:00")
    assert not any(quote.startswith("From:") for quote in quotes)
    sender = asked(library, "Who wrote the mail about the summer party?").citations
    assert any(citation.quote.startswith("From: Eva Haas") for citation in sender[:2])


@pytest.mark.parametrize(
    ("question", "row", "scale"),
    [
        ("What was the net debt in 2022?", "Net debt", "All amounts in thousands of pounds."),
        ("What were the takings of the kiosk in 2022?", "Takings", "EUR thousands"),
        ("Wie hoch war das Anlagevermögen 2022?", "Anlagevermögen", "Angaben in TEUR"),
    ],
)
def test_what_tells_the_scale_of_a_table_is_quoted_behind_its_row(
    library: Library, question: str, row: str, scale: str
) -> None:
    quotes = [citation.quote for citation in asked(library, question).citations]
    assert quotes[0].startswith(row)
    assert sum(quote.startswith(scale) for quote in quotes[1:]) == 1


def test_the_newer_version_is_quoted_first_and_alone_where_it_says_the_same(
    library: Library,
) -> None:
    quotes = [c.quote for c in asked(library, "Who approves remote work?").citations]
    assert quotes[0].endswith("by the direct supervisor.")
    assert any("Remote work is approved by the department head." in quote for quote in quotes)
    noon = asked(library, "When is lunch?").citations
    assert noon[0].source.endswith("handbook-v2.md")


def test_what_is_negated_is_answered_by_the_sentence_that_says_when_it_does_not_hold(
    library: Library,
) -> None:
    answer = asked(library, "When is the payment not reduced?")
    assert answer.status is Status.ANSWERED, answer.reasons
    assert "This does not apply to claims below 5,000 pounds." in answer.text


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("What is the dose of Fevra syrup for a child of 3 years?", "2 to 4 years | 7.5 ml"),
        ("What is the dose of Fevra syrup at 8 years?", "7 to 9 years | 12.5 ml"),
        ("What is the dose of Fevra syrup at 15 months?", "6 to 24 months | 5 ml"),
    ],
)
def test_the_row_whose_range_holds_what_is_asked_is_quoted_without_its_neighbours(
    library: Library, question: str, row: str
) -> None:
    answer = asked(library, question)
    quotes = [citation.quote for citation in answer.citations]
    assert quotes[0] == row
    assert not [quote for quote in quotes[1:] if "ml" in quote]
    assert not [reason for reason in answer.reasons if "name" in reason]


def test_a_table_without_a_row_for_what_is_asked_says_so(library: Library) -> None:
    answer = asked(library, "What is the dose of Fevra syrup for a child of 12 years?")
    assert "the nearest table has no row for 12 years" in answer.reasons
    assert "ml" not in answer.text


AGREEMENTS = {
    f"agreement-{number}.md": f"# Agreement {number}\n\nThis agreement is made on {number} July 2024 "
    f'between {supplier} ("the Supplier") and {client} ("the Client").\n\n'
    f"Invoices must be paid within {number} days of receipt.\n"
    for number, supplier, client in (
        (11, "Nordwind GmbH", "Aalto Oy"),
        (12, "Kestrel Ltd", "Helix Inc"),
    )
}


@pytest.mark.parametrize(
    "question",
    ["Who owns the intellectual property?", "Who insures the warehouse?"],
)
def test_what_is_in_no_document_is_not_answered_without_a_doubt(
    question: str, tmp_path: Path
) -> None:
    with library_of(AGREEMENTS, tmp_path) as library:
        answer = library.ask(question)
        paid = library.ask("When must the invoices of Kestrel Ltd be paid?")
    assert answer.status is Status.ABSTAINED or answer.is_doubtful
    assert paid.status is Status.ANSWERED
