"""Users' feedback as labels: the places that answer a question, those that do not, corrections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.errors import DatasetError
from pincite.evaluate.calibrate import GradedSet, Progress, graded_set
from pincite.library.library import Library
from pincite.records.document import Span
from pincite.records.flow import Citation, Question, Status
from pincite.store.catalog.feedback import Judgement
from pincite.text.mentions import holds
from pincite.verify.receipts.permalinks import Permalink


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What users said of the answers to one question in one collection.

    `right` are the places quoted by answers that helped, `wrong` the first ones of others,
    `corrections` what the answer should have been. `is_absent`: a refusal helped.
    """

    question: str
    collection: str | None
    right: tuple[Span, ...] = ()
    wrong: tuple[Span, ...] = ()
    corrections: tuple[str, ...] = ()
    is_absent: bool = False

    def holds(self, span: Span, text: str) -> bool:
        """Whether a place answers the question, by what was said of it."""
        is_there = any(_overlap(span, place) for place in self.right)
        return is_there or any(holds(text, said) for said in self.corrections)

    def verdict(self, citations: Sequence[Citation]) -> bool | None:
        """Whether an answer with these quotes is right; None if nobody told anything of them."""
        if self.is_absent:
            return False
        spans = [Span(document_id=c.document, start=c.start, end=c.end) for c in citations]
        if any(map(self.holds, spans, (c.quote for c in citations))):
            return True
        if any(_overlap(spans[0], place) for place in self.wrong):
            return False
        return None


def told(library: Library) -> list[Told]:
    """What users said, a question at a time, in the order in which it was first asked.

    Raises DatasetError if there is no feedback.
    """
    found: dict[tuple[str, str | None], list[Judgement]] = {}
    for one in library.catalog.feedback.all():
        found.setdefault((" ".join(one.question.split()), one.collection), []).append(one)
    if not found:
        raise DatasetError(
            "nobody has given feedback on this library's answers yet: the thumbs below an answer in "
            "the page, or POST /v1/feedback"
        )
    return [
        Told(
            question=question,
            collection=collection,
            right=tuple(place for one in said if one.helpful for place in _places(one)),
            wrong=tuple(
                place for one in said if not one.helpful for place in list(_places(one))[:1]
            ),
            corrections=tuple(one.correction for one in said if one.correction.strip()),
            is_absent=all(
                one.helpful and one.answer.get("status") == Status.ABSTAINED for one in said
            ),
        )
        for (question, collection), said in found.items()
    ]


def grade_feedback(library: Library, progress: Progress | None = None) -> GradedSet:
    """Ask every question again and grade its answer by what users said, as `calibrate.grade`."""
    asked = [
        (Question(text=one.question, collection=one.collection), one.verdict)
        for one in told(library)
    ]
    return graded_set(library, asked, progress)


def _places(one: Judgement) -> Iterator[Span]:
    for identity in one.answer.get("citations", ()):
        link = Permalink.parsed(identity)
        if link is not None:
            yield Span(document_id=link.document, start=link.start, end=link.end)


def _overlap(one: Span, other: Span) -> bool:
    is_same = one.document_id == other.document_id
    return is_same and one.start < other.end and other.start < one.end
