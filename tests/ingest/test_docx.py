from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import pytest
from docx.document import Document as WordDocument
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from pincite.document import Document
from pincite.errors import ReadError
from pincite.ingest.docx import DocxReader

Save = Callable[[WordDocument], bytes]


def read(content: bytes) -> Document:
    return DocxReader().read(Path("letter.docx"), content)


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(b.kind.value, document.text[b.start : b.end]) for b in document.blocks]


def add_xml(word: WordDocument, body: str) -> None:
    paragraph = parse_xml(f"<w:p {nsdecls('w')}>{body}</w:p>")
    word.element.body.insert(len(word.element.body) - 1, paragraph)


def test_headings_paragraphs_lists_and_tables_are_found(docx_bytes: Save) -> None:
    word = docx.Document()
    word.add_heading("Manual", 0)
    word.add_heading("Setup", 1)
    word.add_paragraph("Plug it in.")
    word.add_paragraph("first", style="List Bullet")
    table = word.add_table(2, 2)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"c{number}"
    document = read(docx_bytes(word))
    assert blocks(document) == [
        ("heading", "Manual"),
        ("heading", "Setup"),
        ("paragraph", "Plug it in."),
        ("list_item", "first"),
        ("table_row", "c0 | c1"),
        ("table_row", "c2 | c3"),
    ]
    assert document.blocks[-1].section == ("Manual", "Setup")
    assert document.title == "Manual"


def test_insertions_stay_and_deletions_go(docx_bytes: Save) -> None:
    word = docx.Document()
    add_xml(
        word,
        "<w:r><w:t xml:space='preserve'>Pay </w:t></w:r>"
        "<w:del><w:r><w:delText>ten</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>twenty</w:t></w:r></w:ins>"
        "<w:hyperlink><w:r><w:t xml:space='preserve'> here</w:t></w:r></w:hyperlink>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>",
    )
    assert read(docx_bytes(word)).text == "Pay twenty here"


def test_merged_cells_are_not_repeated_and_nested_tables_are_read(docx_bytes: Save) -> None:
    word = docx.Document()
    table = word.add_table(2, 3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"
    table.cell(0, 2).merge(table.cell(1, 2)).text = "tall"
    table.cell(1, 0).add_table(1, 2).cell(0, 0).text = "inner"
    table.cell(1, 1).text = "low"
    texts = [text for _, text in blocks(read(docx_bytes(word)))]
    assert texts == ["wide | tall", " | low", "inner | "]


@pytest.mark.parametrize("limit_or_ratio", ["limit", "ratio"])
def test_a_zip_bomb_is_refused_before_it_is_unpacked(limit_or_ratio: str) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * (20 << 20))
    limit = (1 if limit_or_ratio == "limit" else 256) << 20
    with pytest.raises(ReadError, match="unpacks to"):
        DocxReader(max_unpacked_bytes=limit).read(Path("a.docx"), buffer.getvalue())


def test_damaged_files_raise_nothing_but_read_errors(docx_bytes: Save) -> None:
    word = docx.Document()
    word.add_heading("Title", 1)
    word.add_paragraph("Some text.")
    content = docx_bytes(word)
    draw = random.Random(3)
    for _ in range(60):
        damaged = bytearray(content)
        for _ in range(20):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        try:
            read(bytes(damaged))
        except ReadError:
            continue


def test_damaged_xml_inside_a_sound_archive_raises_nothing_but_read_errors(
    docx_bytes: Save,
) -> None:
    content = docx_bytes(docx.Document())
    draw = random.Random(4)
    names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    for name in names:
        for damage in ("cut", "empty", "gone", "other"):
            try:
                read(_damage(content, name, damage, draw))
            except ReadError:
                continue


def _damage(content: bytes, damaged: str, damage: str, draw: random.Random) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            if name != damaged:
                new.writestr(name, part)
            elif damage != "gone":
                cut = part[: draw.randrange(len(part))]
                new.writestr(name, {"cut": cut, "empty": b"", "other": b"<a/>"}[damage])
    return buffer.getvalue()


def test_real_files_give_what_they_are_known_for(real_documents: Path) -> None:
    def text(name: str) -> str:
        return read((real_documents / "open" / name).read_bytes()).text

    assert "root:" not in text("ExternalEntityInText.docx")
    assert len(text("textbox.docx")) > 1500
    assert text("table_footnotes.docx").endswith("snoska")
    assert "This is a footnote." in text("testWORD_various.docx")
    assert len(text("handbook-872p.docx")) > 800_000
