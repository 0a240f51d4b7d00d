"""Versions are told in questions and headings."""

from __future__ import annotations

import pytest

from pincite.text.numbered_parts import release_of, releases_named


@pytest.mark.parametrize(
    ("heading", "number"),
    [
        ("v1.2.0 (2025-01-05)", "1.2.0"),
        ("[2.3.0] - 2025-01-20", "2.3.0"),
        ("2.3", "2.3"),
        ("Version 2.3 released", "2.3"),
        ("Quayside 3.1: spring", "3.1"),
    ],
)
def test_a_heading_of_a_version_is_told(heading: str, number: str) -> None:
    release = release_of(heading)
    assert release is not None
    assert release.written == number


@pytest.mark.parametrize(
    "heading", ["3.1 Payment", "3.1 - Payment", "Section 3.1", "Table 5.3: Prices", "Unreleased"]
)
def test_clauses_and_tables_are_no_versions(heading: str) -> None:
    assert release_of(heading) is None


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("what changed in v1.2.0?", ["1.2.0"]),
        ("2.1 and 2.3.", ["2.1", "2.3"]),
        ("what changed since 2.1", []),
        ("is it $3.50 or 3.5 percent", []),
    ],
)
def test_a_question_names_versions(question: str, numbers: list[str]) -> None:
    assert [one.written for one in releases_named(question)] == numbers


@pytest.mark.parametrize(
    ("held", "asked", "is_of"),
    [
        ("2.3.0", "2.3", True),
        ("2.3.1", "2.3", True),
        ("2.3", "2.3.0", True),
        ("2.3", "2.3.1", False),
        ("2.30.0", "2.3", False),
        ("2.3.1", "2.3.0", False),
    ],
)
def test_a_version_is_of_its_line(held: str, asked: str, is_of: bool) -> None:
    wanted = next(releases_named(asked))
    release = release_of(held)
    assert release is not None
    assert release.is_of(wanted) is is_of
