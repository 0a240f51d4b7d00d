"""Which lines are printed at the edge of a page, where no reader told them apart?"""

from __future__ import annotations

import re

from pincite.document import Document

_PLACES = ("page header", "page footer")
_PAGE = (
    r"(?:page|pg\.|seite|p[aá]gina|sida|side|sivu|strona|strana|str\.|oldal|страница|стр\.|σελίδα|"
    r"sayfa|halaman|trang)"
)
_OF = r"(?:\s*(?:of|/|von|sur|de|di|van|av|af|z|ze|из|από)\s*\d{1,4})?"
_PAGE_MARK = re.compile(
    rf"(?:^|\s){_PAGE}\s*\d{{1,4}}{_OF}\W*$|^\W*{_PAGE}\s*\d{{1,4}}{_OF}(?:\s|$)", re.IGNORECASE
)
_ASKS_FOR_PAGE = re.compile(rf"\b{_PAGE}s?\b|\bpages|\bseiten", re.IGNORECASE)
_MOST_WORDS = 15


def asks_for_page(question: str) -> bool:
    """Whether a question is about pages."""
    return _ASKS_FOR_PAGE.search(question) is not None


def is_page_edge(document: Document, start: int, end: int) -> bool:
    """Whether `text[start:end]` is a short line with the number of its page, or from a DOCX margin."""
    text = document.text[start:end]
    if len(text.split()) > _MOST_WORDS:
        return False
    blocks = document.blocks_in(start, end)
    if any(block.place.startswith(_PLACES) for block in blocks):
        return True
    is_whole = len(blocks) == 1 and (blocks[0].start, blocks[0].end) == (start, end)
    return is_whole and bool(_PAGE_MARK.search(text))
