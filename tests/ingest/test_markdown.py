from __future__ import annotations

from pathlib import Path

import pytest

from pincite.document import Document
from pincite.ingest.markdown import MarkdownReader

SAMPLE = """---
title: "Travel guide"
---

# [ARTICLE] Booking *trips*

First line
continues here.

## Rules ##

- one
- two
  - deep *item*

3. third

> quoted text

| City | Price |
|------|-------|
| Rome | 10 |

```python
x = 1

y = 2
```

<!-- hidden -->

<div>Shown <b>text</b></div>

Setext
------
Last.
"""


def read(text: str) -> Document:
    return MarkdownReader().read(Path("some_file.md"), text.encode())


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(b.kind.value, document.text[b.start : b.end]) for b in document.blocks]


EXPECTED = [
    ("heading", "[ARTICLE] Booking *trips*"),
    ("paragraph", "First line\ncontinues here."),
    ("heading", "Rules"),
    ("list_item", "one"),
    ("list_item", "two"),
    ("list_item", "deep *item*"),
    ("list_item", "third"),
    ("paragraph", "quoted text"),
    ("table_row", "City | Price"),
    ("table_row", "Rome | 10"),
    ("code", "x = 1\n\ny = 2"),
    ("paragraph", "<div>Shown <b>text</b></div>"),
    ("heading", "Setext"),
    ("paragraph", "Last."),
]


def test_each_kind_of_block_is_found_without_its_markers() -> None:
    assert blocks(read(SAMPLE)) == EXPECTED


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_other_line_ends_give_the_same_blocks(line_end: str) -> None:
    body = SAMPLE.split("---\n\n", 1)[1]
    document = read(body.replace("\n", line_end))
    found = [(kind, text.replace(line_end, "\n")) for kind, text in blocks(document)]
    assert found == EXPECTED


def test_sections_are_heading_paths_without_markup_or_marker() -> None:
    by_text = {text: b.section for b, (_, text) in zip(read(SAMPLE).blocks, EXPECTED, strict=True)}
    assert by_text["one"] == ("Booking trips", "Rules")
    assert by_text["Last."] == ("Booking trips", "Setext")


def test_front_matter_gives_the_title_and_no_block() -> None:
    document = read(SAMPLE)
    assert document.title == "Travel guide"
    assert document.text == SAMPLE


def test_the_first_heading_is_the_title_without_front_matter() -> None:
    assert read("text\n\n# Heading `one`\n").title == "Heading one"


def test_an_unclosed_front_matter_is_read_as_text() -> None:
    assert ("paragraph", "only text") in blocks(read("---\n\nonly text\n"))


def test_lines_that_only_python_takes_for_line_ends_do_not_shift_offsets() -> None:
    document = read("a\x0cb\u2028c\n\n- item\x0bone\n")
    assert blocks(document)[-1][1].endswith("one")
