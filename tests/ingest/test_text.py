from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.ingest.plain.text import TextReader
from pincite.records.document import BlockKind, Document

SAMPLE = """PUMP MAINTENANCE

Close the valve first. Then
loosen the bolts.

- drain the oil
  completely
- clean the filter
1. start again

2 TORQUE VALUES
Use 45 Nm.
"""


def read(text: str, name: str = "pump_manual.txt") -> Document:
    return TextReader().read(Path(name), text.encode())


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(b.kind.value, document.text[b.start : b.end]) for b in document.blocks]


def test_paragraphs_headings_and_list_items_are_found() -> None:
    assert blocks(read(SAMPLE)) == [
        ("heading", "PUMP MAINTENANCE"),
        ("paragraph", "Close the valve first. Then\nloosen the bolts."),
        ("list_item", "- drain the oil\n  completely"),
        ("list_item", "- clean the filter"),
        ("list_item", "1. start again"),
        ("heading", "2 TORQUE VALUES"),
        ("paragraph", "Use 45 Nm."),
    ]


def test_blocks_carry_the_heading_above_them() -> None:
    document = read(SAMPLE)
    assert document.blocks[1].section == ("PUMP MAINTENANCE",)
    assert document.blocks[-1].section == ("2 TORQUE VALUES",)


MINUTES = """Minutes

1. Welcome
The chair opened the meeting and noted that the invitation had been sent in time to all.

2. Accounts 2025
Daniel Huber presented the accounts, which closed with a surplus of 38,420 francs this year.

3. Elections
Monika Reber was confirmed as chair for two years, and Daniel Huber stepped down at last.
"""


def test_numbered_titles_with_prose_right_below_are_headings() -> None:
    document = read(MINUTES)
    assert [text for kind, text in blocks(document) if kind == "heading"] == [
        "1. Welcome",
        "2. Accounts 2025",
        "3. Elections",
    ]
    assert document.blocks[-1].section == ("3. Elections",)


@pytest.mark.parametrize(
    "listed",
    [
        "1. Open the lid\nLift it.\n\n2. Take the filter\nPull it.\n\n3. Rinse it\nUse water.\n",
        MINUTES.replace("2. Accounts", "4. Accounts"),
        MINUTES.replace("\n\n", "\n"),
        MINUTES.replace("Welcome\nThe chair", "Welcome\n  the chair"),
    ],
)
def test_steps_and_lists_are_no_headings(listed: str) -> None:
    assert "heading" not in {kind for kind, _ in blocks(read(listed))}


def test_the_text_is_the_file_unchanged() -> None:
    text = "one\r\n\r\ntwo\rthree"
    document = read(text)
    assert document.text == text
    assert [t for _, t in blocks(document)] == ["one", "two\rthree"]


def test_underlined_headings_nest_by_the_sign_that_came_first() -> None:
    document = read("Guide\n=====\n\nUse\n---\nText here.\n\nEnd\n===\nBye.", "a.rst")
    assert document.title == "Guide"
    assert [b.section for b in document.blocks if b.kind is BlockKind.PARAGRAPH] == [
        ("Guide", "Use"),
        ("End",),
    ]


def test_the_title_falls_back_to_the_file_name() -> None:
    assert read("plain words", "pump_manual-2.txt").title == "pump manual 2"


@pytest.mark.parametrize("content", [" \n\n ", "." * 190])
def test_a_file_without_words_has_no_blocks_and_says_so(content: str) -> None:
    document = read(content)
    assert document.blocks == ()
    assert "no words" in document.warnings[0]


@given(st.text(alphabet="aZ 1.-*=\n\r\t(A)é", max_size=200))
def test_every_letter_is_in_exactly_one_block(text: str) -> None:
    document = read("x" + text)
    covered = "".join(document.text[b.start : b.end] for b in document.blocks)
    letters = [sign for sign in document.text if sign.isalnum()]
    assert [sign for sign in covered if sign.isalnum()] == letters


