"""Rows looked up by their key: five kinds of keys, nine formats, tables of 12 rows and more.

    python benchmarks/table_keys.py                       # 12, 90 and 1,000 rows
    python benchmarks/table_keys.py --rows 100000 --formats csv tsv xlsx

Each table is generated, stands in a folder with three short texts, and is asked for rows that it has
and for rows that it lacks. Right: the first quote has the asked cell and no cell of another row. Wrong:
an answer without doubt that has neither. A row that is lacking is to be refused.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from html import escape
from itertools import product
from pathlib import Path
from statistics import median

import docx
from openpyxl import Workbook
from pptx import Presentation
from pptx.util import Inches
from reportlab.lib import colors
from reportlab.platypus import SimpleDocTemplate, TableStyle
from reportlab.platypus import Table as PdfTable

from pincite import Answer, Library, Status

ASKED, LACKING = 6, 3
GIVEN = (
    "Sven Marit Ada Jonas Lena Omar Priya Tomas Ines Hugo Wanda Kofi Elif Bruno Nadia Piet".split()
)
FAMILY = (
    "Gusson Solheim Okafor Brandt Keller Haddad Rao Novak Duarte Meyer Kowal Mensah Demir Rossi Petrov"
    " Visser Lindqvist Amsel Farrow Tanaka"
).split()
PLACES = "Bergen Porto Gdansk Graz Leeds Lyon Turku Ghent Varna Kaunas".split()
DEPARTMENTS, SHIFTS = ("Sales", "Legal", "Research", "Finance"), ("early", "late", "night")
ODF = ("office", "table", "text")
BESIDE = {
    "house.md": "# House rules\n\nThe front door is locked at 22:00. Visitors sign in at the desk.\n",
    "lunch.txt": "Lunch is served from 12:00 to 14:00 in the canteen on the ground floor.\n",
    "notes.md": "# Notes of March\n\nThe lift was repaired. The budget was approved by the board.\n",
}


@dataclass(frozen=True)
class Kind:
    """A kind of key: the heads, a row by its number, a key by its number, the questions by column.

    A question takes the key as it stands, or only its last word ("part {last}").
    """

    heads: tuple[str, ...]
    key: Callable[[int], str]
    row: Callable[[random.Random], tuple[str, ...]]
    """The cells behind the key."""
    questions: tuple[tuple[str, int | None], ...]


def name(number: int) -> str:
    """A person's name, another one for each number."""
    most = len(GIVEN) * len(FAMILY)
    middle = chr(ord("A") + number // most % 26)
    more = number // (most * 26)
    family = FAMILY[number // len(GIVEN) % len(FAMILY)] + (f"-{FAMILY[more]}" if more else "")
    return f"{GIVEN[number % len(GIVEN)]} {middle}. {family}"


def whole(low: int, high: int, numbers: random.Random) -> str:
    """A whole number."""
    return str(numbers.randint(low, high))


KINDS = {
    "code": Kind(
        ("Room", "Floor", "Tenant", "Windows", "Rent (EUR)"),
        lambda n: f"RM-{100 + n}",
        lambda r: (whole(1, 9, r), name(r.randint(0, 9000)), whole(1, 12, r), whole(300, 999, r)),
        (
            ("Who is the tenant of {key}?", 2),
            ("How many windows does {key} have?", 3),
            ("{key}", None),
            ("What is the rent of {key}?", 4),
            ("On which floor is {key}?", 1),
            ("rent {key}", 4),
        ),
    ),
    "word and number": Kind(
        ("Part", "Supplier", "Weight (g)", "Stock"),
        lambda n: f"Part {n + 1}",
        lambda r: (r.choice("GHKLM") + whole(10, 99, r), whole(5, 900, r), whole(0, 400, r)),
        (
            ("Who is the supplier of {key}?", 1),
            ("What is the weight of part {last}?", 2),
            ("How many of part {last} are in stock?", 3),
            ("{key}", None),
            ("part {last} supplier", 1),
            ("What does {key} weigh?", 2),
        ),
    ),
    "name": Kind(
        ("Name", "Department", "Phone", "City"),
        name,
        lambda r: (r.choice(DEPARTMENTS), whole(20000, 99999, r), r.choice(PLACES)),
        (
            ("What is the phone number of {key}?", 2),
            ("Which department does {key} work in?", 1),
            ("In which city is {key}?", 3),
            ("{key}", None),
            ("{key} phone", 2),
            ("What is {key}'s department?", 1),
        ),
    ),
    "number": Kind(
        ("Invoice", "Customer", "Amount (EUR)", "Due date"),
        lambda n: str(10342 + n),
        lambda r: (
            f"{r.choice(FAMILY)} & {r.choice(FAMILY)} Ltd",
            f"{whole(90, 9999, r)}.{whole(10, 99, r)}",
            str(date(2024, 1, 1) + timedelta(days=r.randint(0, 360))),
        ),
        (
            ("Who is the customer of invoice {key}?", 1),
            ("What is the amount of invoice {key}?", 2),
            ("When is invoice {key} due?", 3),
            ("{key}", None),
            ("invoice {key}", None),
            ("How much is invoice {key}?", 2),
        ),
    ),
    "date": Kind(
        ("Date", "On duty", "Shift", "Visitors"),
        lambda n: str(date(1990, 1, 1) + timedelta(days=n)),
        lambda r: (name(r.randint(0, 300)), r.choice(SHIFTS), whole(1000, 9999, r)),
        (
            ("Who was on duty on {key}?", 1),
            ("How many visitors came on {key}?", 3),
            ("Which shift was it on {key}?", 2),
            ("{key}", None),
            ("visitors on {key}", 3),
            ("Who was on duty on {key}?", 1),
        ),
    ),
}


Rows = Sequence[Sequence[str]]


def as_csv(rows: Rows, path: Path, mark: str = ",") -> None:
    """Without quotation marks: no cell has a comma."""
    path.write_text("".join(mark.join(row) + "\n" for row in rows))


def as_xlsx(rows: Rows, path: Path) -> None:
    """One sheet, numbers as numbers."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Register")
    for row in rows:
        sheet.append([int(cell) if cell.isdigit() else cell for cell in row])
    book.save(path)


def as_ods(rows: Rows, path: Path) -> None:
    """One sheet, numbers as numbers."""

    def cell(text: str) -> str:
        kind = f'office:value-type="float" office:value="{text}"' if text.isdigit() else ""
        return f"<table:table-cell {kind}><text:p>{escape(text)}</text:p></table:table-cell>"

    lines = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    names = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ODF
    )
    content = (
        f"<office:document-content{names}><office:body><office:spreadsheet>"
        f'<table:table table:name="Register">{lines}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr("content.xml", content)


def as_docx(rows: Rows, path: Path) -> None:
    """A heading and a table."""
    file = docx.Document()
    file.add_heading("Register", 1)
    table = file.add_table(rows=len(rows), cols=len(rows[0]))
    cells = table._cells
    for number, text in enumerate(cell for row in rows for cell in row):
        cells[number].text = text
    file.save(str(path))


def as_html(rows: Rows, path: Path) -> None:
    """A heading and a table whose heads are marked."""
    lines = [
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[1:]
    ]
    heads = "<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in rows[0]) + "</tr>"
    body = "<h1>Register</h1><table>" + heads + "".join(lines) + "</table>"
    path.write_text(f"<!doctype html><title>Register</title><body>{body}</body>")


def as_markdown(rows: Rows, path: Path) -> None:
    """A heading and a table."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    rule = "|" + "---|" * len(rows[0])
    path.write_text("\n".join(["# Register", "", lines[0], rule, *lines[1:], ""]))


def as_pdf(rows: Rows, path: Path) -> None:
    """A ruled table whose heads are repeated on each page."""
    style = TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.grey)])
    SimpleDocTemplate(str(path)).build(
        [PdfTable([list(row) for row in rows], style=style, repeatRows=1)]
    )


