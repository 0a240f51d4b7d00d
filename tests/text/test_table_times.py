"""Times of day in tables: compared, ordered, never added; a span of times begins with its first."""

from __future__ import annotations

import pytest

from pincite.text.tables.asking import read_question
from pincite.text.tables.reading import Reading, number_text
from pincite.text.tables.tables import CLOCK, quantity
from tests.text.test_tables import keys, table_of

CLASSES = """Class,Day,Start,End,Places
Yoga,Monday,18:30,19:45,14
Spinning,Monday,17:00,17:50,20
Pilates,Tuesday,09:15,10:15,12
Boxing,Wednesday,20:00,21:30,16
Zumba,Friday,19:00,20:00,30
"""
ITEMS = """Item,Weight (kg),Ready
A,5,2026-03-05
B,9,2026-03-07
C,12,2026-04-01
"""
TRAINS = """Train,From,Departs,Fare
IC 12,Bern,06:32,€ 51
RE 7,Bern,06:39,€ 16
S 3,Bern,07:20,€ 15
NJ 40,Basel,22:13,€ 129
"""
FERRIES = """Ferry,Route,Time,Fare
F1,Harbour to Island,6:30 am - 7:10 am,8
F2,Island to Harbour,7:30 am - 8:10 am,8
F3,Harbour to Island,5:45 pm - 6:25 pm,9
F4,Harbour to Cape,9:00 pm - 10:20 pm,14
"""
SHIFTS = """Employee,Hours
Ann Lee,8 h
Bea Orr,6 h
Cid Moe,7.5 h
"""
KURSE = """Kurs;Beginn
Yoga;18.30 Uhr
Chor;9.00 Uhr
"""


def read(question: str, content: str) -> Reading | None:
    return read_question(question, table_of(content, "list.csv"), "en")


@pytest.mark.parametrize(
    ("written", "seconds", "end"),
    [
        ("18:30", 66600, None),
        ("6:30 pm", 66600, None),
        ("6 p.m.", 64800, None),
        ("12:15 am", 900, None),
        ("18.30 Uhr", 66600, None),
        ("8 o'clock", 28800, None),
        ("18:00–19:30", 64800, 70200),
        ("6-7:30 pm", 64800, 70200),
        ("11:30-1 pm", 41400, 46800),
        ("10 pm - 6 am", 79200, 21600),
    ],
)
def test_a_time_is_seconds_since_midnight(written: str, seconds: int, end: int | None) -> None:
    found = quantity(written)
    assert found is not None
    assert found.unit == CLOCK
    assert (found.value, found.end) == (seconds, end)


@pytest.mark.parametrize(
    "written", ["18", "18.30", "25:10", "13 pm", "1:4", "16:9:2", "6-7", "2:1", "8 h", "1.30 h"]
)
def test_what_may_be_an_amount_or_a_ratio_is_no_time(written: str) -> None:
    found = quantity(written)
    assert found is None or found.unit != CLOCK


@pytest.mark.parametrize(
    ("content", "question", "found"),
    [
        (CLASSES, "Which classes start after 18:00?", ["Boxing", "Yoga", "Zumba"]),
        (CLASSES, "Which classes start after 6 pm?", ["Boxing", "Yoga", "Zumba"]),
        (CLASSES, "Which classes end before 10:30?", ["Pilates"]),
        (CLASSES, "Which classes start between 17:00 and 19:00?", ["Spinning", "Yoga", "Zumba"]),
        (CLASSES, "Which class starts earliest?", ["Pilates"]),
        (CLASSES, "Which class ends last?", ["Boxing"]),
        (CLASSES, "Which classes have between 14 and 20 places?", ["Boxing", "Spinning", "Yoga"]),
        (TRAINS, "What is the cheapest train that departs before 7:00?", ["RE 7"]),
        (TRAINS, "Where does the 7:20 leave from?", ["S 3"]),
        (TRAINS, "Which train departs at 6:39?", ["RE 7"]),
        (TRAINS, "Which trains leave by 7:00?", ["IC 12", "RE 7"]),
        (TRAINS, "Which trains leave from 7:20 on?", ["NJ 40", "S 3"]),
        (CLASSES, "Which classes start from 19:00 on?", ["Boxing", "Zumba"]),
        (ITEMS, "Which items are ready by 2026-03-07?", ["A", "B"]),
        (ITEMS, "Which items are ready from 2026-03-07 on?", ["B", "C"]),
        (ITEMS, "Which items are ready from 2026-03-06 to 2026-03-31?", ["B"]),
        (TRAINS, "Which trains leave before 7:30?", ["IC 12", "RE 7", "S 3"]),
        (TRAINS, "Which is the most expensive train?", ["NJ 40"]),
        (SHIFTS, "Who works more than 7 h?", ["Ann Lee", "Cid Moe"]),
        (SHIFTS, "Who works less than 7 hours?", ["Bea Orr"]),
        (FERRIES, "Which ferries leave after 5 pm?", ["F3", "F4"]),
        (FERRIES, "Which ferry leaves last?", ["F4"]),
        (FERRIES, "When does F3 leave?", ["F3"]),
    ],
)
def test_rows_are_compared_by_their_times(content: str, question: str, found: list[str]) -> None:
    assert sorted(keys(read(question, content))) == found


def test_german_times_are_written_with_a_point() -> None:
    table = table_of(KURSE, "list.csv")
    assert [number_text(one) for one in table.quantities(1) or () if one] == ["18:30", "09:00"]


def test_minutes_beside_hours_are_not_compared() -> None:
    table = table_of("Runner,Time\nAnn,9:30\nBea,1:02:10\n", "list.csv")
    assert table.quantities(1) is None
    table = table_of("Runner,Time\nAnn,0:59:30\nBea,1:02:10\n", "list.csv")
    assert [number_text(one) for one in table.quantities(1) or () if one] == [
        "00:59:30",
        "01:02:10",
    ]


@pytest.mark.parametrize(
    ("content", "question"),
    [
        (FERRIES, "Which ferries arrive after 8 pm?"),  # A span is compared by its beginning alone.
        (CLASSES, "What is the total start time?"),
        (TRAINS, "Which trains leave around 7:20?"),
        (CLASSES, "What is the average end?"),
        (CLASSES, "Which class is the latest?"),  # Start or end?
    ],
)
def test_what_is_not_certain_is_not_read(content: str, question: str) -> None:
    assert read(question, content) is None
