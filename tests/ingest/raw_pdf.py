"""PDFs written byte by byte, with what no library for writing them lets through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Line = tuple[int, int, str]
"""Size of the letters, height above the foot of the page, text."""


def raw_pdf(
    lines: Sequence[Line],
    *,
    units: Mapping[str, int] | None = None,
    bookmark: bytes = b"",
    xfa: bytes = b"",
    is_drawn_by_reader: bool = False,
) -> bytes:
    """A page in Helvetica. `units` are the UTF-16 units that the font says its letters mean, and
    `bookmark` is the title, in UTF-16, of one that leads to the page. `xfa` is the XML of a form
    without fields of its own, which the reader of the PDF has to draw.
    """
    content = "".join(f"BT /F {size} Tf 50 {y} Td ({text}) Tj ET\n" for size, y, text in lines)
    more = b"/Outlines 7 0 R" if bookmark else b""
    more += b"/AcroForm<</XFA 9 0 R/Fields[]>>" if xfa else b""
    more += b"/NeedsRendering true" if is_drawn_by_reader else b""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R%s>>" % more,
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
        b"/Resources<</Font<</F 5 0 R>>>>>>",
        _stream(content.encode("ascii")),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>",
        _stream(_to_unicode(units or {})),
        b"<</Type/Outlines/First 8 0 R/Last 8 0 R/Count 1>>",
        b"<</Title<FEFF%s>/Parent 7 0 R/Dest[3 0 R/Fit]>>" % bookmark.hex().encode(),
        _stream(xfa),
    ]
    return _file(objects)


def _stream(content: bytes) -> bytes:
    return b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content)


def _to_unicode(units: Mapping[str, int]) -> bytes:
    letters = [chr(code) for code in range(0x20, 0x7F)]
    rows = "\n".join(f"<{ord(s):02X}> <{units.get(s, ord(s)):04X}>" for s in letters)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "/CMapName /Own def /CMapType 2 def\n"
        "1 begincodespacerange <00> <FF> endcodespacerange\n"
        f"{len(letters)} beginbfchar\n{rows}\nendbfchar\nendcmap end end\n"
    ).encode()


def _file(objects: Sequence[bytes]) -> bytes:
    written = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(b"%010d 00000 n \n" % len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    size = len(objects) + 1
    table = b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, b"".join(places))
    end = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (size, len(written))
    return written + table + end
