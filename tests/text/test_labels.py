"""Labels beside or above their values, in each format, and the questions that they answer."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path

import docx
import pytest

from pincite.ingest.readers import FileReader
from pincite.records.document import Block, BlockKind, Cell, Document
from pincite.text.tables.asking import read_question
from pincite.text.tables.labels import label_tables, suited
from pincite.text.tables.tables import tables_of


def labelled(*pairs: tuple[str, str]) -> Document:
    """A form: labels beside their values, as readers of PDF and Word write them."""
    text, blocks = "", []
    for label, value in pairs:
        start = len(text)
        cut = start + len(label)
        text += f"{label}\t{value}\n"
        end = cut + 1 + len(value)
        cells = (
            Cell(start=start, end=cut),
            Cell(start=cut + 1, end=end, row_headers=((start, cut),)),
        )
        blocks.append(Block(start=start, end=end, kind=BlockKind.TABLE_ROW, cells=cells))
    given = {"id": "a", "sha256": "a", "title": "invoice", "media_type": "application/pdf"}
    return Document(**given, text=text, blocks=tuple(blocks))


FORM = (("Invoice number", "RE-17"), ("Invoice date", "12.04.2024"), ("Customer number", "K-88"))


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the invoice number?", "RE-17"),
        ("What is the customer number?", "K-88"),
        ("Invoice date", "12.04.2024"),
    ],
)
def test_a_label_of_a_form_gives_its_value(question: str, value: str) -> None:
    (table,) = label_tables(labelled(*FORM))
    reading = read_question(question, table)
    assert reading is not None
    assert [table.text(row, 1) for row in reading.rows] == [value]
    assert reading.asked == (1,)
    assert reading.said.startswith("label ")


@pytest.mark.parametrize(
    "question",
    [
        "What is the customer number of Meyer?",
        "What is the number?",
        "Who is the customer?",
        "How many customers are there?",
    ],
)
def test_what_no_label_says_is_not_read(question: str) -> None:
    (table,) = label_tables(labelled(*FORM))
    assert read_question(question, table) is None


FORM_OF_WORDS = (("Owner", "Marit Solheim"), ("Phone", "55 10 20 30"), ("Boat", "Havørn II"))


def in_html(pairs: Sequence[tuple[str, str]]) -> bytes:
    rows = "".join(f"<tr><td>{label}</td><td>{value}</td></tr>" for label, value in pairs)
    return f"<table>{rows}</table>".encode()


def in_word(pairs: Sequence[tuple[str, str]]) -> bytes:
    word, written = docx.Document(), io.BytesIO()
    table = word.add_table(rows=0, cols=2)
    for pair in pairs:
        for cell, text in zip(table.add_row().cells, pair, strict=True):
            cell.text = text
    word.save(written)
    return written.getvalue()


FORMS: dict[str, Callable[[Sequence[tuple[str, str]]], bytes]] = {
    "form.html": in_html,
    "form.docx": in_word,
}


@pytest.mark.parametrize("name", FORMS)
def test_a_form_whose_first_value_is_words_has_no_heads(name: str) -> None:
    document = FileReader().read_content(Path(name), FORMS[name](FORM_OF_WORDS))
    assert tables_of(document) == ()
    (table,) = label_tables(document)
    for label, value in FORM_OF_WORDS:
        reading = read_question(f"{label}?", table)
        assert reading is not None
        assert [table.text(row, 1) for row in reading.rows] == [value]


@pytest.mark.parametrize("name", FORMS)
def test_two_columns_of_which_one_is_numbers_keep_their_heads(name: str) -> None:
    prices = (("Pump", "Price"), ("P-1", "120"), ("P-2", "80"), ("P-3", "on request"), ("P-4", "9"))
    (table,) = tables_of(FileReader().read_content(Path(name), FORMS[name](prices)))
    assert [column.bare for column in table.columns] == ["Pump", "Price"]


def test_names_that_repeat_or_are_numbers_are_no_labels() -> None:
    for pairs in ((("Oslo", "east"), ("Oslo", "west")), (("1", "one"), ("2", "two"))):
        document = FileReader().read_content(Path("a.html"), in_html(pairs))
        assert [*label_tables(document)] == []


CODES = (("E5", "Filter is blocked."), ("E7", "Pump runs dry."))
WRITTEN = {
    "a.md": "# Manual\n\n## Error codes\n\n- **E5**: Filter is blocked.\n- `E7` – Pump runs dry.\n",
    "b.md": "# Manual\n\n## Error codes\n\n**E5:** Filter is blocked.\n\n**E7:** Pump runs dry.\n",
    "a.html": "<h1>Manual</h1><h2>Error codes</h2><dl><dt>E5</dt><dd>Filter is blocked.</dd>"
    "<dt>E7</dt><dd>Pump runs dry.</dd></dl>",
    "b.html": "<h1>Manual</h1><h2>Error codes</h2><p><b>E5:</b> Filter is blocked.<br>"
    "<b>E7:</b> Pump runs dry.</p>",
    "a.adoc": "= Manual\n\n== Error codes\n\nE5:: Filter is blocked.\nE7:: Pump runs dry.\n",
    "a.org": "#+TITLE: Manual\n* Error codes\n- E5 :: Filter is blocked.\n- E7 :: Pump runs dry.\n",
    "a.txt": "E5: Filter is blocked.\nE7: Pump runs dry.\n",
}


def values(question: str, document: Document) -> list[str]:
    """The values that answer a question."""
    readings = [(read_question(question, table), table) for table in label_tables(document)]
    kept = [suited(question, "en", reading) for reading, _ in readings if reading is not None]
    return [one.table.text(row, 1) for one in kept if one is not None for row in one.rows]


@pytest.mark.parametrize("name", WRITTEN)
def test_terms_of_a_list_are_labels(name: str) -> None:
    document = FileReader().read_content(Path(name), WRITTEN[name].encode())
    (table,) = label_tables(document)
    assert [(table.text(row, 0), table.text(row, 1)) for row in table.rows] == [*CODES]
    for code, meaning in CODES:
        assert values(f"What does {code} mean?", document) == [meaning]
    assert values("What does E9 mean?", document) == []


HEAD = b"""---
title: Field guide
author: Ingrid Moe
date: 2024-05-17
version: 3.2
approved by: Ola Vik
---

