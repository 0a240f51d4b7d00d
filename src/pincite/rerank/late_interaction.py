"""Late interaction: compares the token states of question and passage by MaxSim."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.models.vectors import normalised, turned
from pincite.records.document import Range
from pincite.records.flow import Hit, Question, Ranking
from pincite.rerank.order import PASSAGE_SHARE, Cut, final_score, reorder
from pincite.rerank.token_state_cache import HotPassages, Likeness, PassageStates, compare
from pincite.stages import Encoder, Sources, TermWeights, TokenStates
from pincite.text.languages import UNKNOWN
from pincite.text.question_words import spoken_language, without_asking_phrases
from pincite.text.terms import question_terms, terms

# The share of the question's words in a sentence, for languages that the encoder hardly knows.

_IN_NO_PASSAGE = 0.999
"""A word of at least this weight is nowhere in the library, so it does not distinguish sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordShare:
    """Weight of the share of the question's words in a sentence's score, in 0..1, by language."""

    english: float = 0.0
    others: float = 0.0

    def for_language(self, language: str) -> float:
        """The weight for a question in this language (ISO 639-1)."""
        return self.english if language == UNKNOWN else self.others


STATES_ALONE = WordShare()


class AskedWords:
    """The words of a question that are in the library, weighted by inverse document frequency."""

    def __init__(self, question: str, weights: TermWeights) -> None:
        self.language = weights.language(question)
        self.spoken = spoken_language(question, self.language)
        asked = question_terms(without_asking_phrases(question, self.language), self.language)
        weighed = {term: weights.weight(term) for term in asked}
        self._weights = {term: value for term, value in weighed.items() if value < _IN_NO_PASSAGE}
        self._total = sum(self._weights.values())

    def mixed(self, score: float, text: str, share: float) -> float:
        """A sentence's score mixed with its share of the question's words, which has weight `share`."""
        if not share:
            return score
        held = {*terms(text, self.language)}
        found = sum(weight for term, weight in self._weights.items() if term in held)
        return (1 - share) * score + share * found / (self._total or 1.0)


# The reranker.

_LEAST_FOR_PASSAGES = 0.1
_LEAST_FOR_SENTENCES = 0.2
"""Added to a word's rarity (0..1), so that stop words count a little. The sum is the weight of the
word's tokens for passages, and its square root for sentences: the rare words of a question identify
the passage, but often do not appear again in the sentence that answers."""

_LETTERS = re.compile(r"[^\W_]+")

_BEST_SENTENCE = 0.7
"""Weight of the best sentence in a passage's score; the rest is that of the whole passage."""


class LateInteractionReranker:
    """Compares each question token with its most similar passage token.

    A passage's score mixes two values: MaxSim over its best sentence, and over the whole passage.
    Question tokens are weighted by how rare their word is in this library. The states come from the
    encoder that made the index, so no second model is needed. All values are in 0..1. `words` is
    the additional weight of the question's words in a sentence, `stage` the name of the scores.
    docs/decisions/0003-late-interaction.md shows what each part contributes.
    """

    def __init__(
        self,
        encoder: Encoder,
        hot: HotPassages,
        sources: Sources,
        weights: TermWeights,
        cut: Cut,
        *,
        words: WordShare = STATES_ALONE,
        stage: str = "late_interaction",
    ) -> None:
        self._encoder = encoder
        self._hot = hot
        self._sources = sources
        self._weights = weights
        self._cut = cut
        self._words = words
        self._stage = stage

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        """The first candidates with new scores in a new order, then the rest as they were."""
        first, rest = self._cut.split(hits)
        texts = [hit.passage.with_context(self._sources.text_of(hit.passage.span)) for hit in first]
        found = self._hot.states_of(
            [hit.passage for hit in first],
            texts,
            deadline=question.deadline,
        )
        asked = self._encoder.encode_question(question.asked)
        words = AskedWords(question.asked, self._weights)
        likenesses = compare(
            turned(normalised(asked.states)),
            self._importance(question.asked, asked),
            list(found.values()),
            [first[row].passage.headers for row in found],
        )
        scored = [
            self._score(first[row], states, likeness, texts[row], words)
            for (row, states), likeness in zip(found.items(), likenesses, strict=True)
        ]
        missed = [hit for row, hit in enumerate(first) if row not in found]
        ranking = reorder(scored, [*missed, *rest], stage=self._stage, cut=self._cut)
        if not missed:
            return ranking
        notice = f"time budget: {len(scored)} of {len(first)} candidates were compared"
        return replace(ranking, notices=(notice,))

    def _importance(self, text: str, asked: TokenStates) -> NDArray[Any]:
        """Weights (2, question tokens) for passages and for sentences; each row has the sum 1."""
        language = self._weights.language(text)
        words = _words_around(text, [(int(start), int(end)) for start, end in asked.offsets])
        asked_terms = question_terms(text, language)
        # Each word once: in a script without spaces, all tokens may be in one long word.
        rarest = {
            word: max(
                (
                    self._weights.weight(term)
                    for term in terms(text[slice(*word)], language)
                    if term in asked_terms
                ),
                default=0.0,
            )
            for word in set(words)
        }
        rarity = np.array([rarest[word] for word in words])
        weights = np.stack([rarity + _LEAST_FOR_PASSAGES, np.sqrt(rarity + _LEAST_FOR_SENTENCES)])
        scaled: NDArray[Any] = weights / weights.sum(axis=1, keepdims=True)
        return scaled

    def _score(
        self, hit: Hit, states: PassageStates, likeness: Likeness, text: str, words: AskedWords
    ) -> Hit:
        for_passages, for_sentences = likeness.sentences
        best = float(for_passages.max(initial=0.0))
        passage = _BEST_SENTENCE * best + (1 - _BEST_SENTENCE) * float(likeness.whole[0])
        scored = replace(hit, scores={**hit.scores, self._stage: passage})
        total = final_score(scored, stage=self._stage, cut=self._cut)
        share = self._words.for_language(words.spoken)
        return replace(
            scored,
            sentence_scores=tuple(
                words.mixed(
                    (1 - PASSAGE_SHARE) * float(score) + PASSAGE_SHARE * total,
                    text[start:end],
                    share,
                )
                for score, (start, end) in zip(
                    for_sentences, hit.passage.sentence_ranges(), strict=True
                )
            ),
            sentence_vectors=states.sentence_vectors.astype(np.float32),
        )


def _words_around(text: str, tokens: Sequence[Range]) -> list[Range]:
    """For each token, the range of the whole words that it touches."""
    runs = [found.span() for found in _LETTERS.finditer(text)]
    before = (_run_at(runs, start - 1) for start, _ in tokens)
    after = (_run_at(runs, end) for _, end in tokens)
    return [
        (first[0] if first else start, last[1] if last else end)
        for (start, end), first, last in zip(tokens, before, after, strict=True)
    ]


def _run_at(runs: Sequence[Range], position: int) -> Range | None:
    row = bisect_right(runs, position, key=lambda run: run[0]) - 1
    return runs[row] if row >= 0 and position < runs[row][1] else None
