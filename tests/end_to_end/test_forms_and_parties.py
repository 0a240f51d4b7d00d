"""Questions about whom a form is about, in each format, and about the parties of a contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import docx
import openpyxl
import pytest
from reportlab.pdfgen.canvas import Canvas

from pincite import Library
from pincite.records.flow import Answer, Status

FORM = {
    "Name": "Ingrid Solheim",
    "Date of birth": "14 March 1987",
    "Address": "Strandgata 12, Bergen",
    "Telephone": "+47 912 34 567",
    "Emergency contact": "Lars Solheim, +47 988 77 665",
    "Wants the newsletter": "no",
    "Locker": "27",
}


def as_text(path: Path) -> None:
    lines = [f"{label}: {value}" for label, value in FORM.items()]
    path.write_text("\n".join(["MEMBERSHIP FORM", "", *lines, ""]))


def as_list(path: Path) -> None:
    lines = [f"- **{label}:** {value}" for label, value in FORM.items()]
    path.write_text("\n".join(["# Membership form", "", *lines, ""]))


def as_csv(path: Path) -> None:
    path.write_text("\n".join(["Field,Entry", *(f'{a},"{b}"' for a, b in FORM.items()), ""]))


def as_web_page(path: Path) -> None:
    rows = "".join(f"<tr><th>{a}</th><td>{b}</td></tr>" for a, b in FORM.items())
    path.write_text(f"<html><body><h1>Membership form</h1><table>{rows}</table></body></html>")


def as_word(path: Path) -> None:
    file = docx.Document()
    table = file.add_table(rows=0, cols=2)
    for label, value in FORM.items():
        left, right = table.add_row().cells
        left.text, right.text = label, value
    file.save(str(path))


def as_sheet(path: Path) -> None:
    book = openpyxl.Workbook()
    for pair in FORM.items():
        book.worksheets[0].append(list(pair))
    book.save(path)


def as_pdf(path: Path) -> None:
    canvas = Canvas(str(path))
    for place, (label, value) in enumerate(FORM.items()):
        canvas.drawString(72, 740 - 22 * place, f"{label}:")
        canvas.drawString(220, 740 - 22 * place, value)
    canvas.save()


FORMATS: dict[str, Callable[[Path], None]] = {
    "txt": as_text,
    "md": as_list,
    "csv": as_csv,
    "html": as_web_page,
    "docx": as_word,
    "xlsx": as_sheet,
    "pdf": as_pdf,
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_form_answers_for_whom_it_is_about(name: str, tmp_path: Path) -> None:
    FORMATS[name](tmp_path / f"form.{name}")
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / f"form.{name}"])
        asked = {
            "When was Ingrid Solheim born?": FORM["Date of birth"],
            "Where does Ingrid live?": FORM["Address"],
            "What is Ingrid's phone number?": FORM["Telephone"],
            "Does she want the newsletter?": "no",
            "Which locker does Ingrid Solheim have?": "27",
        }
        for question, value in asked.items():
            answer = library.ask(question)
            assert value in answer.citations[0].quote, question
            assert answer.confidence > 0.95, question
            assert not answer.is_doubtful, question
            assert len(answer.citations) == 1, question


@pytest.mark.parametrize("name", ["docx", "html", "xlsx"])
def test_a_form_does_not_answer_for_somebody_else(name: str, tmp_path: Path) -> None:
    FORMATS[name](tmp_path / f"form.{name}")
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / f"form.{name}"])
        answer = library.ask("When was Lars Solheim born?")
    assert answer.status is Status.ABSTAINED
    assert "Lars Solheim" in answer.reasons[0]


def test_a_label_is_not_the_time_that_is_asked_for(tmp_path: Path) -> None:
    rows = [("Patient", "Solheim, Ingrid"), ("Born", "14.03.1987"), ("Next of kin", "Lars Solheim")]
    file = docx.Document()
    table = file.add_table(rows=0, cols=2)
    for label, value in rows:
        left, right = table.add_row().cells
        left.text, right.text = label, value
    file.save(str(tmp_path / "patient.docx"))
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "patient.docx"])
        assert library.ask("When was Ingrid Solheim born?").short_answer == "14.03.1987"
        other = library.ask("When was Lars Solheim born?")
    assert other.is_doubtful or other.status is Status.ABSTAINED


ENGLISH = """\
# Cleaning

This Service Agreement (the "Agreement") is entered into on 3 June 2024 (the "Effective Date") between
Fjordlys AS, a company with its office at Havnegata 4, Bergen (the "Client"), and Bramble Cleaning Ltd,
a company registered in Scotland (the "Contractor").

## Insurance

The Contractor shall hold public liability insurance of at least NOK 5,000,000.
"""
NUMBERED = """\
# Lease

This Lease (the “Lease”) is made by and between:

(1) Hill & Sons Properties Ltd., a company registered in England (the “Landlord”); and

(2) Mr. Omar Aziz, of 12 Park Road, York (the “Tenant”).

## Premises

The flat at 4 High Street (the "Premises") has two rooms.
"""
GERMAN = """\
# Mietvertrag

zwischen Frau Petra Kurz, Lindenweg 3, Kassel (nachfolgend "Vermieterin" genannt) und Herrn Jan Tan,
Kassel (nachfolgend "Mieter" genannt).

## Miete

