"""How questions name columns and rows of tables: by verbs, parts, ranges, lists and what is absent."""

from __future__ import annotations

import pytest

from pincite.ingest.tables import TableCell, TableRow, guess_headers
from pincite.text.tables.asking import read_question
from pincite.text.tables.reading import Operation, Reading
from tests.text.test_tables import keys, table_of

BOATS = """Berth,Boat,Owner,Length (m),Type,Insurance ends,Annual fee (EUR),Paid
A01,Aurora,Ida Lund,6.5,motor,2026-01-15,900,no
B02,Petrel,Per Holm,10.0,sail,2026-02-07,1037,yes
C03,Sea Glass,Greta Voss,7.0,sail,2026-03-02,1174,yes
A04,Windhover,Ida Lund,12.5,motor,2027-01-18,1311,no
"""
STAFF = """Staff ID,First name,Surname,Department,Start date,Salary (GBP),Line manager,Languages
S001,Amara,Obi,Finance,2012-05-01,61000,Judith Marsh,"English, French"
S002,Ben,Carver,IT,2019-11-18,43500,Rui Costa,English
S003,Chloe,Dumont,Sales,2021-02-01,39000,Peter Nash,"English, German"
S004,Dev,Patel,IT,2024-08-10,52000,Rui Costa,"English, Hindi"
"""
MONTHS = """Month,Jobs,Revenue (EUR),Complaints
January,61,18200,2
February,55,16900,1
March,78,24100,4
Quarter 1,194,59200,7
April,70,21500,0
May,83,26800,3
June,66,20100,2
Quarter 2,219,68400,5
"""
PARTS = """Part no.,Description,Supplier,In stock,Reorder level,Unit price (EUR)
BX-101,Brake pad,Keller GmbH,40,20,12.5
BX-102,Brake disc,Keller GmbH,8,10,48.0
EL-331,Battery,Sparx Ltd,5,6,89.0
"""
LESSONS = """Teacher,Instrument,Room,Days
Clara Weiss,piano,12,"Mon, Wed"
Diego Luna,guitar,7,"Tue, Thu"
Nadia Karim,singing,9,Wed
"""
ENERGY = """Monat;Verbrauch (kWh);Kosten (EUR)
Januar;412;131,84
Februar;388;124,16
März;251;112,32
"""
LOANS = """Loan,Borrowed,Returned,Fine (EUR),Shipped on
L1,2026-01-05,2026-01-30,,2026-01-06
L2,2026-01-12,,1.10,
L3,2026-02-01,2026-03-01,,2026-02-02
"""
PEOPLE = """Patient no.,Last name,First name,Date of birth,Ward,Admitted
P-1,Brandt,Ole,1948-03-12,Cardiology,2026-05-02
P-2,Cruz,Marta,1990-11-30,Surgery,2026-05-03
P-3,Huang,Li,2015-06-02,Surgery,2026-05-01
"""
WINES = """Wine,Vintage,Glass,Bottle,CPU cores
Riesling,2022,7.50,38.00,4
Barolo,2016,,98.00,8
Rioja,2017,9.50,49.00,16
"""
VOTES = """Party,Votes,Seats
Greens,4120,9
Liberals,2605,6
Labour,1710,4
"""
MEMBERS = """Name,Joined,Fee paid,Role,Age
"Adler, Tom",2011,yes,president,58
"Bauer, Lisa",2019,yes,treasurer,41
"Conti, Marco",2023,no,,27
"""
TREES = """Tree,Species,Street,Planted,Last inspection,Inspector,Rent
T-1,lime,Mill Lane,1962,2025-10-04,Ros Hale,£ 90
T-2,oak,Church Road,1931,2024-06-18,Ian Prior,£ 40
T-3,maple,Quay,2015,,,£ 60
"""


def read(question: str, content: str, language: str = "en") -> Reading | None:
    return read_question(question, table_of(content, "list.csv"), language)


def cells(reading: Reading | None) -> list[str]:
    assert reading is not None
    return [reading.table.text(row, one) for row in reading.rows for one in reading.asked]


