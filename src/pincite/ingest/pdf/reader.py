"""Reads PDF files: text in reading order, the position of every word, pages and blocks."""

from __future__ import annotations

import ctypes
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium

from pincite.errors import ReadError
from pincite.ingest.assembly import choose_title
from pincite.ingest.pdf.assembly import PdfAssembly
from pincite.ingest.pdf.headings import body_style, read_bookmarks
from pincite.ingest.pdf.hidden import OUTSIDE
from pincite.ingest.pdf.layout import group_lines
from pincite.ingest.pdf.objects import PdfObjects, streams, unpacked
from pincite.ingest.pdf.page_furniture import PAGES_AHEAD, RunningLines, with_footnotes
from pincite.ingest.pdf.pages import PageContent, PageSource, has_fields
from pincite.ingest.pdf.report import gaps_of, warnings_of
from pincite.ingest.pdf.scans import ScannedPages
from pincite.ingest.pdf.text_layer import TextLayer, text_layer
from pincite.ingest.reading import NeedsPassword, ReadingOptions
from pincite.records.document import Document, Flag, FlagKind, document_id

# Flags scripts, automatic actions and attached files.

_MOST_NAMES = 20
_LONGEST_NAME = 1024
# Names of actions in the file's objects.
_ACTIONS = {
    "JavaScript": re.compile(rb"/(?:JavaScript|JS)\b"),
    "an action that starts a program": re.compile(rb"/Launch\b"),
    "an action on opening": re.compile(rb"/(?:OpenAction|AA)\b"),
    "a form that is submitted": re.compile(rb"/SubmitForm\b"),
    "embedded media": re.compile(rb"/RichMedia\b"),
    "an XFA form": re.compile(rb"/XFA\b"),
}
_MOST_UNPACKED = 16 * 1024 * 1024
_GOES_TO_PAGE = re.compile(rb"/OpenAction\s*(?:\[|\d+ \d+ R|<<[^>]*/GoTo\b)")


def active_parts(pdf: pypdfium2.PdfDocument, content: bytes) -> Iterator[Flag]:
    """One flag for each kind of active content, and one for each attached file."""
    content = _without_streams(content)
    scripts = pdfium.FPDFDoc_GetJavaScriptActionCount(pdf.raw)
    for name, pattern in _ACTIONS.items():
        found = len(pattern.findall(content))
        if name == "an action on opening":
            found -= len(_GOES_TO_PAGE.findall(content))
        if name == "JavaScript":
            found = max(found, scripts)
        if found > 0:
            yield Flag(kind=FlagKind.ACTIVE_CONTENT, detail=f"it contains {name}; nothing was run")
    count = pdfium.FPDFDoc_GetAttachmentCount(pdf.raw)
    for index in range(min(count, _MOST_NAMES)):
        name = _attachment_name(pdfium.FPDFDoc_GetAttachment(pdf.raw, index))
        yield Flag(kind=FlagKind.ATTACHMENT, detail=f"the file {name} is attached; it was not read")
    if count > _MOST_NAMES:
        yield Flag(
            kind=FlagKind.ATTACHMENT, detail=f"{count - _MOST_NAMES} more files are attached"
        )


def _without_streams(content: bytes) -> bytes:
    """The objects of a file, including compressed ones, without pictures and page contents."""
    objects = []
    room, behind = _MOST_UNPACKED, 0
    for start, end, after in streams(content):
        objects.append(content[behind:start])
        behind = after
        if room > 0 and b"/ObjStm" in content[max(0, start - 300) : start]:
            inside = unpacked(content[start:end], room)
            room -= len(inside)
            objects.append(inside)
    return b"\n".join((*objects, content[behind:]))


def _attachment_name(attachment: object) -> str:
    buffer = (ctypes.c_ushort * _LONGEST_NAME)()
    length = pdfium.FPDFAttachment_GetName(attachment, buffer, 2 * _LONGEST_NAME)
    name = bytes(buffer)[: max(0, min(length, 2 * _LONGEST_NAME) - 2)]
    return repr(name.decode("utf-16-le", "replace")) if name else "without a name"


_SAMPLE_PAGES = 12
_MOST_TIMES_LISTED = 20
_ENCRYPTED = (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY)
# Titles that programs insert when the author gave none.
_NO_TITLE = re.compile(
    r"^(untitled|document\d*|title|microsoft (word|excel|powerpoint) - |powerpoint presentation"
    r"|\(anonymous\)|\(unspecified\)|slide \d|[\W\d_]+$"
    r"|.*\.(docx?|xlsx?|pptx?|pdf|indd|qxd|tex|dvi|p65|fm|rtf|html?|txt|jpe?g|png|tiff?)$)",
    re.IGNORECASE,
)


