"""Hostile archives, made here, against every reader of a zipped format."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import openpyxl
import pptx
import pytest

from pincite.errors import ReadError
from pincite.ingest.office.package import Package, PackageLimits
from pincite.ingest.readers import FileReader
from pincite.records.document import Document, FlagKind

Parts = dict[str, bytes]
LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l "ha">'
    b'<!ENTITY m "&l;&l;&l;&l;&l;&l;&l;&l;&l;&l;"><!ENTITY n "&m;&m;&m;&m;&m;&m;&m;&m;">]>'
)


def saved(save: Callable[[io.BytesIO], object]) -> Parts:
    buffer = io.BytesIO()
    save(buffer)
    with zipfile.ZipFile(buffer) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def word() -> Parts:
    document = docx.Document()
    document.add_paragraph("Some text.")
    return saved(document.save)


def workbook() -> Parts:
    book = openpyxl.Workbook()
    book.active.append(["Some", "text"])
    return saved(book.save)


def slides() -> Parts:
    deck = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Some text"
    return saved(deck.save)


MAKERS = {
    "word/document.xml": word,
    "xl/worksheets/sheet1.xml": workbook,
    "ppt/slides/slide1.xml": slides,
}
every_format = pytest.mark.parametrize("main", MAKERS)


def zipped(parts: Parts, *more: tuple[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile warns of the duplicates that are meant here
        for name, content in (*parts.items(), *more):
            archive.writestr(name, content)
    return buffer.getvalue()


def read(content: bytes) -> Document:
    return FileReader().read_attachment(Path("file.bin"), content)


@every_format
def test_the_sound_file_is_read(main: str) -> None:
    assert "Some" in read(zipped(MAKERS[main]())).text


@every_format
def test_entities_that_multiply_are_refused(main: str) -> None:
    parts = MAKERS[main]()
    _, _, body = parts[main].partition(b"?>")
    with pytest.raises(ReadError, match="declares XML entities"):
        read(zipped(parts | {main: LAUGHS + (body or parts[main])}))


@every_format
def test_entities_in_utf_16_are_refused_too(main: str) -> None:
    evil = '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
    with pytest.raises(ReadError, match="declares XML entities"):
        read(zipped(MAKERS[main]() | {main: evil.encode("utf-16")}))


@every_format
def test_entities_are_refused_whatever_the_name_of_their_part(main: str) -> None:
    with pytest.raises(ReadError, match="declares XML entities"):
        read(zipped(MAKERS[main](), ("media/sheet.dat", LAUGHS + b"<a>&n;</a>")))


@every_format
@pytest.mark.parametrize("name", ["../evil.xml", "/etc/evil.xml", "word\\..\\..\\evil", "C:\\evil"])
def test_names_that_point_outside_are_refused(main: str, name: str) -> None:
    with pytest.raises(ReadError, match="points outside"):
        read(zipped(MAKERS[main](), (name, b"x")))


@every_format
def test_a_part_that_is_there_twice_is_refused(main: str) -> None:
    with pytest.raises(ReadError, match="twice"):
        read(zipped(MAKERS[main](), (main, b"<other/>")))


@every_format
def test_a_bomb_is_refused_before_it_is_unpacked(main: str) -> None:
    with pytest.raises(ReadError, match="times its size"):
        read(zipped(MAKERS[main](), ("media/bomb.png", b"0" * (40 << 20))))


@every_format
def test_nested_archives_are_named_and_not_opened(main: str) -> None:
    inner = zipped({"a.txt": b"never read this"})
    document = read(zipped(MAKERS[main](), ("embeddings/inner.zip", inner)))
    assert "never read" not in document.text
    (flag,) = document.flags
    assert flag.kind is FlagKind.ATTACHMENT
    assert "embeddings/inner.zip" in flag.detail


@every_format
def test_macros_are_reported_and_never_run(main: str) -> None:
    document = read(zipped(MAKERS[main](), ("vbaProject.bin", b"Sub AutoOpen()")))
    (flag,) = document.flags
    assert flag.kind is FlagKind.ACTIVE_CONTENT
    assert "never run" in flag.detail


def test_links_to_outside_templates_are_reported() -> None:
    parts = word()
    rels = "word/_rels/document.xml.rels"
    link = (
        b'<Relationship Id="rId99" TargetMode="External" Target="http://evil.example/t.dotm" '
        b'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate"/>'
    )
    parts[rels] = parts[rels].replace(b"</Relationships>", link + b"</Relationships>")
    (flag,) = read(zipped(parts)).flags
    assert "http://evil.example/t.dotm" in flag.detail


def test_too_many_parts_are_refused() -> None:
    content = zipped({f"p{number}": b"" for number in range(30)})
    with pytest.raises(ReadError, match="30 parts"):
        Package(content, kind="Word file", limits=PackageLimits(parts=20))


def test_password_protected_archives_are_refused() -> None:
    content = bytearray(zipped(word()))
    # The first bit of the flags in each entry of the directory says "encrypted".
    position = content.find(b"PK\x01\x02")
    while position >= 0:
        content[position + 8] |= 1
        position = content.find(b"PK\x01\x02", position + 4)
    with pytest.raises(ReadError, match="password"):
        read(bytes(content))


@every_format
def test_files_saved_as_strict_open_xml_are_read(main: str) -> None:
    usual = re.compile(rb"http://schemas.openxmlformats.org/(\w+)/2006/(main|relationships)")
    strict = {name: usual.sub(_strict, content) for name, content in MAKERS[main]().items()}
    assert "Some" in read(zipped(strict)).text


def _strict(match: re.Match[bytes]) -> bytes:
    if match[1] == b"package":  # named alike in both kinds
        return match[0]
    return b"http://purl.oclc.org/ooxml/" + match[1] + b"/" + match[2]
