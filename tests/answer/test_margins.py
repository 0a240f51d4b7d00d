from __future__ import annotations

from collections.abc import Sequence

import pytest

from pincite.answer.context_selectors import MarginsSelector
from pincite.records.document import Block, BlockKind, Document, Span, document_id
from pincite.records.flow import Evidence, Hit, Passage, Question, Selection
from pincite.testing.fakes import MemorySources

BODY = "The primary endpoint is PASI 75."
FOOT = "Confidential - Halden Therapeutics AB\tPage 1"


class Best:
    """A selector that takes the sentence with the highest score."""

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        (hit,) = hits
        score, span = max(zip(hit.sentence_scores, hit.passage.sentences, strict=True))
        best = Evidence(id="e1", span=span, quote="", passage=hit.passage, score=score)
        return Selection(evidence=(best,))


def best_of(
    lines: Sequence[str],
    scores: Sequence[float],
    *,
    question: str = "What is the endpoint?",
    place: str = "",
) -> str:
    """The line that is chosen; `place` is that of the last one."""
    text, blocks = "\n".join(lines), []
    for number, line in enumerate(lines, start=1):
        start = text.index(line)
        here = place if number == len(lines) else ""
        blocks.append(
            Block(start=start, end=start + len(line), kind=BlockKind.PARAGRAPH, place=here)
        )
    name, digest = document_id(text.encode())
    document = Document(
        id=name, sha256=digest, title="a", media_type="", text=text, blocks=tuple(blocks)
    )
    spans = tuple(Span(document_id=name, start=block.start, end=block.end) for block in blocks)
    whole = Span(document_id=name, start=0, end=len(text))
    passage = Passage(id="p", span=whole, section=(), page=None, sentences=spans)
    hit = Hit(passage=passage, score=0.9, scores={}, sentence_scores=tuple(scores))
    selector = MarginsSelector(Best(), MemorySources([document]))
    found = selector.select(Question(text=question), [hit]).evidence[0].span
    return text[found.start : found.end]


@pytest.mark.parametrize(
    "foot",
    [
        FOOT,
        "Page 2 of 2",
        "SM22-OM rev. D   Page 1",
        "Seite 3 von 4",
        "Page 1 | Halden AB",
        "стр. 2",
    ],
)
def test_a_line_with_the_number_of_its_page_is_no_evidence(foot: str) -> None:
    assert best_of([BODY, foot], [0.66, 0.71]) == BODY


def test_what_stands_in_the_margin_of_a_word_file_is_no_evidence() -> None:
    assert best_of([BODY, "LMN-303 endpoints"], [0.66, 0.71], place="page header") == BODY
    assert best_of([BODY, "LMN-303 endpoints"], [0.66, 0.71]) == "LMN-303 endpoints"


@pytest.mark.parametrize(
    "line",
    [
        "See page 12.\nIt tells more.",
        "Print page 3 twice",
        "Page 7 shows how the valve closes in steps "
        "of one second, beginning with the largest of them.",
    ],
)
def test_a_sentence_that_names_a_page_is_evidence(line: str) -> None:
    assert best_of([BODY, line], [0.66, 0.71]) == line


def test_where_nothing_else_comes_near_the_line_is_quoted() -> None:
    assert best_of([BODY, FOOT], [0.3, 0.71]) == FOOT


def test_a_question_for_a_page_may_be_answered_by_its_number() -> None:
    assert best_of([BODY, FOOT], [0.66, 0.71], question="Which page is it?") == FOOT
