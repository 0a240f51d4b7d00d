from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from pincite.errors import ReadError
from pincite.ingest.detect import detect
from pincite.records import formats
from pincite.records.formats import BY_SUFFIX, FileFormat

OLE = bytes.fromhex("D0CF11E0A1B11AE1")


def zip_with(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return buffer.getvalue()


@pytest.mark.parametrize(("suffix", "expected"), BY_SUFFIX.items())
def test_text_formats_are_told_by_their_name(suffix: str, expected: FileFormat) -> None:
    if not expected.found_by_content:
        assert detect(Path(f"a{suffix.upper()}"), b"hello") is expected


def test_a_pdf_is_a_pdf_whatever_its_name() -> None:
    content = b"\n%PDF-1.7\n...\nstartxref\n0\n%%EOF"
    assert detect(Path("a.txt"), content) is formats.PDF
    assert detect(Path("a.bin"), b"junk" * 100 + content) is formats.PDF


def test_a_text_that_mentions_the_pdf_header_stays_a_text() -> None:
    assert detect(Path("a.md"), b"A PDF begins with %PDF-1.7.") is formats.MARKDOWN


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("word/document.xml", formats.DOCX),
        ("word/document2.xml", formats.DOCX),
        ("xl/workbook.xml", formats.XLSX),
        ("ppt/presentation.xml", formats.PPTX),
        ("META-INF/container.xml", formats.EPUB),
        ("content.xml", formats.OPEN_DOCUMENT),
    ],
)
def test_zipped_formats_are_told_by_their_parts(part: str, expected: FileFormat) -> None:
    assert detect(Path("a.zip"), zip_with(part)) is expected


def test_a_web_page_called_a_workbook_is_a_web_page() -> None:
    assert detect(Path("export.xlsx"), b"\r\n<html><table></table></html>") is formats.HTML


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.txt", b"", "empty"),
        ("a.docx", OLE + b"x", "password-protected"),
        ("a.xls", OLE + "Workbook".encode("utf-16-le"), r"old Excel .xls file.*save it as .xlsx"),
        ("a.ppt", OLE + "PowerPoint Document".encode("utf-16-le"), r"save it as .pptx"),
        ("a.xlsx", OLE + "EncryptedPackage".encode("utf-16-le"), "password-protected Office file"),
        ("a.docx", zip_with("word/document.xml")[:-40], "damaged or truncated"),
        ("a.docx", b"hello", "does not start like one"),
        ("a.pdf", b"hello", "does not start like one"),
        ("a.xlsb", zip_with("xl/workbook.bin"), "binary workbook"),
        ("a.zip", zip_with("a.txt"), "contains no document"),
        ("a.epub", b"hello", "does not start like one"),
        ("a.xyz", b"hello", r"\.xyz\).*\.pdf \.docx"),
        ("README", b"hello", "no extension"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(
    name: str, content: bytes, reason: str
) -> None:
    with pytest.raises(ReadError, match=reason):
        detect(Path(name), content)
