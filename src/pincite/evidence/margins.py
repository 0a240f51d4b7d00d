"""What is printed at the edge of a page answers nothing beside the text of the page."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.document import Span
from pincite.evidence.rescoring import scored_sentences, silenced
from pincite.records import Hit, Question, Selection
from pincite.stages import Selector, Sources

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
_NEAR = 0.2
"""What scores so much less than the best is chosen beside nothing, wherever it stands."""
_FAR = 0.3
"""By so much more than any other sentence, a line at the edge alone answers."""


class MarginsSelector:
    """Keeps heads and feet of pages from another selector, unless nothing else comes near them.

    They stand below the headings of the page they end, so that they score as if they spoke of it.
    Readers tell them where they come back; in short files a line that ends or begins with the number of
    its page is one, and what a DOCX file has in its margins.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """What the other selector chooses; lines at the edge have no score any more."""
        scores = {span: score for score, span, _ in scored_sentences(hits)}
        if scores and not _ASKS_FOR_PAGE.search(question.plain):
            near = max(scores.values()) - _NEAR
            edges = {span for span in scores if scores[span] >= near and self._is_edge(span)}
            inner = max((score for span, score in scores.items() if span not in edges), default=0.0)
            if edges and max(scores[span] for span in edges) - inner <= _FAR:
                hits = silenced(hits, edges)
        return self._selector.select(question, hits)

    def _is_edge(self, span: Span) -> bool:
        document = self._sources.document(span.document_id)
        text = document.text[span.start : span.end]
        if len(text.split()) > _MOST_WORDS:
            return False
        blocks = document.blocks_in(span.start, span.end)
        if any(block.place.startswith(_PLACES) for block in blocks):
            return True
        is_whole = len(blocks) == 1 and (blocks[0].start, blocks[0].end) == (span.start, span.end)
        return is_whole and bool(_PAGE_MARK.search(text))
