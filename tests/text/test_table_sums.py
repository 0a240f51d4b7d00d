"""Questions about invoices and the like: the largest, sums by customer in order, how many different."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pincite.ingest.readers import FileReader
from pincite.text.tables.asking import read_question
from pincite.text.tables.reading import Operation, Reading, derived_value
from pincite.text.tables.tables import tables_of

INVOICES = """Invoice,Customer,Date,Amount EUR,Status
INV-1,Alder,2025-01-04,500.50,paid
INV-2,Birch,2025-02-11,900.00,open
INV-3,Alder,2025-03-30,700.25,overdue
INV-4,Cedar,2025-04-02,120.00,paid
INV-5,Birch,2025-05-19,80.00,paid
"""
PUMPS = "Pump,Maker,Price EUR\nPU-1,KSB,300\nPU-2,Wilo,1250\nPU-3,KSB,90\nPU-4,KSB,2100\n"


def read(question: str, content: str = INVOICES, name: str = "invoices.csv") -> Reading | None:
    document = FileReader().read_content(Path(name), content.encode())
    (table,) = tables_of(replace(document, title=Path(name).stem))
    return read_question(question, table, file=name)


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("What is the largest invoice?", ["INV-2"]),
        ("Which invoice is the smallest?", ["INV-5"]),
        ("What is the largest invoice of Alder?", ["INV-3"]),
        ("What are the two largest invoices?", ["INV-2", "INV-3"]),
    ],
)
def test_the_largest_invoice_has_the_largest_amount(question: str, keys: list[str]) -> None:
    reading = read(question)
    assert reading is not None
    assert [reading.table.text(row, 0) for row in reading.rows] == keys


def test_what_has_no_amount_of_its_own_is_not_ranked_by_the_only_one() -> None:
    assert read("What is the largest pump?", PUMPS, "pumps.csv") is None
    assert read("What is the sum of the pumps of KSB?", PUMPS, "pumps.csv") is None


@pytest.mark.parametrize(
    ("question", "total"),
    [
        ("What is the sum of the open invoices?", None),
        ("What is the total of the paid invoices?", "700.50"),
        ("What is the sum of the invoices of Alder?", "1200.75"),
    ],
)
def test_the_sum_of_invoices_is_that_of_their_amounts(question: str, total: str | None) -> None:
    reading = read(question)
    assert reading is not None
    if total is None:  # One row, whose amount is told.
        assert reading.operation is Operation.ROWS
        return
    assert (reading.operation, reading.over) == (Operation.SUM, 3)
    cells = [reading.table.text(row, 3) for row in reading.rows]
    assert derived_value("sum", cells) == total


@pytest.mark.parametrize(
    ("question", "operation", "names"),
    [
        (
            "Which customer has the highest total amount?",
            Operation.SUM,
            ["Alder", "Birch", "Cedar"],
        ),
        ("Which customer has the lowest total amount?", Operation.SUM, ["Cedar", "Birch", "Alder"]),
        (
            "Which customer has the lowest average amount?",
            Operation.AVERAGE,
            ["Cedar", "Birch", "Alder"],
        ),
        ("Which status has the highest total?", Operation.SUM, ["open", "paid", "overdue"]),
    ],
)
def test_sums_of_groups_stand_in_the_order_that_is_asked(
    question: str, operation: Operation, names: list[str]
) -> None:
    reading = read(question)
    assert reading is not None
    assert reading.operation is operation
    assert list(reading.grouped) == names
    assert "lowest first" in reading.said or "highest first" in reading.said


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("How many different customers are there?", "3"),
        ("How many distinct customers have paid invoices?", "3"),
        ("How many unique statuses are there?", "3"),
    ],
)
def test_different_cells_are_counted_once(question: str, count: str) -> None:
    reading = read(question)
    assert reading is not None
    assert reading.operation is Operation.DISTINCT
    assert reading.over is not None
    cells = [reading.table.text(row, reading.over) for row in reading.rows]
    assert derived_value("distinct", cells) == count
    assert "empty" not in " ".join(reading.left_out)


def test_a_difference_is_not_told_by_the_rows_of_both_sides() -> None:
    assert read("How much more did Alder pay than Birch?") is None


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("How many invoices were issued in 2025?", ["INV-1", "INV-2", "INV-3", "INV-4", "INV-5"]),
        ("Which invoices were issued in March 2025?", ["INV-3"]),
        ("What is the total amount in 2025?", ["INV-1", "INV-2", "INV-3", "INV-4", "INV-5"]),
        ("How many invoices were issued after 1 April 2025?", ["INV-4", "INV-5"]),
    ],
)
def test_a_year_is_one_of_the_only_dates(question: str, keys: list[str]) -> None:
    reading = read(question)
    assert reading is not None
    assert [one.column for one in reading.conditions] == [2]
    assert [reading.table.text(row, 0) for row in reading.rows] == keys
