from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.ingest.plain.delimited import DelimitedReader
from pincite.records.document import Document

TABLE = 'City,People,Note\r\nUlm,126000,"on the Danube,\nwith a ""minster"""\r\nJena,111000,\r\n'
LETTERS = st.characters(codec="utf-8", exclude_categories=("Cc",)) | st.sampled_from('\n\r\t",')


def read(content: str | bytes, name: str = "table.csv") -> Document:
    data = content.encode() if isinstance(content, str) else content
    return DelimitedReader().read(Path(name), data)


def rows(document: Document) -> list[list[str]]:
    return [[document.text[c.start : c.end] for c in b.cells] for b in document.blocks]


def test_the_text_is_the_file_and_each_record_a_row() -> None:
    document = read(TABLE)
    assert document.text == TABLE
    assert [block.place for block in document.blocks] == ["row 1", "row 2", "row 3"]
    assert rows(document)[1] == ["Ulm", "126000", 'on the Danube,\nwith a ""minster""']


def test_each_cell_knows_the_name_of_its_column_and_of_its_row() -> None:
    document = read(TABLE)
    cell = document.blocks[2].cells[1]
    assert [document.text[a:b] for a, b in cell.column_headers] == ["People"]
    assert [document.text[a:b] for a, b in cell.row_headers] == ["Jena"]


def test_the_column_that_names_the_rows_has_a_name_too() -> None:
    first, *_ = read("Pump,Hall\nPU-1,North\nPU-2,South\n").blocks[1].cells
    assert [read("Pump,Hall\nPU-1,North\n").text[slice(*one)] for one in first.column_headers] == [
        "Pump"
    ]
    assert first.row_headers == ()


def test_a_table_without_names_has_no_headers() -> None:
    assert all(not c.column_headers for b in read("1,2\n3,4\n").blocks for c in b.cells)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    text = "\n".join(delimiter.join(row) for row in (["a", "b, c", "d"], ["1", "2", "3"]))
    if delimiter == ",":
        text = text.replace("b, c", '"b, c"')
    assert rows(read(text))[0] == ["a", "b, c", "d"]


def test_a_declared_delimiter_counts_and_is_no_row() -> None:
    document = read("sep=;\na,b;c\n")
    assert rows(document) == [["a,b", "c"]]
    assert document.blocks[0].place == "row 2"


def test_a_stray_quote_does_not_swallow_the_rest_of_the_file() -> None:
    document = read('a,b\n"open,1\n' + "x,2\n" * 20_000)
    assert len(document.blocks) == 20_002


def test_rows_of_another_length_are_reported_and_read() -> None:
    document = read("a,b\n1,2\n3\n4,5,6\n")
    assert len(document.blocks) == 4
    assert "2 rows" in document.warnings[0]


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "shift_jis", "utf-8-sig", "gb18030"])
def test_bytes_are_found_again_in_any_encoding(encoding: str) -> None:
    words = {"shift_jis": "東京の天気予報", "gb18030": "北京的天气预报"}.get(
        encoding, "Grüße aus Köln"
    )
    content = "\n".join(f"{words},{number}" for number in range(200)).encode(encoding)
    document = read(content)
    assert document.encoding is not None
    for block in document.blocks:
        where = document.byte_range(block.start, block.end)
        assert where is not None
        found = content[slice(*where)].decode(document.encoding)
        assert found == document.text[block.start : block.end]
    assert words in document.text


@given(
    st.lists(
        st.lists(st.text(LETTERS, max_size=8), min_size=2, max_size=4),
        min_size=1,
        max_size=5,
    )
)
def test_records_are_those_the_csv_module_reads(table: list[list[str]]) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL)
    writer.writerows(table)
    text = "sep=,\n" + buffer.getvalue()
    document = _read_text(text)
    wanted = [[v for v in row if v.strip()] for row in table]
    assert [[c.replace('""', '"') for c in row] for row in rows(document)] == [
        r for r in wanted if r
    ]


def _read_text(text: str) -> Document:
    # Marked as UTF-8, so that the encoding of odd letters is not guessed.
    return read(b"\xef\xbb\xbf" + text.encode())
