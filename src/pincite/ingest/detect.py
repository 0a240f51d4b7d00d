"""Tells what kind of file this is: by its first bytes, then by its name."""

from __future__ import annotations

import io
import zipfile
from enum import StrEnum
from pathlib import Path

from pincite.errors import ReadError


class Format(StrEnum):
    """The kinds of file Pincite reads."""

    PDF = "pdf"
    DOCX = "docx"
    MARKDOWN = "markdown"
    HTML = "html"
    TEXT = "text"


READABLE_SUFFIXES: dict[str, Format] = {
    ".pdf": Format.PDF,
    ".docx": Format.DOCX,
    ".md": Format.MARKDOWN,
    ".markdown": Format.MARKDOWN,
    ".html": Format.HTML,
    ".htm": Format.HTML,
    ".xhtml": Format.HTML,
    ".txt": Format.TEXT,
    ".text": Format.TEXT,
    ".log": Format.TEXT,
    ".rst": Format.TEXT,
}

_OLE_HEADER = bytes.fromhex("D0CF11E0A1B11AE1")
_ZIP_HEADERS = (b"PK\x03\x04", b"PK\x05\x06")
_OFFICE_KINDS = {"xl/": "a spreadsheet (.xlsx)", "ppt/": "a presentation (.pptx)"}


def detect(path: Path, content: bytes) -> Format:
    """The format of a file, by content before name. Raises ReadError when it is none we read."""
    if not content:
        raise ReadError("the file is empty (0 bytes); nothing can be read from it")
    named = READABLE_SUFFIXES.get(path.suffix.lower())
    if _is_pdf(content, named):
        return Format.PDF
    if content.startswith(_OLE_HEADER):
        raise ReadError(
            "it is a password-protected document or an old Word .doc file; "
            "open it in Word and save it as .docx without a password"
        )
    if content.startswith(_ZIP_HEADERS):
        return _zip_format(content)
    return _named_format(path, named)


def _is_pdf(content: bytes, named: Format | None) -> bool:
    """Whether a PDF header stands near the start.

    A text about PDF files may mention the header, so a file named as text must begin with it or
    also have the trailer that every PDF ends with.
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
            names = archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise ReadError(
            f"it begins like a Word file but is damaged or cut off ({error}); "
            "get a complete copy of the file"
        ) from error
    if "word/document.xml" in names:
        return Format.DOCX
    kinds = [
        kind for folder, kind in _OFFICE_KINDS.items() if any(n.startswith(folder) for n in names)
    ]
    found = kinds[0] if kinds else "a zip archive without a Word document in it"
    raise ReadError(f"it is {found}; Pincite reads {readable_list()}; save it as one of those")


def _named_format(path: Path, named: Format | None) -> Format:
    if named is None:
        suffix = path.suffix or "a name without an ending"
        raise ReadError(
            f"it is not a kind of file Pincite reads ({suffix}); it reads {readable_list()}"
        )
    if named in (Format.PDF, Format.DOCX):
        raise ReadError(
            f"it is called {path.suffix} but does not begin like one; "
            "it is damaged or of another kind; get a complete copy of the file"
        )
    return named


def readable_list() -> str:
    """The endings of readable files, for messages."""
    return " ".join(READABLE_SUFFIXES)
