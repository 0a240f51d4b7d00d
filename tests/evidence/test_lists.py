from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from pincite.document import Block, BlockKind, Document, Span, document_id
from pincite.evidence.lists import ListsSelector
from pincite.records import Dropped, Evidence, Hit, Passage, Question, Selection
from pincite.testing.fakes import MemorySources

LINES = [
    ("To clean the filter:", BlockKind.PARAGRAPH),
    ("Switch the pump off.", BlockKind.LIST_ITEM),
    ("Open the lid.", BlockKind.LIST_ITEM),
    ("Rinse the filter.", BlockKind.LIST_ITEM),
    ("It costs 12 euros.", BlockKind.PARAGRAPH),
]


def document() -> Document:
    text, blocks = "", []
    for line, kind in LINES:
        blocks.append(Block(start=len(text), end=len(text) + len(line), kind=kind))
        text += line + "\n"
    name, digest = document_id(text.encode())
    return Document(
        id=name, sha256=digest, title="a", media_type="", text=text, blocks=tuple(blocks)
    )


DOCUMENT = document()
SPANS = [Span(document_id=DOCUMENT.id, start=b.start, end=b.end) for b in DOCUMENT.blocks]


def hit(first: int, last: int) -> Hit:
    span = Span(document_id=DOCUMENT.id, start=SPANS[first].start, end=SPANS[last].end)
    sentences = tuple(SPANS[first : last + 1])
    passage = Passage(id=f"p{first}", span=span, section=(), page=None, sentences=sentences)
    return Hit(passage=passage, score=0.5, scores={})


WHOLE = hit(0, 4)


class Chosen:
    """A selector that has chosen these lines."""

    def __init__(self, *lines: int) -> None:
        self._lines = lines

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        chosen = [
            Evidence(
                id=f"e{number}",
                span=SPANS[line],
                quote=LINES[line][0],
                passage=hits[0].passage,
                score=0.9 - number / 100,
            )
            for number, line in enumerate(self._lines, start=1)
        ]
        left = Dropped(passage=hits[0].passage, reason="outside", span=SPANS[2], score=0.1)
        return Selection(evidence=tuple(chosen), dropped=(left,))


def lines_of(question: str, *lines: int, hits: Sequence[Hit] = (WHOLE,)) -> list[int]:
    selector = ListsSelector(Chosen(*lines), MemorySources([DOCUMENT]))
    found = selector.select(Question(text=question), hits)
    assert [item.id for item in found.evidence] == [
        f"e{n}" for n in range(1, len(found.evidence) + 1)
    ]
    assert all(item.quote == LINES[SPANS.index(item.span)][0] for item in found.evidence)
    kept = {item.span for item in found.evidence}
    assert not kept & {drop.span for drop in found.dropped}
    return [SPANS.index(item.span) for item in found.evidence]


@pytest.mark.parametrize(
    ("question", "chosen", "expected"),
    [
        ("What cleans the filter?", [0], [0, 1, 2, 3]),
        ("How do I clean the filter?", [2], [2, 1, 3]),
        ("Wie wird der Filter gereinigt?", [1], [1, 2, 3]),
        ("What must be opened?", [2], [2]),
        ("How do I clean the filter?", [4, 2], [4, 2]),
        ("How much does it cost?", [4], [4]),
    ],
)
def test_a_list_comes_with_what_announces_it_and_steps_with_each_other(
    question: str, chosen: list[int], expected: list[int]
) -> None:
    assert lines_of(question, *chosen) == expected


def test_the_header_of_a_table_comes_with_its_rows() -> None:
    rows = hit(0, 4)
    headed = replace(rows, passage=replace(rows.passage, headers=((), (0,), (0,), (), ())))
    assert lines_of("What?", 0, hits=[headed]) == [0, 1, 2]
    assert lines_of("What?", 1, hits=[headed]) == [1]


def test_of_several_lists_that_of_the_best_sentence_comes_up_to_a_limit() -> None:
    text, blocks = "", []
    for items in (10, 6, 5, 40):
        for line in ("These are it:", *(f"Item {len(text) + n}." for n in range(items))):
            kind = BlockKind.PARAGRAPH if line.endswith(":") else BlockKind.LIST_ITEM
            blocks.append(Block(start=len(text), end=len(text) + len(line), kind=kind))
            text += line + "\n"
    name, digest = document_id(text.encode())
    made = Document(
        id=name, sha256=digest, title="a", media_type="", text=text, blocks=tuple(blocks)
    )
    spans = tuple(Span(document_id=name, start=b.start, end=b.end) for b in blocks)
    whole = Span(document_id=name, start=0, end=len(text))
    passage = Passage(id="p", span=whole, section=(), page=None, sentences=spans)

    def quoted(*announcing: int) -> list[int]:
        class Announcing:
            def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
                return Selection(
                    evidence=tuple(
                        Evidence(
                            id=f"e{number}",
                            span=spans[place],
                            quote="These are it:",
                            passage=passage,
                            score=0.9,
                        )
                        for number, place in enumerate(announcing, start=1)
                    )
                )

        selector = ListsSelector(Announcing(), MemorySources([made]))
        found = selector.select(
            Question(text="What?"), [Hit(passage=passage, score=0.5, scores={})]
        )
        return [spans.index(item.span) for item in found.evidence]

    assert quoted(0, 11, 18) == [0, 11, 18, *range(1, 11)]
    assert quoted(24, 18) == [24, 18, *range(25, 40)]


