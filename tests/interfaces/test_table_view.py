"""Cited rows of a table, drawn below the heads of their columns."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from pincite.interfaces.cli.table_view import (
    CitedRow,
    Heads,
    is_without_heads,
    rows_of,
    table_lines,
)
from pincite.records.document import BlockKind
from pincite.records.flow import Citation, CitedCell, Claim, Label


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def row(head: str, *cells: tuple[Heads, str], number: int = 1) -> CitedRow:
    return CitedRow(head=head, cells=cells, number=number)


def cell(start: int, text: str, *columns: str) -> CitedCell:
    labels = tuple(Label(start=900 + len(name), end=999, text=name) for name in columns)
    return CitedCell(start=start, end=start + len(text), text=text, columns=labels)


def cited(quote: str, *cells: CitedCell) -> tuple[Claim, Citation]:
    citation = Citation(
        document="d", source="/r.pdf", sha256="0", page=1, section="", start=0, end=len(quote),
        start_byte=None, end_byte=None, quote=quote, cells=cells, kind=BlockKind.TABLE_ROW,
    )  # fmt: skip
    return Claim(text=quote, evidence_ids=("e1",), citations=(1,)), citation


def test_numbers_stand_at_the_right_below_their_heads() -> None:
    lines = table_lines([row("Net income", (("2015",), "122,641"), (("2014",), "9"))])
    assert [line.rstrip() for line in lines] == [
        "               2015  2014",
        "----------  -------  ----",
        "Net income  122,641     9  [1]",
    ]


def test_the_column_that_names_the_rows_has_its_head() -> None:
    name = replace(cell(0, "PU-1", "Pump"), rows=())
    label = Label(start=0, end=4, text="PU-1")
    hall = replace(cell(5, "North", "Hall"), rows=(label,))
    claim, citation = cited("PU-1,North", name, hall)
    lines = table_lines(list(rows_of(claim, citation, 1)))
    assert [line.split() for line in lines] == [
        ["Pump", "Hall"],
        ["----", "-----"],
        ["PU-1", "North", "[1]"],
    ]


def test_what_heads_every_column_is_said_once_above_the_table() -> None:
    lines = table_lines(
        [row("A", (("(in thousands)", "2015"), "1"), (("(in thousands)", "2014"), "2"))]
    )
    assert lines[0] == "(in thousands)"
    assert "\n".join(lines).count("thousands") == 1


def test_a_head_over_some_columns_stands_once_above_those() -> None:
    cells = [
        ((kind, year), "1,000")
        for kind in ("Three Months", "Six Months")
        for year in ("2023", "2022")
    ]
    lines = table_lines([row("Sales", *cells)])
    assert "\n".join(lines).count("Three Months") == 1
    assert lines[0].index("Six Months") > lines[1].index("2022")


def test_a_remark_that_concerns_one_column_stays_on_it() -> None:
    lines = table_lines([row("Cash", (("2023", "(Unaudited)"), "1"), (("2022",), "2"))])
    assert "2023" in lines[0]
    assert "(Unaudited)" in lines[1]
    assert "2022" in lines[1]


def test_a_currency_in_a_cell_of_its_own_is_joined_to_its_number_and_its_remark_kept() -> None:
    claim, citation = cited(
        "$ 5 $ 6", cell(0, "$", "(in thousands)"), cell(2, "5", "2015"), cell(4, "$ 6", "2014")
    )
    lines = table_lines([*rows_of(claim, citation, 1)])
    assert lines[0] == "(in thousands)"
    assert "$ 5" in lines[-1]


def test_long_cells_are_folded_and_the_table_is_drawn() -> None:
    lines = table_lines(
        [row("--colour", (("Type",), "word"), (("What it does",), "shows it " * 20))]
    )
    assert len(lines) > 4
    assert max(map(len, lines)) <= 78
    assert " ".join(lines).count("shows") == 20


def test_numbers_are_never_folded() -> None:
    wide = [((f"Column {n}",), "9" * 30) for n in range(3)]
    assert table_lines([row("Sales", *wide)]) == []


def test_a_table_that_is_too_wide_is_drawn_in_parts_with_the_same_labels() -> None:
    wide = [((year, f"Column {n}"), f"123,456,789,{n:03}") for year in "AB" for n in range(4)]
    lines = table_lines([row("Sales", *wide, number=3), row("Costs", wide[0])])
    assert max(map(cell_len, lines)) <= 78
    halves = "\n".join(lines).split("\n\n")
    assert [half.split()[0] for half in halves] == ["A", "B"]
    assert ["Costs" in half for half in halves] == [True, False]
    for half in halves:
        (sales,) = [line for line in half.splitlines() if line.startswith("Sales")]
        assert sales.split() == ["Sales", *(f"123,456,789,{n:03}" for n in range(4)), "[3]"]


def test_wide_characters_and_words_without_blanks_do_not_move_the_columns() -> None:
    lines = table_lines([row("純利益" * 30, (("説明",), "x" * 300), (("年",), "12"))])
    assert {cell_len(line) for line in lines[:-1]} <= set(range(79))
    assert max(map(cell_len, lines)) <= 78


def test_signs_that_steer_a_terminal_are_shown_as_signs() -> None:
    claim, citation = cited("\x1b[2J 5", cell(0, "\x1b[2J", "a\x07"), cell(5, "5\u202e", "b\r\n"))
    drawn = "".join(table_lines([*rows_of(claim, citation, 1)]))
    assert not {"\x1b", "\x07", "\u202e", "\r", "\n"} & {*drawn}
    assert "␛[2J" in drawn


def test_a_row_without_heads_is_known_and_a_remark_is_no_such_row() -> None:
    assert is_without_heads(*cited("Sales 5 6"))
    assert not is_without_heads(*cited("(in thousands)"))
    assert not is_without_heads(*cited("Sales 5", cell(6, "5", "2015")))
