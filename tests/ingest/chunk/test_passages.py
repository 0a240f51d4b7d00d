from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.ingest.chunk.passages import StructureChunker
from pincite.records.document import UNQUOTED, Block, BlockKind, Cell, Document, document_id
from pincite.records.flow import Passage
from pincite.testing.contracts import ChunkerContract
from pincite.testing.samples import text_document

MAX, OVERLAP = 120, 50
CHUNKER = StructureChunker(max_size=MAX, overlap=OVERLAP)
KINDS = st.sampled_from(BlockKind)
SENTENCES = st.sampled_from(
    [
        "It opens.",
        "The valve closes within three seconds.",
        "水は冷たい。",
        "See No. 5!",
        "🎉 ok.",
        "A long sentence goes on and on about nothing, word after word, until the reader has "
        "forgotten how it began, which is the purpose of it here.",
    ]
)
SECTIONS = [("a",), ("a", "b"), ("a", "b", "c"), ("a", "d"), ("e",), ()]


def document(blocks: list[tuple[BlockKind, tuple[str, ...], str]]) -> Document:
    text, made = "", []
    for number, (kind, section, content) in enumerate(blocks):
        text += "\n\n" if text else ""
        start, end = len(text), len(text) + len(content)
        page = number // 3 + 1
        made.append(Block(start=start, end=end, kind=kind, section=section, page=page))
        text += content
    name, digest = document_id(text.encode())
    return Document(id=name, sha256=digest, title="a", media_type="", text=text, blocks=tuple(made))


DOCUMENTS = st.lists(
    st.tuples(
        KINDS,
        st.sampled_from(SECTIONS),
        st.lists(SENTENCES, min_size=1, max_size=5).map(" ".join),
    ),
    max_size=8,
).map(document)


def covered(passages: tuple[Passage, ...]) -> set[int]:
    return {place for p in passages for place in range(p.span.start, p.span.end)}


@given(DOCUMENTS)
def test_every_sentence_is_inside_its_passage(made: Document) -> None:
    ChunkerContract().test_sentences_lie_inside_their_passage_in_order(CHUNKER, made)


@given(DOCUMENTS)
def test_ids_are_unique_and_the_same_on_a_second_run(made: Document) -> None:
    ChunkerContract().test_ids_are_unique_and_the_same_again(CHUNKER, made)


@given(DOCUMENTS)
def test_an_id_names_document_page_and_number(made: Document) -> None:
    for number, passage in enumerate(CHUNKER.chunk(made)):
        assert passage.id == f"{made.id}_p{passage.page}_c{number}"


@given(DOCUMENTS)
def test_passages_and_the_gaps_between_them_rebuild_the_text(made: Document) -> None:
    """Gaps hold white space, headings (they stand in the context), and what is not quoted."""
    inside = covered(CHUNKER.chunk(made))
    left_out = {
        place
        for block in made.blocks
        if block.kind is BlockKind.HEADING or block.kind in UNQUOTED
        for place in range(block.start, block.end)
    }
    for place, character in enumerate(made.text):
        assert place in inside or place in left_out or character.isspace()


@given(DOCUMENTS)
def test_a_passage_is_longer_than_the_limit_only_when_one_sentence_is(made: Document) -> None:
    for passage in CHUNKER.chunk(made):
        length = passage.span.end - passage.span.start
        assert length <= MAX or len(passage.sentences) == 1


@given(DOCUMENTS)
def test_only_whole_sentences_of_the_same_section_overlap(made: Document) -> None:
    for one, following in pairwise(CHUNKER.chunk(made)):
        shared = one.span.end - following.span.start
        if shared <= 0:
            continue
        assert one.section == following.section
        assert shared <= OVERLAP
        repeated = [s for s in one.sentences if s.start >= following.span.start]
        assert repeated == list(following.sentences[: len(repeated)])
        assert repeated[0].start == following.span.start
        assert len(repeated) < len(one.sentences)
        assert len(repeated) < len(following.sentences)


@given(DOCUMENTS)
def test_table_rows_are_never_cut(made: Document) -> None:
    spans = {(s.start, s.end) for p in CHUNKER.chunk(made) for s in p.sentences}
    for block in made.blocks:
        if block.kind is BlockKind.TABLE_ROW:
            assert (block.start, block.end) in spans


@given(DOCUMENTS)
def test_a_heading_with_nothing_below_is_a_passage(made: Document) -> None:
    inside = covered(CHUNKER.chunk(made))
    for block in made.blocks:
        if block.kind is not BlockKind.HEADING:
            continue
        below = any(
            other.kind is not BlockKind.HEADING
            and other.section[: len(block.section)] == block.section
            for other in made.blocks
        )
        if not (below and block.section):
            assert block.start in inside


