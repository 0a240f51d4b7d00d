"""Two rerankers: one for questions in a script that the encoder reads, one for all others."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.records import Hit, Question, Ranking
from pincite.stages import Reranker
from pincite.text.scripts import is_latin


class ByScript:
    """An encoder that knows Latin letters only compares other scripts letter by letter, if at all.

    What it says then still orders sentences, and should decide less about passages.
    """

    def __init__(self, *, latin: Reranker, other: Reranker) -> None:
        self._latin = latin
        self._other = other

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        """The order of the reranker that is meant for this question."""
        chosen = self._latin if is_latin(question.asked) else self._other
        return chosen.rerank(question, hits)
