"""The file formats Pincite reads: all that is known of a format stands in its entry here.

What reads a format is named and not imported, so that reading Markdown does not load the PDF engine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath


class Markup(StrEnum):
    """How marks within the text of a document are read when a quote is shown."""

    NONE = ""
    MARKDOWN = "markdown"
    RST = "rst"
    HTML = "html"
    """No marks; the line breaks are those that a browser shows."""


class Gives(StrEnum):
    """What a reader is given when it is created."""

    NOTHING = ""
    OPTIONS = "options"
    """`ReadingOptions`: pages to count, pictures to recognise."""
    FILES = "files"
    """A function that reads a file inside this one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FileFormat:
    """One format.

    `media_types` are those of its documents, by suffix. `zip_part` matches the part that every
    zipped file of this format has; `magic` the first bytes of one that is told by them. `library` is
    the package that does the reading, empty for Python's own modules.
    """

    name: str
    label: str
    media_types: dict[str, str]
    reader: str = ""
    markup: Markup = Markup.NONE
    gives: Gives = Gives.NOTHING
    zip_part: str = ""
    magic: bytes = b""
    ole_stream: str = ""
    old_streams: tuple[str, ...] = ()
    """Of the older binary files of the same program, which LibreOffice turns into this format."""
    library: str = ""

    @property
    def found_by_content(self) -> bool:
        """Whether files are told by what is in them, whatever their name."""
        return bool(self.zip_part or self.magic or self.ole_stream)

    def __str__(self) -> str:
        return self.name


_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN = "application/vnd.oasis.opendocument."

