"""Questions made from the structure of documentation, read by the package itself."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from training.documents import folder_rows, infinitive

PAGE = """<html><head><title>Printing</title></head><body>
<h1>Printing</h1><p>This page tells how documents are printed on all printers that are set up.</p>
<h2>Printing a range of pages</h2>
<ol><li>Choose File - Print to open the dialog.</li><li>Enter the page numbers to print.</li></ol>
<h2>Why is my page empty?</h2><p>The printer is out of toner. Put in a new cartridge.</p>
<h2>Options</h2>
<dl><dt>Copies</dt><dd>The number of copies that come out of the printer.</dd></dl>
<table><tr><th>Key</th><th>Action</th></tr>
<tr><td>Ctrl+P</td><td>opens the print dialog</td></tr></table>
</body></html>"""


def test_the_structure_says_what_answers(tmp_path: Path) -> None:
    (tmp_path / "print.html").write_text(PAGE, encoding="utf-8")
    rows = folder_rows(tmp_path)
    answered = {row["question"]: row for row in rows if row["answers"]}
    (task,) = [row for question, row in answered.items() if "print a range of pages" in question]
    assert [answer["text"] for answer in task["answers"]] == [
        "Choose File - Print to open the dialog.",
        "Enter the page numbers to print.",
    ]
    empty = answered["Why is my page empty?"]
    assert empty["answers"][0]["text"] == "The printer is out of toner. Put in a new cartridge."
    assert any("number of copies" in row["answers"][0]["text"] for row in answered.values())
    assert any("Ctrl+P" in row["answers"][0]["text"] for row in answered.values())


def test_the_passage_that_does_not_answer_is_another_one(tmp_path: Path) -> None:
    (tmp_path / "print.html").write_text(PAGE, encoding="utf-8")
    rows = folder_rows(tmp_path)
    passages = {row["question"]: row["passage"] for row in rows if row["answers"]}
    without = [row for row in rows if not row["answers"]]
    assert without
    assert all(row["passage"] != passages[row["question"]] for row in without)


@pytest.mark.parametrize(
    ("gerund", "verb"),
    [
        ("printing", "print"),
        ("using", "use"),
        ("setting", "set"),
        ("adding", "add"),
        ("xyzing", ""),
    ],
)
def test_the_verb_of_a_heading(gerund: str, verb: str) -> None:
    words = Counter({"print": 3, "use": 9, "set": 5, "add": 4})
    assert infinitive(gerund, words) == verb


SAID = """<html lang="en"><body><h1>Printing</h1>
<p>To print a range of pages, enter their numbers in the dialog. The printer is in the hall.</p>
<p>You can change the paper size by opening the lower drawer of the printer in the hall.</p>
<p>If the printer is out of toner, call the service desk. It is the place for all of this.</p>
<p>Visitors must not use the printer without asking. It rains.</p></body></html>"""


def test_sentences_answer_what_they_turn_into(tmp_path: Path) -> None:
    (tmp_path / "print.html").write_text(SAID, encoding="utf-8")
    answered = {row["question"]: row for row in folder_rows(tmp_path) if row["answers"]}
    for part, answer in (
        ("print a range of pages", "To print a range of pages, enter their numbers in the dialog."),
        ("change the paper size", "You can change the paper size by opening the lower drawer"),
        ("the printer is out of toner", "If the printer is out of toner, call the service desk."),
        ("Must visitors use the printer", "Visitors must not use the printer without asking."),
    ):
        found = [row for question, row in answered.items() if part in question]
        assert found, (part, list(answered))
        assert found[0]["answers"][0]["text"].startswith(answer)
    assert not any("rain" in question for question in answered)


def test_documents_in_other_languages_are_left_out(tmp_path: Path) -> None:
    page = (
        "<h1>Drucken</h1><p>Wenn der Drucker leer ist, rufen Sie bitte den Dienst im Haus an.</p>"
    )
    (tmp_path / "drucken.html").write_text(page * 3, encoding="utf-8")
    assert folder_rows(tmp_path) == []
