"""Detects the format of a file from its first bytes, then from its name."""

from __future__ import annotations

import io
import re
import zipfile
from enum import StrEnum
from pathlib import Path

from pincite.errors import ReadError
from pincite.ingest.reading import NeedsPassword
from pincite.settings.plugins import Hook, Plugin


class Format(StrEnum):
    """The file formats Pincite reads."""

    PDF = "pdf"
    DOCX = "docx"
    XLSX = "xlsx"
    PPTX = "pptx"
    OPEN_DOCUMENT = "opendocument"
    EPUB = "epub"
    EML = "eml"
    CALENDAR = "ics"
    CSV = "csv"
    MARKDOWN = "markdown"
    HTML = "html"
    NOTEBOOK = "ipynb"
    JSON = "json"
    XML = "xml"
    YAML = "yaml"
    TOML = "toml"
    SUBTITLES = "subtitles"
    TEXT = "text"


READABLE_SUFFIXES: dict[str, Format] = {
    ".pdf": Format.PDF,
    ".docx": Format.DOCX,
    ".docm": Format.DOCX,
    ".xlsx": Format.XLSX,
    ".xlsm": Format.XLSX,
    ".pptx": Format.PPTX,
    ".pptm": Format.PPTX,
    ".odt": Format.OPEN_DOCUMENT,
    ".ott": Format.OPEN_DOCUMENT,
    ".ods": Format.OPEN_DOCUMENT,
    ".ots": Format.OPEN_DOCUMENT,
    ".odp": Format.OPEN_DOCUMENT,
    ".otp": Format.OPEN_DOCUMENT,
    ".epub": Format.EPUB,
    ".eml": Format.EML,
    ".ics": Format.CALENDAR,
    ".csv": Format.CSV,
    ".tsv": Format.CSV,
    ".md": Format.MARKDOWN,
    ".markdown": Format.MARKDOWN,
    ".mdx": Format.MARKDOWN,
    ".html": Format.HTML,
    ".htm": Format.HTML,
    ".xhtml": Format.HTML,
    ".ipynb": Format.NOTEBOOK,
    ".json": Format.JSON,
    ".jsonl": Format.JSON,
    ".ndjson": Format.JSON,
    ".xml": Format.XML,
    ".yaml": Format.YAML,
    ".yml": Format.YAML,
    ".toml": Format.TOML,
    ".srt": Format.SUBTITLES,
    ".vtt": Format.SUBTITLES,
    ".txt": Format.TEXT,
    ".text": Format.TEXT,
    ".log": Format.TEXT,
    ".rst": Format.TEXT,
}

PARSERS = Hook(
    "parsers",
    {
        # Given by name, not imported: reading Markdown must not load the PDF engine.
        Format.PDF: "pincite.ingest.pdf.reader:PdfReader",
        Format.DOCX: "pincite.ingest.docx.reader:DocxReader",
        Format.XLSX: "pincite.ingest.office.xlsx:XlsxReader",
        Format.PPTX: "pincite.ingest.office.pptx:PptxReader",
        Format.OPEN_DOCUMENT: "pincite.ingest.office.opendocument:OpenDocumentReader",
        Format.EPUB: "pincite.ingest.html.epub:EpubReader",
        Format.EML: "pincite.ingest.mail.reader:EmlReader",
        Format.CALENDAR: "pincite.ingest.mail.calendar:CalendarReader",
        Format.CSV: "pincite.ingest.plain.delimited:DelimitedReader",
        Format.MARKDOWN: "pincite.ingest.markdown.reader:MarkdownReader",
        Format.HTML: "pincite.ingest.html.reader:HtmlReader",
        Format.NOTEBOOK: "pincite.ingest.data.notebook:NotebookReader",
        Format.JSON: "pincite.ingest.data.json_reader:JsonReader",
        Format.XML: "pincite.ingest.data.xml_reader:XmlReader",
        Format.YAML: "pincite.ingest.data.settings_files:YamlReader",
        Format.TOML: "pincite.ingest.data.settings_files:TomlReader",
        Format.SUBTITLES: "pincite.ingest.plain.subtitles:SubtitleReader",
        Format.TEXT: "pincite.ingest.plain.text:TextReader",
    },
)
"""The parser of each format; a plugin is registered under its file extension without the dot."""

