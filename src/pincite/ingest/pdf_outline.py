"""Reads the bookmarks of a PDF, which tell its headings and how they are nested."""

from __future__ import annotations

import ctypes
import re
from itertools import islice

import pypdfium2
import pypdfium2.raw as pdfium

_MOST_BOOKMARKS = 5000
_DEEPEST = 6
_SIGNS = re.compile(r"[\W_]+")

Bookmarks = dict[int, dict[str, int]]
"""For each page number the levels, from 1, of the titles that stand there, by their letters."""


def read_bookmarks(pdf: pypdfium2.PdfDocument) -> Bookmarks:
    """The bookmarks that lead to a page; a broken tree gives as many as PDFium can follow."""
    found: Bookmarks = {}
    for bookmark in islice(pdf.get_toc(max_depth=_DEEPEST), _MOST_BOOKMARKS):
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        letters = letters_of(_title(bookmark))
        if page is not None and letters:
            found.setdefault(page + 1, {}).setdefault(letters, bookmark.level + 1)
    return found


def _title(bookmark: pypdfium2.PdfBookmark) -> str:
    """Its title; pypdfium2 itself fails on one with half a character in it."""
    length = pdfium.FPDFBookmark_GetTitle(bookmark.raw, None, 0)
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFBookmark_GetTitle(bookmark.raw, buffer, length)
    return buffer.raw[: max(length - 2, 0)].decode("utf-16-le", "replace")


def letters_of(title: str) -> str:
    """What two ways of writing a heading have in common."""
    return _SIGNS.sub("", title).casefold()
