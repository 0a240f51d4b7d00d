from __future__ import annotations

from collections.abc import Mapping

import pytest

from pincite.records.document import Span
from pincite.records.filters import Filters
from pincite.records.flow import Hit, NamedFile, Passage, Question, Ranking
from pincite.retrieve.named_documents import DocumentRoutes
from pincite.retrieve.near_duplicates import TwinsLeftOut
from pincite.text.document_names import NameTable

QUESTION = Question(text="What was the revenue of Acme Foods in 2021?")
SAME = (
    "The revenue of the company was {} in the year, and the board expects it to remain stable; the "
    "auditors have no remarks about how it was determined."
)
OTHER = (
    "Our office moved to a new building near the harbour, and everybody likes the view of ships."
)


class Texts:
    """A retriever over a few texts, in their order; the narrowed question finds one document's."""

    def __init__(self, texts: Mapping[str, list[str]]) -> None:
        self.texts = texts
        self.asked: list[Question] = []

    def hits(self) -> list[Hit]:
        found = []
        for document, passages in self.texts.items():
            for n, text in enumerate(passages):
                span = Span(document_id=document, start=1000 * n, end=1000 * n + len(text))
                passage = Passage(
                    id=f"{document}_c{n}", span=span, sentences=(span,), context="", section=(),
                    page=None, key=len(found),
                )  # fmt: skip
                score = 1 - len(found) / 1000
                found.append(Hit(passage=passage, score=score, scores={"fused": score}))
        return found

    def retrieve(self, question: Question) -> Ranking:
        self.asked.append(question)
        within = question.filters.documents
        hits = [h for h in self.hits() if not within or h.passage.span.document_id in within]
        return Ranking(hits=tuple(hits))

    def text_of(self, span: Span) -> str:
        return self.texts[span.document_id][span.start // 1000]


def named(*names: str) -> DocumentRoutes:
    files = [NamedFile(document_id=name, path=f"/{name}.pdf", title="") for name in names]
    return DocumentRoutes(lambda collection: NameTable.from_files(files))


REPORTS = [
    f"{c} {year}" for c in ("Borea Bank", "Cirrus Motors", "Acme Foods") for year in (2020, 2021)
]


def library(**others: list[str]) -> Texts:
    return Texts({**{name: [SAME.format(n), OTHER] for n, name in enumerate(REPORTS)}, **others})


def found(texts: Texts, question: Question = QUESTION) -> Ranking:
    return TwinsLeftOut(texts, named(*texts.texts), texts.text_of).retrieve(question)


def documents(ranking: Ranking) -> set[str]:
    return {hit.passage.span.document_id for hit in ranking}


def test_what_says_the_same_in_other_reports_is_left_out_with_a_reason() -> None:
    texts = library()
    ranking = found(texts)
    assert documents(ranking) == {"Acme Foods 2021"}
    assert {d.reason for d in ranking.dropped} == {
        "says nearly the same as a document that the question names"
    }
    assert len(ranking.dropped) == 10
    assert ranking.notes == ("10 passages of other documents say the same as the one named",)


def test_what_says_something_else_stays() -> None:
    texts = library(**{"Minutes": ["The revenue of Acme Foods in 2021 was discussed at length."]})
    assert documents(found(texts)) == {"Acme Foods 2021", "Minutes"}


def test_numbers_do_not_tell_passages_apart() -> None:
    texts = library()
    texts.texts["Borea Bank 2021"][:] = [SAME.format("917 million 2,481 31.12.")]
    assert documents(found(texts)) == {"Acme Foods 2021"}


def test_a_copy_or_two_are_no_kind_of_document() -> None:
    few = {name: [SAME.format(1)] for name in ("Acme Foods 2021", "Borea Bank 2021", "Copy")}
    others = {f"Letter {n}": [OTHER] for n in range(9)}
    ranking = found(Texts({**few, **others}))
    assert documents(ranking) == {*few, *others}


@pytest.mark.parametrize(
    "text",
    [
        "What was the revenue?",
        "What was the highest revenue in 2021?",
        "What was the revenue of Acme Foods and of Borea Bank and of Cirrus Motors?",
    ],
)
def test_a_question_that_names_no_single_report_keeps_them_all(text: str) -> None:
    assert documents(found(library(), Question(text=text))) == set(REPORTS)


def test_who_filters_has_said_where_to_look() -> None:
    texts = library()
    asked = Question(text=QUESTION.text, filters=Filters(documents=("Borea Bank 2021",)))
    assert documents(found(texts, asked)) == {"Borea Bank 2021"}
    assert len(texts.asked) == 1


def test_the_reports_of_all_years_stay_where_no_year_is_named() -> None:
    asked = Question(text="What was the revenue of Acme Foods?")
    assert documents(found(library(), asked)) == {"Acme Foods 2020", "Acme Foods 2021"}


def test_what_must_be_kept_is_kept() -> None:
    class Keeping(Texts):
        def hits(self) -> list[Hit]:
            from dataclasses import replace

            return [
                replace(h, must_keep=h.passage.id == "Borea Bank 2021_c0") for h in super().hits()
            ]

    texts = Keeping(library().texts)
    assert documents(found(texts)) == {"Acme Foods 2021", "Borea Bank 2021"}
