"""Questions for what changed between two versions: which two documents, and which part of them."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from pincite.records.comparisons import ChangeKind, ChangesRequest
from pincite.records.filters import Filters
from pincite.records.flow import NamedFile, Question
from pincite.retrieve.change_questions import ChangesFinder

FILES = {
    "leave-policy-2021.md": "Leave policy",
    "leave-policy-2022.md": "Leave policy",
    "leave-policy-2023.md": "Leave policy",
    "price_list_v1.csv": "price list v1",
    "price_list_v2.csv": "price list v2",
    "minutes-2024-01-12.md": "Minutes",
    "minutes-2024-02-12.md": "Minutes",
    "HB-7_a.pdf": "Employee handbook 2022",
    "HB-7_b.pdf": "Employee handbook 2023",
    "draft.docx": "Draft",
    "final.docx": "Final",
}


def asked(text: str, *names: str, filters: Filters | None = None) -> ChangesRequest | None:
    files = [
        NamedFile(document_id=PurePath(name).name, path=f"/files/{name}", title=FILES[name])
        for name in names or FILES
    ]
    return ChangesFinder(lambda _: files).request(Question(text=text, filters=filters or Filters()))


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("What changed in the leave policy since 2021?", "2021", "2023"),
        ("What has changed in the leave policy?", "2022", "2023"),
        ("What's new in the 2022 leave policy?", "2021", "2022"),
        ("What has changed between the 2021 and 2023 leave policies?", "2021", "2023"),
        ("How does the 2023 leave policy differ from the 2021 one?", "2021", "2023"),
        ("What is different in the leave policy of 2023 compared to 2022?", "2022", "2023"),
        ("Compare the leave policy of 2021 with that of 2022.", "2021", "2022"),
        ("List the changes to the leave policy.", "2022", "2023"),
        ("Was hat sich in der leave policy seit 2021 geändert?", "2021", "2023"),
        ("Qu'est-ce qui a changé dans la leave policy depuis 2021 ?", "2021", "2023"),
        ("¿Qué ha cambiado en la leave policy desde 2021?", "2021", "2023"),
    ],
)
def test_two_versions_of_the_named_document_are_compared(
    text: str, before: str, after: str
) -> None:
    found = asked(text)
    assert found is not None
    assert found.before == f"leave-policy-{before}.md"
    assert found.after == f"leave-policy-{after}.md"
    assert not found.topic


def test_numbers_of_versions_titles_and_names_of_files_name_them_too() -> None:
    numbered = asked("Which changes were made to the price list in version 2?")
    titled = asked("What changed in the employee handbook about overtime in 2023?")
    named = asked("What is the difference between draft.docx and final.docx?")
    assert numbered is not None
    assert numbered.before == "price_list_v1.csv"
    assert titled is not None
    assert titled.after == "HB-7_b.pdf"
    assert list(titled.topic.values()) == ["overtime"]
    assert named is not None
    assert (named.before, named.after) == ("draft.docx", "final.docx")


def test_what_the_changes_are_about_is_kept() -> None:
    found = asked("Has the notice period in the leave policy changed since 2022?")
    added = asked("What was added to the leave policy in 2023?")
    assert found is not None
    assert list(found.topic.values()) == ["notice", "period"]
    assert added is not None
    assert added.kinds == {ChangeKind.ADDED}


def test_the_only_document_with_versions_need_not_be_named() -> None:
    only = ("leave-policy-2021.md", "leave-policy-2022.md", "draft.docx")
    found = asked("How has the notice period changed since 2021?", *only)
    assert found is not None
    assert list(found.topic.values()) == ["notice", "period"]
    assert asked("How has the notice period changed since 2021?") is None


@pytest.mark.parametrize(
    "text",
    [
        "What changed in the minutes?",  # of different meetings, no versions
        "What has changed in the market since 2021?",
        "What changed since 2022?",
        "What changed in the leave policy since 2019?",
        "How do I change my password?",
        "What is the leave policy?",
        "What is the difference between sick leave and parental leave?",
        "Are leave days different for managers in the leave policy?",
        "What is the difference between draft.docx and draft.docx?",
    ],
)
def test_other_questions_are_left_to_search(text: str) -> None:
    assert asked(text) is None


def test_a_search_within_some_documents_is_no_comparison() -> None:
    filters = Filters(documents=("leave-policy-2023.md",))
    assert asked("What changed in the leave policy since 2021?", filters=filters) is None
