"""Questions that a table answers exactly, and those that it must leave to others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pincite.ingest.readers import FileReader
from pincite.text.tables.asking import read_question
from pincite.text.tables.labels import as_form
from pincite.text.tables.reading import Operation, Reading, derived_value, nearest_names
from pincite.text.tables.tables import Table, quantity, tables_of

PUMPS = """Pump,Maker,Hall,Flow (l/s),Price (EUR),Commissioned,Windows
PU-1,KSB,North,12.5,300,2011-03-01,2
PU-2,Wilo,South,8.0,1250,2012-01-15,0
PU-3,KSB,North,,90,2015-07-30,4
PU-4,Grundfos,West,40.1,2100,2020-12-31,1
Total,,,,3740,,7
"""


def table_of(content: str, name: str = "pumps.csv") -> Table:
    document = FileReader().read_content(Path(name), content.encode())
    (table,) = tables_of(replace(document, title=Path(name).stem))
    return table


def read(question: str, content: str = PUMPS) -> Reading | None:
    return read_question(question, table_of(content))


def keys(reading: Reading | None) -> list[str]:
    assert reading is not None
    return [reading.table.text(row, 0) for row in reading.rows]


def test_columns_have_names_units_and_rows_of_sums_are_apart() -> None:
    table = table_of(PUMPS)
    assert [column.name for column in table.columns][:4] == ["Pump", "Maker", "Hall", "Flow (l/s)"]
    assert (table.unit(3), table.unit(4)) == ("l/s", "€")
    assert [table.text(row, 0) for row in table.totals] == ["Total"]
    assert table.numeric() == [3, 4, 5, 6]
    assert [table.is_dated(one) for one in table.numeric()] == [False, False, True, False]


@pytest.mark.parametrize("form", ["p.md", "p.html"])
def test_tables_of_other_formats_read_alike(form: str) -> None:
    rows = [line.split(",") for line in PUMPS.splitlines()]
    if form == "p.md":
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        content = "\n".join([lines[0], "|---" * 7 + "|", *lines[1:]])
    else:
        marks = ["".join(f"<td>{cell}</td>" for cell in row) for row in rows[1:]]
        heads = "".join(f"<th>{cell}</th>" for cell in rows[0])
        content = f"<table><tr>{heads}</tr>{''.join(f'<tr>{row}</tr>' for row in marks)}</table>"
    reading = read_question("Which pumps cost less than 400?", table_of(content, form))
    assert keys(reading) == ["PU-1", "PU-3"]


@pytest.mark.parametrize(
    ("question", "rows", "said"),
    [
        ("What is the price of PU-2?", ["PU-2"], "Pump = PU-2"),
        ("PU-4", ["PU-4"], "Pump = PU-4"),
        ("How many windows does PU-3 have?", ["PU-3"], "Pump = PU-3"),
        ("When was PU-1 commissioned?", ["PU-1"], "Pump = PU-1"),
        ("price of PU-1 and PU-2", ["PU-1", "PU-2"], "Pump = PU-1 or PU-2"),
        ("Which pumps are in hall North?", ["PU-1", "PU-3"], "Hall = North"),
        ("Which pumps cost less than 300?", ["PU-3"], "Price (EUR) < 300"),
        ("Which pumps cost 300 EUR or more?", ["PU-1", "PU-2", "PU-4"], "Price (EUR) >= 300 €"),
        (
            "pumps with a price between 100 and 1250",
            ["PU-1", "PU-2"],
            ">= 100 and Price (EUR) <= 1250",
        ),
        ("Which KSB pumps in hall North cost at most 90?", ["PU-3"], "Maker = KSB"),
        ("Which pump has the highest flow?", ["PU-4"], "highest Flow (l/s)"),
        ("the two cheapest pumps", ["PU-3", "PU-1"], "lowest Price (EUR)"),
        ("top 2 pumps by price", ["PU-4", "PU-2"], "highest Price (EUR)"),
        ("oldest pump", ["PU-1"], "lowest Commissioned"),
        ("Which pumps were commissioned before 2012?", ["PU-1"], "Commissioned < 2012"),
        ("Which pumps were commissioned after 2012?", ["PU-3", "PU-4"], "Commissioned > 2012"),
        ("Which pumps were commissioned in July 2015?", ["PU-3"], "Commissioned = 2015-07"),
        ("pumps commissioned since 31 December 2020", ["PU-4"], "Commissioned >= 2020-12-31"),
        ("Which pumps have a flow over 100 l/s?", [], "Flow (l/s) > 100 l/s"),
        (
            "Which pumps are due to be commissioned in July 2015?",
            ["PU-3"],
            "Commissioned = 2015-07",
        ),
        ("list all pumps", ["PU-1", "PU-2", "PU-3", "PU-4"], "rows of pumps"),
    ],
)
def test_rows_are_found_exactly(question: str, rows: list[str], said: str) -> None:
    reading = read(question)
    assert keys(reading) == rows
    assert reading is not None
    assert reading.operation is Operation.ROWS
    assert said in reading.said


@pytest.mark.parametrize(
    ("question", "operation", "rows", "left_out"),
    [
        ("How many pumps are there?", Operation.COUNT, 4, ("1 total row",)),
        ("How many pumps are in hall North?", Operation.COUNT, 2, ("1 total row",)),
        ("What is the total price of all pumps?", Operation.SUM, 4, ("1 total row",)),
        ("average flow of the pumps", Operation.AVERAGE, 4, ("1 total row", "1 empty cell")),
        ("What do the KSB pumps cost altogether?", Operation.SUM, 2, ("1 total row",)),
    ],
)
def test_what_is_computed_says_what_it_leaves_out(
    question: str, operation: Operation, rows: int, left_out: tuple[str, ...]
) -> None:
    reading = read(question)
    assert reading is not None
    assert (reading.operation, len(reading.rows)) == (operation, rows)
    assert reading.left_out == left_out


@pytest.mark.parametrize(
    "question",
    [
        "What is a pump?",
        "Which pumps are not in hall North?",
        "Which pumps broke down before 2012?",
        "Is PU-1 in hall North?",
        "Who installed PU-1?",
        "Which pumps have a flow over 10 bar?",  # Units are not mixed.
        "Which pump has the highest rank?",
        "How many pumps does hall North need?",
        "Why does PU-2 cost 1250?",
        "What is the total of the pumps?",
        "What was the top pump?",
    ],
)
def test_a_word_without_a_part_leaves_the_question_to_others(question: str) -> None:
    assert read(question) is None


def test_numbers_that_may_be_read_in_two_ways_are_not_compared() -> None:
    points = "Part;Mass\nA;1.250\nB;2.500\n"
    assert read("Which part has the highest mass?", points) is None
    assert keys(read("highest mass", points + "C;10.5\n")) == ["C"]
    commas = "Part;Mass\nA;1,5\nB;12,25\n"
    assert keys(read("Which part has the highest mass?", commas)) == ["B"]


@pytest.mark.parametrize(
    ("head", "bare", "unit"),
    [
        ("Flow (l/s)", "Flow", "l/s"),
        ("Flow l/min", "Flow", "l/min"),
        ("Weight kg", "Weight", "kg"),
        ("Weight in kg", "Weight", "kg"),
        ("Price [EUR]", "Price", "€"),
        ("Share %", "Share", "%"),
        ("Rent per month", "Rent per month", ""),
        ("Opening hours", "Opening hours", ""),
        ("Group A (final)", "Group A", ""),
        ("kg", "kg", ""),
    ],
)
def test_a_unit_in_a_head_is_told_apart(head: str, bare: str, unit: str) -> None:
    column = table_of(f"Part;{head}\nA;5\nB;7\n").columns[1]
    assert (column.name, column.bare, column.unit) == (head, bare, unit)


def test_mixed_units_and_words_among_numbers_are_not_compared() -> None:
    assert read("highest mass", "Part,Mass\nA,5 kg\nB,7 g\n") is None
    assert read("highest mass", "Part,Mass\nA,5\nB,about 7\n") is None
    assert keys(read("highest mass", "Part,Mass\nA,5\nB,n/a\nC,7\n")) == ["C"]


def test_rows_of_equal_rank_are_all_shown() -> None:
    assert keys(read("Which part has the highest mass?", "Part,Mass\nA,7\nB,7\nC,1\n")) == [
        "A",
        "B",
    ]


@pytest.mark.parametrize(
    ("operation", "cells", "value"),
    [
        ("sum", ["0.1", "0.2"], "0.3"),
        ("sum", ["1,250.50 EUR", "2 EUR"], "1252.50"),
        ("sum", ["9" * 15, "1"], "1" + "0" * 15),
        ("sum", ["(5)", "7"], "2"),
        ("sum", ["5 kg", "7 g"], None),
        ("sum", ["5", "many"], None),
        ("average", ["1", "2"], "1.5"),
        ("average", ["1", "1", "2"], "≈1.33"),
        ("count", ["a", "b"], "2"),
        ("median", ["1"], None),
        ("sum", [], None),
    ],
)
def test_computing_is_decimal_and_refuses_what_it_cannot_read(
    operation: str, cells: list[str], value: str | None
) -> None:
    assert derived_value(operation, cells) == value


@pytest.mark.parametrize(
    ("operation", "cells", "part", "value"),
    [
        ("share", ["1", "2", "5"], 1, "12.5"),
        ("share", ["1 €", "2 €"], 1, "≈33.3"),
        ("share", ["0", "2"], 1, "0"),
        ("share", ["-1", "2"], 1, None),
        ("share", ["0", "0"], 1, None),
        ("share", ["1", "2"], 0, None),
        ("share", ["1", "2"], 2, None),
        ("share", ["1 kg", "2 g"], 1, None),
        ("proportion", ["a", "b", "c"], 2, "≈66.7"),
        ("proportion", ["a", "b"], 0, None),
    ],
)
def test_a_share_is_in_percent_of_a_whole_that_has_one(
    operation: str, cells: list[str], part: int, value: str | None
) -> None:
    assert derived_value(operation, cells, part=part) == value


def test_a_date_in_two_readings_is_no_quantity() -> None:
    assert quantity("01/02/2020") is None
    assert quantity("2020-02-01") == quantity("1 February 2020")


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("-5", -5),
        ("- 5", -5),
        ("5-", None),
        ("EUR -5", -5),
        ("−5 €", -5),
        ("(5)", -5),
        ("~5", None),
    ],
)
def test_a_sign_is_never_lost(cell: str, value: int | None) -> None:
    read = quantity(cell)
    assert (read.value if read else None) == value


@pytest.mark.parametrize("last", ["Subtotal", "North total", "Grand total:", "Sum North"])
def test_rows_that_add_up_others_are_told_apart(last: str) -> None:
    reading = read("total mass", f"Part,Mass\nA,5\nB,7\n{last},12\nC,3\n")
    assert keys(reading) == ["A", "B", "C"]
    assert reading is not None
    assert reading.left_out == ("1 total row",)


@pytest.mark.parametrize("last", [",x,12", "All parts,x,12"])
def test_a_row_that_may_add_up_others_unnamed_is_not_added_again(last: str) -> None:
    assert read("total mass", f"Part,Kind,Mass\nA,x,5\nB,y,7\n{last}\n") is None


def test_a_row_of_one_cell_takes_no_part_and_is_told() -> None:
    reading = read("total mass", "Part,Kind,Mass\nA,x,5\nB,y,7\n,,12\n")
    assert keys(reading) == ["A", "B"]
    assert reading is not None
    assert reading.left_out == ("1 row of one cell",)


@pytest.mark.parametrize("name", ["p.csv", "p.md"])
def test_a_row_with_its_key_alone_is_a_row(name: str) -> None:
    content = "Pump,Price\nPU-1,300\nPU-2,\nPU-3,55\n"
    if name == "p.md":
        content = "| Pump | Price |\n|---|---|\n| PU-1 | 300 |\n| PU-2 | |\n| PU-3 | 55 |\n"
    assert keys(read_question("How many pumps are listed?", table_of(content, name), file="p")) == [
        "PU-1",
        "PU-2",
        "PU-3",
    ]


@pytest.mark.parametrize(
    "content",
    [
        "| Firm | Revenue (EUR thousands) |\n|---|---|\n| A | 5 |\n| B | 7 |\n",
        "All amounts in thousands.\n\n| Firm | Revenue |\n|---|---|\n| A | 5 |\n| B | 7 |\n",
    ],
)
def test_numbers_in_a_scale_outside_their_cells_are_not_computed_or_compared(content: str) -> None:
    table = table_of(content, "firms.md")
    assert read_question("What is the total revenue?", table) is None
    assert read_question("Which firms have a revenue over 6?", table) is None
    assert keys(
        read_question("revenue of A1", table_of(content.replace("| A", "| A1"), "f.md"))
    ) == ["A1"]


def test_a_table_is_named_as_its_reader_knows_its_file() -> None:
    reading = read_question("Which pumps cost less than 100?", table_of(PUMPS), file="hall 7")
    assert reading is not None
    assert reading.said == "rows of hall 7 where Price (EUR) < 100"


ROOMS = """Room,Seats,Projector,Lift,Fee per hour (EUR)
Blue Room,12,yes,no,24
Green Room,30,no,yes,40
Attic,8,yes,,12
Hall,120,yes,yes,95
"""


@pytest.mark.parametrize(
    ("question", "rooms"),
    [
        ("Which rooms have a projector?", ["Blue Room", "Attic", "Hall"]),
        ("Which rooms have a projector and a lift?", ["Hall"]),
        ("Which rooms have no projector?", ["Green Room"]),
        ("rooms without a lift", ["Blue Room"]),
        ("Which rooms with a projector cost less than 50?", ["Blue Room", "Attic"]),
        ("Which rooms have more than 10 seats and no lift?", ["Blue Room"]),
    ],
)
def test_columns_of_yes_and_no_are_conditions(question: str, rooms: list[str]) -> None:
    assert keys(read(question, ROOMS)) == rooms


@pytest.mark.parametrize(
    "question",
    [
        "Which rooms have a projector or a lift?",
        "Which rooms have neither projector nor lift?",
        "How many rooms have a lift and how many have a projector?",
    ],
)
def test_one_or_the_other_and_two_questions_in_one_are_not_read(question: str) -> None:
    assert read(question, ROOMS) is None


def test_marks_alone_say_yes() -> None:
    marked = "Dish,Vegan,Nuts\nSoup,x,\nCake,,x\nSalad,x,x\n"
    assert keys(read("Which dishes are with nuts?", marked)) == ["Cake", "Salad"]
    assert keys(read("Which dishes have no nuts?", marked)) == ["Soup"]


def test_a_name_of_a_row_that_has_the_name_of_a_column_in_it() -> None:
    reading = read("What is the fee per hour of the Blue Room?", ROOMS)
    assert keys(reading) == ["Blue Room"]
    assert reading is not None
    assert reading.asked == (4,)


def test_a_table_of_names_and_values_gives_the_value() -> None:
    reading = read(
        "What is the noise of the dishwasher?", "Property,Dishwasher\nPower,2 kW\nNoise,44 dB\n"
    )
    assert keys(reading) == ["Noise"]
    assert reading is not None
    assert reading.asked == (1,)


def test_cost_is_what_money_is_compared_by() -> None:
    costs = "Item,Planned (EUR),Spent (EUR)\nGas,5200,4975\nLaptops,12000,11840\n"
    assert keys(read("Which items cost more than 7000 planned?", costs)) == ["Laptops"]
    assert read("Which items cost more than 7000?", costs) is None


@pytest.mark.parametrize(
    ("question", "pumps"),
    [
        ("Which pump is listed after PU-2?", ["PU-3"]),
        ("Which pump comes right before the pump PU-2?", ["PU-1"]),
        ("Which is the first pump?", ["PU-1"]),
        ("Who is the maker of the last pump?", ["PU-4"]),
        ("the last two pumps", ["PU-3", "PU-4"]),
        ("Which pump is listed last?", ["PU-4"]),
        ("Which costs more, PU-1 or PU-2?", ["PU-2"]),
        ("Which is cheaper, PU-1 or PU-2?", ["PU-1"]),
        ("Is PU-3 or PU-4 newer?", ["PU-4"]),
    ],
)
def test_rows_by_their_order_and_of_named_ones(question: str, pumps: list[str]) -> None:
    assert keys(read(question)) == pumps


@pytest.mark.parametrize(
    "question",
    [
        "Which pump is listed after PU-4?",
        "Which pump comes before PU-1?",
    ],
)
def test_behind_the_last_row_is_none(question: str) -> None:
    assert keys(read(question)) == []


@pytest.mark.parametrize(
    "question",
    [
        "What is the last name of the maker?",
        "Which was the first pump to be commissioned?",
        "What did the last time cost?",
        "Which costs more than PU-1 or PU-2?",
    ],
)
def test_first_and_last_of_something_else_are_not_read(question: str) -> None:
    assert read(question) is None


def test_the_order_of_rows_is_not_that_of_their_dates() -> None:
    newest_first = "Pump,Commissioned\nPU-9,2020-01-01\nPU-8,2012-01-01\n"
    assert read("Which is the first pump?", newest_first) is None


def test_a_difference_is_that_of_two_cells() -> None:
    reading = read("What is the difference in price between PU-1 and PU-2?")
    assert reading is not None
    assert reading.operation is Operation.DIFFERENCE
    assert reading.said.startswith("difference of Price (EUR), rows of pumps where Pump = PU-1")
    assert derived_value("difference", ["300", "1250"]) == "950"
    assert derived_value("difference", ["1.250,50 €", "300,25 €"], ",") == "950.25"
    assert derived_value("difference", ["3 kg", "300 g"]) is None
    assert derived_value("difference", ["1", "2", "3"]) is None
    assert read("What is the difference in price of all pumps?") is None


STAFF = """Name,Department,Phone number,City
Ada A. Gusson,Sales,40118,Graz
Marit Gusson,Legal,81030,Oslo
Per Olsen,Legal,66993,Oslo
"""
INVOICES = """Invoice,Customer,Amount (EUR),Due date
10342,Brandt Ltd,120.50,2024-03-05
10343,Kowal Ltd,99.10,2024-04-09
10351,Novak & Rao Ltd,99.10,2024-05-01
"""
PARTS = """Part,Supplier,Weight (g),Stock
Part 1,G84,300,12
Part 2,H10,73,128
Part 73,K11,90,40
"""
DUTY = """Date,On duty,Shift,Visitors
2024-03-05,Salma Rao,late,2067
2024-03-06,Jan Kowal,early,1912
"""


@pytest.mark.parametrize(
    ("content", "question", "row", "cell"),
    [
        (INVOICES, "10351", "10351", ""),
        (STAFF, "Marit Gusson", "Marit Gusson", ""),
        (INVOICES, "invoice 10351", "10351", ""),
        (INVOICES, "When is invoice 10343 due?", "10343", "2024-04-09"),
        (INVOICES, "How much is invoice 10342?", "10342", "120.50"),
        (INVOICES, "What does invoice 10342 cost?", "10342", "120.50"),
        (STAFF, "What is the phone number of Per Olsen?", "Per Olsen", "66993"),
        (STAFF, "What is the phone number of Olsen?", "Per Olsen", "66993"),
        (STAFF, "Which department does Per Olsen work in?", "Per Olsen", "Legal"),
        (STAFF, "Who works in Sales?", "Ada A. Gusson", "Ada A. Gusson"),
        (INVOICES, "Which invoices are due in March 2024?", "10342", "10342"),
        (PARTS, "How many of part 73 are in stock?", "Part 73", "40"),
        (PARTS, "What does Part 2 weigh?", "Part 2", "73"),
        (DUTY, "Who was on duty on 5 March 2024?", "2024-03-05", "Salma Rao"),
        (DUTY, "How many visitors came on 2024-03-06?", "2024-03-06", "1912"),
    ],
)
def test_a_row_is_looked_up_by_any_kind_of_key(
    content: str, question: str, row: str, cell: str
) -> None:
    reading = read(question, content)
    assert reading is not None
    assert keys(reading) == [row]
    assert [reading.table.text(reading.rows[0], one) for one in reading.asked] == [cell][
        : bool(cell)
    ]


ORDERS = """Order,Product,Customer,Quantity,Total,Status,Date
A-1,Desk lamp,Norda,12,478.80,open,2024-01-03
A-2,Office chair,Felix,4,756.00,shipped,2024-01-05
A-3,Desk lamp,Felix,30,1125.00,shipped,2024-02-02
"""
ROLES = """Employee,Role,Salary (EUR),Remote
Ada Lind,Engineer,64000,yes
Bo Ekman,Account Manager,78000,no
Cy Holt,Account Manager,52000,yes
"""


@pytest.mark.parametrize(
    ("content", "question", "said", "names"),
    [
        (ORDERS, "How many desk lamps were ordered?",
         "sum of Quantity, {} where Product = Desk lamp", ["A-1", "A-3"]),
        (ORDERS, "What is the total of all shipped orders?",
         "sum of Total, {} where Status = shipped", ["A-2", "A-3"]),
        (ORDERS, "What is the total of A-2?", "{} where Order = A-2", ["A-2"]),
        (ROLES, "How many account managers are there?",
         "number of {} where Role = Account Manager", ["Bo Ekman", "Cy Holt"]),
        (ROLES, "Which employees work remotely?", "{} where Remote = yes", ["Ada Lind", "Cy Holt"]),
        (ROLES, "Who is not remote?", "{} where Remote = no", ["Bo Ekman"]),
        (ROLES, "Who earns the most?", "{}, highest Salary (EUR)", ["Bo Ekman"]),
        (ROLES, "What does Cy Holt earn?", "{} where Employee = Cy Holt", ["Cy Holt"]),
    ],
)  # fmt: skip
def test_several_of_a_thing_its_amounts_and_its_pay(
    content: str, question: str, said: str, names: list[str]
) -> None:
    reading = read(question, content)
    assert reading is not None
    assert (reading.said, keys(reading)) == (said.format("rows of pumps"), names)


@pytest.mark.parametrize(
    ("content", "question", "lacking", "nearest"),
    [
        (INVOICES, "When is invoice 10399 due?", "Invoice = 10399", ["10351", "10343", "10342"]),
        (STAFF, "What is the phone number of Maria Gusson?", "Name = Maria Gusson", ["Marit Gusson"]),
        (STAFF, "Piet Solheim phone", "Name = Piet Solheim", []),
        (DUTY, "Who was on duty on 2024-03-09?", "Date = 2024-03-09", ["2024-03-06", "2024-03-05"]),
    ],
)  # fmt: skip
def test_a_row_that_is_lacking_is_told_with_those_near_it(
    content: str, question: str, lacking: str, nearest: list[str]
) -> None:
    reading = read(question, content)
    assert reading is not None
    assert (reading.rows, reading.said) == ((), f"rows of pumps where {lacking}")
    assert nearest_names(reading)[: len(nearest)] == nearest


@pytest.mark.parametrize(
    ("content", "question"),
    [
        (PARTS, "How many of part 128 are in stock?"),  # The stock of another part is 128.
        (INVOICES, "Which customers owe 10342?"),
        (STAFF, "Who is the boss of Per Olsen?"),
        (STAFF, "What is the phone number of the office?"),
        (DUTY, "What was the last shift called?"),
        (
            "Item,Year ended June 30 2022,Year ended June 30 2023\nNet income,815,1058\n",
            "net income 2023",
        ),
    ],
)
def test_a_number_or_word_of_something_else_names_no_row(content: str, question: str) -> None:
    reading = read(question, content)
    assert reading is None or not reading.rows


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "claim.md",
            "| Field | Entry |\n|---|---|\n| Name | Ada Berg |\n| Purpose | Trade fair |\n",
        ),
        (
            "claim.md",
            "| Name | Value |\n|---|---|\n| Name | Ada Berg |\n| Purpose | Trade fair |\n",
        ),
        ("claim.csv", "Name,Ada Berg\nDepartment,Sales\nPurpose,Trade fair\nFrom,3 March 2025\n"),
    ],
)
def test_labels_below_heads_that_say_nothing_are_a_form(name: str, text: str) -> None:
    document = FileReader().read_content(Path(name), text.encode())
    (table,) = map(as_form, tables_of(document))
    assert table.is_form
    assert (table.text(table.rows[0], 0), table.text(table.rows[0], 1)) == ("Name", "Ada Berg")
    assert "Trade fair" in table.texts(1)


def test_a_list_of_names_and_values_is_no_form() -> None:
    text = b"Name,Department\nAda Berg,Sales\nTom Reed,Stock\nIda Wolf,Sales\n"
    (table,) = map(as_form, tables_of(FileReader().read_content(Path("staff.csv"), text)))
    assert not table.is_form


@pytest.mark.parametrize("written", ["2024", "FY2024", "FY24", "FY'24"])
def test_a_column_of_a_fiscal_year_is_named_by_its_year(written: str) -> None:
    content = "Line,FY2022,FY2023,FY2024\nBread,410,432,455\nCake,98,104,990\nRye,1,2,3\n"
    assert keys(read(f"Which line was highest in {written}?", content)) == ["Cake"]