def as_pptx(rows: Rows, path: Path) -> None:
    """At most 30 rows a slide, each with the heads."""
    show = Presentation()
    for first in range(1, len(rows), 30):
        some = [rows[0], *rows[first : first + 30]]
        slide = show.slides.add_slide(show.slide_layouts[5])
        slide.shapes.title.text = "Register"
        place = (Inches(0.5), Inches(1.2), Inches(9), Inches(5))
        table = slide.shapes.add_table(len(some), len(some[0]), *place).table
        for number, row in enumerate(some):
            for column, text in enumerate(row):
                table.cell(number, column).text = text
    show.save(str(path))


FORMATS: dict[str, Callable[[Rows, Path], None]] = {
    "csv": as_csv,
    "tsv": lambda rows, path: as_csv(rows, path, "\t"),
    "xlsx": as_xlsx,
    "ods": as_ods,
    "docx": as_docx,
    "html": as_html,
    "md": as_markdown,
    "pdf": as_pdf,
    "pptx": as_pptx,
}
LARGE, MOST_ROWS = ("csv", "tsv", "xlsx"), 1000
"""More rows nobody has in a file of another format, or a reader's limit stands before them."""


def verdict(answer: Answer, row: Sequence[str], column: int | None, rows: Rows) -> str:
    """right, doubtful, refused or wrong."""
    if answer.status is Status.ABSTAINED:
        return "refused"
    first = answer.citations[0].quote
    is_right = row[0] in first and (column is None or row[column] in first)
    others = (other[0] for other in rows[1:2000] if other[0] != row[0] and other[0] in first)
    is_alone = not any(re.search(rf"{re.escape(other)}(?![\w-])", first) for other in others)
    if is_right and is_alone:
        return "right"
    return "doubtful" if answer.is_doubtful else "wrong"