_OLE_HEADER = bytes.fromhex("D0CF11E0A1B11AE1")
_ZIP_HEADERS = (b"PK\x03\x04", b"PK\x05\x06")
# The part required by each zipped format; some programs number it (`document2.xml`).
_ZIP_PARTS = {
    re.compile(r"word/document\d*\.xml"): Format.DOCX,
    re.compile(r"xl/workbook\d*\.xml"): Format.XLSX,
    re.compile(r"ppt/presentation\d*\.xml"): Format.PPTX,
    re.compile(r"META-INF/container\.xml"): Format.EPUB,
    re.compile(r"content\.xml"): Format.OPEN_DOCUMENT,
}
_BINARY = frozenset((Format.PDF, *_ZIP_PARTS.values()))
_OTHER_ZIPS = {
    "xl/workbook.bin": "a binary workbook (.xlsb)",
}
# Stream names of old Office files; the file's directory holds them in UTF-16.
_OLE_KINDS = {
    "EncryptedPackage": ("a password-protected Office file", "a file without a password"),
    "WordDocument": ("an old Word .doc file", ".docx"),
    "Workbook": ("an old Excel .xls file", ".xlsx"),
    "PowerPoint Document": ("an old PowerPoint .ppt file", ".pptx"),
    "__substg1.0": ("an Outlook message (.msg)", ".eml"),
}


def detect(path: Path, content: bytes) -> Format:
    """The format of a file; content takes precedence over name. Raises ReadError if unsupported."""
    if not content:
        raise ReadError("the file is empty (0 bytes)")
    named = READABLE_SUFFIXES.get(path.suffix.lower())
    if _is_pdf(content, named):
        return Format.PDF
    if content.startswith(_OLE_HEADER):
        raise _old_office(content)
    if content.startswith(_ZIP_HEADERS):
        return _zip_format(content)
    if _is_disguised_page(content, named):
        return Format.HTML
    return _named_format(path, named)


def _old_office(content: bytes) -> ReadError:
    for name, (found, wanted) in _OLE_KINDS.items():
        if name.encode("utf-16-le") in content:
            refusal = NeedsPassword if name == "EncryptedPackage" else ReadError
            return refusal(f"it is {found}; open it in its own program and save it as {wanted}")
    return NeedsPassword(
        "it is a password-protected document or an old Office file (.doc, .xls, .ppt); open it in "
        "its own program and save it as .docx, .xlsx or .pptx without a password"
    )


def _is_disguised_page(content: bytes, named: Format | None) -> bool:
    """Whether a file named as an Office file is a web page, as exports of old systems often are."""
    head = content[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return named in _BINARY and head.startswith((b"<!doctype html", b"<html"))


def _is_pdf(content: bytes, named: Format | None) -> bool:
    """Whether a PDF header occurs near the start.

    A text about PDF files may mention the header, so a file named as text must start with it or
    also have the trailer that ends every PDF.
    """
    if b"%PDF-" not in content[:1024]:
        return False
    return (
        named in (None, Format.PDF)
        or content.lstrip().startswith(b"%PDF-")
        or b"startxref" in content[-2048:]
    )


def _zip_format(content: bytes) -> Format:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = frozenset(archive.namelist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise ReadError(
            f"it starts like an Office file but is damaged or truncated ({error}); "
            "get a complete copy of the file"
        ) from error
    for part, kind in _ZIP_PARTS.items():
        if any(part.fullmatch(name) for name in names):
            return kind
    found = next((kind for part, kind in _OTHER_ZIPS.items() if part in names), None)
    found = found or "a zip archive that contains no document"
    raise ReadError(f"it is {found}; Pincite reads {readable_list()}; convert it to one of these")


def _named_format(path: Path, named: Format | None) -> Format:
    if named is None:
        suffix = path.suffix or "no extension"
        raise ReadError(
            f"Pincite does not read this file type ({suffix}); it reads {readable_list()}"
        )
    if named in _BINARY:
        raise ReadError(
            f"it is named {path.suffix} but does not start like one; "
            "it is damaged or of another type; get a complete copy of the file"
        )
    return named


def added_parser(suffix: str) -> Plugin | None:
    """The plugin for an extension that no built-in parser reads; None if there is none."""
    ending = suffix.lower()
    if not ending or ending in READABLE_SUFFIXES:
        return None
    return next((one for one in PARSERS.added() if f".{one.name.lower()}" == ending), None)


def is_readable(suffix: str) -> bool:
    """Whether a built-in parser or a plugin reads files with this extension."""
    return suffix.lower() in READABLE_SUFFIXES or added_parser(suffix) is not None


def readable_list() -> str:
    """The extensions of readable files, for messages."""
    added = (f".{one.name}" for one in PARSERS.added() if added_parser(f".{one.name}"))
    return " ".join(dict.fromkeys((*READABLE_SUFFIXES, *added)))
