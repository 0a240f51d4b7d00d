from __future__ import annotations

from collections.abc import Sequence

import pytest

from pincite.answer.selection import MmrSelector
from pincite.answer.table_selectors import AskedRowsSelector
from pincite.ingest.chunk.passages import StructureChunker
from pincite.records.document import Block, BlockKind, Cell, Document, document_id
from pincite.records.flow import Hit, Question
from pincite.testing.fakes import MemorySources

PROSE = "Net income for the year ended December 31, 2015 increased because costs fell."
HEADS = ["", "2015", "2014"]
ROWS = [
    ["Revenues", "605", "504"],
    ["Net income (1)", "122", "26"],
    ["Net income before tax", "140", "31"],
    ["Tax", "18", "5"],
    ["Members lost", "none", "7"],
]


def statement() -> Document:
    """A sentence, and below it a table that has two years."""
    text = f"{PROSE}\n"
    blocks = [Block(start=0, end=len(PROSE), kind=BlockKind.PARAGRAPH)]
    years: list[tuple[int, int]] = []
    for row in [HEADS, *ROWS]:
        start, places = len(text), []
        for cell in row:
            places.append((len(text), len(text) + len(cell)))
            text += f"{cell}\t"
        years = years or places
        cells = [
            Cell(start=place[0], end=place[1], column_headers=(year,), row_headers=(places[0],))
            for place, year in zip(places[1:], years[1:], strict=True)
        ]
        kept = tuple(cells) if row is not HEADS else ()
        blocks.append(Block(start=start, end=len(text) - 1, kind=BlockKind.TABLE_ROW, cells=kept))
        text += "\n"
    name, digest = document_id(text.encode())
    return Document(
        id=name, sha256=digest, title="Report", media_type="", text=text, blocks=tuple(blocks)
    )


def quotes(question: str, scores: Sequence[float]) -> list[str]:
    made = statement()
    sources = MemorySources([made])
    (passage,) = StructureChunker(max_size=2_000, overlap=0).chunk(made)
    hit = Hit(passage=passage, score=0.9, scores={}, sentence_scores=tuple(scores))
    best = MmrSelector(
        sources,
        max_sentences=6,
        mmr_lambda=1.0,
        max_similarity=1.0,
        margin=0.08,
        lead_margin=0.08,
    )
    found = AskedRowsSelector(best, sources).select(Question(text=question), [hit])
    return [item.quote.split("\t")[0] for item in found.evidence]


SCORES = [0.8, 0.3, 0.5, 0.6, 0.7, 0.4, 0.4]
"""Of the sentence, the years, and the rows."""


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What was the net income in 2015?", "Net income (1)"),
        ("net income 2014", "Net income (1)"),
        ("tax 2014", "Tax"),
        ("What were total revenues in 2014?", "Revenues"),
        ("Why did net income increase in 2015?", PROSE),
        ("Did costs in 2015 fall below revenues?", PROSE),
        ("What was the net income in 2013?", PROSE),
        ("What was the net income?", PROSE),
        ("How many members were lost in 2014?", "Members lost"),
        ("How many members were lost in 2015?", PROSE),
    ],
)
def test_the_row_with_the_figure_of_what_is_asked_comes_first_and_no_other(
    question: str, first: str
) -> None:
    assert quotes(question, SCORES)[0] == first


def test_a_row_that_is_best_already_changes_nothing() -> None:
    rows_first = [0.3, 0.3, 0.5, 0.9, 0.85, 0.4, 0.4]
    assert quotes("net income 2015", rows_first) == ["Net income (1)", "Net income before tax"]


def test_what_nobody_scored_is_left_as_it_is() -> None:
    assert quotes("net income 2015", []) == []
