"""A number that a question writes without its groups names the quote that writes it with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite import Library
from pincite.records.flow import Status

TEXT = """# Register

The serial number of the boiler is 0049-77-B. It was checked in May.

Call the store under 0341 / 55 66-77 until noon. The fax is (0341) 556 678.

The IBAN of the club is DE02 1203 0000 0000 2020 51. The ISBN of the manual is 978-3-16-148410-0.

The pump listens on tcp://10.20.0.17:5515 and the camera on 10.20.0.18/24.
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("register")
    (folder / "register.md").write_text(TEXT)
    with Library.open(folder / "library") as opened:
        opened.ingest([folder / "register.md"])
        yield opened


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("0341556677", "0341 / 55 66-77"),
        ("DE02120300000000202051", "DE02 1203 0000 0000 2020 51"),
        ("9783161484100", "978-3-16-148410-0"),
        ("What listens on 10.20.0.17?", "10.20.0.17:5515"),
    ],
)
def test_it_is_quoted(library: Library, question: str, written: str) -> None:
    answer = library.ask(question)
    assert written in answer.text
    assert answer.confidence >= 0.9


@pytest.mark.parametrize("question", ["0341556688", "DE02120300000000202052", "9783161484101"])
def test_another_number_is_refused(library: Library, question: str) -> None:
    assert library.ask(question).status is Status.ABSTAINED


def test_the_paragraph_of_a_code_is_quoted_without_those_of_other_codes(tmp_path: Path) -> None:
    (tmp_path / "manual.md").write_text(
        "# Dishwasher\n\n## Faults\n\nE4: the water tap is closed. Open it and press Start.\n\n"
        "E7: the drain hose is bent. Straighten it.\n"
    )
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "manual.md"])
        answer = library.ask("What do I do when the dishwasher shows E4?")
    assert answer.shown[0].text == "E4: the water tap is closed. Open it and press Start."
    assert "E7" not in answer.text
