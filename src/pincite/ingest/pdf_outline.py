"""Reads the bookmarks of a PDF, which tell its headings and how they are nested."""

from __future__ import annotations

import re
from itertools import islice

import pypdfium2

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
        letters = letters_of(bookmark.get_title())
        if page is not None and letters:
            found.setdefault(page + 1, {}).setdefault(letters, bookmark.level + 1)
    return found


def letters_of(title: str) -> str:
    """What two ways of writing a heading have in common."""
    return _SIGNS.sub("", title).casefold()
