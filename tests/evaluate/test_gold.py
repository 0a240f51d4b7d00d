"""Precision and recall of citations, counted by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pincite.evaluate.answers import CitationShares, citation_shares, is_right
from pincite.evaluate.datasets import GoldQuestion, GoldSpan
from pincite.records.flow import Citation


def question(**known: Any) -> GoldQuestion:
    fields: dict[str, Any] = {
        "id": "q",
        "text": "?",
        "language": "",
        "answerable": True,
        "answers": (),
        "relevant": {"a": 1, "b": 1},
        "spans": (),
    }
    return GoldQuestion(**{**fields, **known})


def cited(document: str, start: int = 0, quote: str = "ten chars.") -> Citation:
    return Citation(
        document=document, source="", sha256="", page=None, section="", start=start,
        end=start + len(quote), start_byte=None, end_byte=None, quote=quote,
    )  # fmt: skip


def names(document: str) -> Sequence[str]:
    """Documents "a" and "twin" of the set have the same text: one document of the library."""
    return ["a", "twin"] if document == "a" else [document]


def spans(*places: tuple[str, int, int]) -> tuple[GoldSpan, ...]:
    return tuple(GoldSpan(document=d, start=start, end=end) for d, start, end in places)


def test_by_document_each_citation_and_each_relevant_document_counts_once() -> None:
    citations = [cited("a"), cited("a", 20), cited("x"), cited("y")]
    assert citation_shares(citations, question(), names) == CitationShares(
        precision=0.5, recall=0.5, gold_precision=None, gold_recall=None
    )


def test_a_document_that_is_there_twice_is_found_under_both_names() -> None:
    found = citation_shares([cited("a")], question(relevant={"a": 1, "twin": 1}), names)
    assert found is not None
    assert found.recall == 1.0


def test_by_gold_spans_that_overlap_are_one_place() -> None:
    # "two" and "the two" of one annotator each, and a second place that no citation covers.
    gold = spans(("a", 2, 6), ("a", 4, 12), ("b", 0, 3))
    found = citation_shares([cited("a"), cited("a", 20)], question(spans=gold), names)
    assert found == CitationShares(precision=1.0, recall=0.5, gold_precision=0.5, gold_recall=0.5)


def test_spans_that_only_touch_are_two_places() -> None:
    gold = spans(("a", 0, 5), ("a", 5, 40))
    found = citation_shares([cited("a")], question(spans=gold), names)
    assert found is not None
    assert found.gold_recall == 0.5


def test_gold_answers_are_ways_to_say_one_thing_and_count_in_relevant_documents_only() -> None:
    asked = question(answers=("6.5 bar", "six and a half bar"))
    found = citation_shares(
        [cited("a", quote="It opens at 6.5 bar."), cited("x", quote="6.5 bar")], asked, names
    )
    assert found == CitationShares(precision=0.5, recall=0.5, gold_precision=0.5, gold_recall=1.0)


@pytest.mark.parametrize("citations", [[], [cited("a")]])
def test_nothing_is_said_without_a_citation_or_a_relevant_document(
    citations: list[Citation],
) -> None:
    asked = question(relevant={}) if citations else question()
    assert citation_shares(citations, asked, names) is None


def test_an_answer_is_right_by_gold_else_by_the_document_of_its_first_citation() -> None:
    last = [cited("x"), cited("a", quote="It opens at 6.5 bar.")]
    assert is_right(last, question(answers=("6.5 bar",)), names)
    assert not is_right(last, question(answers=("7 bar",)), names)
    assert not is_right(last, question(), names)
    assert is_right(last[::-1], question(), names)
    unanswerable = question(answerable=False, answers=("6.5 bar",))
    assert not is_right(last, unanswerable, names)