@pytest.mark.parametrize(
    ("content", "question", "found"),
    [
        (BOATS, "Who owns the Petrel?", ["Per Holm"]),
        (BOATS, "Whose boat is Petrel?", ["Per Holm"]),
        (BOATS, "Which boat lies in B02?", ["Petrel"]),
        (BOATS, "Whose insurance expires in January 2027?", ["Ida Lund"]),
        (BOATS, "Which boat's insurance ends first?", ["Aurora"]),
        (BOATS, "What does berth B02 cost per year?", ["1037"]),
        (BOATS, "Who has not paid yet?", ["Ida Lund", "Ida Lund"]),
        (STAFF, "Who works in IT?", ["Ben", "Carver", "Dev", "Patel"]),
        (STAFF, "Who joined last?", ["Dev", "Patel"]),
        (STAFF, "Who was hired before 2015?", ["Amara", "Obi"]),
        (PARTS, "Who supplies the battery?", ["Sparx Ltd"]),
        (LESSONS, "Who teaches on Wednesdays?", ["Clara Weiss", "Nadia Karim"]),
        (LESSONS, "In which room does Diego teach?", ["7"]),
        (LOANS, "When was L1 shipped?", ["2026-01-06"]),
        (MONTHS, "How many complaints were there in Quarter 1?", ["7"]),
        (PEOPLE, "Who is the youngest?", ["Li", "Huang"]),
        (PEOPLE, "Who is the oldest?", ["Ole", "Brandt"]),
        (MEMBERS, "Who is the oldest member?", ["Adler, Tom"]),
        (MEMBERS, "Who is the youngest member?", ["Conti, Marco"]),
        (MEMBERS, "How old is Tom Adler?", ["58"]),
        (MEMBERS, "Who has not paid the fee?", ["Conti, Marco"]),
        (MEMBERS, "Who joined after 2015?", ["Bauer, Lisa", "Conti, Marco"]),
        (TREES, "Who inspected the oak?", ["Ian Prior"]),
        (WINES, "What is the oldest wine?", ["Barolo"]),
        (WINES, "How many cores does Barolo have?", ["8"]),
        (VOTES, "Which party won the most votes?", ["Greens"]),
        (MONTHS, "What was the revenue in the second quarter?", ["68400"]),
    ],
)
def test_a_cell_is_asked_for_by_a_verb_a_part_or_a_kind(
    content: str, question: str, found: list[str]
) -> None:
    assert sorted(cells(read(question, content))) == sorted(found)


@pytest.mark.parametrize(
    ("content", "question", "found"),
    [
        (BOATS, "Which boats does Ida Lund own?", ["A01", "A04"]),
        (BOATS, "Which boats haven't paid?", ["A01", "A04"]),
        (BOATS, "Which boats are longer than 9 m?", ["B02", "A04"]),
        (PARTS, "Which parts are below their reorder level?", ["BX-102", "EL-331"]),
        (MONTHS, "Which month had the most complaints?", ["March"]),
        (MONTHS, "Which months had no complaints?", ["April"]),
        (
            LOANS.replace("2026-01-12,,", "2026-01-12,n/a,"),
            "Which loans have not been returned?",
            ["L2"],
        ),
        (PEOPLE, "Which patients were born after 1980?", ["P-2", "P-3"]),
        (WINES, "Which wines cost less than 50 euros a bottle?", ["Riesling", "Rioja"]),
        (TREES, "Which is the oldest tree?", ["T-2"]),
        (TREES, "Which tree has never been inspected?", ["T-3"]),
        (TREES, "Which trees cost less than 70 pounds?", ["T-2", "T-3"]),
        (TREES, "How many trees are on Park Street?", []),
        (LOANS, "Which loans have not been returned?", ["L2"]),
        (ENERGY, "Welche Monate lagen über 300 kWh?", ["Januar", "Februar"]),
    ],
)
def test_rows_are_found_by_what_they_lack_or_exceed(
    content: str, question: str, found: list[str]
) -> None:
    language = "de" if content == ENERGY else "en"
    assert keys(read(question, content, language)) == found


@pytest.mark.parametrize(
    ("content", "question", "operation", "rows"),
    [
        (MONTHS, "What was the total revenue from January to June?", Operation.SUM, 6),
        (MONTHS, "What was the total revenue from February to April?", Operation.SUM, 3),
        (MONTHS, "What is the average revenue?", Operation.AVERAGE, 6),
        (STAFF, "What is the average salary in IT?", Operation.AVERAGE, 2),
        (BOATS, "How many sailing boats are there?", Operation.COUNT, 2),
        (MEMBERS, "How many members have paid?", Operation.COUNT, 2),
        (BOATS, "How many boats does Ida Lund own?", Operation.COUNT, 2),
        (BOATS, "What do all boats together pay per year?", Operation.SUM, 4),
        (BOATS, "What is the fee difference between Aurora and Petrel?", Operation.DIFFERENCE, 2),
    ],
)
def test_numbers_are_computed_from_the_rows_that_are_meant(
    content: str, question: str, operation: Operation, rows: int
) -> None:
    reading = read(question, content)
    assert reading is not None
    assert (reading.operation, len(reading.rows)) == (operation, rows)
    added = {"Quarter 1", "Quarter 2"}
    assert not added & {reading.table.text(row, 0) for row in reading.rows}