def test_only_items_of_passages_that_were_found_are_added() -> None:
    assert lines_of("What?", 0, hits=[hit(0, 1)]) == [0, 1]
    assert lines_of("What?", 0, hits=[hit(0, 1), hit(2, 4)]) == [0, 1, 2, 3]


def test_a_colon_inside_a_block_announces_nothing_behind_it() -> None:
    text = "Bring: a key.\n- a hat"
    blocks = (
        Block(start=0, end=13, kind=BlockKind.PARAGRAPH),
        Block(start=16, end=21, kind=BlockKind.LIST_ITEM),
    )
    name, digest = document_id(text.encode())
    made = Document(id=name, sha256=digest, title="a", media_type="", text=text, blocks=blocks)
    spans = tuple(Span(document_id=name, start=a, end=b) for a, b in ((0, 6), (7, 13), (16, 21)))
    whole = Span(document_id=name, start=0, end=21)
    passage = Passage(id="p", span=whole, section=(), page=None, sentences=spans)

    class First:
        def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
            item = Evidence(id="e1", span=spans[0], quote="Bring:", passage=passage, score=0.9)
            return Selection(evidence=(item,))

    found = ListsSelector(First(), MemorySources([made])).select(
        Question(text="What?"), [Hit(passage=passage, score=0.5, scores={})]
    )
    assert [item.span for item in found.evidence] == [spans[0]]


def test_of_a_long_list_that_nothing_announces_no_other_items_come() -> None:
    found = [around_an_item_of(count) for count in (15, 16, 400)]
    assert found == [15, 1, 1]


def around_an_item_of(count: int) -> int:
    """How many items are quoted where the best sentence is one of so many."""
    lines = [f"Item {number:03d}." for number in range(count)]
    places = [(10 * number, 10 * number + 9) for number in range(count)]
    blocks = [Block(start=a, end=b, kind=BlockKind.LIST_ITEM) for a, b in places]
    text = "\n".join(lines)
    name, digest = document_id(text.encode())
    made = Document(
        id=name, sha256=digest, title="a", media_type="", text=text, blocks=tuple(blocks)
    )
    spans = tuple(Span(document_id=name, start=a, end=b) for a, b in places)
    whole = Span(document_id=name, start=0, end=len(text))
    passage = Passage(id="p", span=whole, section=(), page=None, sentences=spans)

    class Last:
        def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
            quote = lines[-1]
            item = Evidence(id="e1", span=spans[-1], quote=quote, passage=passage, score=0.9)
            return Selection(evidence=(item,))

    found = ListsSelector(Last(), MemorySources([made])).select(
        Question(text="How do I clean it?"), [Hit(passage=passage, score=0.5, scores={})]
    )
    return len(found.evidence)


@pytest.mark.parametrize(
    ("question", "expected"),
    [("When is it not reduced?", [0, 1]), ("When is it reduced?", [0])],
)
def test_a_question_that_negates_gets_the_sentence_that_takes_the_best_one_back(
    question: str, expected: list[int]
) -> None:
    sentences = ["We reduce the payment.", "This does not apply to small claims."]
    text = " ".join(sentences)
    name, digest = document_id(text.encode())
    block = Block(start=0, end=len(text), kind=BlockKind.PARAGRAPH)
    made = Document(id=name, sha256=digest, title="a", media_type="", text=text, blocks=(block,))
    starts = [text.index(sentence) for sentence in sentences]
    spans = tuple(
        Span(document_id=name, start=start, end=start + len(sentence))
        for start, sentence in zip(starts, sentences, strict=True)
    )
    whole = Span(document_id=name, start=0, end=len(text))
    passage = Passage(id="p", span=whole, section=(), page=None, sentences=spans)

    class First:
        def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
            best = Evidence(id="e1", span=spans[0], quote=sentences[0], passage=passage, score=0.9)
            return Selection(evidence=(best,))

    found = ListsSelector(First(), MemorySources([made])).select(Question(text=question), [])
    assert [spans.index(item.span) for item in found.evidence] == expected
