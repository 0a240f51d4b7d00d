"""Text of a PDF that is not what its pages show."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import pytest
import reportlab

from pincite.errors import ReadError
from pincite.ingest.pdf.objects import PdfObjects, streams
from pincite.ingest.pdf.reader import PdfReader
from pincite.ingest.pdf.text_layer import breaks_glyph_order, letters_of_glyphs, text_layer
from pincite.records.document import BlockKind, Document, FlagKind

_SHOWN = "BT /F1 12 Tf 72 700 Td (The pump is tested every year.) Tj ET\n"
_MAP = """/CIDInit /ProcSet findresource begin 12 dict begin begincmap
1 begincodespacerange <00> <ff> endcodespacerange
2 beginbfrange <20> <30> <0020> <33> <7e> <0033> endbfrange
2 beginbfchar <31> <%s> <32> <%s> endbfchar endcmap end end"""
HONEST, LYING = _MAP % ("0031", "0032"), _MAP % ("0039", "0039")

VERA = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"


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
    assert "different letters than it draws" in hidden(document)[0]


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
    assert text_layer(PdfObjects(content)).wrong_fonts == {b"Helvetica"}


def test_names_that_are_no_letters_and_small_capitals_are_no_lie() -> None:
    subset = "/Encoding << /Differences [49 /g12 /c7] >>"
    made = pdf("", font=f"/ToUnicode 6 0 R {subset}", extra=mapped(LYING))
    assert not text_layer(PdfObjects(made)).wrong_fonts
    capitals = _MAP % ("0031", "0032") + " 1 beginbfchar <61> <0041> endbfchar"
    assert not text_layer(
        PdfObjects(pdf("", font="/ToUnicode 6 0 R", extra=mapped(capitals)))
    ).wrong_fonts


def numbered(
    told: dict[str, str], *, with_table: bool, text: str = "The limit is 12 bar."
) -> bytes:
    """A page drawn with glyph numbers that map to other letters."""
    program = VERA.read_bytes()
    found = letters_of_glyphs(program)
    if not with_table:
        program = program.replace(b"cmap", b"cmaq", 1)
    glyphs = {letter: glyph for glyph, letters in found.items() for letter in letters}
    glyphs |= {" ": 3, ".": 17}
    signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ."
    pairs = "\n".join(f"<{glyphs[sign]:04x}> <{ord(told.get(sign, sign)):04x}>" for sign in signs)
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange "
        f"<0000> <ffff> endcodespacerange {len(signs)} beginbfchar\n{pairs}\nendbfchar "
        "endcmap end end"
    )
    drawn = "".join(f"{glyphs[sign]:04x}" for sign in text)
    extra = (
        f"{mapped(cmap)}\n7 0 obj << /Type /Font /Subtype /CIDFontType2 /BaseFont /Vera /DW 600 "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "
        "/CIDToGIDMap /Identity /FontDescriptor 8 0 R >> endobj\n8 0 obj << /Type /FontDescriptor "
        "/FontName /Vera /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 "
        "/Descent -200 /CapHeight 700 /StemV 80 /FontFile2 9 0 R >> endobj\n"
        f"9 0 obj << /Length {len(program)} >> stream\n{program.decode('latin-1')}\n"
        "endstream endobj"
    )
    content = f"BT /F1 12 Tf 72 600 Td <{drawn}> Tj ET\n"
    made = pdf(content, font="/Encoding /Identity-H /ToUnicode 6 0 R", extra=extra)
    return made.replace(
        b"/Subtype /Type1 /BaseFont /Helvetica",
        b"/Subtype /Type0 /BaseFont /Vera /DescendantFonts [7 0 R]",
    )


def not_as_it_looks(document: Document) -> list[str]:
    return [
        document.text[flag.start : flag.end]
        for flag in document.flags
        if flag.kind is FlagKind.REPLACED_TEXT
    ]


@pytest.mark.parametrize("with_table", [True, False])
@pytest.mark.parametrize(
    "lie", [{"1": "9", "2": "9"}, {"1": "2", "2": "1"}, {"b": "t"}], ids=["99", "21", "tar"]
)
def test_glyphs_by_number_that_are_told_as_others_are_flagged(
    lie: dict[str, str], with_table: bool
) -> None:
    document = read(numbered(lie, with_table=with_table))
    expected = "".join(lie.get(sign, sign) for sign in "The limit is 12 bar.")
    assert not_as_it_looks(document) == [expected]


@pytest.mark.parametrize("with_table", [True, False])
def test_glyphs_by_number_that_are_told_as_they_are_drawn_are_not(with_table: bool) -> None:
    document = read(numbered({}, with_table=with_table))
    assert "The limit is 12 bar." in quotable(document)
    assert not document.flags


@pytest.mark.parametrize(
    ("signs", "is_odd"),
    [
        ("0123456789", False),
        ("0993456789", True),
        ("0213456789", True),
        ("2012345", False),  # numbered as they come up in a text
        ("dhetaxy", False),
        ("abcdefgh", False),
        ("abcdafgh", True),
    ],
)
def test_a_row_of_glyphs_that_is_broken_is_odd(signs: str, is_odd: bool) -> None:
    assert breaks_glyph_order(list(enumerate(signs, 20))) is is_odd


def test_a_font_program_that_is_damaged_has_no_letters() -> None:
    whole = VERA.read_bytes()
    assert letters_of_glyphs(b"") == letters_of_glyphs(b"\x00\x01\x00\x00\xff\xff") == {}
    assert len(letters_of_glyphs(whole)) == 62
    for length in range(0, 4000, 97):
        assert letters_of_glyphs(whole[:length]) == {}


def test_text_that_the_file_puts_in_the_place_of_what_it_draws_is_flagged() -> None:
    content = f"{_SHOWN}/Span << /ActualText (The limit is 99 bar.) >> BDC\n{PRESSURE}EMC\n"
    document = read(pdf(content))
    flags = [flag for flag in document.flags if flag.kind is FlagKind.REPLACED_TEXT]
    assert [document.text[flag.start : flag.end] for flag in flags] == ["The limit is 99 bar."]
    assert str(flags[0].kind) == "text layer, not appearance"


def test_a_hyphen_or_bullet_in_place_of_what_is_drawn_is_not() -> None:
    content = f"{_SHOWN}/Span << /ActualText (-) >> BDC BT /F1 12 Tf 72 600 Td (*) Tj ET EMC\n"
    assert not read(pdf(content)).flags


def layered(configuration: str, shown_when: str = "", content: str = PRESSURE) -> bytes:
    """A text of layer 6, or under a condition on the layers 6 and 7."""
    return pdf(
        f"{_SHOWN}/OC /L1 BDC\n{content}EMC\n",
        catalog=f"/OCProperties << /OCGs [6 0 R 7 0 R] /D << {configuration} >> >>",
        extra="6 0 obj << /Type /OCG /Name (Draft) >> endobj\n"
        "7 0 obj << /Type /OCG /Name (Final) >> endobj\n"
        f"8 0 obj << /Type /OCMD {shown_when} >> endobj",
        page=f"/Properties << /L1 {'8' if '/' in shown_when else '6'} 0 R >>",
    )


def check_layer(made: bytes, *, is_shown: bool) -> None:
    document = read(made)
    assert "tested every year" in quotable(document)
    assert ("12 bar" in quotable(document)) is is_shown
    assert any("switched off" in detail for detail in hidden(document)) is not is_shown


@pytest.mark.parametrize(
    ("configuration", "is_shown"),
    [
        ("/Order [6 0 R] /OFF [6 0 R]", False),
        ("/Order [6 0 R] /ON [6 0 R]", True),
        ("/OFF [7 0 R]", True),
        ("/#4fFF [6 0 R]", False),
        ("/BaseState /OFF", False),
        ("/BaseState /OFF /ON [6 0 R]", True),
        ("/BaseState /OFF /ON [7 0 R]", False),
    ],
)
def test_a_layer_that_is_switched_off_is_not_quoted(configuration: str, is_shown: bool) -> None:
    check_layer(layered(configuration), is_shown=is_shown)


@pytest.mark.parametrize(
    ("shown_when", "is_shown"),
    [
        ("/OCGs 6 0 R", False),
        ("/OCGs 7 0 R", True),
        ("/OCGs [6 0 R 7 0 R]", True),
        ("/OCGs [6 0 R 7 0 R] /P /AnyOn", True),
        ("/OCGs [6 0 R 7 0 R] /P /AllOn", False),
        ("/OCGs [6 0 R 7 0 R] /P /AnyOff", True),
        ("/OCGs [6 0 R 7 0 R] /P /AllOff", False),
        ("/OCGs [7 0 R] /P /AllOff", False),
        ("/OCGs [6 0 R] /P /AllOff", True),
        ("/VE [/And 6 0 R 7 0 R]", False),
        ("/VE [/Or 6 0 R 7 0 R]", True),
        ("/VE [/Not 6 0 R]", True),
        ("/VE [/And 7 0 R [/Not [/Or 6 0 R 7 0 R]]]", False),
        ("/OCGs 7 0 R /VE [/Not 7 0 R]", False),
    ],
)
def test_a_policy_or_an_expression_over_layers_says_what_is_shown(
    shown_when: str, is_shown: bool
) -> None:
    check_layer(layered("/OFF [6 0 R]", shown_when), is_shown=is_shown)


def test_a_layer_within_one_that_is_switched_off_is_not_quoted() -> None:
    nested = f"/OC /L1 BDC\n/OC /L2 BDC\n{PRESSURE}EMC\nEMC\n"
    made = pdf(
        f"{_SHOWN}{nested}",
        catalog="/OCProperties << /OCGs [6 0 R 7 0 R] /D << /OFF [6 0 R] >> >>",
        extra="6 0 obj << /Type /OCG /Name (A) >> endobj 7 0 obj << /Type /OCG /Name (B) >> endobj",
        page="/Properties << /L1 6 0 R /L2 7 0 R >>",
    )
    check_layer(made, is_shown=False)


@pytest.mark.parametrize("is_shown", [True, False])
def test_a_form_that_belongs_to_a_layer_is_quoted_while_the_layer_is_shown(is_shown: bool) -> None:
    form = (
        f"7 0 obj << /Type /XObject /Subtype /Form /BBox [0 0 612 792] /OC 6 0 R "
        f"/Resources << /Font << /F1 4 0 R >> >> /Length {len(PRESSURE)} >> "
        f"stream\n{PRESSURE}\nendstream endobj"
    )
    made = pdf(
        f"{_SHOWN}/Fm Do\n",
        catalog=f"/OCProperties << /OCGs [6 0 R] /D << /{'ON' if is_shown else 'OFF'} [6 0 R] >> >>",
        extra=f"6 0 obj << /Type /OCG /Name (A) >> endobj\n{form}",
        page="/XObject << /Fm 7 0 R >>",
    )
    check_layer(made, is_shown=is_shown)


def test_two_layers_that_lie_on_each_other_are_told_apart() -> None:
    other = PRESSURE.replace("12", "99")
    made = pdf(
        f"{_SHOWN}/OC /L1 BDC\n{PRESSURE}EMC\n/OC /L2 BDC\n{other}EMC\n",
        catalog="/OCProperties << /OCGs [6 0 R 7 0 R] /D << /OFF [7 0 R] >> >>",
        extra="6 0 obj << /Type /OCG /Name (A) >> endobj 7 0 obj << /Type /OCG /Name (A) >> endobj",
        page="/Properties << /L1 6 0 R /L2 7 0 R >>",
    )
    document = read(made)
    assert "99" in document.text
    assert "12 bar" in quotable(document)
    assert "99" not in quotable(document)


def test_white_text_on_a_dark_layer_is_quoted() -> None:
    on_dark = f"0 0 0.5 rg 60 590 300 30 re f 1 1 1 rg\n{PRESSURE}0 g\n"
    check_layer(layered("/OFF [7 0 R]", content=on_dark), is_shown=True)


@pytest.mark.parametrize(
    ("before", "behind", "reason"),
    [
        ("q 0 0 50 50 re W n\n", "Q\n", "clipped away"),
        ("q 60 650 300 40 re W n 60 0 300 20 re W n\n", "Q\n", "clipped away"),
        ("", "0.9 0.9 1 rg 60 590 300 30 re f\n", "covered by something painted over it"),
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
