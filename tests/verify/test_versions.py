from __future__ import annotations

import pytest

from pincite.records.flow import NamedFile
from pincite.text.versions import are_counterparts, is_of_one_day, version_of
from pincite.verify.superseded import Versions


def newer(cited: str, *others: str, question: str = "What is allowed?") -> list[str]:
    files = [
        NamedFile(document_id=path, path=f"/docs/{path}", title=path) for path in (cited, *others)
    ]
    return list(Versions(lambda _: files).newer(f"/docs/{cited}", question, None))


@pytest.mark.parametrize(
    ("cited", "other"),
    [
        ("travel-policy-2023.pdf", "travel-policy-2024.docx"),
        ("Travel Policy 2023-11.pdf", "Travel_Policy_2024-01.pdf"),
        ("2023 handbook.md", "2024 handbook.md"),
        ("SOP-pump v1.9.pdf", "SOP-pump v1.10.pdf"),
        ("SOP-pump_rev2.pdf", "SOP-pump_rev3.pdf"),
    ],
)
def test_a_later_year_or_version_of_the_same_name_is_newer(cited: str, other: str) -> None:
    assert newer(cited, other) == [other]
    assert newer(other, cited) == []


@pytest.mark.parametrize(
    ("cited", "other"),
    [
        ("travel-policy-2023.pdf", "expense-policy-2024.pdf"),
        ("travel-policy-2023.pdf", "travel-policy.pdf"),
        ("report 12.pdf", "report 13.pdf"),
        ("2023.pdf", "2024.pdf"),
        ("acme-2022-q1.pdf", "acme-2022-q2.pdf"),
    ],
)
def test_other_names_and_bare_numbers_are_no_versions(cited: str, other: str) -> None:
    assert newer(cited, other) == []


def test_the_version_that_is_asked_for_is_the_one_wanted() -> None:
    files = ("travel-policy-2023.pdf", "travel-policy-2024.pdf")
    assert newer(*files, question="What did the 2023 policy allow?") == []
    assert newer(*files) == ["travel-policy-2024.pdf"]


def test_the_newest_come_first_and_few_are_named() -> None:
    found = newer("plan-2019.md", *(f"plan-{year}.md" for year in range(2020, 2026)))
    assert found == ["plan-2025.md", "plan-2024.md", "plan-2023.md"]


def test_a_version_is_told_with_what_the_document_is() -> None:
    found = version_of("/a/Travel-Policy_2023-11-05.pdf")
    assert found is not None
    assert found.numbers == ((2023, 11, 5),)
    assert version_of("/a/Travel-Policy.pdf") is None


@pytest.mark.parametrize(
    ("path", "title", "expected"),
    [
        ("/a/2024-02-06-board.md", "Minutes of the board meeting", True),
        ("invoice-2024.pdf", "", True),
        ("Rechnung_2024-01.pdf", "", True),
        ("Sitzungsprotokoll 2024-03.docx", "", True),
        ("travel-policy-2024.pdf", "Travel policy", False),
        ("invoice-template-v2.docx", "", False),
    ],
)
def test_minutes_and_invoices_of_other_days_are_no_versions(
    path: str, title: str, expected: bool
) -> None:
    assert is_of_one_day(path, title) is expected


def test_of_minutes_there_is_no_newer_version() -> None:
    assert newer("minutes-2023-02.md", "minutes-2024-03.md") == []
    assert newer("rules-v1.md", "rules-v2.md", question="What holds from 1 July?") == [
        "rules-v2.md"
    ]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (
            "The canteen is open from 9:00 to 16:00.",
            "The canteen is open from 10:00 to 15:00.",
            True,
        ),
        ("Invoices are approved by Anna Keller.", "Invoices are approved by Luis Ortega.", True),
        ("Lunch is paid up to 8 euros.", "Hotels are paid in full.", False),
        ("12.5", "13.5", False),
    ],
)
def test_sentences_that_differ_in_numbers_and_names_stand_for_each_other(
    one: str, other: str, expected: bool
) -> None:
    assert are_counterparts(one, other) is expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("HomeGuard_wording_2024.md", "HomeGuard_policy_wording_2026.md"),
        ("Travel policy 2023 signed.pdf", "travel-policy-2024.docx"),
        ("Mietvertrag Haus Linde 2023.pdf", "Mietvertrag Haus Linde neu 2024.pdf"),
    ],
)
def test_a_word_for_the_kind_or_state_of_a_document_makes_it_no_other(old: str, new: str) -> None:
    assert newer(old, new) == [new]
    assert newer(new, old) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("HomeGuard_wording_2024.md", "HomeGuard_Select_wording_2026.md"),
        ("handbook-2023.md", "employee-handbook-2024.md"),
        ("HomeGuard wording 2024.md", "HomeGuard manual 2026.md"),
        ("handbook 2023.md", "handbook final 2024.md"),
    ],
)
def test_a_word_for_what_it_is_about_makes_it_another_document(old: str, new: str) -> None:
    assert newer(old, new) == []
