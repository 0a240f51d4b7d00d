"""Counts over the sample library against a script that reads the files in its own way."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pypdfium2
import pytest

import pincite
from end_to_end.running import SAMPLES, SampleLibrary, call_cli

WORDS = [
    "torque", "pressure", "visitors", "boiler", "tomatoes", "hose", "shares", "token", "soil", "is",
    "No", "Meghvarna", "parking", "brûleur", "valve", "wrench", "hydraulic test stand", "car park",
    "soil pH", "unicorn",
]  # fmt: skip


class _Visible(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._hidden += tag in ("script", "style", "head", "nav", "footer", "aside")
        self.parts.append(" ¶ " if tag in ("p", "li", "h1", "h2", "h3", "tr", "td", "th") else "")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style", "head", "nav", "footer", "aside")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def html_text(path: Path) -> str:
    parser = _Visible()
    parser.feed(path.read_text(encoding="utf-8"))
    return "".join(parser.parts)


def docx_text(path: Path) -> str:
    xml = zipfile.ZipFile(path).read("word/document.xml").decode("utf-8")
    xml = re.sub(r"</w:p>|<w:tab/>|<w:br/>", " ¶ ", xml)
    return re.sub(r"&amp;", "&", re.sub(r"<[^>]+>", "", xml))


def pdf_text(path: Path) -> str:
    """The text of the pages without what every page repeats at its top and bottom."""
    pages = [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(path)]
    lines = Counter(re.sub(r"\d+", "#", line) for page in pages for line in page.splitlines())
    return "\n".join(
        line
        for page in pages
        for line in page.splitlines()
        if lines[re.sub(r"\d+", "#", line)] < len(pages) - 1
    )


def plain_text(path: Path) -> str:
    return path.read_text(encoding="cp1252" if path.suffix == ".txt" else "utf-8")


READERS = {".html": html_text, ".docx": docx_text, ".pdf": pdf_text}


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return {
        path.name: READERS.get(path.suffix, plain_text)(path)
        for path in sorted((SAMPLES / "documents").iterdir())
    }


@pytest.fixture(scope="module")
def library(sample: SampleLibrary) -> Iterator[pincite.Library]:
    with pincite.Library.open(sample.path) as opened:
        yield opened


@pytest.mark.parametrize("words", WORDS)
def test_a_count_is_that_of_a_script(
    library: pincite.Library, texts: dict[str, str], words: str
) -> None:
    between = words.replace(" ", r"[^\w¶]+")
    pattern = re.compile(rf"(?<![^\W_]){between}(?![^\W_])", re.IGNORECASE)
    expected = {name: len(pattern.findall(text)) for name, text in texts.items()}

    survey = library.count(f'"{words}"').survey
    assert survey is not None
    counted = {Path(row.paths[0]).name: row.mentions for row in survey.rows}
    assert counted == {name: count for name, count in expected.items() if count}
    assert survey.mentions == sum(expected.values())
    assert survey.documents_scanned == len(texts)


def test_every_quote_is_listed_in_json_and_for_spreadsheets(
    sample: SampleLibrary, tmp_path: Path
) -> None:
    table, saved = tmp_path / "rows.csv", tmp_path / "count.json"
    options = ("-l", sample.path, "--csv", table, "--save", saved)
    shown = call_cli("count", "the", *options)
    assert shown.returncode == 0
    assert "more quotes; --json lists all" in shown.stdout

    form = json.loads(saved.read_text(encoding="utf-8"))
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(form["citations"]) > 20
    assert sum(int(row["mentions"]) for row in rows) == form["survey"]["mentions"]
    assert call_cli("verify", saved).returncode == 0
    assert json.loads(call_cli("count", "the", "--json", *options).stdout)["text"] == form["text"]


def test_no_cell_is_taken_for_a_formula(sample: SampleLibrary, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_text("=HYPERLINK(evil)\n\n-torque, +torque\n")
    library = tmp_path / "library"
    assert call_cli("ingest", tmp_path / "files", "-l", library).returncode == 0
    table = tmp_path / "rows.csv"
    assert call_cli("count", "evil torque", "-l", library).returncode == 0
    assert call_cli("count", "torque", "-l", library, "--csv", table).returncode == 0
    assert "'-torque" in table.read_text(encoding="utf-8")


def test_an_ordinary_command_answers_questions_about_everything(sample: SampleLibrary) -> None:
    shown = call_cli("ask", "How many documents mention torque?", "-l", sample.path)
    assert shown.returncode == 0
    assert "1 of 6 documents mentions 'torque' (7 mentions in 3 passages)." in shown.stdout
    assert "scanned: all" in shown.stdout


def test_a_count_is_explained_and_loses_no_passage(sample: SampleLibrary) -> None:
    asked = ("ask", "How many documents mention torque?", "-l", sample.path)
    explained = call_cli(*asked, "--explain")
    assert explained.returncode == 0
    assert "scan" in explained.stdout
    assert "verify" in explained.stdout
    refused = call_cli(*asked, "--why", "torque wrench")
    assert refused.returncode == 2
    assert "a count over all documents" in refused.stderr


def test_nothing_to_count_is_a_usage_error(sample: SampleLibrary) -> None:
    refused = call_cli("count", "?!", "-l", sample.path)
    assert refused.returncode == 2
    assert "has no words to count" in refused.stderr
