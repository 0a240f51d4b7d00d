"""Flags what of a PDF is no page: scripts, actions that start by themselves, attached files."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator

import pypdfium2
import pypdfium2.raw as pdfium

from pincite.document import Flag, FlagKind
from pincite.ingest.pdf_objects import streams, unpacked

_MOST_NAMES = 20
_LONGEST_NAME = 1024
# Names of actions as they stand in the file's objects.
_ACTIONS = {
    "JavaScript": re.compile(rb"/(?:JavaScript|JS)\b"),
    "an action that starts a program": re.compile(rb"/Launch\b"),
    "an action on opening": re.compile(rb"/(?:OpenAction|AA)\b"),
    "a form that is sent away": re.compile(rb"/SubmitForm\b"),
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
            yield Flag(kind=FlagKind.ACTIVE_CONTENT, detail=f"it holds {name}; nothing was run")
    count = pdfium.FPDFDoc_GetAttachmentCount(pdf.raw)
    for index in range(min(count, _MOST_NAMES)):
        name = _attachment_name(pdfium.FPDFDoc_GetAttachment(pdf.raw, index))
        yield Flag(kind=FlagKind.ATTACHMENT, detail=f"the file {name} is attached; it was not read")
    if count > _MOST_NAMES:
        yield Flag(
            kind=FlagKind.ATTACHMENT, detail=f"{count - _MOST_NAMES} more files are attached"
        )


def _without_streams(content: bytes) -> bytes:
    """The objects of a file, also those it holds compressed; pictures and page contents left out."""
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