@pytest.mark.parametrize(
    ("content", "question"),
    [
        (MONTHS, "What was the revenue from June to January?"),
        (BOATS, "What is the total fee from Aurora to Petrel?"),
        (STAFF, "What is the average salary in it for women?"),
        (LESSONS, "How many days does Clara Weiss teach?"),
        (PARTS, "How many parts do we need?"),
        (VOTES, "Which party lost votes?"),
        (VOTES, "Which party lost the most votes?"),
        (MONTHS, "What is the total revenue of January and Quarter 1?"),
        (VOTES, "How many votes did Labour lose?"),
        (TREES.replace("Planted", "Counted"), "Which is the oldest tree?"),
    ],
)
def test_what_may_mean_other_rows_is_left_to_others(content: str, question: str) -> None:
    assert read(question, content) is None


def test_a_row_that_happens_to_be_a_sum_is_no_total() -> None:
    prices = "Lamp,Price (EUR)\nSmall,1000\nMiddle,2000\nLarge,3000\nHuge,4000\n"
    assert keys(read("Which lamp has the highest price?", prices)) == ["Huge"]
    assert keys(read("Which lamps cost less than 3500?", prices)) == ["Small", "Middle", "Large"]


def test_sums_that_are_not_called_so_are_told_as_left_out() -> None:
    reading = read("Which month had the most complaints?", MONTHS)
    assert reading is not None
    assert reading.left_out == ("2 total rows",)


def test_several_tables_prefer_the_column_that_is_called_so() -> None:
    woods = (f"Wood,{head},Metres\nOak,5,40\nElm,7,20\n" for head in ("Price", "Cost"))
    named, meant = (read("What is the price of Oak?", content) for content in woods)
    assert named is not None
    assert meant is not None
    assert (named.is_inferred, meant.is_inferred) == (False, True)


@pytest.mark.parametrize(
    "value", ["€ 7.50", "CHF 18", "1,840 m", "12 kg", "3 March 2026", "> 30", "5–7 days", "230 V"]
)
def test_values_with_units_make_the_row_above_them_heads(value: str) -> None:
    table = [("Item", "Kind", "Amount"), ("Adult", "single", value), ("Child", "return", value)]
    rows = [
        TableRow(cells=tuple(TableCell(column=n, text=text) for n, text in enumerate(row)))
        for row in table
    ]
    assert guess_headers(rows).rows == 1
    assert guess_headers(rows[1:]).rows == 0


def test_one_value_among_words_makes_no_heads() -> None:
    table = [("Weir", "a low dam"), ("Sluice", "a gate"), ("Head", "12 m"), ("Race", "a channel")]
    rows = [
        TableRow(cells=tuple(TableCell(column=n, text=text) for n, text in enumerate(row)))
        for row in table
    ]
    assert guess_headers(rows).rows == 0


@pytest.mark.parametrize(
    ("content", "question", "found"),
    [
        (STAFF, "Who other than Ben Carver works in IT?", ["S004"]),
        (STAFF, "Who works in IT apart from Dev Patel?", ["S002"]),
        (STAFF, "Who does not work in IT?", ["S001", "S003"]),
        (STAFF, "Which employees are not in Sales?", ["S001", "S002", "S004"]),
        (STAFF, "List all employees except Amara Obi and Ben Carver.", ["S003", "S004"]),
        (STAFF, "Who earns more than 50000 other than Amara Obi?", ["S004"]),
        (BOATS, "Which boats are not owned by Ida Lund?", ["B02", "C03"]),
        (TREES, "Which trees are not in Mill Lane?", None),
        (VOTES, "Which parties except the Greens won seats?", None),
    ],
)
def test_rows_with_what_is_excepted_are_left_out(
    content: str, question: str, found: list[str] | None
) -> None:
    reading = read(question, content)
    if found is None:
        assert reading is None or not any("=" in one.relation for one in reading.conditions)
    else:
        assert keys(reading) == found
        assert reading is not None
        assert "≠" in reading.said


def test_a_computation_leaves_out_what_is_excepted() -> None:
    reading = read("What is the average salary excluding IT?", STAFF)
    assert reading is not None
    assert reading.operation is Operation.AVERAGE
    assert keys(reading) == ["S001", "S003"]
    assert read("How many employees do not work in IT?", STAFF) is not None
    assert read("Who in Sales and not in IT but in Finance?", STAFF) is None


ORDERS = """Order,Customer,Item,Quantity,Price,Date
1041,Anna Lind,Bookcase,1,349.00,2026-03-02
1042,Karl Moe,Desk lamp,2,59.90,2026-03-05
1043,Ingrid Dahl,Office chair,4,189.00,2026-03-09
"""


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("Who ordered the bookcase?", 1),
        ("When was the office chair ordered?", 5),
        ("Which order is the bookcase in?", 0),
    ],
)
def test_numbers_tell_neither_who_nor_when(question: str, column: int) -> None:
    reading = read_question(question, table_of(ORDERS))
    assert reading is not None
    assert reading.asked == (column,)
