"""Which of the chosen sentences stands first, when the reader is asked too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pincite.records.document import Span
from pincite.records.flow import Evidence, Hit, Passage, Question, Selection, Understood
from pincite.rerank.reader.order import ReadOrderSelector
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
CHOSEN = tuple(
    Evidence(id=f"e{n}", span=span, quote=TEXT[span.start : span.end], passage=PASSAGE, score=score)
    for n, (span, score) in enumerate(zip(SPANS, (0.70, 0.68, 0.40), strict=True))
)


class Chosen:
    """A selector that has chosen already."""

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        return Selection(evidence=CHOSEN)


class OneText:
    """Sources of the one document."""

    def text_of(self, span: Span) -> str:
        return TEXT[span.start : span.end]


@dataclass
class SureReader:
    """Sure of one sentence, and against the others."""

    sentence: int
    name: str = "sure"
    runtime: str = "none"
    asked: int = 0

    def read(self, question: str, passages: Sequence[ToRead]) -> list[PassageReading]:
        self.asked += 1
        said = tuple(0.99 if n == self.sentence else 0.01 for n in range(3))
        return [PassageReading(answers=0.9, sentences=said, short=None) for _ in passages]


def scores(reader: SureReader, language: str = "en") -> dict[str, float]:
    question = Question(text="When did it burn?")
    if language != "en":
        question = replace(
            question,
            understood=Understood(
                plain=question.text, asked=question.text, terms={}, language=language
            ),
        )
    selector = ReadOrderSelector(selector=Chosen(), reader=reader, sources=OneText())
    return {item.id: item.score for item in selector.select(question, ()).evidence}


def test_the_sentence_that_the_reader_is_sure_of_comes_first() -> None:
    assert scores(SureReader(1)) == {"e0": 0.68, "e1": 0.70, "e2": 0.40}


def test_a_sentence_that_scores_far_below_stays_behind() -> None:
    assert scores(SureReader(2)) == {"e0": 0.70, "e1": 0.68, "e2": 0.40}


def test_the_order_stands_where_the_reader_agrees() -> None:
    assert scores(SureReader(0)) == {"e0": 0.70, "e1": 0.68, "e2": 0.40}


def test_a_language_that_the_reader_was_not_taught_is_not_read() -> None:
    reader = SureReader(1)
    assert scores(reader, "de")["e0"] == 0.70
    assert reader.asked == 0
