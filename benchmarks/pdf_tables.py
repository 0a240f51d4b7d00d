"""Measures how well the cells of tables in PDF files are read with the heads that belong to them.

    python benchmarks/pdf_tables.py [--files 120] [--keep FOLDER] [--ask]

The tables of tatqa-open (annual reports) are printed with Chromium, each with its prose, in one of five
styles: without rules; full grid; rules between rows and currency signs in columns of their own; small
with wrapped labels; centred. Of each value (a number below a head, right of a label) it is measured
whether it is a cell of its own, whether that cell has the label of its row, and whether it has the head
of its column. Tables without a label or head for some value count with the others. --keep writes the
files; --ask also ingests them and asks the set's questions whose answer stands in one of the tables.
Needs Chromium and playwright.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean

from open_sets import load
from recovery import SHARED

from pincite import Library
from pincite.ingest.readers import FileReader
from pincite.ingest.tables import is_number
from pincite.records.document import Cell, Document

_ASIDE = re.compile(r"^\(.*\)$")
_SIGN = re.compile(r"^([$€£])\s*(.+)$")
_COMMON = (
    "body {font: 10pt 'Liberation Serif', serif; margin: 0} p {margin: 8pt 0}"
    "table {border-collapse: collapse; margin: 10pt 0} td {padding: 2pt 6pt; vertical-align: top}"
    "td + td {text-align: right} td.over {text-align: center}"
)
STYLES = {
    "plain": "",
    "grid": "td {border: .6pt solid black}",
    "rows": "tr {border-bottom: .6pt solid black} td.sign {padding: 2pt 0 2pt 14pt}",
    "small": "table {font-size: 7pt; width: 100%} td:first-child {width: 90pt} td {padding: 1pt 3pt}",
    "centred": "td + td {text-align: center; padding: 3pt 16pt}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A number of a table with the label of its row and the lowest head of its column."""

    text: str
    label: str
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """A table with its prose, as HTML, and what must be found in it."""

    name: str
    style: str
    page: str
    values: tuple[Value, ...]


