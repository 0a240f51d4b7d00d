"""A change log is asked for what is in its versions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pincite.library.library import Library
from pincite.records.flow import Answer, Status

CHANGES = """# Changelog

## v2.3.0 (2025-03-01)

### Added
- Single sign-on for teams.

### Removed
- Support for Python 3.8 hooks.

## v2.2.4 (2024-11-11)

### Fixed
- Rollbacks of large releases no longer time out.

## v2.2.0 (2024-08-05)

### Changed
- The session lifetime is 12 hours instead of 24.

### Removed
- The export to XML.
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    home = tmp_path_factory.mktemp("changes")
    (home / "files").mkdir()
    (home / "files" / "CHANGELOG.md").write_text(CHANGES)
    with Library.open(home / "library") as opened:
        opened.ingest([home / "files"])
        yield opened


def quotes(answer: Answer) -> list[str]:
    return [citation.quote.removeprefix("- ") for citation in answer.citations]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "what changed in 2.3.0",
            ["Single sign-on for teams.", "Support for Python 3.8 hooks."],
        ),
        (
            "What is new in v2.3?",
            ["Single sign-on for teams.", "Support for Python 3.8 hooks."],
        ),
        ("what was removed in 2.2.0", ["The export to XML."]),
        ("what was fixed in 2.2.4", ["Rollbacks of large releases no longer time out."]),
        ("when was 2.2.4 released", ["v2.2.4 (2024-11-11)"]),
    ],
)
def test_what_is_asked_of_a_version_is_quoted_from_it_alone(
    library: Library, question: str, expected: list[str]
) -> None:
    answer = library.ask(question)
    assert answer.status is Status.ANSWERED
    assert quotes(answer) == expected
    assert not any("do not name" in reason for reason in answer.reasons)


def test_other_versions_answer_nothing_that_is_asked_of_one(library: Library) -> None:
    answer = library.ask("how long is the session lifetime in 2.2.0")
    assert quotes(answer) == ["The session lifetime is 12 hours instead of 24."]


def test_what_changed_in_a_version_that_is_nowhere_is_refused(library: Library) -> None:
    answer = library.ask("what changed in 2.9")
    assert answer.status is Status.ABSTAINED
    assert "no heading is of the version: 2.9" in answer.reasons


def test_where_no_version_is_asked_for_all_are_searched(library: Library) -> None:
    assert "The export to XML." in quotes(library.ask("which version removed the export to XML"))
