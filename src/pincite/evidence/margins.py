"""What is printed at the edge of a page answers nothing beside the text of the page."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.document import Span
from pincite.evidence.rescoring import scored_sentences, silenced
from pincite.records import Hit, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.page_edges import asks_for_page, is_page_edge

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
        if scores and not asks_for_page(question.plain):
            near = max(scores.values()) - _NEAR
            edges = {span for span in scores if scores[span] >= near and self._is_edge(span)}
            inner = max((score for span, score in scores.items() if span not in edges), default=0.0)
            if edges and max(scores[span] for span in edges) - inner <= _FAR:
                hits = silenced(hits, edges)
        return self._selector.select(question, hits)

    def _is_edge(self, span: Span) -> bool:
        document = self._sources.document(span.document_id)
        return is_page_edge(document, span.start, span.end)
