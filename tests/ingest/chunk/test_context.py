"""What stands before a passage when it is embedded."""

from __future__ import annotations

import pytest

from pincite.ingest.chunk.passages import StructureChunker
from pincite.records.document import Block, BlockKind, Cell, Document


def document(name: str, *, title: str = "Valves", text: str = "It closes.") -> Document:
    block = Block(start=0, end=len(text), kind=BlockKind.PARAGRAPH, section=(title, "Closing"))
    return Document(
        id="d", sha256="", title=title, media_type="", name=name, text=text, blocks=(block,)
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pump_manual-2024.pdf", "pump manual 2024 > Valves > Closing"),
        ("valves.pdf", "Valves > Closing"),
        ("valves-v2.pdf", "valves v2 > Valves > Closing"),
        ("Valves 2023.pdf", "Valves 2023 > Valves > Closing"),
        ("valves 7.pdf", "Valves > Closing"),
        ("2023.pdf", "Valves > Closing"),
        ("d0123.txt", "Valves > Closing"),
        ("final draft.docx", "Valves > Closing"),
        ("379f44022bb27aa53efd5d322c7b57bf.pdf", "Valves > Closing"),
        ("", "Valves > Closing"),
    ],
)
def test_a_telling_file_name_stands_in_the_context(name: str, expected: str) -> None:
    (passage,) = StructureChunker(max_size=100, overlap=0).chunk(document(name))
    assert passage.context == expected


def table() -> Document:
    rows = ["Valve\tTorque", "V1\t12 Nm", "V2\t14 Nm", "V3\t16 Nm"]
    blocks, text = [], ""
    for row in rows:
        start = len(text)
        first = row.partition("\t")[0]
        edges = ((start, start + len(first)), (start + len(first) + 1, start + len(row)))
        headers = ((0, 5), (6, 12)) if start else ()
        cells = tuple(
            Cell(start=a, end=b, column_headers=(headers[column],) if headers else ())
            for column, (a, b) in enumerate(edges)
        )
        end = start + len(row)
        blocks.append(Block(start=start, end=end, kind=BlockKind.TABLE_ROW, cells=cells))
        text += row + "\n"
    return Document(
        id="d", sha256="", title="Valves", media_type="", text=text, blocks=tuple(blocks)
    )


def test_a_passage_that_begins_inside_a_table_is_told_the_column_headers() -> None:
    made = table()
    first, second = StructureChunker(max_size=24, overlap=0).chunk(made)
    assert made.text[first.span.start : first.span.end] == "Valve\tTorque\nV1\t12 Nm"
    assert first.context == "Valves"
    assert made.text[second.span.start : second.span.end] == "V2\t14 Nm\nV3\t16 Nm"
    assert second.context == "Valves\nValve | Torque"


def test_sizes_may_be_tokens() -> None:
    words = StructureChunker(max_size=4, overlap=0, measure=lambda text: len(text.split()))
    made = document("", text="One two. Three four five. Six seven. Eight.")
    found = [made.text[p.span.start : p.span.end] for p in words.chunk(made)]
    assert found == ["One two.", "Three four five.", "Six seven. Eight."]


def test_a_passage_of_the_least_size_ends_with_its_paragraph() -> None:
    text = "One two.\n\nThree four.\n\nFive."
    blocks = tuple(
        Block(start=start, end=end, kind=BlockKind.PARAGRAPH)
        for start, end in ((0, 8), (10, 21), (23, 28))
    )
    made = Document(id="d", sha256="", title="T", media_type="", text=text, blocks=blocks)
    found = StructureChunker(max_size=100, min_size=15, overlap=0).chunk(made)
    assert [text[p.span.start : p.span.end] for p in found] == ["One two.\n\nThree four.", "Five."]
