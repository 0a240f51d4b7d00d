from __future__ import annotations

import pytest

from pincite.answer.extractive import NewestFirst
from pincite.records.document import Span
from pincite.records.flow import Evidence, Passage, Question
from pincite.testing.fakes import MemorySources
from pincite.testing.samples import text_document

OLD, NEW = "Lunch is paid up to 8 euros.", "Lunch is paid up to 9 euros."


def order(old: str, new: str, texts: tuple[str, str] = (OLD, NEW), question: str = "Lunch?") -> int:
    """Which comes first of two that were found in the order old, new."""
    documents = [text_document(text) for text in texts]
    paths = {document.id: name for document, name in zip(documents, (old, new), strict=True)}
    passages = [[evidence(document.id, document.text)] for document in documents]
    newest = NewestFirst(MemorySources(documents, paths))
    return passages.index(list(newest.order(Question(text=question), passages)[0]))


def evidence(document_id: str, text: str) -> Evidence:
    span = Span(document_id=document_id, start=0, end=len(text))
    passage = Passage(id=document_id, span=span, section=(), page=None, sentences=(span,))
    return Evidence(id=document_id, span=span, quote=text, passage=passage, score=0.5)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rules-v1.md", "rules-v2.md"),
        ("Rules 2023.pdf", "Rules 2024.pdf"),
        ("House_rules_2023.md", "House_rules_document_2024.md"),
    ],
)
def test_the_newer_version_of_a_clause_comes_first(old: str, new: str) -> None:
    assert order(old, new) == 1
    assert order(new, old) == 0


def test_a_version_that_the_question_names_stays_where_it_was() -> None:
    assert order("rules-v1.md", "rules-v2.md", question="What did version 1 pay for lunch?") == 0
    assert order("rules-v1.md", "rules-v2.md", question="What is paid after 1 July?") == 1


def test_other_documents_and_other_sentences_stay_where_they_were() -> None:
    assert order("rules-v1.md", "prices-v2.md") == 0
    assert order("minutes-2023-02-01.md", "minutes-2024-03-01.md") == 0
    assert order("rules-v1.md", "rules-v2.md", (OLD, "Hotels are paid in full.")) == 0