def test_numbered_headings_open_sections_by_their_depth() -> None:
    document = read(
        "1. Scope\n\nThis applies to pumps.\n\n1.1 Terms\n\nA pump moves water.\n\n"
        "Annex B: Forms\n\nUse form 7.\n"
    )
    assert [block.section for block in document.blocks if block.kind is BlockKind.PARAGRAPH] == [
        ("1. Scope",),
        ("1. Scope", "1.1 Terms"),
        ("Annex B: Forms",),
    ]


def test_numbered_lines_of_a_list_are_no_headings() -> None:
    document = read("1. Open the valve\n\n2. Close the valve\n\n3. Wait\n")
    assert all(block.kind is BlockKind.LIST_ITEM for block in document.blocks)


LOG = """2025-09-23 02:14:07 INFO  server started on port 8080
2025-09-23 02:16:39 ERROR payment job 77 failed: card declined
Traceback (most recent call last):
  File "pay.py", line 3
2025-09-23 02:17:00 INFO  backup finished in 12 s
"""
ACCESS = """10.0.0.7 - - [10/Oct/2025:13:55:36 +0200] "GET /a HTTP/1.1" 200 2326
10.0.0.19 - - [10/Oct/2025:13:55:40 +0200] "GET /b HTTP/1.1" 404 12
"""
SYSTEM = "Oct  3 13:55:36 web1 sshd[7]: opened\nOct 13 13:56:01 web1 cron[812]: job ran\n"
HOURS = "Opening hours\nMonday 9 to 17\nTuesday 9 to 17\nSaturday closed\n"
CONTACTS = "Contact list\nAnna Berg  555-0101\nCarl Dorn  555-0102\nEva Maria Falk   555-0103\n"


@pytest.mark.parametrize(
    ("text", "firsts"),
    [
        (LOG, ["2025-09-23 02:14:07", "2025-09-23 02:16:39", "2025-09-23 02:17:00"]),
        (ACCESS, ["10.0.0.7", "10.0.0.19"]),
        (SYSTEM, ["Oct  3", "Oct 13"]),
        (HOURS, ["Opening", "Monday", "Tuesday", "Saturday"]),
        (CONTACTS, ["Contact", "Anna", "Carl", "Eva"]),
    ],
)
def test_entries_of_logs_and_lines_of_lists_are_blocks_of_their_own(
    text: str, firsts: list[str]
) -> None:
    found = [block for _, block in blocks(read(text))]
    assert len(found) == len(firsts)
    assert all(map(str.startswith, found, firsts))


@pytest.mark.parametrize(
    "text",
    [
        "Acme Ltd\n12 High Street\nLondon W1",
        "The pump needs 5 minutes to start and the valve closes\nafter 3 minutes, so that",
        "Shall I compare thee to a summer's day\nThou art more lovely\nRough winds do shake",
        "Die Pumpe braucht 5 Minuten zum\nStarten. Nach 3 Minuten ist die\nAnlage bereit.",
        "He was born on\n2025-09-23 in a small town, and left on\n2025-09-24 for good.",
    ],
)
def test_lines_of_prose_and_addresses_stay_together(text: str) -> None:
    assert [block for _, block in blocks(read(text))] == [text]


MARKDOWN = """# Gate

## Opening

See [the plan](https://example.org/plan).

```
gate --open
```
"""


def test_markdown_in_a_text_file_is_read_as_markdown() -> None:
    document = read(MARKDOWN)
    assert document.media_type == "text/markdown"
    assert document.text == MARKDOWN
    assert blocks(document) == [
        ("heading", "Gate"),
        ("heading", "Opening"),
        ("paragraph", "See [the plan](https://example.org/plan)."),
        ("code", "gate --open"),
    ]


def test_entries_of_a_knowledge_base_are_headings() -> None:
    document = read("# [ARTICLE] Gate\nIt opens at 8.\n\n# [ARTICLE] Door\nIt is shut.\n")
    assert [block.section for block in document.blocks][1::2] == [("Gate",), ("Door",)]


