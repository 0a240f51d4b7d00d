"""A table over documents: values with their quotes, empty cells with their reasons, kept cells."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import openpyxl
import pytest

from pincite import Library
from pincite.errors import UsageError
from pincite.report.sheets.cells import CellKind, SheetCell, _value
from pincite.report.sheets.files import check_sheet_outputs, csv_text, write_sheet
from pincite.report.sheets.kept import CellsOnFile
from pincite.report.sheets.sheet import Column, Sheet, SheetRow, fill, read_columns, table_names

LEASE = """# Lease agreement

Landlord: Nord Housing Ltd
Tenant: {tenant}

The monthly rent is {rent} euros. The lease begins on {day} March 2024.

Pets are {pets}allowed.
"""
QUESTIONS = """# fields of a lease
Tenant: Who is the tenant?
Rent [number]: What is the monthly rent?
Begin [date]: When does the lease begin?
Are pets allowed?
Notice: What is the notice period?
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("leases")
    leases = (("Ada Berg", 750, 1, ""), ("Tom Reed", 820, 2, "not "))
    for number, (tenant, rent, day, pets) in enumerate(leases, start=1):
        text = LEASE.format(tenant=tenant, rent=rent, day=day, pets=pets)
        (folder / f"lease{number}.md").write_text(text)
    (folder / "fields.txt").write_text(QUESTIONS)
    return folder


@pytest.fixture(scope="module")
def library(folder: Path) -> Iterator[Library]:
    with Library.open(folder / "library") as opened:
        opened.ingest(sorted(folder.glob("*.md")))
        yield opened


def test_lines_are_columns_with_names_and_kinds(folder: Path) -> None:
    columns = read_columns(folder / "fields.txt")
    assert [(column.name, column.kind) for column in columns] == [
        ("Tenant", CellKind.TEXT),
        ("Rent", CellKind.NUMBER),
        ("Begin", CellKind.DATE),
        ("Are pets allowed", CellKind.TEXT),
        ("Notice", CellKind.TEXT),
    ]
    assert columns[3].question == "Are pets allowed?"


@pytest.mark.parametrize("text", ["", "# only a remark\n", "Rent [money]: What is the rent?\n"])
def test_a_file_without_usable_questions_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "fields.txt").write_text(text)
    with pytest.raises(UsageError, match=r"fields\.txt"):
        read_columns(tmp_path / "fields.txt")


def test_every_cell_has_its_value_and_quote_or_a_reason(library: Library, folder: Path) -> None:
    sheet = fill(library, read_columns(folder / "fields.txt"))
    values = [[(cell.value, cell.unit) for cell in row.cells] for row in sheet.rows]
    assert [row[:3] for row in values] == [
        [("Ada Berg", ""), ("750", "€"), ("2024-03-01", "")],
        [("Tom Reed", ""), ("820", "€"), ("2024-03-02", "")],
    ]
    first, second = (row.cells for row in sheet.rows)
    assert "Pets are allowed" in first[3].quote
    assert "Pets are not allowed" in second[3].quote
    assert not first[4].value
    assert first[4].reason
    for row in sheet.rows:
        text = Path(row.path).read_text()
        assert all(cell.quote in text for cell in row.cells)


def test_only_what_is_new_is_asked_again(library: Library, folder: Path, tmp_path: Path) -> None:
    columns = read_columns(folder / "fields.txt")[:2]
    kept = tmp_path / "kept.jsonl"
    assert fill(library, columns, kept=CellsOnFile(kept)).asked == 4
    with kept.open("a") as file:
        file.write('{"key": "broken o')
    more = (*columns, Column(name="Landlord", question="Who is the landlord?"))
    again = fill(library, more, kept=CellsOnFile(kept))
    assert again.asked == 2
    assert [row.cells[2].value for row in again.rows] == ["Nord Housing Ltd"] * 2
    one = fill(library, columns, documents=["lease2.md"])
    assert [row.cells[0].value for row in one.rows] == ["Tom Reed"]


def test_files_hold_values_and_quotes_and_no_formula(tmp_path: Path) -> None:
    cells = (
        SheetCell(value="750", unit="€", quote="The rent is 750 euros.", place="page 1"),
        SheetCell(value="=1+1", quote="=1+1", place="page 2"),
        SheetCell(reason="no answer"),
    )
    columns = tuple(Column(name=name, question=f"{name}?") for name in ("Rent", "Sum", "End"))
    sheet = Sheet(
        columns=columns,
        rows=(
            SheetRow(
                document="Lease", document_id="", collection="default", path="lease.md", cells=cells
            ),
        ),
        asked=3,
    )
    (row,) = csv.DictReader(io.StringIO(csv_text(sheet)))
    assert row["Rent"] == "750 €"
    assert row["Rent: source"] == '"The rent is 750 euros." (page 1)'
    assert row["Sum"] == "'=1+1"
    assert (row["End"], row["End: source"]) == ("", "no answer")
    files = [tmp_path / f"leases{ending}" for ending in (".xlsx", ".html", ".json")]
    assert write_sheet(sheet, files) == []
    page = openpyxl.load_workbook(files[0]).worksheets[0]
    assert (page["B2"].value, page["B2"].comment.text) == (
        "750 €",
        '"The rent is 750 euros." (page 1)',
    )
    assert page["C2"].data_type == "s"
    assert "no answer" in files[1].read_text()
    assert json.loads(files[2].read_text())["filled"] == 2


@pytest.mark.parametrize(
    ("quote", "value"),
    [("☒", "yes"), ("No.", "no"), ("- Pets are allowed", ""), ("–", ""), ("No pets", "")],
)
def test_only_a_whole_cell_says_yes_or_no(quote: str, value: str) -> None:
    answer = SimpleNamespace(short_answer="")
    found, _, reason = _value(answer, (), CellKind.YES_NO, quote)  # type: ignore[arg-type]
    assert found == value
    assert bool(reason) != bool(value)


def test_what_cannot_be_written_is_told_before_a_question_is_asked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no format '\.xyz'; expected \.csv, \.xlsx, \.md"):
        check_sheet_outputs([tmp_path / "out.xyz"])
    with pytest.raises(UsageError, match="there is no folder"):
        check_sheet_outputs([tmp_path / "nowhere" / "out.csv"])


@pytest.mark.parametrize("name", table_names())
def test_shipped_questions_are_given_by_their_name(name: str, tmp_path: Path) -> None:
    columns = read_columns(Path(name))
    assert len(columns) > 5
    assert all(column.question.endswith("?") for column in columns)
    with pytest.raises(UsageError, match="contract, invoice"):
        read_columns(tmp_path / "nowhere.txt")
