"""Lines of statements: a label with a number for each of several periods, looked up and compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.ingest.readers import FileReader
from pincite.text.tables.reading import Operation, Reading, derived_value
from pincite.text.tables.statements import statement_line
from pincite.text.tables.tables import Table, tables_of
from pincite.text.units import in_scale

STATEMENT = """# Balance sheets

| (In thousands, except per share data) | December 31, 2015 | December 31, 2014 | May 31, 2013 | Diff |
|---|---|---|---|---|
| Total current assets | 5,431 | 3,927 | 3,058 | 1,504 |
| Net income (1) | 122,641 | 266,799 | 112,403 | -144,158 |
| Value added tax, net | 592 | 519 | 400 | 73 |
| Diluted earnings per share | $ 0.28 | $ 0.62 | $ 0.26 | $ -0.34 |
| Margin | 18 % | 20 % | 17 % | -2 % |
| Goodwill | - | 12 | 14 | -12 |
| Tax credits | -20 | -30 | -10 | 10 |
| Total assets | $ 10,202 | $ 7,042 | $ 5,404 | $ 3,160 |
"""


def table(text: str = STATEMENT) -> Table:
    (found,) = tables_of(FileReader().read_content(Path("report.md"), text.encode()))
    return found


def read(question: str, text: str = STATEMENT, language: str = "en") -> Reading | None:
    return statement_line(question, table(text), language, file="report")


def cells(reading: Reading | None) -> list[str]:
    assert reading is not None
    (row,) = reading.rows
    return [reading.table.text(row, one) for one in reading.asked]


@pytest.mark.parametrize(
    ("question", "cell"),
    [
        ("What were the total assets?", "$ 10,202"),
        ("What were the total assets in 2014?", "$ 7,042"),
        ("total current assets 2013", "3,058"),
        ("What was the net income at December 31, 2014?", "266,799"),
        ("What was the net income for the fiscal year 2014?", "266,799"),
        ("How much was the value added tax, net in 2013?", "400"),
        ("What is the margin?", "18 %"),
    ],
)
def test_a_line_is_found_by_its_whole_label_and_its_period(question: str, cell: str) -> None:
    assert cells(read(question)) == [cell]


def test_a_line_is_found_in_german() -> None:
    text = (
        "# Bilanz\n\n| | 2015 | 2014 |\n|---|---|---|\n| Umsatz | 50 | 40 |\n| Gewinn | 5 | 3 |\n"
    )
    assert cells(read("Wie hoch war der Gewinn 2014?", text, "de")) == ["3"]
    change = read("Wie hoch war die Veränderung des Gewinns von 2014 auf 2015?", text, "de")
    assert change is not None
    assert change.operation is Operation.CHANGE


def test_without_a_period_the_newest_is_meant_and_told() -> None:
    reading = read("What were the total assets?")
    assert reading is not None
    assert "the newest: December 31, 2015" in reading.said
    named = read("What were the total assets in 2015?")
    assert named is not None
    assert "newest" not in named.said


@pytest.mark.parametrize(
    ("question", "operation", "value"),
    [
        ("What was the change in net income from 2014 to 2015?", "change", "-144158"),
        ("How much did the total assets grow between 2014 and 2015?", "change", "3160"),
        ("What was the increase / (decrease) in total assets in 2015 from 2014?", "change", "3160"),
        (
            "By what percentage did the total assets grow from 2014 to 2015?",
            "percent_change",
            "≈44.9",
        ),
        ("What was the average net income from 2013 to 2015?", "average", "167281"),
        ("What was the average net income for 2013 and 2015?", "average", "117522"),
        ("How did the diluted earnings per share change from 2014 to 2015?", "change", "-0.34"),
    ],
)
def test_changes_and_averages_are_computed_from_the_cells(
    question: str, operation: str, value: str
) -> None:
    reading = read(question)
    assert reading is not None
    assert reading.operation == operation
    assert derived_value(operation, cells(reading)) == value


@pytest.mark.parametrize(
    "question",
    [
        "What were the assets?",  # no whole label
        "What were the total assets in 2016?",
        "Why did the net income decrease in 2015?",
        "Was the net income higher in 2014?",
        "When was the net income highest?",
        "What is Margin?",  # a term
        "What was the goodwill in 2015?",  # an empty cell
        "What was the percentage change in margin from 2014 to 2015?",  # or in points?
        "What was the net income from customers in 2014?",
        "What was the change in net income?",
    ],
)
def test_other_questions_have_no_line(question: str) -> None:
    assert read(question) is None


def test_nothing_is_told_in_percent_of_what_is_not_above_zero() -> None:
    reading = read("By what percentage did the tax credits change from 2014 to 2015?")
    assert derived_value(Operation.PERCENT_CHANGE, cells(reading)) is None
    assert derived_value(Operation.PERCENT_CHANGE, ["5", "0"]) is None
    assert derived_value(Operation.CHANGE, ["5", "3", "1"]) is None


@pytest.mark.parametrize(
    "heads",
    [
        "| | 2015 | 2015 |",  # one period twice
        "| | 2015 to 2014 | 2014 to 2013 |",
        "| | North | South |",
        "| | 2015 | Note |",  # one period alone
    ],
)
def test_a_table_without_two_periods_is_no_statement(heads: str) -> None:
    text = f"# T\n\n{heads}\n|---|---|---|\n| Sales | 5 | 3 |\n| Costs | 2 | 1 |\n"
    assert read("What were the sales?", text) is None


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What was the revenue for the six months ended July 30, 2022?", ["40"]),
        ("What was the revenue in the quarter ended July 29, 2023?", ["9"]),
        ("What was the revenue for the three months ended July 2022?", ["10"]),
        ("How did revenue change in the first half of 2023 compared to 2022?", None),
        ("What was the change in revenue between the six months of 2023 and 2022?", ["19", "40"]),
        ("What was the revenue?", None),  # of which length?
        ("What was the revenue in 2023?", None),
    ],
)
def test_periods_of_several_lengths_are_told_apart(question: str, found: list[str] | None) -> None:
    heads = [
        f"{length} ended {day}"
        for length in ("Three months", "Six months")
        for day in ("July 29, 2023", "July 30, 2022")
    ]
    rows = "| Revenue | 9 | 10 | 19 | 40 |\n| Costs | 1 | 2 | 3 | 4 |\n"
    text = f"# T\n\n| Line | {' | '.join(heads)} |\n|---|---|---|---|---|\n{rows}"
    reading = read(question, text)
    assert (cells(reading) if reading else None) == found


def test_a_quarter_is_not_looked_up_among_years() -> None:
    text = "# T\n\n| Line | 2023 | 2022 |\n|---|---|---|\n| Revenue | 9 | 8 |\n| Costs | 2 | 1 |\n"
    assert read("What was the revenue in the second quarter of 2023?", text) is None
    assert read("What was the revenue in Q2 2023?", text) is None
    assert read("What was the revenue in June 2023?", text) is None
    assert read("What was the revenue at June 30, 2023?", text) is None
    assert cells(read("What was the revenue for the year ended June 30, 2023?", text)) == ["9"]
    assert cells(read("What was the revenue for the year ended 2023?", text)) == ["9"]


def test_two_lines_of_one_label_are_not_told_apart() -> None:
    rows = "| Sales | 9 | 8 |\n| Basic | 5 | 3 |\n| Basic | 2 | 1 |\n"
    text = f"# T\n\n| Line | 2015 | 2014 |\n|---|---|---|\n{rows}"
    assert cells(read("What were the sales in 2015?", text)) == ["9"]
    assert read("What was basic in 2015?", text) is None


@pytest.mark.parametrize(
    ("head", "label", "unit"),
    [
        ("2019 (in thousands)", "Net income", "$ in thousands"),
        ("2019 (in thousands, except per share data)", "Net income", "$ in thousands"),
        ("2019 (in thousands, except per share data)", "Earnings per share", "$"),
        ("2019 (in millions, except share amounts)", "Shares outstanding", "$"),
        ("2019", "Net income", "$"),
    ],
)
def test_the_scale_is_that_of_the_head_but_for_what_it_excepts(
    head: str, label: str, unit: str
) -> None:
    assert in_scale("$", head, label) == unit
    assert in_scale("%", head, label) == "%"