PDF = FileFormat(
    name="pdf",
    label="PDF",
    media_types={".pdf": "application/pdf"},
    reader="pincite.ingest.pdf.reader:PdfReader",
    gives=Gives.OPTIONS,
    magic=b"%PDF-",
    library="pypdfium2",
)
DOCX = FileFormat(
    name="docx",
    label="Word",
    media_types=dict.fromkeys((".docx", ".docm", ".doc"), f"{_OFFICE}wordprocessingml.document"),
    reader="pincite.ingest.docx.reader:DocxReader",
    # Some programs number the part (`document2.xml`).
    zip_part=r"word/document\d*\.xml",
    old_streams=("WordDocument",),
    library="lxml",
)
XLSX = FileFormat(
    name="xlsx",
    label="Excel",
    media_types=dict.fromkeys((".xlsx", ".xlsm", ".xls"), f"{_OFFICE}spreadsheetml.sheet"),
    reader="pincite.ingest.office.xlsx:XlsxReader",
    zip_part=r"xl/workbook\d*\.xml",
    old_streams=("Workbook", "Book"),
    library="openpyxl",
)
PPTX = FileFormat(
    name="pptx",
    label="PowerPoint",
    media_types=dict.fromkeys((".pptx", ".pptm", ".ppt"), f"{_OFFICE}presentationml.presentation"),
    reader="pincite.ingest.office.pptx:PptxReader",
    zip_part=r"ppt/presentation\d*\.xml",
    old_streams=("PowerPoint Document",),
    library="python-pptx",
)
EPUB = FileFormat(
    name="epub",
    label="EPUB",
    media_types={".epub": "application/epub+zip"},
    reader="pincite.ingest.html.epub:EpubReader",
    zip_part=r"META-INF/container\.xml",
    library="selectolax",
)
OPEN_DOCUMENT = FileFormat(
    name="opendocument",
    label="OpenDocument",
    media_types={
        ".odt": f"{_OPEN}text",
        ".ott": f"{_OPEN}text",
        ".ods": f"{_OPEN}spreadsheet",
        ".ots": f"{_OPEN}spreadsheet",
        ".odp": f"{_OPEN}presentation",
        ".otp": f"{_OPEN}presentation",
    },
    reader="pincite.ingest.office.opendocument:OpenDocumentReader",
    zip_part=r"content\.xml",
    library="lxml",
)
RTF = FileFormat(
    name="rtf",
    label="Rich text",
    media_types={".rtf": "application/rtf"},
    reader="pincite.ingest.office.rtf:RtfReader",
    magic=b"{\\rtf",
)
EML = FileFormat(
    name="eml",
    label="E-mail",
    media_types={".eml": "message/rfc822"},
    reader="pincite.ingest.mail.reader:EmlReader",
    gives=Gives.FILES,
)
MSG = FileFormat(
    name="msg",
    label="Outlook message",
    media_types={".msg": "application/vnd.ms-outlook"},
    reader="pincite.ingest.mail.outlook:MsgReader",
    gives=Gives.FILES,
    ole_stream="__substg1.0",
    library="python-oxmsg",
)
MBOX = FileFormat(
    name="mbox",
    label="Mailbox",
    media_types={".mbox": "application/mbox"},
    reader="pincite.ingest.mail.mailbox:MboxReader",
    gives=Gives.FILES,
)
CALENDAR = FileFormat(
    name="ics",
    label="Calendar",
    media_types={".ics": "text/calendar"},
    reader="pincite.ingest.mail.calendar:CalendarReader",
    library="icalendar",
)
CSV = FileFormat(
    name="csv",
    label="CSV",
    media_types=dict.fromkeys((".csv", ".tsv"), "text/csv"),
    reader="pincite.ingest.plain.delimited:DelimitedReader",
)
MARKDOWN = FileFormat(
    name="markdown",
    label="Markdown",
    media_types=dict.fromkeys((".md", ".markdown", ".mdx"), "text/markdown"),
    reader="pincite.ingest.markdown.reader:MarkdownReader",
    markup=Markup.MARKDOWN,
    library="markdown-it-py",
)
HTML = FileFormat(
    name="html",
    label="HTML",
    media_types=dict.fromkeys((".html", ".htm", ".xhtml"), "text/html"),
    reader="pincite.ingest.html.reader:HtmlReader",
    markup=Markup.HTML,
    library="selectolax",
)
NOTEBOOK = FileFormat(
    name="ipynb",
    label="Notebook",
    media_types={".ipynb": "application/x-ipynb+json"},
    reader="pincite.ingest.data.notebook:NotebookReader",
    markup=Markup.MARKDOWN,
)
JSON = FileFormat(
    name="json",
    label="JSON",
    media_types=dict.fromkeys((".json", ".jsonl", ".ndjson"), "application/json"),
    reader="pincite.ingest.data.json_reader:JsonReader",
)
XML = FileFormat(
    name="xml",
    label="XML",
    media_types={".xml": "application/xml"},
    reader="pincite.ingest.data.xml_reader:XmlReader",
    library="lxml",
)
YAML = FileFormat(
    name="yaml",
    label="YAML",
    media_types=dict.fromkeys((".yaml", ".yml"), "application/yaml"),
    reader="pincite.ingest.data.settings_files:YamlReader",
    library="PyYAML",
)
TOML = FileFormat(
    name="toml",
    label="TOML",
    media_types={".toml": "application/toml"},
    reader="pincite.ingest.data.settings_files:TomlReader",
)
SUBTITLES = FileFormat(
    name="subtitles",
    label="Subtitles",
    media_types={".srt": "application/x-subrip", ".vtt": "text/vtt"},
    reader="pincite.ingest.plain.subtitles:SubtitleReader",
)
ORG = FileFormat(
    name="org",
    label="Org",
    media_types={".org": "text/x-org"},
    reader="pincite.ingest.markup.org:OrgReader",
    markup=Markup.HTML,
)
ASCIIDOC = FileFormat(
    name="asciidoc",
    label="AsciiDoc",
    media_types=dict.fromkeys((".adoc", ".asciidoc"), "text/asciidoc"),
    reader="pincite.ingest.markup.asciidoc:AsciiDocReader",
    markup=Markup.HTML,
)
TEX = FileFormat(
    name="tex",
    label="TeX",
    media_types={".tex": "text/x-tex"},
    reader="pincite.ingest.markup.tex:TexReader",
    markup=Markup.HTML,
    library="pylatexenc",
)
RST = FileFormat(
    name="rst",
    label="reStructuredText",
    media_types={".rst": "text/x-rst"},
    reader="pincite.ingest.plain.text:TextReader",
    markup=Markup.RST,
)
TEXT = FileFormat(
    name="text",
    label="Text",
    media_types=dict.fromkeys((".txt", ".text", ".log"), "text/plain"),
    reader="pincite.ingest.plain.text:TextReader",
)

FORMATS = (
    *(PDF, DOCX, XLSX, PPTX, OPEN_DOCUMENT, RTF, EPUB, EML, MSG, MBOX, CALENDAR, CSV, MARKDOWN),
    *(HTML, RST, ORG, ASCIIDOC, TEX, NOTEBOOK, JSON, XML, YAML, TOML, SUBTITLES, TEXT),
)
BY_SUFFIX = {suffix: one for one in FORMATS for suffix in one.media_types}
ZIP_PARTS = {re.compile(one.zip_part): one for one in FORMATS if one.zip_part}
_MARKUP = {kind: one.markup for one in FORMATS for kind in one.media_types.values()}


def markup_of(media_type: str) -> Markup:
    """The markup of documents of this type; its parameters (`; variant=wiki`) do not count."""
    return _MARKUP.get(media_type.partition(";")[0].strip().lower(), Markup.NONE)


def media_type_of(name: str) -> str:
    """The type of the document that a file of this name becomes; empty if it is unknown."""
    suffix = PurePath(name).suffix.lower()
    found = BY_SUFFIX.get(suffix)
    return found.media_types[suffix] if found is not None else ""
