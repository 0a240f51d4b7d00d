"""Reads PDF files: text in reading order, the place of every word, pages and blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium

from pincite.document import Document, Page, document_id
from pincite.errors import ReadError
from pincite.ingest.outline import choose_title
from pincite.ingest.pdf_assembly import PdfAssembly
from pincite.ingest.pdf_columns import in_reading_order
from pincite.ingest.pdf_layout import body_style
from pincite.ingest.pdf_frame import PageFrame
from pincite.ingest.pdf_words import PageWords, Row, cut_into_segments

_SAMPLE_PAGES = 12
_ENCRYPTED = (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)
# Names that programs put in when the author gave no title.
_NO_TITLE = re.compile(
    r"^(untitled|document\d*|title|microsoft (word|excel|powerpoint) - |powerpoint presentation"
    r"|\(anonymous\)|\(unspecified\)|slide \d|[\W\d_]+$"
    r"|.*\.(docx?|xlsx?|pptx?|pdf|indd|qxd|tex|dvi|p65|fm|rtf|html?|txt|jpe?g|png|tiff?)$)",
    re.IGNORECASE,
)
# A few stray glyphs are normal; more than this share means the page reads as nonsense.
_UNMAPPED_SHARE_TO_TELL = 0.2


class PdfReader:
    """Reads `.pdf` files with PDFium; scripts, forms and attachments are left alone."""

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError when PDFium cannot open them."""
        pdf = _open(content)
        try:
            source = _PageSource(pdf)
            assembly = PdfAssembly(body_style(source.sample()))
            for number in range(1, len(pdf) + 1):
                assembly.add_page(number, *source.page(number))
            metadata_title = _metadata_title(pdf)
        finally:
            pdf.close()
        identifier, sha256 = document_id(content)
        return Document(
            id=identifier,
            sha256=sha256,
            title=choose_title(path, metadata_title, assembly.first_heading),
            media_type="application/pdf",
            text=assembly.text(),
            blocks=tuple(assembly.blocks),
            pages=tuple(assembly.pages),
            boxes=assembly.boxes,
            warnings=tuple(_warnings(assembly.pages, source)),
        )


def _open(content: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) in _ENCRYPTED or "password" in str(error).lower():
            raise ReadError(
                "it is encrypted and needs a password; save a copy without one"
            ) from error
        raise ReadError(
            f"the PDF is damaged and cannot be opened ({error}); "
            "open it in a PDF viewer and save or print it to a new PDF"
        ) from error


class _PageSource:
    """Gives the rows of each page, and notes the pages that have none and why."""

    def __init__(self, pdf: pypdfium2.PdfDocument) -> None:
        self._pdf = pdf
        self._read_ahead: dict[int, tuple[PageFrame, list[Row]]] = {}
        self.damaged: list[int] = []
        self.unmapped: list[int] = []
        self.cropped: list[int] = []

    def sample(self) -> Iterator[list[Row]]:
        """The rows of some pages spread over the file; they are kept until asked for again."""
        count = len(self._pdf)
        for number in range(1, count + 1, max(1, count // _SAMPLE_PAGES)):
            self._read_ahead[number] = self._read(number)
            yield self._read_ahead[number][1]

    def page(self, number: int) -> tuple[PageFrame, list[Row]]:
        """The shape of a page and its rows in reading order."""
        known = self._read_ahead.pop(number, None)
        return known if known is not None else self._read(number)

    def _read(self, number: int) -> tuple[PageFrame, list[Row]]:
        try:
            page = self._pdf[number - 1]
        except pypdfium2.PdfiumError:
            self.damaged.append(number)
            return PageFrame((0.0, 0.0, 0.0, 0.0), 0), []
        try:
            frame = PageFrame(page.get_bbox(), page.get_rotation())
            return frame, in_reading_order(self._rows(page, frame, number))
        except pypdfium2.PdfiumError:
            self.damaged.append(number)
            return PageFrame((0.0, 0.0, 0.0, 0.0), 0), []
        finally:
            page.close()

    def _rows(self, page: pypdfium2.PdfPage, frame: PageFrame, number: int) -> list[Row]:
        text_page = page.get_textpage()
        try:
            words = PageWords(text_page.raw, frame)
            rows = cut_into_segments(words.lines())
        finally:
            text_page.close()
        letters = sum(len(word.text) for row in rows for piece in row for word in piece.words)
        if words.unmapped > _UNMAPPED_SHARE_TO_TELL * letters:
            self.unmapped.append(number)
        if words.outside:
            self.cropped.append(number)
        return rows


def _warnings(pages: Sequence[Page], source: _PageSource) -> Iterator[str]:
    damaged, unmapped = sorted(source.damaged), sorted(source.unmapped)
    empty = [page.number for page in pages if page.start == page.end]
    empty = [number for number in empty if number not in source.damaged]
    if not pages:
        yield "the PDF has no pages; nothing in it can be found"
    if damaged:
        yield f"{_page_list(damaged, len(pages))} damaged and could not be read"
    if empty:
        have = "has" if len(empty) == 1 else "have"
        yield (
            f"{_page_list(empty, len(pages), verb=have)} no text (a scan or a picture); "
            f"nothing on {'it' if len(empty) == 1 else 'them'} can be found"
        )
    if unmapped:
        yield (
            f"{_page_list(unmapped, len(pages))} set in a font that does not say which letters its "
            "signs are; part of the text is missing"
        )
    if source.cropped:
        have = "has" if len(source.cropped) == 1 else "have"
        yield (
            f"{_page_list(sorted(source.cropped), len(pages), verb=have)} text outside the visible "
            "part; it was left out, because nobody can see it"
        )


def _page_list(numbers: Sequence[int], count: int, verb: str | None = None) -> str:
    """`page 3 is`, or `pages 3-7, 9 of 12 are`."""
    if len(numbers) == 1:
        return f"page {numbers[0]} {verb or 'is'}"
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    listed = ", ".join("-".join(map(str, run)) for run in runs)
    return f"pages {listed} of {count} {verb or 'are'}"


def _metadata_title(pdf: pypdfium2.PdfDocument) -> str | None:
    try:
        title = str(pdf.get_metadata_value("Title")).strip("\x00 \ufeff")
    except UnicodeDecodeError:
        return None
    return title if len(title) > 3 and not _NO_TITLE.match(title) else None