Der Mieter zahlt 640 Euro.
"""


def ask(text: str, question: str, folder: Path) -> Answer:
    (folder / "contract.md").write_text(text, encoding="utf-8")
    with Library.open(folder / "library") as library:
        library.ingest([folder / "contract.md"])
        return library.ask(question)


@pytest.mark.parametrize(
    ("text", "question", "names"),
    [
        (ENGLISH, "Who is the client?", ["Fjordlys AS"]),
        (ENGLISH, "Who is the contractor?", ["Bramble Cleaning Ltd"]),
        (ENGLISH, "Who are the parties to the agreement?", ["Fjordlys AS", "Bramble Cleaning Ltd"]),
        (NUMBERED, "Who is the landlord?", ["Hill & Sons Properties Ltd."]),
        (
            NUMBERED,
            "Who are the parties to the lease?",
            ["Hill & Sons Properties Ltd.", "Mr. Omar Aziz"],
        ),
        (GERMAN, "Wer ist der Mieter?", ["Herrn Jan Tan"]),
        (GERMAN, "Wer sind die Parteien?", ["Frau Petra Kurz", "Herrn Jan Tan"]),
    ],
)
def test_parties_are_told_by_what_the_contract_calls_them(
    text: str, question: str, names: list[str], tmp_path: Path
) -> None:
    answer = ask(text, question, tmp_path)
    assert not answer.is_doubtful
    quotes = [" ".join(citation.quote.split()) for citation in answer.citations]
    assert len(quotes) == len(names)
    for name, quote in zip(names, quotes, strict=True):
        assert quote.startswith(name)
        assert quote.endswith(")")
    if len(names) == 1:
        assert answer.short_answer == names[0]


def test_a_party_that_the_contract_does_not_have_is_refused(tmp_path: Path) -> None:
    assert ask(ENGLISH, "Who is the guarantor?", tmp_path).status is Status.ABSTAINED


PLAIN = """\
# Notes

The valve (called "Gate 4" by the staff) leaks. Two pumps (see "Pumps") were checked by Ann (our
"expert").
"""


def test_brackets_of_other_texts_name_no_parties(tmp_path: Path) -> None:
    answer = ask(PLAIN, "Which parties leak?", tmp_path)
    assert answer.status is Status.ABSTAINED or answer.is_doubtful


PAPER = """\
# Trade

Members of the European Union ("EU") and of the United Nations ("UN") trade more than others.
"""


def test_abbreviations_are_no_parties(tmp_path: Path) -> None:
    answer = ask(PAPER, "Who are the parties to the trade agreement?", tmp_path)
    assert answer.status is Status.ABSTAINED or answer.is_doubtful


LOAN = """\
Loan agreement between

Bank of Scotland plc, Edinburgh ("Lender"), and

Mr. Ewan Baird, 9 Leith Walk ("Borrower").

The loan is GBP 9,000.
"""


@pytest.mark.parametrize(
    ("question", "name"),
    [("Who is the lender?", "Bank of Scotland plc"), ("Who is the borrower?", "Mr. Ewan Baird")],
)
def test_a_name_is_told_whole(question: str, name: str, tmp_path: Path) -> None:
    assert ask(LOAN, question, tmp_path).short_answer == name


def test_parties_in_bold_are_named_without_their_marks(tmp_path: Path) -> None:
    (tmp_path / "contract.md").write_text(
        "# Service agreement\n\nbetween **Lindqvist Consulting AB**, Storgatan 4, Uppsala "
        '("Provider"), and **Marlow Foods Ltd**, 12 Quay Road, Bristol ("Client").\n\n'
        "## 1. Services\n\nThe Provider advises the Client on packaging.\n"
    )
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "contract.md"])
        assert library.ask("Who is the client?").short_answer == "Marlow Foods Ltd"
        quotes = [citation.quote for citation in library.ask("Who are the parties?").citations]
    assert [quote.split(",")[0] for quote in quotes] == [
        "**Lindqvist Consulting AB**",
        "**Marlow Foods Ltd**",
    ]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How heavy is it?", "4.2 kg"),
        ("How much does it weigh?", "4.2 kg"),
        ("How heavy is the machine?", "4.2 kg"),
        ("How tall is the BrewMate 300?", "38 cm"),
        ("How wide is the device?", "25 cm"),
    ],
)
def test_measures_of_a_data_sheet_are_asked_for_in_other_words(
    tmp_path: Path, question: str, answer: str
) -> None:
    (tmp_path / "guide.html").write_text(
        "<h1>BrewMate 300</h1><p>Descale the machine every two months.</p><h2>Technical data</h2>"
        "<table><tr><td>Power</td><td>1,350 W</td></tr><tr><td>Height</td><td>38 cm</td></tr>"
        "<tr><td>Width</td><td>25 cm</td></tr><tr><td>Weight</td><td>4.2 kg</td></tr></table>"
    )
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "guide.html"])
        assert library.ask(question).short_answer == answer


def test_a_row_of_a_table_does_not_say_what_a_thing_is(tmp_path: Path) -> None:
    (tmp_path / "rights.md").write_text(
        "# Rights\n\n| Type | Details |\n|---|---|\n| Tag | Add, edit or view tags. |\n"
        "| Correspondent | Add, edit or view correspondents. |\n"
    )
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "rights.md"])
        assert not library.ask("What is a correspondent?").short_answer
        assert library.ask("What are the details of the correspondent?").short_answer
