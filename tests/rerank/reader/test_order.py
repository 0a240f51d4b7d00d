"""Which sentence stands first, when the reader reads the passages too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from pincite.records.document import Span
from pincite.records.flow import Evidence, Hit, Passage, Question, Selection, Understood
from pincite.rerank.reader.order import ReadingSelector
from pincite.stages import PassageReading, ToRead

TEXT = "The mill was built in 1794. It burnt down in 1840. A museum stands there."
SPANS = tuple(Span(document_id="d", start=a, end=b) for a, b in ((0, 27), (28, 50), (51, 73)))
PASSAGE = Passage(
    id="p",
    span=Span(document_id="d", start=0, end=73),
    section=(),
    page=None,
    sentences=SPANS,
)
HIT = Hit(passage=PASSAGE, score=0.7, scores={}, sentence_scores=(0.70, 0.66, 0.40))


class BestFirst:
    """Chooses every sentence, best first, and remembers the scores that it saw."""

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        scored = sorted(
            (
                (score, span)
                for hit in hits
                for score, span in zip(hit.sentence_scores, hit.passage.sentences, strict=False)
            ),
            reverse=True,
        )
        return Selection(
            evidence=tuple(
                Evidence(
                    id=f"e{span.start}",
                    span=span,
                    quote=TEXT[span.start : span.end],
                    passage=PASSAGE,
                    score=score,
                )
                for score, span in scored
            )
        )


class OneText:
    """Sources of the one document."""

    def text_of(self, span: Span) -> str:
        return TEXT[span.start : span.end]


@dataclass
class SureReader:
    """Sure of one sentence, and against the others; without one it has read none of them."""

    sentence: int | None
    name: str = "sure"
    runtime: str = "none"
    asked: int = 0

    def read(self, question: str, passages: Sequence[ToRead]) -> list[PassageReading]:
        self.asked += len(passages)
        said = tuple(
            None if self.sentence is None else 0.99 if n == self.sentence else 0.01
            for n in range(3)
        )
        return [PassageReading(answers=0.9, sentences=said, short=None) for _ in passages]


def scores(
    reader: SureReader, language: str = "en", hits: Sequence[Hit] = (HIT,)
) -> dict[int, float]:
    question = Question(text="When did it burn?")
    if language != "en":
        question = replace(
            question,
            understood=Understood(
                plain=question.text, asked=question.text, terms={}, language=language
            ),
        )
    selector = ReadingSelector(selector=BestFirst(), reader=reader, sources=OneText())
    found = selector.select(question, hits).evidence
    return {item.span.start: item.score for item in found}


def test_the_sentence_that_the_reader_is_sure_of_comes_first_and_keeps_its_own_score() -> None:
    found = scores(SureReader(1))
    assert next(iter(found)) == 28
    assert found[28] == pytest.approx(0.66)
    assert found[0] < found[28]


def test_a_sentence_that_scores_far_below_stays_behind() -> None:
    assert next(iter(scores(SureReader(2)))) == 0


def test_the_order_stands_where_the_reader_agrees_or_has_read_nothing() -> None:
    assert next(iter(scores(SureReader(0)))) == 0
    assert list(scores(SureReader(None)).values()) == pytest.approx([0.70, 0.66, 0.40])


def test_passages_that_were_not_compared_are_not_read() -> None:
    other = replace(HIT, passage=replace(PASSAGE, id="q"), sentence_scores=())
    reader = SureReader(1)
    scores(reader, hits=(HIT, other))
    assert reader.asked == 1


def test_a_language_that_the_reader_was_not_taught_is_not_read() -> None:
    reader = SureReader(1)
    assert scores(reader, "de")[0] == 0.70
    assert reader.asked == 0
