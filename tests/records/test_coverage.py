"""How much of a file can be found."""

from __future__ import annotations

from pincite.records.coverage import file_coverage, flag_lines, page_coverage
from pincite.records.document import Block, BlockKind, Coverage, Document, Page, RecognisedLine

TEXT = "Head\nOne two.\nA\tB\n1\t2\nseen by nobody\nThree."


def block(words: str, kind: BlockKind, page: int) -> Block:
    start = TEXT.index(words)
    return Block(start=start, end=start + len(words), kind=kind, page=page)


def document() -> Document:
    end = TEXT.index("Three.")
    return Document(
        id="d", sha256="", title="T", media_type="", text=TEXT,
        blocks=(
            block("Head", BlockKind.PAGE_HEADER, 1),
            block("One two.", BlockKind.PARAGRAPH, 1),
            block("A\tB", BlockKind.TABLE_ROW, 1),
            block("1\t2", BlockKind.TABLE_ROW, 1),
            block("seen by nobody", BlockKind.HIDDEN, 1),
            block("Three.", BlockKind.PARAGRAPH, 2),
        ),
        pages=(
            Page(number=1, start=0, end=end, width=1, height=1, label="iv", images=2),
            Page(number=2, start=end, end=len(TEXT), width=1, height=1, gap="damaged in part"),
        ),
        recognised=(RecognisedLine(start=end, end=len(TEXT), confidence=0.75),),
        gaps=("page 2 is damaged in part",),
    )  # fmt: skip


def test_a_file_is_counted() -> None:
    found = file_coverage(document())
    assert found.status is Coverage.PARTIAL
    assert found.characters == len("Onetwo.AB12Three.")
    assert found.unquoted_characters == len("Headseenbynobody")
    assert (found.pages, found.pages_with_gaps, found.tables, found.images) == (2, 1, 1, 2)
    assert found.recognition == 0.75
    assert found.gaps == ("page 2 is damaged in part",)


def test_pages_are_counted() -> None:
    first, second = page_coverage(document())
    assert (first.number, first.label, first.tables, first.images) == (1, "iv", 1, 2)
    assert (first.recognition, first.gap) == (None, "")
    assert (second.characters, second.recognition) == (len("Three."), 0.75)
    assert second.gap == "damaged in part"


def test_an_empty_document_is_complete() -> None:
    empty = Document(id="d", sha256="", title="", media_type="", text="")
    found = file_coverage(empty)
    assert (found.status, found.characters, found.recognition) == (Coverage.COMPLETE, 0, None)


def test_many_flags_of_a_kind_are_one_line() -> None:
    flags = [("hidden text", "white: 'a'"), ("attachment", "x.bin"), ("hidden text", "tiny: 'b'")]
    assert list(flag_lines(flags)) == [
        "hidden text (2 times; the first): white: 'a'",
        "attachment: x.bin",
    ]