_XFA = (
    "its form is written in XFA, which is not read; open it in the program that made it and print it "
    "to a new PDF"
)


def _is_unread_form(pdf: pypdfium2.PdfDocument) -> bool:
    """Whether its form is in XFA alone: what is entered in it stands in no field of a page."""
    kind = pdf.get_formtype()
    if kind != pypdfium2.raw.FORMTYPE_XFA_FOREGROUND:
        return bool(kind == pypdfium2.raw.FORMTYPE_XFA_FULL)
    return not any(has_fields(page) for page in pdf)


class PdfReader:
    """Reads `.pdf` files with PDFium; flags scripts, actions and attachments, and ignores them."""

    def __init__(self, options: ReadingOptions | None = None) -> None:
        self._options = options or ReadingOptions()

    def read(self, path: Path, content: bytes) -> Document:
        """Read one file's bytes. Raises ReadError if PDFium cannot open them."""
        pdf = _open(content)
        try:
            objects = PdfObjects(content)
            _check_page_list(objects)
            reading = _Reading(pdf, self._options, text_layer(objects))
            count = len(pdf)
            reading.run()
            flags = (*reading.assembly.flags, *active_parts(pdf, content))
            metadata_title = _metadata_title(pdf)
            unread_form = [_XFA] if _is_unread_form(pdf) else []
        finally:
            pdf.close()
        assembly = reading.assembly
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
            recognised=tuple(assembly.recognised),
            gaps=(*gaps_of(assembly.pages, count, reading.scans.advice), *unread_form),
            warnings=(
                *warnings_of(count, reading.blank, reading.cropped),
                *reading.scans.warnings(count),
            ),
            flags=flags,
        )


class _Reading:
    """One pass over the pages of a file; only a few are in memory at a time."""

    def __init__(
        self, pdf: pypdfium2.PdfDocument, options: ReadingOptions, layer: TextLayer
    ) -> None:
        self.assembly = PdfAssembly()
        self.scans = ScannedPages(
            recognise=options.recognise, on_recognising=options.on_recognising
        )
        self.blank: list[int] = []
        self.cropped: list[int] = []
        self._source = PageSource(pdf, self.scans, options, layer)
        self._running = RunningLines(len(pdf))
        self._bookmarks = read_bookmarks(pdf)

    def run(self) -> None:
        """Read every page into the assembly."""
        sample = self._source.sample(_SAMPLE_PAGES)
        self._body = body_style(page.items for page in sample)
        for page in self._noted_pages():
            self._add(page)
        self.assembly.finish()

    def _noted_pages(self) -> Iterator[PageContent]:
        """Yields each page after the following ones were noted, because headers show by recurring."""
        waiting: deque[PageContent] = deque()
        for page in self._source.pages():
            self._running.note(page.number, page.items, page.layout.height)
            waiting.append(page)
            if len(waiting) > PAGES_AHEAD:
                yield waiting.popleft()
        yield from waiting

    def _add(self, page: PageContent) -> None:
        lines = self._running.sort(page.number, page.items, page.layout.height)
        titles = self._bookmarks.get(page.number, {})
        groups = list(group_lines(lines.body, self._body, titles))
        groups = with_footnotes(groups, self._body, page.layout.height)
        self.assembly.add_page(page, groups, header=lines.header, footer=lines.footer)
        if page.blank:
            self.blank.append(page.number)
        if any(hidden.reason == OUTSIDE for hidden in page.hidden):
            self.cropped.append(page.number)


def _open(content: bytes) -> pypdfium2.PdfDocument:
    try:
        pdf = pypdfium2.PdfDocument(content)
        pdf.init_forms()
        return pdf
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) in _ENCRYPTED or "password" in str(error).lower():
            raise NeedsPassword(
                "it is encrypted and needs a password; save a copy without one"
            ) from error
        raise ReadError(
            f"the PDF is damaged and cannot be opened ({error}); "
            "open it in a PDF viewer and save or print it to a new PDF"
        ) from error


def _check_page_list(objects: PdfObjects) -> None:
    times = objects.most_page_listings()
    if times > _MOST_TIMES_LISTED:
        raise ReadError(
            f"its page list names one page {times:,} times, which no ordinary program does; "
            "print the pages you need to a new PDF"
        )


def _metadata_title(pdf: pypdfium2.PdfDocument) -> str | None:
    try:
        title = str(pdf.get_metadata_value("Title")).strip("\x00 \ufeff")
    except UnicodeDecodeError:
        return None
    return title if len(title) > 3 and not _NO_TITLE.match(title) else None
