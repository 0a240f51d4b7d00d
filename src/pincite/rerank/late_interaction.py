"""Late interaction: the token states of question and passage, compared by MaxSim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.records import Hit, Question, Ranking
from pincite.rerank.hot_passages import HotPassages
from pincite.rerank.maxsim import Likeness, PassageStates, compare
from pincite.rerank.order import PASSAGE_SHARE, Cut, final_score, reorder
from pincite.stages import Encoder, Sources, TermWeights, TokenStates
from pincite.text.terms import terms
from pincite.vectors import normalised

_LEAST_WEIGHT = 0.2
"""Added to a word's rarity (0..1), so that stop words count a little; the root of the sum is the
weight of the word's tokens: the rarest words count 2.4 times as much as stop words."""


class LateInteractionReranker:
    """Compares each question token with its most similar passage token.

    A passage's score is the mean of two values: MaxSim over the whole passage, and over its best
    sentence. Question tokens count by how rare their word is in this library. The states come from
    the encoder that made the index; no second model is needed. All values are in 0..1.
    docs/decisions/0003-late-interaction.md has what each part contributes.
    """

    def __init__(
        self,
        encoder: Encoder,
        hot: HotPassages,
        sources: Sources,
        weights: TermWeights,
        cut: Cut,
    ) -> None:
        self._encoder = encoder
        self._hot = hot
        self._sources = sources
        self._weights = weights
        self._cut = cut

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        """The first candidates with new scores in a new order, then the rest as they were."""
        first, rest = self._cut.split(hits)
        texts = [hit.passage.with_context(self._sources.text_of(hit.passage.span)) for hit in first]
        found = self._hot.states_of(
            texts,
            [tuple(hit.passage.sentence_ranges()) for hit in first],
            deadline=question.deadline,
        )
        asked = self._encoder.encode_question(question.asked)
        likenesses = compare(
            normalised(asked.states),
            self._token_weights(question.asked, asked),
            list(found.values()),
        )
        scored = [
            self._score(first[row], states, likeness)
            for (row, states), likeness in zip(found.items(), likenesses, strict=True)
        ]
        missed = [hit for row, hit in enumerate(first) if row not in found]
        ranking = reorder(scored, [*missed, *rest], stage="late_interaction", cut=self._cut)
        if not missed:
            return ranking
        told = f"time budget: {len(scored)} of {len(first)} candidates were compared"
        return replace(ranking, notices=(told,))

    def _token_weights(self, text: str, asked: TokenStates) -> NDArray[Any]:
        """One weight for each question token, with sum 1."""
        language = self._weights.language(text)
        words = [_word_around(text, int(start), int(end)) for start, end in asked.offsets]
        rarity = [
            max(map(self._weights.weight, terms(word, language)), default=0.0) for word in words
        ]
        importance = np.sqrt(np.array(rarity) + _LEAST_WEIGHT)
        scaled: NDArray[Any] = importance / importance.sum()
        return scaled

    def _score(self, hit: Hit, states: PassageStates, likeness: Likeness) -> Hit:
        passage = (likeness.whole + float(likeness.sentences.max(initial=0.0))) / 2
        scored = replace(hit, scores={**hit.scores, "late_interaction": passage})
        total = final_score(scored, stage="late_interaction", cut=self._cut)
        return replace(
            scored,
            sentence_scores=tuple(
                (1 - PASSAGE_SHARE) * float(score) + PASSAGE_SHARE * total
                for score in likeness.sentences
            ),
            sentence_vectors=states.sentence_vectors.astype(np.float32),
        )


def _word_around(text: str, start: int, end: int) -> str:
    while start > 0 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return text[start:end]