@pytest.mark.parametrize(
    "text",
    [
        "# comment\n# goes on\nport = 80\n\n## other\n- a\n- b\n- c\n",
        "#!/bin/sh\n\n# first\n\n## second\nrm *.txt\n",
        "Leave\n=====\n\n- two\n- three\n- four\n\nSee [1] and (2).\n",
        "== Title\n\n# one\n\n## two\n\n`--all`::\n\tAll of it.\n",
        "2 * 3 * 4 = 24\n\n# 5 is the number of the room.\n",
        "- one\n- two\n- three\n\n**bold** text\n",
    ],
)
def test_text_that_is_not_plainly_markdown_is_read_as_text(text: str) -> None:
    assert read(text).media_type == "text/plain"


@pytest.mark.parametrize("name", ["a.log", "a.rst"])
def test_logs_and_restructured_text_are_never_markdown(name: str) -> None:
    assert read(MARKDOWN, name).media_type != "text/markdown"


def test_a_drawing_is_one_block_with_its_lines() -> None:
    drawing = "   +-----+     +-----+\n   | API | --> | DB. |\n   +-----+     +-----+"
    document = read(f"The parts:\n\n{drawing}\n\nThe end of it.\n")
    assert blocks(document)[1] == ("code", drawing)


@pytest.mark.parametrize("above", ["Run this::", ".. code-block:: sh"])
def test_lines_below_a_double_colon_are_code_as_they_stand(above: str) -> None:
    code = "    for a in b. Do\n        print(a)\n\n    end()"
    found = blocks(read(f"{above}\n\n{code}\n\nText goes on.\n", "a.rst"))
    # A directive is no text: it begins the code.
    code = f"{above}\n\n{code}" if above.startswith("..") else code
    assert found[-2:] == [("code", code), ("paragraph", "Text goes on.")]


def test_other_directives_and_text_at_the_margin_are_no_code() -> None:
    for text in (".. note::\n\n   Close the valve.\n", "The class a::\n\nText at the margin.\n"):
        assert all(kind == "paragraph" for kind, _ in blocks(read(text, "a.rst")))


MANUAL = """FETCH(1)                  Fetch Manual                  FETCH(1)

NAME
       fetch - gets files

OPTIONS
       -K or --KEEP-ALL
              Keeps every file that was fetched.

       -k, --keep     Do not delete the input files.
       -q, --quiet    Suppress warnings and notices;
                      given twice, errors, too.
       -r, --retry    Try again after a failure.

EXIT STATUS
       0   No problems occurred.

       1   A file was missing.

       2   The server refused
           the request.

LICENCE

THE PROGRAM IS PROVIDED AS IT IS AND
WITHOUT ANY WARRANTY OF ANY KIND,
EXPRESSED OR IMPLIED.
"""


def test_terms_beside_what_they_mean_are_items_of_their_own() -> None:
    document = read(MANUAL, "fetch.1.txt")
    items = [text for kind, text in blocks(document) if kind == "list_item"]
    assert [item.split()[0] for item in items] == ["-k,", "-q,", "-r,", "0", "1", "2"]
    assert items[1].endswith("errors, too.")
    assert items[-1].endswith("the request.")


def test_options_and_shouted_lines_are_no_headings_and_a_manual_page_has_its_name() -> None:
    document = read(MANUAL, "fetch.1.txt")
    headings = [text for kind, text in blocks(document) if kind == "heading"]
    assert headings == ["NAME", "OPTIONS", "EXIT STATUS", "LICENCE"]
    assert document.title == "fetch - gets files"


@pytest.mark.parametrize(
    "lines",
    [
        "Pump A    1,200    in stock\nPump B      900    sold out\nPump C      450    in stock\n",
        "Pump      300\nValve     200\nHose       50\n",
        "This line has  a gap in it,\nand this one  has one too,\nbut not here.\n",
    ],
)
def test_rows_and_justified_prose_are_no_lists_of_terms(lines: str) -> None:
    assert all(kind != "list_item" for kind, _ in blocks(read(lines)))
