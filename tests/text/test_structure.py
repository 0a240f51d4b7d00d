"""A sentence is shown with the structure of its document that it stands in."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.ingest.readers import FileReader
from pincite.records.document import BlockKind, Document
from pincite.text.structure import (
    LIST_CHARS,
    LIST_ITEMS,
    PARAGRAPH_CHARS,
    SHORT_LIST_CHARS,
    Unit,
    pieces_of,
    unit_around,
)

STEPS = """# Setup

## Install

Do this on every machine:

1. Open a terminal.
2. Run the installer:

   ```
   setup --all
   setup --check
   ```

3. Restart.

The machine is ready now. {long}

## Notes

- The lid is red.
- {long}
- The valve opens at 6.5 bar.

Enter this:

```
reset --hard
```

## Many

These ports are used:

{many}
"""
LONG = "The pump " + "which runs day and night " * 34 + "is loud."
MANY = "\n".join(f"- Port {number} is open." for number in range(80))


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Document:
    path = tmp_path_factory.mktemp("units") / "setup.md"
    path.write_text(STEPS.format(long=LONG, many=MANY))
    return FileReader().read(path)


def unit(document: Document, sentence: str, *wanted: str) -> Unit:
    start = document.text.index(sentence)

    def is_wanted(first: int, last: int) -> bool:
        return any(first <= document.text.index(text) < last for text in (sentence, *wanted))

    return unit_around(document, start, start + len(sentence), is_wanted=is_wanted)


def text(document: Document, found: Unit) -> str:
    return document.text[found.start : found.end]


@pytest.mark.parametrize("step", ["Open a terminal.", "Restart.", "Do this on every machine:"])
def test_steps_are_shown_all_with_their_lead_in_and_code(document: Document, step: str) -> None:
    shown = text(document, unit(document, step))
    assert shown.startswith("Do this on every machine:\n\n1. Open a terminal.")
    assert "setup --all\n   setup --check" in shown
    assert shown.endswith("3. Restart.")


def test_an_item_of_a_list_that_is_none_of_steps_stands_alone(document: Document) -> None:
    assert text(document, unit(document, "The valve opens at 6.5 bar.")) == (
        "- The valve opens at 6.5 bar."
    )


def test_a_list_is_shown_whole_where_several_items_answer(document: Document) -> None:
    shown = text(document, unit(document, "The valve opens at 6.5 bar.", "The lid is red."))
    assert shown.startswith("- The lid is red.")
    assert shown.endswith("6.5 bar.")


def test_of_a_long_list_the_first_items_are_shown_and_how_many_follow(document: Document) -> None:
    found = unit(document, "These ports are used:")
    assert text(document, found).startswith("These ports are used:\n\n- Port 0 is open.")
    assert text(document, found).count("Port") == LIST_ITEMS
    assert found.left_out == f"{80 - LIST_ITEMS} more items"
    assert found.end - found.start <= LIST_CHARS


def test_code_is_shown_with_the_line_that_introduces_it(document: Document) -> None:
    shown = text(document, unit(document, "reset --hard"))
    assert shown.startswith("Enter this:")
    assert shown.endswith("reset --hard")
    assert shown == text(document, unit(document, "Enter this:"))


def test_of_a_long_paragraph_the_sentences_around_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "prose.txt"
    path.write_text(" ".join(f"This is sentence number {n} of the long one." for n in range(60)))
    found = FileReader().read(path)
    shown = text(found, unit(found, "This is sentence number 30 of the long one."))
    assert "number 29" in shown, "what it leans on comes before it"
    assert "number 31" in shown
    assert len(shown) <= PARAGRAPH_CHARS


def test_what_takes_a_statement_back_is_shown_with_it(tmp_path: Path) -> None:
    path = tmp_path / "prose.txt"
    filler = " ".join(f"This is sentence number {n} of the long one." for n in range(20))
    exception = "This does not apply to " + "very " * 80 + "small firms."
    path.write_text(f"{filler} Firms report each year. {exception} {filler}")
    found = FileReader().read(path)
    assert exception in text(found, unit(found, "Firms report each year."))


def test_a_quote_goes_no_further_than_the_list_or_paragraph(tmp_path: Path) -> None:
    path = tmp_path / "rules.md"
    path.write_text("# A\n\n## Limits\n\nIt is set.\n\n- one\n- two\n\nAsk first.\n\n## B\n\nNo.\n")
    found = FileReader().read(path)
    assert text(found, unit(found, "two")) == "It is set.\n\n- one\n- two"
    assert text(found, unit(found, "Ask first.")) == "Ask first."
    assert text(found, unit(found, "No.")) == "No."


def test_pieces_are_the_blocks_of_a_quote(document: Document) -> None:
    found = unit(document, "Restart.")
    pieces = pieces_of(document, found.start, found.end)
    assert [piece.kind for piece in pieces] == [
        BlockKind.PARAGRAPH,
        BlockKind.LIST_ITEM,
        BlockKind.LIST_ITEM,
        BlockKind.CODE,
        BlockKind.LIST_ITEM,
    ]
    shown = text(document, found)
    assert shown[pieces[1].start : pieces[1].end] == "1. Open a terminal."


def test_in_brief_a_line_that_announces_a_long_list_is_shown_with_its_first_items(
    document: Document,
) -> None:
    start = document.text.index("These ports are used:")
    found = unit_around(
        document, start, start + 21, is_wanted=lambda first, last: False, is_brief=True
    )
    shown = text(document, found)
    assert shown.startswith("These ports are used:")
    assert "Port 0 is open." in shown
    assert len(shown) <= SHORT_LIST_CHARS
    assert found.left_out.endswith(" more items")


def test_a_line_that_announces_a_table_is_shown_with_it(tmp_path: Path) -> None:
    file = tmp_path / "codes.md"
    file.write_text(
        "# Codes\n\nThe program ends with one of these codes:\n\n| Code | Meaning |\n|---|---|\n"
        "| 0 | success |\n| 1 | warning |\n\nAll else is a fault.\n"
    )
    document = FileReader().read(file)
    start = document.text.index("The program")
    found = unit_around(document, start, start + 41, is_wanted=lambda first, last: False)
    assert text(document, found).startswith("The program")
    assert text(document, found).endswith("| 0 | success |\n| 1 | warning")
    assert [piece.kind for piece in pieces_of(document, found.start, found.end)] == [
        BlockKind.PARAGRAPH,
        BlockKind.TABLE_ROW,
        BlockKind.TABLE_ROW,
        BlockKind.TABLE_ROW,
    ]


@pytest.mark.parametrize(
    "items",
    [
        "- drain the oil\n  completely\n- clean the filter\n  well\n- close it\n  again\n",
        "1.  Drain the oil.\n2.  Clean the filter.\n3.  Close the valve.\n",
        "- Wait.  Then drain the oil.\n- Stop.  Then clean the filter.\n- Go.  Then close it.\n",
    ],
)
def test_blanks_and_line_ends_within_items_make_no_glossary(items: str, tmp_path: Path) -> None:
    (tmp_path / "steps.txt").write_text(f"Maintenance\n\n{items}\nThe pump is ready.\n")
    document = FileReader().read(tmp_path / "steps.txt")
    start = document.text.index(items.split("\n")[0])
    found = unit_around(document, start, start + 12, is_wanted=lambda *_: False)
    assert "close" in document.text[found.start : found.end].lower()
