"""Text of a PDF that is not what its pages show."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import pytest

from pincite.document import BlockKind, Document, FlagKind
from pincite.errors import ReadError
from pincite.ingest.pdf import PdfReader
from pincite.ingest.pdf_objects import PdfObjects, streams
from pincite.ingest.pdf_text_layer import text_layer

_SHOWN = "BT /F1 12 Tf 72 700 Td (The pump is tested every year.) Tj ET\n"
_MAP = """/CIDInit /ProcSet findresource begin 12 dict begin begincmap
1 begincodespacerange <00> <ff> endcodespacerange
2 beginbfrange <20> <30> <0020> <33> <7e> <0033> endbfrange
2 beginbfchar <31> <%s> <32> <%s> endbfchar endcmap end end"""
HONEST, LYING = _MAP % ("0031", "0032"), _MAP % ("0039", "0039")


def pdf(
    content: str, *, font: str = "", extra: str = "", catalog: str = "", page: str = ""
) -> bytes:
    """A page with this content; `extra` are objects from number 6 on."""
    objects = [
        f"1 0 obj << /Type /Catalog /Pages 2 0 R {catalog} >> endobj",
        "2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj",
        f"3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R "
        f"/Resources << /Font << /F1 4 0 R >> {page} >> >> endobj",
        f"4 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica {font} >> endobj",
        f"5 0 obj << /Length {len(content)} >> stream\n{content}\nendstream endobj",
        extra,
    ]
    return ("%PDF-1.7\n" + "\n".join(objects) + "\ntrailer << /Root 1 0 R >>").encode("latin-1")


def read(content: bytes) -> Document:
    return PdfReader().read(Path("report.pdf"), content)


def quotable(document: Document) -> str:
    return "\n".join(
        document.text[block.start : block.end]
        for block in document.blocks
        if block.kind is not BlockKind.HIDDEN
    )


def hidden(document: Document) -> list[str]:
    return [flag.detail for flag in document.flags if flag.kind is FlagKind.HIDDEN_TEXT]


def mapped(cmap: str) -> str:
    return f"6 0 obj << /Length {len(cmap)} >> stream\n{cmap}\nendstream endobj"


PRESSURE = "BT /F1 12 Tf 72 600 Td (The limit is 12 bar.) Tj ET\n"


@pytest.mark.parametrize(
    "encoding",
    [
        "",
        "/Encoding /WinAnsiEncoding",
        "/Encoding << /Type /Encoding /Differences [49 /one /two] >>",
        "/Encoding << /BaseEncoding /WinAnsiEncoding /Differences [65 /A] >>",
    ],
)
def test_a_font_that_tells_other_digits_than_it_draws_is_not_quoted(encoding: str) -> None:
    content = pdf(PRESSURE, font=f"/ToUnicode 6 0 R {encoding}", extra=mapped(LYING))
    document = read(content)
    assert "99 bar" in document.text
    assert "99 bar" not in quotable(document)
    assert hidden(document)
    assert "other letters than it draws" in hidden(document)[0]


def test_a_font_that_tells_what_it_draws_is_quoted() -> None:
    document = read(pdf(PRESSURE, font="/ToUnicode 6 0 R", extra=mapped(HONEST)))
    assert "The limit is 12 bar." in quotable(document)
    assert not document.flags


def test_a_lie_in_a_compressed_object_is_seen() -> None:
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>"
    packed = zlib.compress(b"4 0 " + font)
    cmap = zlib.compress(LYING.encode())
    content = (
        b"6 0 obj << /Filter /FlateDecode /Length %d >> stream\n%b\nendstream endobj\n"
        b"7 0 obj << /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length %d >> "
        b"stream\n%b\nendstream endobj"
    ) % (len(cmap), cmap, len(packed), packed)
    assert text_layer(PdfObjects(content)).lying_fonts == {b"Helvetica"}


def test_names_that_are_no_letters_and_small_capitals_are_no_lie() -> None:
    subset = "/Encoding << /Differences [49 /g12 /c7] >>"
    made = pdf("", font=f"/ToUnicode 6 0 R {subset}", extra=mapped(LYING))
    assert not text_layer(PdfObjects(made)).lying_fonts
    capitals = _MAP % ("0031", "0032") + " 1 beginbfchar <61> <0041> endbfchar"
    assert not text_layer(
        PdfObjects(pdf("", font="/ToUnicode 6 0 R", extra=mapped(capitals)))
    ).lying_fonts


def test_text_that_the_file_puts_in_the_place_of_what_it_draws_is_flagged() -> None:
    content = f"{_SHOWN}/Span << /ActualText (The limit is 99 bar.) >> BDC\n{PRESSURE}EMC\n"
    document = read(pdf(content))
    flags = [flag for flag in document.flags if flag.kind is FlagKind.REPLACED_TEXT]
    assert [document.text[flag.start : flag.end] for flag in flags] == ["The limit is 99 bar."]
    assert str(flags[0].kind) == "text layer, not appearance"


def test_a_hyphen_or_bullet_in_place_of_what_is_drawn_is_not() -> None:
    content = f"{_SHOWN}/Span << /ActualText (-) >> BDC BT /F1 12 Tf 72 600 Td (*) Tj ET EMC\n"
    assert not read(pdf(content)).flags


LAYERS = (
    "/OCProperties << /OCGs [6 0 R] /D << /Order [6 0 R] {state} >> >>",
    "6 0 obj << /Type /OCG /Name (Draft) >> endobj",
)


@pytest.mark.parametrize(("state", "is_shown"), [("/OFF [6 0 R]", False), ("/ON [6 0 R]", True)])
def test_a_layer_that_is_switched_off_is_not_quoted(state: str, is_shown: bool) -> None:
    content = f"{_SHOWN}/OC /L1 BDC\n{PRESSURE}EMC\n"
    made = pdf(
        content,
        catalog=LAYERS[0].format(state=state),
        extra=LAYERS[1],
        page="/Properties << /L1 6 0 R >>",
    )
    document = read(made)
    assert ("12 bar" in quotable(document)) is is_shown
    assert any("switched off" in detail for detail in hidden(document)) is not is_shown


@pytest.mark.parametrize(
    ("before", "behind", "reason"),
    [
        ("q 0 0 50 50 re W n\n", "Q\n", "cut off"),
        ("q 60 650 300 40 re W n 60 0 300 20 re W n\n", "Q\n", "cut off"),
        ("", "0.9 0.9 1 rg 60 590 300 30 re f\n", "under what is painted over it"),
    ],
)
def test_text_that_is_cut_off_or_covered_is_not_quoted(
    before: str, behind: str, reason: str
) -> None:
    document = read(pdf(f"{_SHOWN}{before}{PRESSURE}{behind}"))
    assert "12 bar" not in quotable(document)
    assert "tested every year" in quotable(document)
    assert [detail for detail in hidden(document) if reason in detail]


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("q 60 590 300 40 re W n\n", "Q\n"),
        ("0.9 0.9 1 rg 60 590 300 30 re f 0 g\n", ""),
        ("", "0.9 0.9 1 rg 60 590 30 30 re f\n"),
        ("", "0.9 0.9 1 RG 60 590 300 30 re S\n"),
        ("", "q 0 0 10 10 re W n 0.9 0.9 1 rg 60 590 300 30 re f Q\n"),
        ("", "/G1 gs 1 1 0 rg 60 590 300 30 re f\n"),  # a marker pen
    ],
)
def test_text_that_shows_is_quoted(before: str, behind: str) -> None:
    state = "/ExtGState << /G1 << /BM /Multiply /ca 0.5 >> >>"
    document = read(pdf(f"{_SHOWN}{before}{PRESSURE}{behind}", page=state))
    assert "The limit is 12 bar." in quotable(document)


def test_streams_without_an_end_cost_no_more_than_their_length() -> None:
    assert not list(streams(b"stream\n" * 100_000))
    assert list(streams(b"stream\nab endstream stream\r\ncd endstream")) == [
        (7, 10, 19),
        (28, 31, 40),
    ]


def test_objects_are_found_by_number_and_what_they_refer_to() -> None:
    objects = PdfObjects(b"3 0 obj << /A 12 0 R /B /C >> endobj 12 0 obj << /D (x) >> endobj")
    assert sorted(objects.numbers()) == [3, 12]
    assert re.search(rb"/D \(x\)", objects.value(objects.dictionary(3), b"A"))
    assert objects.value(objects.dictionary(3), b"B").startswith(b"/C")
    assert objects.reference(objects.dictionary(3), b"A") == 12


def test_one_page_named_thousands_of_times_is_refused() -> None:
    content = pdf(_SHOWN).replace(
        b"/Kids [3 0 R] /Count 1", b"/Kids [" + b"3 0 R " * 5_000 + b"] /Count 5000"
    )
    with pytest.raises(ReadError, match="names one page 5,000 times"):
        read(content)
    assert len(read(content.replace(b"3 0 R " * 4_998, b"").replace(b"5000", b"2")).pages) == 2
