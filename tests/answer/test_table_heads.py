from __future__ import annotations

import pytest

from pincite.answer.candidate_sentences import is_table_head
from pincite.answer.selection import MmrSelector
from pincite.ingest.chunk.passages import StructureChunker
from pincite.records.document import Block, BlockKind, Cell, Document, Span, document_id
from pincite.records.flow import Hit, Question
from pincite.testing.fakes import MemorySources

ROWS = [
    ["", "2015", "2014"],
    ["Memberships"],
    ["At end of period", "43", "37"],
    ["The figures are not audited."],
    ["12 months"],
    ["Lost", "3", "4"],
]
UNTOLD = ["2015\t2014\t2015 vs. 2014", "Cash flows from operating activities:", "Net income\t122"]
PROSE = "Memberships grew by 15 % in 2015:"


def report() -> Document:
    """A table, one of which the columns could not be told, and a paragraph."""
    text, blocks, years = "", [], []
    for row in ROWS:
        start, places = len(text), []
        for cell in row:
            places.append((len(text), len(text) + len(cell)))
            text += f"{cell}\t"
        years = years or places
        cells = tuple(
            Cell(start=a, end=b, column_headers=(year,) if row is not ROWS[0] and n else ())
            for n, ((a, b), year) in enumerate(zip(places, years, strict=False))
        )
        end = len(text) - 1
        blocks.append(Block(start=start, end=end, kind=BlockKind.TABLE_ROW, cells=cells))
        text += "\n"
    for line in [*UNTOLD, PROSE]:
        kind = BlockKind.PARAGRAPH if line is PROSE else BlockKind.TABLE_ROW
        blocks.append(Block(start=len(text), end=len(text) + len(line), kind=kind))
        text += f"{line}\n"
    name, digest = document_id(text.encode())
    return Document(
        id=name, sha256=digest, title="Report", media_type="", text=text, blocks=tuple(blocks)
    )


REPORT = report()
SELECTOR = MmrSelector(
    MemorySources([REPORT]),
    max_sentences=6,
    mmr_lambda=1.0,
    max_similarity=1.0,
    margin=0.1,
    lead_margin=0.1,
)
(PASSAGE,) = StructureChunker(max_size=2_000, overlap=0).chunk(REPORT)


def words(span: Span) -> str:
    return REPORT.text[span.start : span.end].strip().split("\t")[0]


def test_heads_of_columns_and_of_rows_are_told_from_what_says_something() -> None:
    heads = [words(s) for s in PASSAGE.sentences if is_table_head(REPORT, PASSAGE, s)]
    assert heads == ["2015", "Memberships", "2015", "Cash flows from operating activities:"]


def chosen(scores: list[float]) -> list[str]:
    hit = Hit(passage=PASSAGE, score=0.9, scores={}, sentence_scores=tuple(scores))
    return [words(e.span) for e in SELECTOR.select(Question(text="members"), [hit]).evidence]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        # The label is best, and a row near it: the row answers.
        ([0.5, 0.9, 0.85, 0, 0, 0.1, 0.8, 0.8, 0.1, 0.84], ["At end of period", PROSE]),
        # What heads columns brings its rows along where it is best (`ListsSelector`).
        ([0.9, 0.1, 0.85, 0, 0, 0.1, 0.1, 0.1, 0.1, 0.1], ["2015", "At end of period"]),
        # Nothing else is near.
        ([0.1, 0.9, 0.5, 0, 0, 0.1, 0.1, 0.1, 0.1, 0.1], ["Memberships"]),
    ],
)
def test_what_heads_a_table_is_no_evidence_beside_what_says_something(
    scores: list[float], expected: list[str]
) -> None:
    assert chosen(scores) == expected


def test_what_was_left_out_is_told() -> None:
    scores = (0.1, 0.9, 0.85, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1)
    hit = Hit(passage=PASSAGE, score=0.9, scores={}, sentence_scores=scores)
    dropped = SELECTOR.select(Question(text="members"), [hit]).dropped
    assert [drop.reason for drop in dropped if drop.span == PASSAGE.sentences[1]] == [
        "heads a table and says nothing alone"
    ]
