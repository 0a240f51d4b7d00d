"""Reads a question of one collection without words that only other collections hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pincite.records.flow import Question, Understood
from pincite.stages import Understander
from pincite.text.terms import question_terms, terms

IsHeld = Callable[[str, str], bool]
"""Whether a collection holds a term."""


class WordsInCollection:
    """The library's vocabulary is that of all collections; who asks in one may not see the others.

    What a collection lacks finds nothing in it, so hits and scores stay the same but for spelling: a
    question of which any correction or expansion lies elsewhere is read without corrections.
    """

    def __init__(self, reader: Understander, literal: Understander, is_held: IsHeld) -> None:
        """`literal` reads like `reader`, but corrects no spelling."""
        self._reader = reader
        self._literal = literal
        self._is_held = is_held

    def understand(self, question: Question) -> Question:
        """The question, with `understood` filled in."""
        read = self._reader.understand(question)
        if question.collection is None or read.understood is None:
            return read
        if not self._elsewhere(question.collection, read.understood):
            return read
        read = self._literal.understand(question)
        assert read.understood is not None
        elsewhere = self._elsewhere(question.collection, read.understood)
        return replace(read, understood=_without(read.understood, elsewhere))

    def _elsewhere(self, collection: str, found: Understood) -> set[str]:
        """Terms that the library added to the question and the collection has not."""
        added = {
            term for near in found.corrections.values() for term in terms(near, found.language)
        }
        added.update(term for expanded in found.expansions.values() for term in expanded)
        return {term for term in added if not self._is_held(collection, term)}


def _without(found: Understood, elsewhere: set[str]) -> Understood:
    asked = question_terms(found.asked, found.language)
    expansions = {
        word: {term: weight for term, weight in expanded.items() if term not in elsewhere}
        for word, expanded in found.expansions.items()
    }
    return replace(
        found,
        expansions={word: expanded for word, expanded in expansions.items() if expanded},
        terms={t: w for t, w in found.terms.items() if t in asked or t not in elsewhere},
    )
