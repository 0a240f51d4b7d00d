from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import ReadError
from pincite.ingest.safety.cleaning import (
    DEEPEST_SECTION,
    LONGEST_NAME_CHARS,
    cleaned,
    cleaned_name,
)
from pincite.ingest.sandbox.sandbox import SandboxedReader
from pincite.records.document import Block, BlockKind, Cell, Document, Flag, FlagKind, Page
from pincite.records.document_codec import document_from_bytes, document_to_bytes
from tests.ingest.raw_pdf import raw_pdf

BODY = [(11, 700 - 14 * row, f"Pump {row} holds twelve litres of oil.") for row in range(8)]
HEADING = "Apparatus of the pump house"
LONE = {"A": 0xD800}
ANY_TEXT = st.text(
    st.characters(exclude_categories=()) | st.sampled_from("\ud800\udfff\x00\x1b\x9b"), max_size=30
)


def document(text: str = "", **parts: object) -> Document:
    empty = Document(id="", sha256="", title="", media_type="application/pdf", text=text)
    return replace(empty, **parts)  # type: ignore[arg-type]


# --- Real files -------------------------------------------------------------------------------


def test_half_a_character_in_the_text_of_a_pdf_is_replaced_and_told(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(raw_pdf([(24, 750, HEADING), *BODY], units=LONE))
    with SandboxedReader() as reader:
        read = reader.read(tmp_path / "a.pdf")
    assert read.text.startswith("\ufffdpparatus of the pump house")
    assert "Pump 3 holds twelve litres of oil." in read.text
    assert any("invalid or control characters" in warning for warning in read.warnings)


def test_and_so_it_is_in_a_heading(tmp_path: Path) -> None:
    title = "pparatus of the pump house".encode("utf-16-be")
    content = raw_pdf([(24, 750, HEADING), *BODY], units=LONE, bookmark=title)
    (tmp_path / "a.pdf").write_bytes(content)
    with SandboxedReader() as reader:
        read = reader.read(tmp_path / "a.pdf")
    assert read.blocks[-1].section == ("\ufffdpparatus of the pump house",)
    assert read.title == "\ufffdpparatus of the pump house"


@pytest.mark.parametrize("unit", [b"\xd8\x00", b"\xdc\x00"])
def test_half_a_character_in_a_bookmark_costs_nothing_of_the_file(
    tmp_path: Path, unit: bytes
) -> None:
    title = unit + HEADING.encode("utf-16-be")
    (tmp_path / "a.pdf").write_bytes(raw_pdf([(24, 750, HEADING), *BODY], bookmark=title))
    with SandboxedReader() as reader:
        read = reader.read(tmp_path / "a.pdf")
    assert read.text.startswith(HEADING)
    assert read.blocks[-1].section == (HEADING,)


# --- Whatever a reader gives ------------------------------------------------------------------


@given(ANY_TEXT)
def test_every_offset_stays_what_it_was(text: str) -> None:
    clean = cleaned(document(text)).text
    assert len(clean) == len(text)
    assert all(new in (old, "\ufffd") for old, new in zip(text, clean, strict=True))
    clean.encode()
    assert not set(map(ord, clean)) & {*range(9), *range(14, 32), 127, *range(128, 133)}


@given(ANY_TEXT)
def test_no_string_of_a_document_holds_what_cannot_be_stored_or_shown(text: str) -> None:
    block = Block(
        start=0,
        end=0,
        kind=BlockKind.TABLE_ROW,
        section=(text, "Pumps"),
        place=text,
        cells=(Cell(start=0, end=0, place=text),),
    )
    page = Page(number=1, start=0, end=0, width=1.0, height=1.0, label=text, gap=text)
    clean = cleaned(
        document(
            title=text,
            media_type=text,
            blocks=(block,),
            pages=(page,),
            gaps=(text,),
            warnings=(text,),
            flags=(Flag(kind=FlagKind.ATTACHMENT, detail=text),),
        )
    )
    expected = cleaned_name(text)
    expected.encode()
    (row,) = clean.blocks
    assert row.section == (expected, "Pumps")
    assert row.place == row.cells[0].place == clean.title == clean.media_type == expected
    assert (clean.pages[0].label, clean.pages[0].gap) == (expected, expected)
    assert clean.gaps == (expected,)
    assert clean.warnings[0] == clean.flags[0].detail == expected
    assert (len(clean.warnings) == 2) == (expected != text)


@given(st.text(max_size=50))
def test_what_is_clean_stays_the_same_object(text: str) -> None:
    block = Block(start=0, end=0, kind=BlockKind.HEADING, section=("Pumps",))
    plain = document(encoding="utf-8", text=text, blocks=(block,))
    assert cleaned(plain) == plain
    assert cleaned(plain).blocks[0] is block


def test_endless_strings_are_cut_and_that_is_told() -> None:
    endless = "x" * 5_000_000
    block = Block(start=0, end=0, kind=BlockKind.HEADING, section=(endless,) * 100)
    clean = cleaned(document(title=endless, blocks=(block,), gaps=("a gap",) * 100_000))
    assert len(clean.title) == LONGEST_NAME_CHARS
    assert len(clean.blocks[0].section) == DEEPEST_SECTION
    assert sum(map(len, clean.blocks[0].section)) == DEEPEST_SECTION * LONGEST_NAME_CHARS
    assert len(clean.gaps) < 2_000
    assert clean.gaps[-1] == "... and 99000 more"
    assert "were truncated" in clean.warnings[-1]


def test_control_characters_of_a_text_file_stay_as_its_bytes_are() -> None:
    text = "one\x1b two"
    clean = cleaned(document(text, encoding="utf-8"))
    assert clean.text == text
    assert clean.byte_range(5, 8) == (5, 8)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "no-such-codec", "undefined", "idna"])
def test_a_text_that_cannot_be_the_bytes_of_its_file_is_refused(encoding: str) -> None:
    sent = document("a\ud800" + "b" * 99, encoding=encoding)
    with pytest.raises(ReadError, match="its text cannot be encoded"):
        cleaned(document_from_bytes(document_to_bytes(sent)))
