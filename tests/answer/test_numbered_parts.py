"""A library is asked for clauses and schedules by their numbers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pincite.library.library import Library
from pincite.records.flow import Answer, Status

CONTRACT = """# Services agreement

## 3. Fees

3.1 The Customer pays each invoice within thirty days of receipt, as clause 9.9 of the Code says.

3.2 Interest accrues at 4 percent above the base rate.

## 5. Termination

5.1 Either party may end this agreement on six months' written notice.

5.3 If the Customer fails to pay, the Supplier may suspend the Services. It tells the Customer ten
days before.

5.4 In this clause a clause is a clause of this agreement.

## Schedule 2 - Fees

Hosting costs 120,000 pounds a year. Support costs 48,500 pounds a year.
"""
SUSPENDS = "5.3 If the Customer fails to pay, the Supplier may suspend the Services."
TELLS = "It tells the Customer ten\ndays before."
NOTICE = "5.1 Either party may end this agreement on six months' written notice."
INTEREST = "3.2 Interest accrues at 4 percent above the base rate."


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    home = tmp_path_factory.mktemp("contracts")
    (home / "files").mkdir()
    (home / "files" / "services.md").write_text(CONTRACT)
    (home / "files" / "lease.md").write_text(
        "# Lease\n\n5.1 The rent is 900 pounds.\n\n7.2 Pets are allowed.\n"
    )
    with Library.open(home / "library") as opened:
        opened.ingest([home / "files"])
        yield opened


def quotes(answer: Answer) -> list[str]:
    return [citation.quote for citation in answer.citations]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does clause 5.3 say?", [f"{SUSPENDS} {TELLS}"]),
        ("clause 3.2", [INTEREST]),
        ("What does clause 5.1 of the services agreement say?", [NOTICE]),
        ("What does clause 5.1 of the lease say?", ["5.1 The rent is 900 pounds."]),
        ("Was steht in § 7.2?", ["7.2 Pets are allowed."]),
        ("What do clauses 3.2 and 7.2 say?", [INTEREST, "7.2 Pets are allowed."]),
        (
            "What is in Schedule 2?",
            ["Hosting costs 120,000 pounds a year. Support costs 48,500 pounds a year."],
        ),
    ],
)
def test_a_part_that_is_asked_for_is_quoted_whole_and_nothing_else(
    library: Library, question: str, expected: list[str]
) -> None:
    answer = library.ask(question)
    assert answer.status is Status.ANSWERED
    assert sorted(quotes(answer)) == sorted(expected)


def test_what_is_asked_of_a_part_is_answered_from_it_first(library: Library) -> None:
    answer = library.ask("How much notice does clause 5.1 of the services agreement require?")
    assert quotes(answer)[0].startswith(NOTICE)


@pytest.mark.parametrize("part", ["clause 8.4", "Schedule 5", "Anlage 3"])
def test_a_part_that_no_document_has_is_refused_and_told(library: Library, part: str) -> None:
    answer = library.ask(f"What does {part} say?")
    assert answer.status is Status.ABSTAINED
    assert any(f"begins with the number: {part}" in reason for reason in answer.reasons)


def test_a_part_that_is_only_mentioned_is_told(library: Library) -> None:
    answer = library.ask("What does clause 9.9 say?")
    assert any("begins with the number: clause 9.9" in reason for reason in answer.reasons)


def test_a_number_in_another_document_than_that_named_is_not_certain(library: Library) -> None:
    sure = library.ask("What does clause 5.3 of the services agreement say?").confidence
    for named in ("Zenith insurance policy", "Zenith services agreement"):
        answer = library.ask(f"What does clause 5.3 of the {named} say?")
        assert not answer.citations or answer.confidence < sure


def test_other_questions_are_left_alone(library: Library) -> None:
    assert "900 pounds" in quotes(library.ask("How much is the rent?"))[0]
