"""Lines of financial statements in every format, and what changed between two periods."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import docx
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from pincite import Library
from pincite.ingest.readers import FileReader
from pincite.records.flow import Status
from pincite.verify.derivations import recomputed
from pincite.verify.receipts.receipt import answer_form, check_receipt

HEADS = ("(in thousands)", "December 31, 2015", "December 31, 2014")
ROWS = (
    ("Cash and equivalents", "1,809", "1,113"),
    ("Total current assets", "5,431", "3,927"),
    ("Total assets", "10,202", "7,042"),
    ("Net income", "122", "266"),
)


def as_markdown(path: Path) -> None:
    lines = [" | ".join(row) for row in (HEADS, ("---",) * 3, *ROWS)]
    path.write_text("# Balance sheet\n\n" + "".join(f"| {line} |\n" for line in lines))


def as_csv(path: Path) -> None:
    path.write_text("".join(";".join(row) + "\n" for row in (HEADS, *ROWS)))


def as_word(path: Path) -> None:
    document = docx.Document()
    document.add_heading("Balance sheet", level=1)
    table = document.add_table(rows=0, cols=3)
    for row in (HEADS, *ROWS):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.save(str(path))


def as_page(path: Path) -> None:
    head = "".join(f"<th>{text}</th>" for text in HEADS)
    rows = "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in row)}</tr>" for row in ROWS)
    path.write_text(f"<h1>Balance sheet</h1><table><tr>{head}</tr>{rows}</table>")


def as_pdf(path: Path) -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    canvas.setFont("Helvetica-Bold", 14)
    canvas.drawString(60, 780, "Balance sheet")
    canvas.setFont("Helvetica", 10)
    for number, (label, *values) in enumerate((HEADS, *ROWS)):
        canvas.drawString(60, 740 - 16 * number, label)
        for column, value in enumerate(values):
            canvas.drawRightString(380 + 120 * column, 740 - 16 * number, value)
    canvas.save()
    path.write_bytes(buffer.getvalue())


FORMATS: dict[str, Callable[[Path], None]] = {
    "md": as_markdown, "csv": as_csv, "docx": as_word, "html": as_page, "pdf": as_pdf,
}  # fmt: skip


@pytest.fixture(params=FORMATS)
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    FORMATS[request.param](tmp_path / f"balance.{request.param}")
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / f"balance.{request.param}"])
        yield library


def test_a_line_is_told_and_a_change_is_computed_in_every_format(library: Library) -> None:
    told = library.ask("What were the total assets in 2014?")
    assert told.short_answer == "7,042"
    assert not told.is_doubtful
    newest = library.ask("What was the net income?")
    assert newest.short_answer == "122"
    assert any("the newest: December 31, 2015" in reason for reason in newest.reasons)
    change = library.ask("What was the change in total assets from 2014 to 2015?")
    assert change.short_answer == "3160 in thousands"
    percent = library.ask("By what percentage did the net income change from 2014 to 2015?")
    assert percent.short_answer == "≈-54.1 %"
    average = library.ask("What was the average net income for 2014 and 2015?")
    assert average.short_answer == "194 in thousands"


def test_a_change_is_computed_again_from_the_receipt(library: Library) -> None:
    answer = library.ask("What was the change in total assets from 2014 to 2015?")
    form = answer_form(answer)
    assert form["derivation"]["operation"] == "change"
    assert check_receipt(form, FileReader()).holds
    form["derivation"]["value"] = "3161"
    form["short_answer"] = "3161 in thousands"
    assert not check_receipt(form, FileReader()).holds


def test_a_unit_or_an_order_that_the_cells_do_not_have_is_withheld(library: Library) -> None:
    answer = library.ask("What was the change in total assets from 2014 to 2015?")
    derivation = answer.derivation
    assert derivation is not None
    assert recomputed(derivation, answer.citations) == derivation
    millions = replace(derivation, unit="in millions")
    bare = replace(derivation, unit="")
    turned = replace(derivation, operands=derivation.operands[::-1])
    assert recomputed(millions, answer.citations) is None
    assert recomputed(bare, answer.citations) is None
    assert recomputed(turned, answer.citations) is None


def test_a_change_that_is_not_computed_is_in_doubt(library: Library) -> None:
    answer = library.ask("What was the change in cash from 2014 to 2015?")
    assert answer.status is Status.ABSTAINED or answer.is_doubtful


def test_a_label_with_two_numbers_in_one_report_is_in_doubt(tmp_path: Path) -> None:
    rows = "| Net income | 99 | 266 |\n| Fees | 1 | 2 |\n"
    other = f"# Cash flows\n\n| Line | 2015 | 2014 |\n|---|---|---|\n{rows}"
    as_markdown(tmp_path / "report.md")
    (tmp_path / "report.md").write_text((tmp_path / "report.md").read_text() + f"\n{other}")
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "report.md"])
        both = library.ask("What was the net income in 2015?")
        same = library.ask("What was the net income in 2014?")
    assert both.is_doubtful
    assert {"122", "99"} <= {cell.text for cited in both.citations for cell in cited.cells}
    assert same.short_answer == "266"
