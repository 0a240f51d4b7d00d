from __future__ import annotations

from dataclasses import replace

import pytest

from pincite.answer.selection import MmrSelector
from pincite.records.document import BlockKind, Span
from pincite.records.flow import Hit, Passage, Question
from pincite.testing.fakes import MemorySources
from pincite.testing.samples import text_document

KEPT, MADE = "How long are backups kept?", "They are made every night for 35 days."
APP, NOT_YET, PLANNED = "Is there a mobile app?", "Not yet.", "We plan one for 2027."


def chosen(
    question: str,
    text: str,
    *sentences: str,
    media_type: str = "text/plain",
    first: BlockKind = BlockKind.PARAGRAPH,
) -> list[str]:
    """Of sentences, of which the first is by far the best; `first` is its block's kind."""
    made = text_document(text)
    blocks = (replace(made.blocks[0], kind=first), *made.blocks[1:])
    document = replace(made, media_type=media_type, blocks=blocks)
    starts = [text.index(sentence) for sentence in sentences]
    spans = tuple(
        Span(document_id=document.id, start=start, end=start + len(sentence))
        for start, sentence in zip(starts, sentences, strict=True)
    )
    whole = Span(document_id=document.id, start=0, end=len(text))
    passage = Passage(id="p", span=whole, section=(), page=None, sentences=spans)
    scores = (0.9, *(0.5 for _ in spans[1:]))
    hit = Hit(passage=passage, score=0.5, scores={}, sentence_scores=scores)
    made = MmrSelector(
        MemorySources([document]),
        max_sentences=6,
        mmr_lambda=0.7,
        max_similarity=0.82,
        margin=0.08,
        lead_margin=0.01,
    )
    return [item.quote for item in made.select(Question(text=question), [hit]).evidence]


@pytest.mark.parametrize("question", [KEPT, "backup retention"])
def test_a_question_in_a_line_of_its_own_is_answered_by_what_stands_below(question: str) -> None:
    assert chosen(question, f"{KEPT}\n{MADE}\n{APP}", KEPT, MADE, APP) == [MADE]


def test_a_question_within_a_paragraph_leads_in_where_it_is_the_one_that_is_asked() -> None:
    text = f"Some ask: {KEPT} {MADE}"
    assert chosen("How long are the backups kept?", text, KEPT, MADE) == [MADE]
    assert chosen("Who makes backups?", text, KEPT, MADE) == [KEPT]


def test_an_answer_that_says_nothing_on_its_own_comes_with_its_question() -> None:
    text = f"{APP}\n{NOT_YET} {PLANNED}"
    assert set(chosen(APP, text, APP, NOT_YET, PLANNED)) == {APP, NOT_YET, PLANNED}


def test_a_question_without_an_answer_below_it_stays() -> None:
    assert chosen(KEPT, f"{KEPT}\n{APP}", KEPT, APP) == [KEPT]


def test_in_mail_the_next_line_answers_no_question() -> None:
    text = f"{KEPT}\n{MADE}"
    assert chosen(KEPT, text, KEPT, MADE, media_type="message/rfc822") == [KEPT]


def test_behind_a_message_that_was_pasted_stands_what_to_do() -> None:
    error, full, clear = "Error: ENOSPC: no space left", "The cache is full.", "Run the cleaner."
    text = f"{error}\n{full}\n{clear}"
    lines = (error, full, clear)
    asked = chosen("ENOSPC no space left on device", text, *lines, first=BlockKind.CODE)
    assert set(asked) == set(lines)
    assert chosen("ENOSPC no space left on device", text, *lines) == [error]
    assert chosen("Which error?", text, *lines, first=BlockKind.CODE) == [error]
