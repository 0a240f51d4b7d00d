from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from pincite.errors import ReadError
from pincite.ingest.html.epub import EpubReader
from pincite.records.document import Document

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf"/></rootfiles></container>'
)
OPF = (
    '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<metadata><dc:title>Of Pumps</dc:title></metadata><manifest>"
    '<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
    '<item id="b" href="text/b.xhtml" media-type="application/xhtml+xml"/>'
    '<item id="a" href="text/a%20.xhtml" media-type="application/xhtml+xml"/>'
    '<item id="c" href="text/gone.xhtml" media-type="application/xhtml+xml"/>'
    '</manifest><spine><itemref idref="a"/><itemref idref="b"/>{more}</spine></package>'
)
NAV = '<nav><a href="text/a%20.xhtml#top">Beginnings</a><a href="text/b.xhtml">Endings</a></nav>'
PARTS = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OPS/book.opf": OPF.format(more=""),
    "OPS/nav.xhtml": NAV,
    "OPS/text/a .xhtml": "<html><body><p>First &eacute;tape.</p><aside>A note.</aside></body></html>",
    "OPS/text/b.xhtml": "<html><body><h1>Endings</h1><p>Last words.</p></body></html>",
}


def book(**changes: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in (PARTS | changes).items():
            archive.writestr(name, content)
    return buffer.getvalue()


def read(content: bytes) -> Document:
    return EpubReader().read(Path("book.epub"), content)


def test_chapters_come_in_reading_order_under_their_titles() -> None:
    document = read(book())
    found = [(b.place, b.section, document.text[b.start : b.end]) for b in document.blocks]
    assert found == [
        ("Beginnings", ("Beginnings",), "First étape."),
        ("Beginnings", ("Beginnings",), "A note."),
        ("Endings", ("Endings",), "Endings"),
        ("Endings", ("Endings",), "Last words."),
    ]
    assert document.title == "Of Pumps"
    assert not document.gaps


def test_a_missing_chapter_is_a_gap() -> None:
    opf = OPF.format(more='<itemref idref="c"/>')
    assert "chapter 3" in read(book(**{"OPS/book.opf": opf})).gaps[0]


def test_copy_protection_is_refused_but_scrambled_fonts_are_not() -> None:
    def lock(method: str) -> bytes:
        xml = (
            '<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
            f'<e:EncryptionMethod Algorithm="{method}"/></encryption>'
        )
        return book(**{"META-INF/encryption.xml": xml})

    assert read(lock("http://www.idpf.org/2008/embedding")).blocks
    with pytest.raises(ReadError, match="copy protection"):
        read(lock("http://www.w3.org/2001/04/xmlenc#aes128-cbc"))


def test_a_book_without_chapters_is_refused() -> None:
    with pytest.raises(ReadError, match="no chapters"):
        read(book(**{"OPS/book.opf": "<package/>"}))