def cases(files: int) -> Iterator[Printed]:
    """The first tables of the set that have heads, each in the next style."""
    number = 0
    with (SHARED / "data/tatqa-open/corpus.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            table, _, prose = row["text"].partition("\n\n")
            cells = [
                [*map(str.strip, line.removeprefix("|").removesuffix("|").split("|"))]
                for line in table.splitlines()
            ]
            heads = _header_rows(cells)
            values = tuple(_values(cells, heads))
            if not heads or len(values) < 4:
                continue
            style = [*STYLES][number % len(STYLES)]
            yield Printed(
                name=row["id"], style=style, page=_page(cells, heads, prose, style), values=values
            )
            number += 1
            if number == files:
                return


def _header_rows(cells: Sequence[Sequence[str]]) -> int:
    """How many rows at the top have no label; or the first one, if it has no number."""
    count = next((n for n, row in enumerate(cells) if row and row[0]), len(cells))
    if not count and cells and not any(map(_is_value, cells[0])):
        count = 1
    return count if count < len(cells) else 0


def _is_value(text: str) -> bool:
    return is_number(_bare(text)) or bool(re.fullmatch(r"\(?[\d.,]+\)?%?", _bare(text)))


def _values(cells: Sequence[Sequence[str]], heads: int) -> Iterator[Value]:
    for row in cells[heads:]:
        for column, text in enumerate(row):
            over = [line[column] for line in cells[:heads] if column < len(line) and line[column]]
            named = [head for head in over if not _ASIDE.match(head)]
            if column and row[0] and named and _is_value(text):
                yield Value(text=text, label=row[0], head=named[-1])


def _page(cells: Sequence[Sequence[str]], heads: int, prose: str, style: str) -> str:
    width = max(map(len, cells))
    rows = [
        _row([*row, *[""] * (width - len(row))], is_head=n < heads, apart=style == "rows")
        for n, row in enumerate(cells)
    ]
    paragraphs = [f"<p>{html.escape(part)}</p>" for part in prose.split("\n\n") if part.strip()]
    table = f"<table>{''.join(rows)}</table>"
    body = "".join([*paragraphs[:1], table, *paragraphs[1:]])
    return f"<style>{_COMMON}{STYLES[style]}</style><body>{body}</body>"


def _row(row: Sequence[str], *, is_head: bool, apart: bool) -> str:
    filled = [n for n, text in enumerate(row) if text]
    per = 2 if apart else 1
    if is_head and len(filled) == 1 and filled[0] and len(row) > 2:
        span = per * (len(row) - 1)
        over = html.escape(row[filled[0]])
        return f'<tr><td></td><td class="over" colspan="{span}"><b>{over}</b></td></tr>'
    found = [f"<td>{html.escape(row[0])}</td>"]
    for text in row[1:]:
        sign = _SIGN.match(text) if apart else None
        shown = html.escape(sign[2] if sign else text)
        shown = f"<b>{shown}</b>" if is_head else shown
        if apart:
            found.append(f'<td class="sign">{sign[1] if sign else ""}</td>')
        found.append(f"<td>{shown}</td>")
    return f"<tr>{''.join(found)}</tr>"


def printed(found: Sequence[Printed], folder: Path) -> None:
    """Write each as a PDF file with its name."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("there is no chromium on this machine: apt-get install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        for one in found:
            page.set_content(one.page)
            page.pdf(
                path=folder / f"{one.name}.pdf",
                format="A4",
                margin={"top": "22mm", "bottom": "22mm", "left": "22mm", "right": "22mm"},
            )
        browser.close()


def shares(case: Printed, document: Document) -> tuple[float, float, float]:
    """Shares of the values that are cells, that have their label too, and that have their head too."""
    cells: dict[str, list[Cell]] = {}
    has = partial(_has, document)
    for block in document.blocks:
        for cell in block.cells:
            cells.setdefault(_bare(document.text[cell.start : cell.end]), []).append(cell)
    own = labelled = headed = 0
    for value in case.values:
        same = cells.get(_bare(value.text), [])
        own += bool(same)
        labelled += any(has(cell.row_headers, value.label) for cell in same)
        headed += any(has(cell.column_headers, value.head) for cell in same)
    count = len(case.values)
    return own / count, labelled / count, headed / count


def ask(folder: Path, names: set[str]) -> None:
    """Print how often the first citation, and any, contains the answer to a question."""
    data = load("tatqa-open")
    texts = {one.id: one.text for one in data.documents if one.id in names}
    tables = {name: len(text.partition("\n\n")[0]) for name, text in texts.items()}
    first, any_of = [], []
    with tempfile.TemporaryDirectory() as home, Library.open(Path(home) / "library") as library:
        library.ingest([folder])
        for question in data.questions:
            inside = [one for one in question.spans if one.end <= tables.get(one.document, 0)]
            if not inside:
                continue
            gold = [_bare(text) for text in question.answers]
            cited = [_bare(one.quote) for one in library.ask(question.text).citations]
            held = [any(text in quote for text in gold) for quote in cited]
            first.append(held[:1] == [True])
            any_of.append(any(held))
    print(f"{len(first)} questions: first {mean(first):.3f}, any {mean(any_of):.3f}")


def _has(document: Document, headers: Sequence[tuple[int, int]], text: str) -> bool:
    """Whether the headers say this; lines of a head may be headers of their own."""
    told = "".join(_bare(document.text[start:end]) for start, end in headers)
    return _bare(text) in told


def _bare(text: str) -> str:
    return re.sub(r"[\s$€£]", "", text)


def main() -> None:
    """Print a line for each style, and one for all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--files", type=int, default=120)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--ask", action="store_true")
    given = parser.parse_args()
    found = [*cases(given.files)]
    with tempfile.TemporaryDirectory() as made:
        folder = given.keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        printed(found, folder)
        if given.ask:
            ask(folder, {one.name for one in found})
        rows = [
            (one.style, shares(one, FileReader().read(folder / f"{one.name}.pdf"))) for one in found
        ]
    print("| style | tables | value is a cell | with its label | with its head |")
    for style in (*STYLES, "all"):
        own = [row for name, row in rows if style in (name, "all")]
        means = [sum(column) / len(own) for column in zip(*own, strict=True)]
        print(f"| {style} | {len(own)} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")


if __name__ == "__main__":
    main()
