"""Detects the format of a file from its first bytes, then from its name."""

from __future__ import annotations

import contextlib
import io
import zipfile
from pathlib import Path

from pincite.errors import PluginError, ReadError
from pincite.ingest.reading import NeedsPassword
from pincite.records import formats
from pincite.records.formats import BY_SUFFIX, FileFormat
from pincite.settings.plugins import Hook, Plugin

PARSERS = Hook("parsers", {one.name: one.reader for one in formats.FORMATS})
"""The parser of each format; a plugin is registered under its file extension without the dot."""

OLE_HEADER = bytes.fromhex("D0CF11E0A1B11AE1")
_ZIP_HEADERS = (b"PK\x03\x04", b"PK\x05\x06")
_OTHER_ZIPS = {
    "xl/workbook.bin": "a binary workbook (.xlsb)",
}
_ENCRYPTED = "EncryptedPackage"


def detect(path: Path, content: bytes) -> FileFormat:
    """The format of a file; content takes precedence over name. Raises ReadError if unsupported."""
    if not content:
        raise ReadError("the file is empty (0 bytes)")
    named = BY_SUFFIX.get(path.suffix.lower())
    if _is_pdf(content, named):
        return formats.PDF
    if content.startswith(formats.RTF.magic):
        return formats.RTF
    if content.startswith(OLE_HEADER):
        if _holds(content, formats.MSG.ole_stream):
            return formats.MSG
        raise _old_office(path, content)
    if content.startswith(_ZIP_HEADERS):
        return _zip_format(content)
    if _is_disguised_page(content, named):
        return formats.HTML
    return _named_format(path, named)


def _holds(content: bytes, stream: str) -> bool:
    """Whether the directory of an old Office file names this stream."""
    return stream.encode("utf-16-le") in content


def old_format(suffix: str, content: bytes) -> FileFormat | None:
    """The present format of an old Office file; None for any other file, and one with a password.

    A text may hold a workbook and the other way round: the name decides where it can.
    """
    if not content.startswith(OLE_HEADER) or _holds(content, _ENCRYPTED):
        return None
    if _holds(content, formats.MSG.ole_stream):
        return None
    held = [
        one for one in formats.FORMATS if any(_holds(content, name) for name in one.old_streams)
    ]
    named = (one for one in held if suffix.lower() in one.media_types)
    return next(named, held[0] if held else None)


def not_converted(new: FileFormat, how: str = "open it in its own program and") -> ReadError:
    """Why an old Office file is not read, and what to do: `how` stands before "save it as"."""
    suffix = next(iter(new.media_types))
    return ReadError(f"it is an old {new.label} {suffix[:-1]} file; {how} save it as {suffix}")


def _old_office(path: Path, content: bytes) -> ReadError:
    if (new := old_format(path.suffix, content)) is not None:
        return not_converted(new)
    return NeedsPassword(
        "it is a password-protected Office file or a damaged one; open it in its own program and save "
        "it as .docx, .xlsx or .pptx without a password"
    )


def _is_disguised_page(content: bytes, named: FileFormat | None) -> bool:
    """Whether a file named as an Office file is a web page, as exports of old systems often are."""
    head = content[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    is_binary = named is not None and named.found_by_content
    return is_binary and head.startswith((b"<!doctype html", b"<html"))


def _is_pdf(content: bytes, named: FileFormat | None) -> bool:
    """Whether a PDF header occurs near the start.

    A text about PDF files may mention the header, so a file named as text must start with it or
    also have the trailer that ends every PDF.
    """
    if b"%PDF-" not in content[:1024]:
        return False
    return (
        named in (None, formats.PDF)
        or content.lstrip().startswith(b"%PDF-")
        or b"startxref" in content[-2048:]
    )


def _zip_format(content: bytes) -> FileFormat:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = frozenset(archive.namelist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise ReadError(
            f"it starts like an Office file but is damaged or truncated ({error}); "
            "get a complete copy of the file"
        ) from error
    for part, kind in formats.ZIP_PARTS.items():
        if any(part.fullmatch(name) for name in names):
            return kind
    found = next((kind for part, kind in _OTHER_ZIPS.items() if part in names), None)
    found = found or "a zip archive that contains no document"
    raise ReadError(f"it is {found}; Pincite reads {readable_list()}; convert it to one of these")


def _named_format(path: Path, named: FileFormat | None) -> FileFormat:
    if named is None:
        suffix = path.suffix or "no extension"
        raise ReadError(
            f"Pincite does not read this file type ({suffix}); it reads {readable_list()}"
        )
    if named.found_by_content:
        raise ReadError(
            f"it is named {path.suffix} but does not start like one; "
            "it is damaged or of another type; get a complete copy of the file"
        )
    return named


def format_of(suffix: str) -> FileFormat | None:
    """What is known of files with this extension; a plugin says it as its `format`."""
    if (built_in := BY_SUFFIX.get(suffix.lower())) is not None:
        return built_in
    if (plugin := added_parser(suffix)) is None:
        return None
    with contextlib.suppress(PluginError):  # a broken one is told where it is used
        told = getattr(plugin.load(), "format", None)
        if isinstance(told, FileFormat):
            return told
    return FileFormat(name=plugin.name, label=plugin.name.upper(), media_types={suffix.lower(): ""})


def added_parser(suffix: str) -> Plugin | None:
    """The plugin for an extension that no built-in parser reads; None if there is none."""
    ending = suffix.lower()
    if not ending or ending in BY_SUFFIX:
        return None
    return next((one for one in PARSERS.added() if f".{one.name.lower()}" == ending), None)


def is_readable(suffix: str) -> bool:
    """Whether a built-in parser or a plugin reads files with this extension."""
    return suffix.lower() in BY_SUFFIX or added_parser(suffix) is not None


def known_labels() -> tuple[str, ...]:
    """What people call the formats that are read, those of plugins included."""
    added = (format_of(f".{one.name}") for one in PARSERS.added())
    return tuple(dict.fromkeys(one.label for one in (*formats.FORMATS, *added) if one is not None))


def readable_list() -> str:
    """The extensions of readable files, for messages."""
    added = (f".{one.name}" for one in PARSERS.added() if added_parser(f".{one.name}"))
    return " ".join(dict.fromkeys((*BY_SUFFIX, *added)))
