from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pincite.ingest.pdf.aligned_tables import _heads_in
from pincite.ingest.pdf.reader import PdfReader
from pincite.ingest.pdf.styles import PLAIN
from pincite.ingest.pdf.table_heads import columns_of, heads_of
from pincite.ingest.pdf.words import Segment, TableCell, TableRow, Word
from pincite.records.document import BlockKind, Document
from tests.ingest.conftest import PdfMaker


def cell(text: str, column: int, x0: float) -> TableCell:
    word = Word(text, x0, 0.0, x0 + 5.0 * len(text), 10.0, 10.0, PLAIN, glued=False)
    return TableCell([Segment([word])], column, column)


@pytest.mark.parametrize("places", [(100.0, 200.0), (200.0, 100.0)])
def test_a_head_is_in_the_middle_whichever_way_the_columns_are_counted(
    places: tuple[float, float],
) -> None:
    body = [TableRow([cell("1,093", n + 1, x0) for n, x0 in enumerate(places)])]
    columns = columns_of(body, first=1)
    (head,) = heads_of(TableRow([cell("2015", 1, 152.5)]), columns, columns)
    assert head.columns == {1, 2}


def read(content: bytes) -> Document:
    return PdfReader().read(Path("table.pdf"), content)


def heads_of_cells(document: Document, row: str) -> list[str]:
    """The innermost head of each value of the row that begins so."""
    (block,) = [one for one in document.blocks if document.text[one.start :].startswith(row)]
    return [document.text[slice(*cell.column_headers[-1])] for cell in block.cells[1:]]


def test_years_whose_heads_touch_stay_apart(make_pdf: PdfMaker) -> None:
    page = [
        (305.0, 100.0, "2015"),
        (370.0, 100.0, "2014"),
        (450.0, 100.0, "2015 vs. 2014 2014 vs. 2013"),
        *(
            (x, 120.0 + 16 * line, text)
            for line, row in enumerate(ROWS)
            for x, text in zip((50.0, 305.0, 370.0, 470.0, 550.0), row, strict=True)
        ),
    ]
    document = read(make_pdf(page))
    heads = ["2015", "2014", "2015 vs. 2014", "2014 vs. 2013"]
    assert heads_of_cells(document, "Memberships") == heads
    assert heads_of_cells(document, "Net losses") == heads


ROWS = (
    ("Memberships", "74,762", "57,391", "30%", "29%"),
    ("Net additions", "5,624", "5,694", "(1)%", "(9)%"),
    ("Net losses", "863", "1,163", "(26)%", "(10)%"),
)


@pytest.mark.parametrize("text", ["Fiscal 2015 and 2014", "2015 2014 2013", "12 12", "North South"])
def test_what_is_not_the_same_head_twice_stays_whole(text: str) -> None:
    words = [
        Word(part, 100.0 + 40 * n, 0.0, 130.0 + 40 * n, 10.0, 10.0, PLAIN, glued=False)
        for n, part in enumerate(text.split())
    ]
    head = TableCell([Segment(words)], 1, 2)
    assert _heads_in(head) == [head]


def test_heads_above_several_columns_do_not_cost_a_short_table_its_cells(
    make_pdf: PdfMaker,
) -> None:
    page = [
        (240.0, 100.0, "Three Months Ended"),
        (400.0, 100.0, "Six Months Ended"),
        *((x, 116.0, year) for x, year in zip(VALUES, ("2023", "2022") * 2, strict=True)),
        (50.0, 132.0, "Net earnings"),
        *((x, 132.0, text) for x, text in zip(VALUES, ("274", "306", "518", "647"), strict=True)),
    ]
    document = read(make_pdf(page))
    (row,) = [block for block in document.blocks if document.text[block.start :][:3] == "Net"]
    heads = [[document.text[slice(*one)] for one in cell.column_headers] for cell in row.cells[1:]]
    assert heads == [
        [months, year]
        for months in ("Three Months Ended", "Six Months Ended")
        for year in ("2023", "2022")
    ]


def test_a_caption_ends_the_table_above_it(make_pdf: PdfMaker) -> None:
    rows = [("Receivables", "34", "40"), ("Inventories", "104", "331"), ("Taxes", "45", "35")]
    stores = [("1st quarter", "1,308", "10"), ("2nd quarter", "1,318", "7")]
    page = [(300.0, 100.0, "2023"), (400.0, 100.0, "2022")]
    page += placed(rows, top=116.0)
    page += [(480.0, 164.0, "Exhibit 5")]
    page += [(300.0, 180.0, "Open"), (400.0, 180.0, "Opened")]
    page += placed(stores, top=196.0)
    document = read(make_pdf(page))
    assert heads_of_cells(document, "Taxes") == ["2023", "2022"]
    assert heads_of_cells(document, "1st quarter") == ["Open", "Opened"]
    rows_read = [
        document.text[block.start : block.end]
        for block in document.blocks
        if block.kind is BlockKind.TABLE_ROW
    ]
    assert "Exhibit 5" not in rows_read


VALUES = (240.0, 310.0, 400.0, 470.0)


def placed(rows: Sequence[Sequence[str]], *, top: float) -> list[tuple[float, float, str]]:
    return [
        (x, top + 16 * line, text)
        for line, row in enumerate(rows)
        for x, text in zip((50.0, 300.0, 400.0), row, strict=True)
    ]
