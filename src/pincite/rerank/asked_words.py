"""Which of a question's words stand in a sentence? An encoder for another language hardly tells."""

from __future__ import annotations

from dataclasses import dataclass

from pincite.stages import TermWeights
from pincite.text.asking_words import spoken_language, without_asking_phrases
from pincite.text.languages import UNKNOWN
from pincite.text.terms import question_terms, terms

_IN_NO_PASSAGE = 0.999
"""Weight from which on a word stands nowhere in the library: it tells no sentence from another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordShare:
    """What the share of the question's words counts of a sentence's score, by language, in 0..1."""

    english: float = 0.0
    others: float = 0.0

    def of(self, language: str) -> float:
        """For a question in this language (ISO 639-1)."""
        return self.english if language == UNKNOWN else self.others


STATES_ALONE = WordShare()


class AskedWords:
    """The words of a question that the library holds, each weighed by how rare it is there."""

    def __init__(self, question: str, weights: TermWeights) -> None:
        self.language = weights.language(question)
        self.spoken = spoken_language(question, self.language)
        asked = question_terms(without_asking_phrases(question, self.language), self.language)
        weighed = {term: weights.weight(term) for term in asked}
        self._weights = {term: value for term, value in weighed.items() if value < _IN_NO_PASSAGE}
        self._total = sum(self._weights.values())

    def mixed(self, score: float, text: str, share: float) -> float:
        """A sentence's score in 0..1, of which the words that it holds count `share`."""
        if not share:
            return score
        held = {*terms(text, self.language)}
        found = sum(weight for term, weight in self._weights.items() if term in held)
        return (1 - share) * score + share * found / (self._total or 1.0)