# Field guide

The pump moves 40 litres.
"""


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("Who wrote the field guide?", ["Ingrid Moe"]),
        ("Who is the author of this document?", ["Ingrid Moe"]),
        ("When was the field guide published?", ["2024-05-17"]),
        ("Which version is this?", ["3.2"]),
        ("Who approved the guide?", ["Ola Vik"]),
        ("When was the guide approved?", []),  # By whom is no answer to when.
        ("Who wrote the letter to Vik Boats?", []),
    ],
)
def test_what_a_document_says_of_itself(question: str, value: list[str]) -> None:
    assert values(question, FileReader().read_content(Path("guide.md"), HEAD)) == value


def test_a_heading_of_the_title_page_is_a_label() -> None:
    page = (
        b"<h1>Tour guide</h1><h3>Author</h3><p>The Tour Team</p><h3>About</h3><p>It is a guide.</p>"
    )
    document = FileReader().read_content(Path("tour.html"), page)
    assert values("Who wrote this guide?", document) == ["The Tour Team"]
    assert values("What is the guide about?", document) == []


@pytest.mark.parametrize(
    ("page", "question"),
    [
        (
            b"<h1>Boats</h1><h2>Models</h2><p>We make two:</p><ul><li>Tern</li></ul>",
            "Which models?",
        ),
        (
            b"<h1>Rules</h1><h2>Ovens</h2><ul><li>Old</li><li>New</li></ul>",
            "Which ovens are there?",
        ),
        (b"<h1>Tour</h1><h3>Authors</h3><ul><li>Ann Lee</li><li>Bo Vik</li></ul>", "Who wrote it?"),
    ],
)
def test_what_begins_a_list_below_a_heading_is_no_value(page: bytes, question: str) -> None:
    assert values(question, FileReader().read_content(Path("a.html"), page)) == []


MAIL = b"""From: Petra Lang <petra@example.org>
To: board@example.org
Subject: Board meeting moved
Date: Tue, 3 Sep 2024 10:15:00 +0200

Dear all, the meeting is moved to Thursday.
"""


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("Who sent the mail about the board meeting?", ["Petra Lang <petra@example.org>"]),
        ("When was the mail sent?", ["Tue, 03 Sep 2024 10:15:00 +0200"]),
        ("When is the board meeting?", []),  # A message says when it was sent.
        ("Who wrote the manual?", []),
    ],
)
def test_what_a_message_says_of_itself(question: str, value: list[str]) -> None:
    assert values(question, FileReader().read_content(Path("a.eml"), MAIL)) == value


@pytest.mark.parametrize(
    "text",
    [
        "Anna: I think so.\n\nBen: Why?\n\nAnna: Because.\n",  # A talk: the names repeat.
        "The pump is cleaned as follows: first rinse it.\n\nNever do this. It means: danger.\n",
        "10:30 the bus leaves\n11:30 the bus comes\n",
        "See http://example.org/a\n\nSee http://example.org/b\n",
    ],
)
def test_colons_in_prose_are_no_labels(text: str) -> None:
    assert [*label_tables(FileReader().read_content(Path("a.md"), text.encode()))] == []


def test_a_sentence_behind_a_word_is_no_value() -> None:
    text = (
        "# Features\n\n- Depreciation: it tracks the depreciation of assets.\n- Price: 20 euros\n"
    )
    document = FileReader().read_content(Path("a.md"), text.encode())
    assert values("What is depreciation?", document) == []
    assert values("What is the price?", document) == ["20 euros"]


def test_a_line_with_a_colon_alone_is_a_label_on_the_title_page_only() -> None:
    text = "# Policy\n\nPrepared by: Tomas Berg\n\n" + "A line of prose.\n\n" * 20 + "Note: wait\n"
    document = FileReader().read_content(Path("a.md"), text.encode())
    assert values("Who prepared the policy?", document) == ["Tomas Berg"]
    assert values("What is the note?", document) == []