@dataclass
class Measured:
    """What became of the questions about one table, and those that were not answered as they should."""

    counts: Counter[str]
    seconds: list[float]
    told: list[str]


def measure(kind: Kind, form: str, count: int, seed: int) -> Measured:
    """Generates one table and asks it."""
    numbers = random.Random(seed)
    rows = [kind.heads, *((kind.key(n), *kind.row(numbers)) for n in range(count))]
    found = Measured(Counter(), [], [])
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "files")
        files.mkdir()
        for other, text in BESIDE.items():
            (files / other).write_text(text)
        FORMATS[form](rows, files / f"register.{form}")
        with Library.open(Path(folder, "library")) as library:
            begin = time.perf_counter()
            report = library.ingest([files])
            print(f"  {form}: read in {time.perf_counter() - begin:.1f} s", flush=True)
            found.counts["files not read"] = len(report.failed)
            for question, column in kind.questions[:ASKED]:
                row = rows[1 + numbers.randrange(count)]
                asked = question.format(key=row[0], last=row[0].split()[-1])
                begin = time.perf_counter()
                answer = library.ask(asked)
                found.seconds.append(time.perf_counter() - begin)
                count_it(found, verdict(answer, row, column, rows), "right", asked, answer)
            for number, (question, _) in enumerate(kind.questions[:LACKING]):
                key = kind.key(count + 3 + 17 * number)
                asked = question.format(key=key, last=key.split()[-1])
                answer = library.ask(asked)
                shown = "lacking, shown as doubtful" if answer.is_doubtful else "lacking, answered"
                is_refused = answer.status is Status.ABSTAINED
                became = "lacking, refused" if is_refused else shown
                count_it(found, became, "lacking, refused", asked, answer)
    return found


def count_it(found: Measured, became: str, wanted: str, asked: str, answer: Answer) -> None:
    """Counts an answer; tells one that is not what it should be."""
    found.counts[became] += 1
    if became != wanted:
        shown = answer.citations[0].quote[:60] if answer.citations else answer.reasons[-1][:100]
        found.told.append(f"{became} {answer.confidence}: {asked} -> {shown!r}")


def main() -> None:
    """Print a line for each kind of key, format and size, and the sums."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rows", type=int, nargs="*", default=[12, 90, 1000])
    asked.add_argument("--formats", nargs="*", default=list(FORMATS))
    asked.add_argument("--kinds", nargs="*", default=list(KINDS))
    asked.add_argument("--seed", type=int, default=5)
    chosen = asked.parse_args()
    total: Counter[str] = Counter()
    for count, title, form in product(chosen.rows, chosen.kinds, chosen.formats):
        if form not in LARGE and count > MOST_ROWS:
            continue
        found = measure(KINDS[title], form, count, chosen.seed)
        total += found.counts
        took = 1000 * median(found.seconds)
        print(f"{count:>7} {title:<16} {form:<5} {dict(+found.counts)} {took:.0f} ms", flush=True)
        for line in found.told:
            print("       ", line, flush=True)
    print(dict(total))


if __name__ == "__main__":
    main()
