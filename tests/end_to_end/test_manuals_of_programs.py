"""Manuals of programs: a setting is what its heading names, and a command stands with its lead-in."""

from __future__ import annotations

import pytest

from end_to_end.running import library_of
from pincite import Library
from pincite.records.flow import Answer

FILES = {
    "settings.md": """# Settings

## Reading {#reading .wide}

#### [`BOX_RECURSIVE=<bool>`](#BOX_RECURSIVE) {#BOX_RECURSIVE}

: Enable recursive watching of the inbox. Files are then picked up
from folders within the inbox as well.

    Defaults to false.

#### [`BOX_FOLDERS_AS_TAGS=<bool>`](#BOX_FOLDERS_AS_TAGS) {#BOX_FOLDERS_AS_TAGS}

: Set the names of folders as tags for files of the inbox.

    BOX_RECURSIVE must be enabled for this to work. It does nothing where BOX_RECURSIVE is false.

    Defaults to false.
""",
    "install.rst": """Installation
============

Debian
------

On Debian, there is a package called ``keeper``, which can be installed with ``apt-get``:

.. code-block:: console

    $ apt-get install keeper

Fedora
------

On Fedora, use ``dnf``:

.. code:: console

    $ dnf install keeper

``--quiet``
~~~~~~~~~~~

Keeps messages back that are no errors.
""",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of(FILES, tmp_path_factory.mktemp("manuals"))


def _first(answer: Answer) -> str:
    assert not answer.is_doubtful
    return answer.citations[answer.shown[0].citations[0] - 1].quote


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("What does BOX_RECURSIVE do?", ": Enable recursive watching"),
        ("What does BOX_FOLDERS_AS_TAGS do?", ": Set the names of folders"),
    ],
)
def test_a_setting_is_explained_below_its_own_heading(
    library: Library, question: str, begins: str
) -> None:
    assert _first(library.ask(question)).startswith(begins)


@pytest.mark.parametrize(
    ("system", "command"), [("Debian", "apt-get install keeper"), ("Fedora", "dnf install keeper")]
)
def test_a_command_is_quoted_with_what_leads_to_it(
    library: Library, system: str, command: str
) -> None:
    answer = library.ask(f"How do I install keeper on {system}?")
    assert command in " ".join(citation.quote for citation in answer.citations)


def test_marks_of_headings_are_no_part_of_their_names(library: Library) -> None:
    answer = library.ask("What does --quiet do?")
    assert answer.citations[0].section == "Installation > Fedora > --quiet"
    assert _first(answer).startswith("Keeps messages back")


def test_anchors_of_headings_are_no_part_of_their_names(library: Library) -> None:
    answer = library.ask("What does BOX_RECURSIVE do?")
    assert answer.citations[0].section == "Settings > Reading > BOX_RECURSIVE=<bool>"
