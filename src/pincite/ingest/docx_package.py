"""Opens the zip archive of a Word file, after making sure that unpacking it is harmless."""

from __future__ import annotations

import io
import zipfile
import zlib

import docx
from docx.document import Document as WordDocument
from docx.opc.exceptions import OpcError
from lxml import etree

from pincite.errors import ReadError

MEBIBYTE = 1 << 20
# Office XML seldom shrinks to less than a fiftieth; a bomb shrinks to a thousandth.
_LARGEST_RATIO = 200
_RATIO_MATTERS_FROM_BYTES = 16 * MEBIBYTE


def open_package(content: bytes, *, max_unpacked_bytes: int) -> WordDocument:
    """The document in a Word file. Raises ReadError when it is damaged or would fill the memory."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _refuse_bomb(archive, max_unpacked_bytes)
        return docx.Document(io.BytesIO(content))
    except (
        zipfile.BadZipFile,
        zlib.error,
        OpcError,
        etree.XMLSyntaxError,
        KeyError,  # a part that is named but missing
        ValueError,  # another kind of Office file inside
        NotImplementedError,  # a compression method Python has no code for
        EOFError,
        AttributeError,  # XML that is well-formed but not what python-docx expects
        TypeError,
        IndexError,
        OSError,
        RuntimeError,  # encrypted archive members
    ) as error:
        raise ReadError(
            f"the Word file is damaged or of a kind Word does not write ({_first_line(error)}); "
            "open it in Word and save it anew as .docx"
        ) from error


def _refuse_bomb(archive: zipfile.ZipFile, max_unpacked_bytes: int) -> None:
    """Compare the sizes the archive declares, which zipfile enforces when it unpacks."""
    entries = archive.infolist()
    unpacked = sum(entry.file_size for entry in entries)
    packed = sum(entry.compress_size for entry in entries)
    if unpacked > max_unpacked_bytes:
        raise ReadError(
            f"it unpacks to {unpacked // MEBIBYTE} MB and the limit is "
            f"{max_unpacked_bytes // MEBIBYTE} MB; remove pictures or split it"
        )
    if unpacked > _RATIO_MATTERS_FROM_BYTES and unpacked > _LARGEST_RATIO * max(packed, 1):
        raise ReadError(
            f"it unpacks to {unpacked // max(packed, 1)} times its size, as no real document does; "
            "it was not opened, to protect this machine"
        )


def _first_line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:200]}" if text else type(error).__name__