@given(DOCUMENTS, st.integers(20, 400), st.integers(0, 400))
@settings(max_examples=50)
def test_overlap_as_large_as_a_passage_still_comes_to_an_end(
    made: Document, limit: int, overlap: int
) -> None:
    chunker = StructureChunker(max_size=limit, overlap=overlap)
    starts = [passage.sentences for passage in chunker.chunk(made)]
    assert len(starts) == len(set(starts))


def test_the_context_is_the_title_and_the_headings_and_stands_in_no_passage_text() -> None:
    made = text_document("# Safety\nWear gloves.", title="manual.txt")
    (passage,) = CHUNKER.chunk(made)
    assert passage.context == "manual.txt > Safety"
    assert made.text[passage.span.start : passage.span.end] == "Wear gloves."


def test_a_document_without_blocks_has_no_passages() -> None:
    assert CHUNKER.chunk(document([])) == ()


class TestStructureChunker(ChunkerContract):
    @pytest.fixture
    def chunker(self) -> StructureChunker:
        return CHUNKER

    @pytest.fixture
    def document(self) -> Document:
        return text_document("# One\n" + "It opens. It closes again. " * 12 + "\n# Two\n水。水。")


def table(rows: list[str], headed: range) -> Document:
    """Rows of cells; those in `headed` have the first row's cells as their column headers."""
    text = "\n".join(rows)
    starts = [sum(len(row) + 1 for row in rows[:number]) for number in range(len(rows))]
    blocks = []
    for number, (start, row) in enumerate(zip(starts, rows, strict=True)):
        cell = Cell(start=start, end=start + len(row), column_headers=((0, len(rows[0])),))
        blocks.append(
            Block(
                start=start,
                end=start + len(row),
                kind=BlockKind.TABLE_ROW,
                cells=(cell,) if number in headed else (),
            )
        )
    name, digest = document_id(text.encode())
    return Document(
        id=name, sha256=digest, title="a", media_type="", text=text, blocks=tuple(blocks)
    )


def test_a_row_knows_which_sentence_heads_its_columns() -> None:
    rows = ["year", "2019", "2020", "a note", "2021"]
    (whole,) = CHUNKER.chunk(table(rows, range(1, 3)))
    assert whole.headers == ((), (0,), (0,), (), ())
    assert whole.headers_of(whole.sentences[2]) == [whole.sentences[0]]
    assert whole.headers_of(whole.sentences[0]) == []
    assert whole.headers_of(whole.span) == []


def test_a_row_is_headed_by_every_row_above_that_names_a_column_of_it() -> None:
    rows = ["Year ended December 31,", "2012 2011", "(in thousands)", "Net income 17 226"]
    starts = [sum(len(row) + 1 for row in rows[:number]) for number in range(len(rows))]
    years = [(starts[1], starts[1] + 4), (starts[1] + 5, starts[1] + 9)]
    first, unit = (0, len(rows[0])), (starts[2], starts[2] + len(rows[2]))
    values = [(starts[3] + 11, starts[3] + 13), (starts[3] + 14, starts[3] + 17)]
    cells = (
        Cell(start=values[0][0], end=values[0][1], column_headers=(first, years[0], unit)),
        Cell(start=values[1][0], end=values[1][1], column_headers=(first, years[1])),
    )
    blocks = [
        Block(
            start=start,
            end=start + len(row),
            kind=BlockKind.TABLE_ROW,
            cells=cells if start == starts[3] else (),
        )
        for start, row in zip(starts, rows, strict=True)
    ]
    text = "\n".join(rows)
    name, digest = document_id(text.encode())
    (whole,) = CHUNKER.chunk(
        Document(id=name, sha256=digest, title="a", media_type="", text=text, blocks=tuple(blocks))
    )
    assert whole.headers == ((), (), (), (0, 1, 2))
    assert whole.headers_of(whole.sentences[3]) == list(whole.sentences[:3])
    assert all(whole.rows_under(row) == [whole.sentences[3]] for row in whole.sentences[:3])


def test_a_header_in_another_passage_is_context_and_no_sentence() -> None:
    rows = ["year and place", *(f"{year} " + "x" * 60 for year in range(2000, 2006))]
    first, *others = CHUNKER.chunk(table(rows, range(1, 7)))
    assert (0,) in first.headers
    assert others
    assert all(p.headers == () and p.context.endswith("\nyear and place") for p in others)


def test_no_full_stop_ends_a_sentence_in_code() -> None:
    code = "    open(a). Then()\n    # It is done. It is good.\n    close(a)"
    made = document([(BlockKind.CODE, (), code), (BlockKind.PARAGRAPH, (), "One. Two is here.")])
    (passage,) = StructureChunker(max_size=500, overlap=0).chunk(made)
    texts = [made.text[span.start : span.end] for span in passage.sentences]
    assert texts[0] == code
    assert len(texts) > 1
