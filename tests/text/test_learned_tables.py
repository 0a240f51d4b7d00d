"""What a question asks of a table, chosen by the model where no reading accounts for every word."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from pincite.text.tables.asking import read_question
from pincite.text.tables.learned.candidates import (
    UNANSWERED,
    Asked,
    candidates,
    named_rows,
)
from pincite.text.tables.learned.choosing import (
    LEAST_PROBABILITY,
    MOST_CELLS,
    learned_reading,
    likeliest,
    probabilities,
    shipped,
)
from pincite.text.tables.learned.features import FEATURES, weighable
from pincite.text.tables.learned.indexed import IndexedTable, places_in
from pincite.text.tables.phrases import stems
from pincite.text.tables.reading import Operation, Reading, chosen_rows, derived_value
from tests.text.test_tables import table_of

SEASON = """Date,Opponent,Venue,Result,Attendance,Scorers
4 May 2024,Harbour Town,Home,2-1,1240,Nilsen (2)
11 May 2024,Mill Lane,Away,0-0,860,
18 May 2024,Northgate,Home,3-2,1515,"Nilsen, Ode, Pratt"
25 May 2024,Harbour Town,Away,1-4,990,Ode
1 June 2024,Castle Rovers,Away,2-0,1720,"Pratt, Quist"
8 June 2024,Mill Lane,Home,5-1,1310,"Nilsen (3), Ode, Quist"
"""
BUDGET = """Year,Region,Staff,Budget
2021,North,12,400
2022,North,14,450
2021,South,9,300
2022,South,11,350
"""


def reading(question: str, text: str = SEASON) -> Reading | None:
    return learned_reading(question, IndexedTable(table_of(text)), "season")


def answer(question: str, text: str = SEASON) -> list[str]:
    found = reading(question, text)
    assert found is not None
    if found.operation is Operation.ROWS:
        return [found.table.text(row, found.asked[0]) for row in found.rows]
    over = found.table.key if found.over is None else found.over
    value = derived_value(str(found.operation), [found.table.text(row, over) for row in found.rows])
    return [value or ""]


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("which opponent came next after Northgate?", ["Harbour Town"]),
        ("who was the opponent before Castle Rovers?", ["Harbour Town"]),
        ("how many games were played at home?", ["3"]),
        ("who was the opponent in the first game of the season?", ["Harbour Town"]),
        ("what was the date of the game with the lowest attendance?", ["11 May 2024"]),
        ("how many times did they play against mill lane?", ["2"]),
        ("when did they play Castle Rovers?", ["1 June 2024"]),
        ("how many people attended the game against Castle Rovers?", ["1720"]),
        ("who was the last opponent?", ["Mill Lane"]),
        ("which opponent had an attendance of 1,720?", ["Castle Rovers"]),
        ("what was the result of the game on 18 May 2024?", ["3-2"]),
    ],
)
def test_what_no_exact_reading_has_is_read(question: str, right: list[str]) -> None:
    assert read_question(question, table_of(SEASON)) is None
    assert answer(question) == right
    found = reading(question)
    assert found is not None
    assert LEAST_PROBABILITY <= found.probability < 1
    assert chosen_rows(found.table, found.conditions, found.ranked, found.placed) == found.rows


@pytest.mark.parametrize(
    "question",
    [
        "who won the cup?",
        "what is the capital of Norway?",
        "what opponent was played other than Mill Lane?",
        "which opponents were not played at home?",
        "which months are the busiest for the railway?",
        "How do I reset my password?",
        "",
        "?",
    ],
)
def test_what_it_does_not_tell_is_not_read(question: str) -> None:
    assert reading(question) is None


def test_the_commonest_value_is_told_by_the_numbers_of_rows() -> None:
    games = "Venue,Opponent\nOslo,A\nBergen,B\nBergen,C\nMolde,D\nBergen,E\nOslo,F\n"
    found = reading("which venue was used the most?", games)
    assert found is not None
    assert found.operation is Operation.COUNT
    assert [(name, len(rows)) for name, rows in found.grouped.items()] == [
        ("Bergen", 3),
        ("Oslo", 2),
        ("Molde", 1),
    ]


def test_a_place_is_named_by_its_ordinal() -> None:
    table = "Pos,Team,Points\n1,Oslo,60\n2,Bergen,55\n3,Molde,50\n"
    named = named_rows(Asked("which team came third?"), IndexedTable(table_of(table)))
    assert [one.condition.said(table_of(table)) for one in named] == ["Pos = 3"]


@pytest.mark.parametrize(("asked", "head"), [("wins", "Won"), ("lose", "Lost"), ("draws", "Drawn")])
def test_forms_of_one_verb_are_one_word(asked: str, head: str) -> None:
    assert stems(asked, "en") == stems(head, "en")


def test_how_it_was_read_is_said() -> None:
    told = reading("who was the opponent before Castle Rovers?")
    assert told is not None
    assert told.said == "rows of season where Opponent = Castle Rovers, the row before it"


def test_a_reading_that_is_nearly_as_likely_is_told() -> None:
    near = [reading(f"who did they play {when} northgate?") for when in ("after", "before")]
    assert any(one is not None and one.otherwise for one in near)
    certain = reading("how many people attended the game against Castle Rovers?")
    assert certain is not None
    assert certain.otherwise == ""


def test_a_bound_is_the_one_that_the_question_says() -> None:
    indexed = IndexedTable(table_of(SEASON))
    for written, relation in (("over 990", ">"), ("at least 990", ">="), ("990", "=")):
        named = named_rows(Asked(f"how many games had an attendance of {written}?"), indexed)
        bounds = {(one.condition.relation, one.column) for one in named}
        assert bounds == {(relation, 4)}
        number = (
            next(one.condition.number for one in named if one.condition.number)
            if (relation != "=")
            else None
        )
        assert number is None or number.value == Decimal(990)


def test_a_bound_is_no_cell_where_the_column_has_no_numbers_either() -> None:
    shows = "Show,Episodes\nA,20\nB,about 30\nC,12 (first part)\n"
    indexed = IndexedTable(table_of(shows))
    assert [one.kind for one in named_rows(Asked("which show has 20 episodes?"), indexed)] == [
        "whole"
    ]
    assert named_rows(Asked("which show has less than 20 episodes?"), indexed) == []


def test_a_part_of_cells_names_rows_and_is_said() -> None:
    indexed = IndexedTable(table_of(SEASON))
    named = {one.condition.said(indexed.table) for one in named_rows(Asked("in June?"), indexed)}
    assert named == {"Date has 'June'"}


def test_candidates_hold_what_their_filters_choose() -> None:
    indexed = IndexedTable(table_of(BUDGET))
    asked = Asked("what was the budget of north in 2022?")
    found = [*candidates(named_rows(asked, indexed), indexed)]
    for one in found:
        kept = {*places_in(one.filter.rows)}
        is_beside = one.kind in ("behind", "before")
        assert is_beside != kept.issuperset(one.places)
    right = [one for one in found if one.answer == ("450",) and len(one.filter.named) == 2]
    assert {one.kind for one in right} == {"rows"}
    assert {"sum", "average", "count", "highest", "first"} <= {one.kind for one in found}


def test_probabilities_are_of_all_candidates_and_of_none() -> None:
    indexed, asked = IndexedTable(table_of(SEASON)), Asked("who played at home?")
    named = named_rows(asked, indexed)
    found = [*candidates(named, indexed)]
    given = weighable(asked, indexed, named, found, shipped().common)
    likely = probabilities(shipped().of_features, given)
    assert len(likely) == len(found) + 1
    assert likely.sum() == pytest.approx(1)
    even = probabilities(np.zeros(FEATURES, np.float32), given)
    assert np.allclose(even, 1 / len(even))


def test_an_answer_is_as_likely_as_all_that_would_say_it() -> None:
    indexed, asked = IndexedTable(table_of(SEASON)), Asked("home games?")
    found = [*candidates(named_rows(asked, indexed), indexed)]
    same = [place for place, one in enumerate(found) if one.answer == ("Mill Lane",)]
    assert len(same) > 1
    likely = np.zeros(len(found) + 1)
    likely[same], likely[-1] = 0.3 / len(same), 0.7
    (best, probability), *_ = likeliest(found, likely)
    assert best.answer == ("Mill Lane",)
    assert best.kind not in UNANSWERED
    assert probability == pytest.approx(0.3)


def test_years_are_not_added_up() -> None:
    found = reading("what is the total of the year?", BUDGET)
    assert found is None or found.operation is not Operation.SUM


def test_rows_that_add_up_others_are_no_rows() -> None:
    text = "Team,Played,Won\nA,10,4\nB,12,5\nAll of them,22,9\nC,14,1\n"
    assert len(IndexedTable(table_of(text)).rows) == len(table_of(text).rows) - len(
        table_of(text).sums
    )


def test_a_long_table_is_left_to_exact_readings() -> None:
    rows = "".join(f"Row {n},{n % 7},{n}\n" for n in range(MOST_CELLS // 3 + 1))
    assert reading("which name is behind Row 5?", f"Name,Group,Size\n{rows}") is None


def test_a_long_question_is_left_to_them_too() -> None:
    question = "which opponent came next after Northgate"
    assert reading(question) is not None
    assert reading(f"{question} {'and ' * 40}") is None
