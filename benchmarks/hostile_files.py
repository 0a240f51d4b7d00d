"""Hand-made files that exhaust or mislead a parser; imported by mutations.py."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator

_MEGABYTE = 1 << 20
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_LAUGHS = "".join(
    f'<!ENTITY l{level} "{f"&l{level - 1};" * 10}">' if level else '<!ENTITY l0 "ha">'
    for level in range(12)
)


def bombs(megabytes: int) -> Iterator[tuple[str, bytes]]:
    """Name and content of each; those that unpack to much unpack to so many megabytes."""
    yield from _texts()
    yield from _archives(megabytes * _MEGABYTE)
    yield from _pdfs(megabytes * _MEGABYTE)


def _texts() -> Iterator[tuple[str, bytes]]:
    yield "empty.pdf", b""
    yield "one-byte.docx", b"P"
    yield "zeros.txt", bytes(_MEGABYTE)
    yield "every-byte.txt", bytes(range(256)) * 4000
    yield "one-long-line.txt", b"word " * (2 * _MEGABYTE)
    yield "one-long-word.md", b"a" * (4 * _MEGABYTE)
    yield "deep-quote.md", b">" * 60_000 + b" text"
    yield "deep-list.md", "".join(f"{'  ' * depth}- item\n" for depth in range(2000)).encode()
    yield "open-brackets.md", b"[" * 100_000 + b"text" + b"]" * 100_000
    yield "stars.md", b"**a " * 100_000
    yield "deep.html", b"<div>" * 200_000 + b"text"
    yield "deep-table.html", b"<table><tr><td>" * 20_000 + b"text"
    yield "attributes.html", b"<p " + b"a=b " * 500_000 + b">text</p>"
    yield "wide-table.html", b"<table><tr><td colspan=1000000000 rowspan=1000000000>x</table>text"
    yield "entities.html", f"<!DOCTYPE html [{_LAUGHS}]><p>&l11; text</p>".encode()
    yield "laughs.xhtml", f'<?xml version="1.0"?><!DOCTYPE x [{_LAUGHS}]><x>&l11;</x>'.encode()
    yield "charset.html", b'<meta charset="utf-7"><p>+ADw-script+AD4- text</p>'
    yield "half-utf16.txt", b"\xff\xfe" + b"\x00\xd8" * 5000
    yield "deep-parts.eml", _nested_mail(400)
    yield "wide.csv", b"," * (2 * _MEGABYTE) + b"\n1"
    yield "open-quote.csv", b'a,"b' + b"\nc,d" * 200_000


def _nested_mail(depth: int) -> bytes:
    head = b"From: a@example.org\r\nSubject: deep\r\nMIME-Version: 1.0\r\n"
    for level in range(depth):
        head += b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (level, level)
    return head + b"Content-Type: text/plain\r\n\r\nThe text at the bottom.\r\n"


def _archives(much: int) -> Iterator[tuple[str, bytes]]:
    body = f'<w:document xmlns:w="{_WORD}"><w:body>{{}}</w:body></w:document>'
    paragraph = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
    yield "bomb.docx", _docx(body.format(paragraph.format("a" * much)))
    yield "paragraphs.docx", _docx(body.format("<w:p/>" * 3_000_000))
    yield "deep.docx", _docx(body.format("<w:p>" * 50_000 + "</w:p>" * 50_000))
    yield (
        "deep-table.docx",
        _docx(body.format("<w:tbl><w:tr><w:tc>" * 3000 + "</w:tc></w:tr></w:tbl>" * 3000)),
    )
    laughs = f"<!DOCTYPE w:document [{_LAUGHS}]>" + body.format(paragraph.format("&l11;"))
    yield "laughs.docx", _docx(laughs)
    outside = '<!DOCTYPE w:document [<!ENTITY f SYSTEM "file:///etc/passwd">]>'
    yield "outside.docx", _docx(outside + body.format(paragraph.format("&f;")))
    yield "not-xml.docx", _docx("this is no XML")
    yield "paths.docx", _zip({"../../etc/passwd": "x", "/abs": "x", "word/document.xml": "<x/>"})
    yield "many.docx", _zip({f"part{number}": "" for number in range(60_000)})
    yield "bomb.xlsx", _zip({"xl/workbook.xml": " " * much, "[Content_Types].xml": "x"})
    yield "bomb.pptx", _zip({"ppt/presentation.xml": "<a>" * 10_000_000})
    yield "bomb.epub", _zip({"mimetype": "application/epub+zip", "a": "\0" * much})
    inner = _zip({"zeros": "\0" * (much // 3)})
    yield "bomb-in-bomb.zip", _zip({f"{number}.zip": inner for number in range(50)})


def _docx(document: str) -> bytes:
    return _zip(
        {
            "[Content_Types].xml": (
                '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
                '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package'
                '.relationships+xml"/><Override PartName="/word/document.xml" ContentType='
                '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>'
                "</Types>"
            ),
            "_rels/.rels": (
                f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" '
                f'Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'
            ),
            "word/document.xml": document,
        }
    )


def _zip(parts: dict[str, str] | dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _pdfs(much: int) -> Iterator[tuple[str, bytes]]:
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 {size} {size}]/Contents 4 0 R{more}>>"
    text = b"BT /F1 12 Tf 50 50 Td (text) Tj ET"
    yield "huge-page.pdf", _pdf(page.format(size=10**9, more=""), text)
    yield "negative-page.pdf", _pdf(page.format(size=-5, more=""), text)
    yield "deep-array.pdf", _pdf(page.format(size=600, more=""), b"[" * 200_000)
    yield "deep-state.pdf", _pdf(page.format(size=600, more=""), b"q " * 500_000 + text)
    yield "flate-bomb.pdf", _pdf(page.format(size=600, more=""), b" " * much)
    picture = "/Resources<</XObject<</I 4 0 R>>>>"
    yield "own-content.pdf", _pdf(page.format(size=600, more=picture), b"/I Do " * 10_000)
    yield "many-words.pdf", _pdf(page.format(size=600, more=""), text * 30_000)
    many = "<</Type/Pages/Kids[" + "3 0 R " * 20_000 + "]/Count 20000>>"
    yield "many-pages.pdf", _pdf(page.format(size=600, more=""), text, pages=many)
    own = "<</Type/Pages/Kids[2 0 R]/Count 1>>"
    yield "own-parent.pdf", _pdf(page.format(size=600, more=""), text, pages=own)
    lie = "<</Type/Pages/Kids[3 0 R]/Count 2000000000>>"
    yield "count-lie.pdf", _pdf(page.format(size=600, more=""), text, pages=lie)
    yield "huge-picture.pdf", _picture_pdf(100_000)


def _picture_pdf(side: int) -> bytes:
    more = "/Resources<</XObject<</I 5 0 R>>>>"
    page = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R{more}>>"
    picture = (
        f"<</Type/XObject/Subtype/Image/Width {side}/Height {side}/ColorSpace/DeviceGray"
        "/BitsPerComponent 8/Filter/FlateDecode"
    )
    return _pdf(page, b"600 0 0 800 0 0 cm /I Do", extra=(picture, bytes(_MEGABYTE)))


def _pdf(
    page: str,
    content: bytes,
    *,
    pages: str = "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    extra: tuple[str, bytes] | None = None,
) -> bytes:
    """A PDF of hand-written objects; readers rebuild the missing cross-reference table."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", pages.encode(), page.encode()]
    objects.append(_stream("<</Filter/FlateDecode", content))
    if extra is not None:
        objects.append(_stream(*extra))
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % pair for pair in enumerate(objects, start=1))
    return b"%PDF-1.7\n" + body + b"trailer<</Root 1 0 R/Size 9>>\n%%EOF"


def _stream(head: str, content: bytes) -> bytes:
    packed = zlib.compress(content, 9)
    return b"%s/Length %d>>stream\n%s\nendstream" % (head.encode(), len(packed), packed)
