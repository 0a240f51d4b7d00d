from __future__ import annotations

from pathlib import Path

from pincite.ingest.chunk.passages import StructureChunker
from pincite.ingest.pdf.reader import PdfReader
from pincite.records.document import Document
from tests.ingest.conftest import Line, PdfMaker

PROSE: list[Line] = [
    (50.0, 200.0, "The quick brown fox jumps over the lazy dog and"),
    (50.0, 214.0, "then goes home to sleep until the morning."),
]


def read(content: bytes) -> Document:
    return PdfReader().read(Path("report.pdf"), content)


def blocks(document: Document) -> list[tuple[str, str, int | None]]:
    return [(b.kind.value, document.text[b.start : b.end], b.page) for b in document.blocks]


def test_lines_that_come_back_on_every_page_are_heads_and_feet(make_pdf: PdfMaker) -> None:
    pages = [
        [(50.0, 40.0, f"Annual Report {n}"), *PROSE, (290.0, 770.0, f"Page {n} of 4")]
        for n in range(1, 5)
    ]
    found = blocks(read(make_pdf(*pages)))
    assert found[:3] == [
        ("page_header", "Annual Report 1", 1),
        ("paragraph", f"{PROSE[0][2]}\n{PROSE[1][2]}", 1),
        ("page_footer", "Page 1 of 4", 1),
    ]
    assert len(found) == 12


def test_two_pages_that_begin_alike_have_no_head(make_pdf: PdfMaker) -> None:
    pages = [[(50.0, 40.0, "Dear customer,"), *PROSE] for _ in range(2)]
    assert {kind for kind, _, _ in blocks(read(make_pdf(*pages)))} == {"paragraph"}


def test_numbers_that_count_with_the_pages_are_their_numbers(make_pdf: PdfMaker) -> None:
    pages = [[*PROSE, (300.0, 400.0, str(n + 62))] for n in (1, 2)]
    found = blocks(read(make_pdf(*pages)))
    assert [text for kind, text, _ in found if kind == "page_footer"] == ["63", "64"]


def test_the_head_of_a_table_on_every_page_stays_in_the_table(make_pdf: PdfMaker) -> None:
    def page(number: int) -> list[Line]:
        head = [(50.0, 60.0, "Item"), (250.0, 60.0, "Weight")]
        return [
            *head,
            *(
                (x, 74.0 + 14 * n, text)
                for n in range(5)
                for x, text in ((50.0, f"part {number} {n}"), (250.0, f"{number}{n}.5"))
            ),
        ]

    document = read(make_pdf(*(page(number) for number in range(1, 5))))
    rows = [text for kind, text, _ in blocks(document) if kind == "table_row"]
    assert rows.count("Item\tWeight") == 4


def continued(make_pdf: PdfMaker) -> Document:
    def page(n: int, *lines: Line) -> list[Line]:
        return [(50.0, 40.0, "Pump manual"), *lines, (300.0, 770.0, str(n))]

    return read(
        make_pdf(
            page(1, *PROSE, (50.0, 700.0, "Before the pump is opened, the main valve must be")),
            page(2, (50.0, 80.0, "closed by hand. Then wait for ten minutes."), *PROSE),
            page(3, *PROSE),
        )
    )


def test_a_paragraph_over_a_page_break_is_one_block(make_pdf: PdfMaker) -> None:
    document = continued(make_pdf)
    whole = (
        "Before the pump is opened, the main valve must be\n"
        "closed by hand. Then wait for ten minutes."
    )
    assert ("paragraph", whole, 1) in blocks(document)
    start = document.text.index(whole)
    boxes = document.boxes.boxes(start, start + len(whole))
    assert [box.page for box in boxes] == [1, 2]
    assert document.pages[0].end <= start + whole.index("closed") <= document.pages[1].start


def test_a_sentence_over_a_page_break_is_cited_whole(make_pdf: PdfMaker) -> None:
    document = continued(make_pdf)
    passages = StructureChunker(max_size=800, overlap=100).chunk(document)
    sentences = {document.text[s.start : s.end] for p in passages for s in p.sentences}
    assert "Before the pump is opened, the main valve must be\nclosed by hand." in sentences
    assert not any("Pump manual" in sentence for sentence in sentences)
