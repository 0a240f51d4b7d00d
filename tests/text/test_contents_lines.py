"""A line of a table of contents says where something stands, and never answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.ingest.readers import FileReader
from pincite.library.library import Library
from pincite.text.structure import is_contents_line

PAGES = {
    "guide.html": "<h1>Guide</h1><ul><li>1.1. The PATH variable</li><li>1.2. Aliases</li></ul>"
    "<h2>1.1. The PATH variable</h2><p>The shell looks for commands in the folders it names.</p>"
    "<h2>1.2. Aliases</h2><p>An alias is a short name.</p><ul><li>A short name</li></ul>",
    "guide.md": "# Guide\n\n- 1.1. The PATH variable\n- 1.2. Aliases\n\n## 1.1. The PATH variable\n\n"
    "The shell looks for commands in the folders it names.\n\n## 1.2. Aliases\n\n"
    "An alias is a short name.\n\n- A short name\n",
    "guide.rst": "Guide\n=====\n\nThe PATH variable ..... 12\n\nThe PATH variable\n"
    "-----------------\n\nThe shell looks for commands in the folders it names.\n\n"
    "- A short name\n",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_line_that_repeats_a_heading_is_of_the_contents(name: str) -> None:
    document = FileReader().read_content(Path(name), PAGES[name].encode())
    found = {}
    for block in document.blocks:
        text = document.text[block.start : block.end].strip()
        found[text, block.kind.value == "heading"] = is_contents_line(
            document, block.start, block.end
        )
    listed = [text for (text, is_heading), is_line in found.items() if is_line and not is_heading]
    assert any("PATH variable" in text for text in listed)
    assert not any("short name" in text or "shell looks" in text for text in listed)
    assert not any(is_line for (_, is_heading), is_line in found.items() if is_heading)


def test_things_that_have_a_section_each_are_no_contents() -> None:
    page = "<h1>Rules</h1><h2>Devices</h2><ul><li>Oven</li></ul><h2>Oven</h2><p>Two hours.</p>"
    document = FileReader().read_content(Path("rules.html"), page.encode())
    assert not any(is_contents_line(document, block.start, block.end) for block in document.blocks)


def test_it_does_not_answer(tmp_path: Path) -> None:
    (tmp_path / "guide.html").write_text(PAGES["guide.html"], encoding="utf-8")
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "guide.html"])
        answer = library.ask("What is the PATH variable for?")
        assert "looks for commands" in answer.citations[0].quote
        assert not any(
            one.quote.startswith("1.1.") and "\n" not in one.quote for one in answer.citations
        )
