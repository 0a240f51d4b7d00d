"""The same blocks in every format: nothing of a document's text becomes markup, nothing is lost."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import docx
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html
from markdown_it import MarkdownIt
from verify.browsing import needs_browser, overflow

from pincite.errors import UsageError
from pincite.report.fonts import FOLDERS, Fonts, _font_files
from pincite.report.layout import Block, Heading, Look, Paragraph, Table, Words, plain
from pincite.report.markdown import markdown
from pincite.report.page import page
from pincite.report.pdf import pdf_file
from pincite.report.word import word_file

HOSTILE = (
    "<script>alert(1)</script> ![x](http://evil.example/p.png) [a](javascript:b) # no *heading* "
    '| & "&lt;"'
)
BLOCKS: tuple[Block, ...] = (
    Heading(text=f"Title {HOSTILE}", level=1),
    Heading(text="1. Section", level=2),
    Paragraph(words=(Words(text=HOSTILE), Words(text="[1, p. 3]", quotes=(1,))), look=Look.ITEM),
    Paragraph(words=(Words(text=HOSTILE),), look=Look.NOTE),
    Table(names=("File", "SHA-256"), rows=((HOSTILE, "ab" * 32),)),
    Paragraph(
        words=(Words(text="[1]", quotes=(1,)), Words(text=f" {HOSTILE}")),
        look=Look.REFERENCE,
        reference=1,
    ),
)
TEXTS = st.text(max_size=80).map(plain).filter(bool)


def shown(source: str) -> str:
    """The text that a reader of this Markdown sees; no link, picture or raw HTML may be in it."""
    seen = []
    for token in MarkdownIt("commonmark").enable("table").parse(source):
        assert token.type != "html_block"
        for child in token.children or ():
            assert child.type not in ("link_open", "image", "html_inline", "code_inline"), source
            seen.append(child.content)
    return "".join(seen)


@settings(max_examples=200)
@given(TEXTS, st.sampled_from([Look.TEXT, Look.ITEM, Look.NEAR, Look.NOTE, Look.REFERENCE]))
def test_text_in_markdown_is_seen_as_it_is(text: str, look: Look) -> None:
    source = markdown([Paragraph(words=(Words(text=text),), look=look)])
    assert shown(source) == text


@given(TEXTS)
def test_headings_in_markdown_are_seen_as_they_are(text: str) -> None:
    assert shown(markdown([Heading(text=text, level=2)])) == text


def test_a_mark_in_markdown_cannot_become_a_link() -> None:
    mark = Words(text="[3, p. x](http://evil.example)]", quotes=(3,))
    source = markdown([Paragraph(words=(Words(text="a "), mark))])
    assert shown(source) == "a [3, p. x](http://evil.example)]"


def test_a_page_loads_nothing_runs_nothing_and_leads_only_to_itself() -> None:
    tree = html.fromstring(page(BLOCKS))
    policy = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy[0].startswith("default-src 'none'; style-src 'sha256-")
    assert not tree.xpath("//script | //img | //link | //iframe | //@onclick | //@src")
    assert {link[:1] for link in tree.xpath("//@href")} == {"#"}
    assert tree.xpath("//p[@class='item']")[0].text_content() == f"{HOSTILE}[1, p. 3]"
    assert tree.xpath("//a/@href")[0].lstrip("#") in tree.xpath("//p/@id")


def test_a_word_file_holds_the_text_and_its_marks_lead_to_bookmarks() -> None:
    content = word_file(BLOCKS)
    document = docx.Document(io.BytesIO(content))
    assert document.paragraphs[0].text == f"Title {HOSTILE}"
    assert document.paragraphs[2].text == f"{HOSTILE}[1, p. 3]"
    assert document.tables[0].rows[1].cells[0].text == HOSTILE
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        body = parts.read("word/document.xml").decode()
        outside = [
            name
            for name in parts.namelist()
            if "External" in parts.read(name).decode("utf8", "ignore")
        ]
    assert 'w:anchor="quote_1"' in body
    assert 'w:name="quote_1"' in body
    assert outside == []


def test_a_pdf_holds_the_text_an_outline_and_links_to_the_references() -> None:
    content, told = pdf_file(BLOCKS)
    document = pypdfium2.PdfDocument(content)
    text = " ".join(document[0].get_textpage().get_text_range().split())
    assert told == []
    assert "<script>alert(1)</script>" in text
    assert [item.get_title() for item in document.get_toc()] == [f"Title {HOSTILE}", "1. Section"]
    document.close()
    assert b"/URI" not in content
    assert b"/JavaScript" not in content


def test_the_same_report_gives_the_same_bytes() -> None:
    assert word_file(BLOCKS) == word_file(BLOCKS)
    assert pdf_file(BLOCKS) == pdf_file(BLOCKS)


def test_a_pdf_without_fonts_for_a_script_says_so_in_itself_and_to_the_caller() -> None:
    blocks = [Heading(text="T", level=1), *BLOCKS[3:4], Paragraph(words=(Words(text="नमः 🔥"),))]
    content, told = pdf_file(blocks, folders=())
    assert len(told) == 1
    assert "U+0928 DEVANAGARI LETTER NA and 2 more" in told[0]
    assert "U+1F525 FIRE" in told[0]
    document = pypdfium2.PdfDocument(content)
    text = " ".join(document[0].get_textpage().get_text_range().split())
    document.close()
    assert "DEVANAGARI LETTER NA" in text
    assert "???" in text


def test_chinese_without_a_font_is_left_to_the_viewer_and_that_is_told() -> None:
    fonts = Fonts(folders=())
    assert fonts.runs("温度 45 온도") == [
        ("STSong-Light", "温度"),
        ("Vera", " 45 "),
        ("HYSMyeongJo-Medium", "온도"),
    ]
    assert "Chinese, Korean characters depend on the fonts" in fonts.notices()[0]


@pytest.mark.skipif(not _font_files(FOLDERS), reason="no fonts on this system")
def test_fonts_of_the_system_are_found_for_what_reportlab_cannot_show() -> None:
    fonts = Fonts()
    assert "?" not in "".join(text for _, text in fonts.runs("Ωμέγα Привет"))
    assert fonts.notices() == []


def test_a_font_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "font.ttf").write_bytes(b"no font")
    with pytest.raises(UsageError, match="not a TrueType font"):
        Fonts([tmp_path / "font.ttf"])


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b", "a\x1b[31mb", "a\ufffeb"])
def test_what_no_format_can_hold_is_replaced_before_any_is_written(text: str) -> None:
    blocks = [Heading(text=plain(text), level=1)]
    assert "\N{REPLACEMENT CHARACTER}" in blocks[0].text
    assert markdown(blocks)
    assert page(blocks)
    assert word_file(blocks)
    assert pdf_file(blocks)


@needs_browser
@pytest.mark.parametrize("width", [375, 1280])
def test_no_page_is_wider_than_the_screen(tmp_path: Path, width: int) -> None:
    name = f"{'x' * 200}.pdf"
    blocks = [
        *BLOCKS,
        Heading(text=name, level=2),
        *(Paragraph(words=(Words(text=name),), look=look) for look in Look),
        Table(names=("File", "Recommended", "Availability", "Approximately"), rows=((name,) * 4,)),
    ]
    assert overflow(page(blocks), tmp_path, width=width) == 0
