from __future__ import annotations

import pytest

from pincite.text.numbered_parts import (
    Numbered,
    bears,
    bears_a_number,
    parts_named,
    without_parts_named,
)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("What does clause 5.3 say?", ["5.3"]),
        ("clauses 4.1 and 4.2", ["4.1", "4.2"]),
        ("Was regelt § 4?", ["4"]),
        ("Ziffer 3.4(a)", ["3.4"]),
        ("Artikel 12 und Absatz 2", ["12"]),
        ("¿Qué dice el artículo 7?", ["7"]),
        ("Que dit l'article IV ?", ["iv"]),
        ("Schedule A", ["a"]),
        ("Annex I", ["i"]),
        ("Section 3.", ["3"]),
        ("the section I need, and article a", []),
        ("schedule a meeting at 5", []),
        ("It costs 5.3 million.", []),
    ],
)
def test_numbered_parts_are_named_by_a_word_and_a_number(text: str, numbers: list[str]) -> None:
    assert [part.number for part in parts_named(text)] == numbers


def test_schedules_and_annexes_are_told_from_clauses() -> None:
    named = parts_named("Schedule 2, clause 3, Anlage 4, annexe 5, § 6")
    assert [part.is_attachment for part in named] == [True, False, True, True, False]


def test_what_stands_around_the_parts_named_is_given() -> None:
    assert without_parts_named("Do clauses 4.1 and 4.2 of the lease differ?") == (
        "Do ",
        " of the lease differ?",
    )
    assert without_parts_named("Who pays?") == ("Who pays?", "")


CLAUSE, SUBCLAUSE = Numbered("5", False, "clause 5"), Numbered("5.3", False, "clause 5.3")
SCHEDULE = Numbered("5", True, "Schedule 5")


@pytest.mark.parametrize(
    ("text", "part", "as_sentence", "as_heading"),
    [
        ("5.3 If the Customer fails to pay", SUBCLAUSE, True, True),
        ("5.3. If the Customer fails to pay", SUBCLAUSE, True, True),
        ('"5.3 The Customer', SUBCLAUSE, True, True),
        ("Clause 5.3 is deleted", SUBCLAUSE, True, True),
        ("5.30 The", SUBCLAUSE, False, False),
        ("5.3 million people", SUBCLAUSE, False, False),
        ("5.3% of the Fees", SUBCLAUSE, False, False),
        ("Subject to clause 5.3", SUBCLAUSE, False, False),
        ("5. Termination", CLAUSE, True, True),
        ("(5) The seller", CLAUSE, True, True),
        ("Article 5 - Term", CLAUSE, True, True),
        ("5 Termination", CLAUSE, False, True),
        ("Schedule 5 - Fees", CLAUSE, False, False),
        ("Schedule 5 - Fees", SCHEDULE, True, True),
        ("Schedule 5", SCHEDULE, True, True),
        ("5. Termination", SCHEDULE, False, False),
    ],
)
def test_a_part_is_told_by_the_number_that_it_begins_with(
    text: str, part: Numbered, as_sentence: bool, as_heading: bool
) -> None:
    assert bears(text, part, is_heading=False) is as_sentence
    assert bears(text, part, is_heading=True) is as_heading


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5.4 Notice", True),
        ("6. Notice", True),
        ("§ 6 Notice", True),
        ("Schedule 1", True),
        ("It ends then.", False),
        ("30 days later it ends.", False),
        ("I agree.", False),
    ],
)
def test_the_next_part_begins_with_a_number_of_its_own(text: str, expected: bool) -> None:
    assert bears_a_number(text) is expected
